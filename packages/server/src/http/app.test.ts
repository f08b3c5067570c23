import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { VERSION } from '../kernel/version.ts';
import {
  HOUR,
  makeToken,
  movableClock,
  noteTool,
  type ServiceOptions,
  testConfig,
  testServices,
} from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import type { Scope } from '../trust/identity/events.ts';
import { ensureProject, resolveProject } from '../trust/identity/projects.ts';
import { createHttpApp } from './app.ts';
import { Metrics } from './metrics.ts';

const HOST = { host: 'localhost:9090' };
const ROUTES = ['/healthz', '/readyz', '/metrics', '/mcp/tools/list', '/mcp', '/nowhere'];

async function setUp(options: ServiceOptions = {}) {
  const services = await testServices({ tools: [noteTool], ...options });
  const metrics = new Metrics(services.journal);
  let ready = true;
  const app = createHttpApp({ ...services, observer: metrics, metrics, ready: () => ready });
  onTestFinished(() => app.close());
  const request = async (path: string, init: RequestInit = {}) =>
    app.fetch(
      new Request(`http://localhost:9090${path}`, { ...init, headers: { ...HOST, ...init.headers } }),
    );
  const post = (body: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
    request(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    });
  return { services, request, post, stop: () => (ready = false) };
}

const call = (name: string, input: unknown = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

type Answer = {
  result?: { structuredContent: Record<string, unknown> };
  error?: { code: number; message: string };
};
const jsonOf = async (response: Response) => (await response.json()) as Answer;

describe('health', () => {
  test('alive, ready, and not ready while stopping', async () => {
    const { request, stop } = await setUp();
    expect(await (await request('/healthz')).json()).toEqual({ status: 'ok', version: VERSION });
    expect(await (await request('/readyz')).json()).toEqual({ status: 'ready', seq: 0 });
    stop();
    const response = await request('/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'stopping' });
    expect((await request('/healthz')).status).toBe(200);
  });

  test('metrics count calls by tool and outcome', async () => {
    const { request, post } = await setUp();
    await post(call('memory.note', { text: 'a', session_id: 'window-1' }));
    await post(call('memory.note', {}));
    const text = await (await request('/metrics')).text();
    expect(text).toContain('infold_tool_calls_total{tool="memory.note",outcome="ok"} 1');
    expect(text).toContain('infold_tool_calls_total{tool="memory.note",outcome="error"} 1');
    expect(text).toMatch(/^infold_journal_head [1-9]/m);
  });
});

describe('who may ask', () => {
  test.each(ROUTES)('a hostile Host or Origin gets 403 on %s', async (path) => {
    verifies('KERN-11');
    const { request } = await setUp();
    const answers = [
      await request(path, { headers: { host: 'evil.example' } }),
      await request(path, { headers: { origin: 'https://evil.example' } }),
      await request(path, { method: 'POST', headers: { origin: 'null' } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'forbidden', retryable: false });
    }
  });

  test('with a token made, the work needs one and health does not', async () => {
    verifies('KERN-10');
    const { services, request, post } = await setUp();
    const { token } = await makeToken(services.journal);
    for (const path of ['/metrics', '/mcp/tools/list', '/mcp']) {
      const refused = await request(path);
      expect(refused.status, path).toBe(401);
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    }
    for (const path of ['/healthz', '/readyz']) expect((await request(path)).status, path).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    const { result } = await jsonOf(await post(call('infold_status'), headers));
    expect(result?.structuredContent.principal).toBe('alice');
  });

  test('401 comes before any work: a body that could not even be read is not looked at', async () => {
    verifies('KERN-10');
    const { services, post } = await setUp({ config: testConfig() });
    await makeToken(services.journal);
    expect((await post('{ broken')).status).toBe(401);
    expect((await post('x'.repeat(5 * 1024 * 1024))).status).toBe(401);
  });

  test.each(['Bearer', 'Bearer a b', 'Basic YTpi', 'inf_token', ''])(
    'the header %j is refused, even where no token is needed',
    async (authorization) => {
      const { post } = await setUp();
      expect((await post(call('infold_status'), { authorization })).status).toBe(401);
    },
  );

  test('an expired token', async () => {
    const clock = movableClock();
    const { services, post } = await setUp({ clock });
    const { token } = await makeToken(services.journal, { expiresAt: clock.read() + HOUR });
    const headers = { authorization: `Bearer ${token}` };
    expect((await post(call('infold_status'), headers)).status).toBe(200);
    clock.advance(HOUR);
    expect((await post(call('infold_status'), headers)).status).toBe(401);
  });

  test('a token without the scope to read gets no list', async () => {
    const { services, request } = await setUp();
    const { token } = await makeToken(services.journal, { scopes: ['write'] });
    const headers = { authorization: `Bearer ${token}` };
    expect((await request('/mcp/tools/list', { headers })).status).toBe(403);
  });

  test('the metrics are everybody’s doings: they need the scope admin', async () => {
    verifies('KERN-10');
    const { services, request } = await setUp();
    expect((await request('/metrics')).status).toBe(200);
    const statusWith = async (scopes: Scope[]) => {
      const { token } = await makeToken(services.journal, { name: scopes.join('-'), scopes });
      return (await request('/metrics', { headers: { authorization: `Bearer ${token}` } })).status;
    };
    expect(await statusWith(['read', 'write', 'review'])).toBe(403);
    expect(await statusWith(['admin'])).toBe(200);
  });

  test('readiness says how much was written only to who may read', async () => {
    verifies('KERN-10');
    const { services, request } = await setUp();
    const { token } = await makeToken(services.journal);
    const asked = async (authorization?: string) =>
      (await request('/readyz', { headers: authorization === undefined ? {} : { authorization } })).json();
    expect(await asked()).toEqual({ status: 'ready' });
    expect(await asked('Bearer wrong')).toEqual({ status: 'ready' });
    expect(await asked(`Bearer ${token}`)).toEqual({ status: 'ready', seq: 1 });
  });
});

describe('without tokens, what changes something', () => {
  const ELSEWHERE = 'http://localhost:3000';
  const statusOf = async (made: Promise<Response>) => (await made).status;

  test('is refused to pages of other ports of this machine, who may still look', async () => {
    verifies('KERN-11');
    const { request, post } = await setUp();
    const refused = await post(call('memory.note', { text: 'a' }), { origin: ELSEWHERE });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      code: 'forbidden',
      error: expect.stringContaining('allowedOrigins'),
    });
    const headers = { origin: ELSEWHERE };
    expect(await statusOf(request('/api/anything', { method: 'DELETE', headers }))).toBe(403);
    expect(await statusOf(request('/mcp/tools/list', { headers }))).toBe(200);
    expect(await statusOf(post(call('infold_status'), { origin: 'http://localhost:9090' }))).toBe(200);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'is refused as %j, which any page can make a browser send',
    async (type) => {
      verifies('KERN-11');
      const { services, request } = await setUp();
      const body = JSON.stringify({ content: 'x' });
      const sent = (headers: Record<string, string>) =>
        request('/api/memory/items', { method: 'POST', body, headers: { 'content-type': type, ...headers } });
      for (const size of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
        const refused = await sent(size);
        expect(refused.status).toBe(415);
        expect(await refused.json()).toMatchObject({ code: 'unsupported_type' });
      }
      const { token } = await makeToken(services.journal);
      const authorization = `Bearer ${token}`;
      expect(await statusOf(sent({ authorization, 'content-length': String(body.length) }))).not.toBe(415);
    },
  );

  test('is open to pages that the configuration names, which are answered so that they can read it', async () => {
    const { request, post } = await setUp({ config: testConfig({ allowedOrigins: [ELSEWHERE] }) });
    const answer = await post(call('memory.note', { text: 'a' }), { origin: ELSEWHERE });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ELSEWHERE);
    const asks = (origin: string) =>
      request('/mcp', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
    const preflight = await asks(ELSEWHERE);
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type');
    expect((await asks('http://localhost:3001')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the manifest', () => {
  const namesOf = async (response: Response) =>
    ((await response.json()) as { tools: { name: string }[] }).tools.map(({ name }) => name);

  test('shows one spelling, as asked', async () => {
    verifies('KERN-09');
    const { request } = await setUp();
    expect(await namesOf(await request('/mcp/tools/list'))).toEqual(['infold_status', 'memory.note']);
    expect(await namesOf(await request('/mcp/tools/list?names=portable'))).toContain('memory_note');
  });

  test('the configured spelling overrides the question', async () => {
    verifies('KERN-09');
    const { request } = await setUp({ config: testConfig({ toolNames: 'portable' }) });
    expect(await namesOf(await request('/mcp/tools/list'))).toContain('memory_note');
    const seed = await setUp({ config: testConfig({ toolNames: 'seed' }) });
    expect(await namesOf(await seed.request('/mcp/tools/list?names=portable'))).toContain('memory.note');
  });
});

describe('messages that cannot be served', () => {
  test('broken JSON', async () => {
    const { post } = await setUp();
    for (const body of ['{ broken', '', '\u0000', '{"a":1}{"b":2}']) {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await jsonOf(response)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    }
  });

  test.each([[7], ['"text"'], [null], [{}], [[]], [{ jsonrpc: '1.0', id: 1, method: 'ping' }], [[1, 2]]])(
    'JSON that is no message: %j',
    async (body) => {
      const { post } = await setUp();
      const response = await post(body === null ? 'null' : (body as unknown));
      expect(response.status).toBe(400);
      expect((await jsonOf(response)).error?.code).toBeLessThan(0);
    },
  );

  test('a body over the limit', async () => {
    const config = testConfig();
    const { post } = await setUp({ config: { ...config, limits: { ...config.limits, requestBytes: 1000 } } });
    const response = await post(call('memory.note', { text: 'x'.repeat(1000) }));
    expect(response.status).toBe(413);
    expect((await jsonOf(response)).error?.message).toContain('1000 bytes');
    expect((await post(call('memory.note', { text: 'x'.repeat(500) }))).status).toBe(200);
  });

  test('a batch is as many calls as it holds', async () => {
    const config = testConfig();
    const { services, post } = await setUp({
      config: { ...config, limits: { ...config.limits, callsPerMinute: 3000 } },
    });
    const { token } = await makeToken(services.journal);
    const { token: other } = await makeToken(services.journal, { name: 'bob' });
    const batch = Array.from({ length: 90 }, (_, id) => call('infold_status', {}, id));
    const send = async (bearer: string) => (await post(batch, { authorization: `Bearer ${bearer}` })).status;
    // Two seconds' worth may be used at once, which is a hundred.
    expect([await send(token), await send(token), await send(other)]).toEqual([200, 429, 200]);
  });

  test('a batch over the limit', async () => {
    const { post, services } = await setUp();
    const response = await post(
      Array.from({ length: 101 }, (_, id) => call('memory.note', { text: 'a' }, id)),
    );
    expect(response.status).toBe(400);
    expect((await jsonOf(response)).error?.message).toMatch(/100 .*101/);
    expect(services.journal.head().seq).toBe(0);
  });

  test('another content type', async () => {
    const { request } = await setUp();
    const response = await request('/mcp', {
      method: 'POST',
      body: 'a=b',
      headers: { 'content-type': 'text/plain' },
    });
    expect(response.status).toBe(415);
  });

  test('a route that is not there', async () => {
    const { request } = await setUp();
    const response = await request('/nowhere');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s without a session says what to do', async (method) => {
    const { request } = await setUp();
    const response = await request('/mcp', { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

describe('a session', () => {
  test('its state is in the header of the call that belongs to it, and only there', async () => {
    const { post } = await setUp();
    expect((await post(call('infold_status'))).headers.get('x-context-state')).toBeNull();
    const response = await post(call('memory.note', { text: 'a', session_id: 'window-1' }));
    expect(JSON.parse(response.headers.get('x-context-state')!)).toMatchObject({
      session_id: expect.stringMatching(/^sess_/),
    });
  });

  test('the project can be part of the address', async () => {
    const { post } = await setUp();
    const { result } = await jsonOf(await post(call('infold_status'), {}, '/mcp?project=/home/someone/shop'));
    expect(result?.structuredContent.project).toMatchObject({ path: '/home/someone/shop' });
  });

  test('of one token is not there for another one', async () => {
    const { services, post, request } = await setUp();
    const alice = { authorization: `Bearer ${(await makeToken(services.journal, { name: 'alice' })).token}` };
    const bob = { authorization: `Bearer ${(await makeToken(services.journal, { name: 'bob' })).token}` };
    const begun = await post(initialize, alice);
    const id = begun.headers.get('mcp-session-id')!;
    expect(id).toBeTruthy();
    expect((await post(call('infold_status'), { ...alice, 'mcp-session-id': id })).status).toBe(200);
    expect((await post(call('infold_status'), { ...bob, 'mcp-session-id': id })).status).toBe(404);
    for (const method of ['GET', 'DELETE']) {
      const headers = { ...bob, 'mcp-session-id': id, accept: 'text/event-stream' };
      expect((await request('/mcp', { method, headers })).status).toBe(404);
    }
    expect((await post(call('infold_status'), { ...alice, 'mcp-session-id': id })).status).toBe(200);
  });

  test('the oldest unused connection gives way when there are too many', async () => {
    const config = testConfig();
    const { post } = await setUp({ config: { ...config, limits: { ...config.limits, httpConnections: 2 } } });
    const begin = async () => (await post(initialize)).headers.get('mcp-session-id')!;
    const status = async (id: string) => (await post(call('infold_status'), { 'mcp-session-id': id })).status;
    const [first, second] = [await begin(), await begin()];
    expect(await status(first)).toBe(200);
    const third = await begin();
    expect([await status(first), await status(second), await status(third)]).toEqual([200, 404, 200]);
  });
});

describe('/mcp?project=', () => {
  const known = async () => {
    const set = await setUp();
    for (const path of ['/home/someone/shop', '/home/someone/blog']) {
      const project = resolveProject(set.services.journal.database, localOwner, path);
      await ensureProject(set.services.journal, localOwner, project);
    }
    return set;
  };
  const modern = {
    ...call('infold_status'),
    params: {
      name: 'infold_status',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };

  test.each([
    ['a 2025-era connection', initialize],
    ['a 2026-era call', modern],
  ])('with an unknown id or name is refused and says what there is: %s', async (_title, message) => {
    const { post } = await known();
    for (const spec of ['shpo', 'proj_0123456789abcdef']) {
      const response = await post(message, {}, `/mcp?project=${spec}`);
      expect(response.status).toBe(404);
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^Project not found: .*known are blog, shop\)$/),
        data: { code: 'project_not_found', projects: ['blog', 'shop'] },
      });
    }
    expect((await post(message, {}, '/mcp?project=../shop')).status).toBe(400);
  });

  test('with a known one, or the absolute path of a new one, is served', async () => {
    const { post } = await known();
    for (const spec of ['shop', '/home/someone/shop', '/home/someone/new', '']) {
      expect((await post(initialize, {}, `/mcp?project=${encodeURIComponent(spec)}`)).status).toBe(200);
    }
  });

  test('names only the projects that the caller may see', async () => {
    const { services, post } = await known();
    const shop = resolveProject(services.journal.database, localOwner, 'shop');
    const { token } = await makeToken(services.journal, { projects: [shop.id] });
    const response = await post(initialize, { authorization: `Bearer ${token}` }, '/mcp?project=shpo');
    const text = await response.text();
    expect(text).toContain('known are shop)');
    expect(text).not.toContain('blog');
  });
});
