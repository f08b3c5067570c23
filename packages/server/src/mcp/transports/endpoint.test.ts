import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CallContext } from '../../call/context.ts';
import { defineTool } from '../../call/tool.ts';
import { testServices } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { TokenWatch } from '../../trust/identity/token-watch.ts';
import { McpEndpoint } from './endpoint.ts';

const TEST_CLIENT = { name: 'test', version: '1' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': TEST_CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MODERN = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'test.work',
};
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_CLIENT },
};

const call = (id: number, _meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'test.work', arguments: {}, _meta },
});

/** An endpoint with one tool that does what the test says. */
async function setUp(run: (context: CallContext) => Promise<void>) {
  const tool = defineTool({
    name: 'test.work',
    title: 'Work',
    description: 'Work for a while.',
    input: z.object({}),
    output: z.object({ done: z.boolean() }),
    annotations: { readOnlyHint: true },
    scope: 'read',
    run: async (_input, context) => {
      await run(context);
      return { structured: { done: true } };
    },
  });
  const services = await testServices({ tools: [tool] });
  const endpoint = new McpEndpoint(services, new TokenWatch(services.journal, services.clock));
  const post = (message: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    endpoint.handle({
      request: new Request('http://localhost/mcp', {
        method: 'POST',
        body: JSON.stringify(message),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        ...(signal ? { signal } : {}),
      }),
      caller: localOwner,
      spelling: 'seed',
      project: undefined,
    });
  const begin = async () => ({ 'mcp-session-id': (await post(initialize)).headers.get('mcp-session-id')! });
  return { endpoint, post, begin };
}

interface Message {
  id?: number;
  method?: string;
  params?: { progress: number };
  result?: unknown;
}

async function streamed(response: Response): Promise<Message[]> {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Message);
}

/** A tool that works until it is told to stop, and what a test needs to know about it. */
function endless() {
  let begin = () => {};
  let end = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const stopped = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async ({ signal }: CallContext) => {
    begin();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    end();
  };
  return { run, begun, stopped };
}

describe('progress', () => {
  const work = async ({ progress }: CallContext) => {
    progress(1, 2);
    progress(2, 2);
  };
  const expectProgress = (messages: Message[]) => {
    expect(messages.map(({ method, params, id }) => (method ? params?.progress : `answer ${id}`))).toEqual([
      1,
      2,
      'answer 7',
    ]);
  };

  test('is streamed to a client that asked, in a connection, without one, and in the 2026 era', async () => {
    const { post, begin } = await setUp(work);
    const asking = call(7, { progressToken: 'p' });
    expectProgress(await streamed(await post(asking, await begin())));
    expectProgress(await streamed(await post(asking)));
    expectProgress(await streamed(await post(call(7, { ...ENVELOPE, progressToken: 'p' }), MODERN)));
  });

  test('a client that did not ask gets one JSON body', async () => {
    const { post, begin } = await setUp(work);
    for (const response of [
      await post(call(7), await begin()),
      await post(call(7)),
      await post(call(7, ENVELOPE), MODERN),
    ]) {
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await response.json()).toMatchObject({ id: 7, result: { structuredContent: { done: true } } });
    }
  });
});

describe('a tool knows which client calls', () => {
  const CURL = { name: 'curl', version: '8' };
  const known = async () => {
    const seen: CallContext['client'][] = [];
    const { post, begin } = await setUp(async ({ client }) => {
      seen.push(client);
    });
    return { post, begin, seen };
  };

  test('in the 2025 era by what it said when it began, for a call that streams as well', async () => {
    const { post, begin, seen } = await known();
    const connection = await begin();
    await post(call(1), connection);
    await streamed(await post(call(2, { progressToken: 'p' }), connection));
    expect(seen).toEqual([TEST_CLIENT, TEST_CLIENT]);
  });

  test('not when a 2025-era request stands alone', async () => {
    const { post, seen } = await known();
    await post(call(1));
    expect(seen).toEqual([undefined]);
  });

  test('in the 2026 era by what each request says', async () => {
    const { post, seen } = await known();
    await post(call(1, ENVELOPE), MODERN);
    await post(call(2, { ...ENVELOPE, 'io.modelcontextprotocol/clientInfo': CURL }), MODERN);
    expect(seen).toEqual([TEST_CLIENT, CURL]);
  });
});

describe('cancellation reaches the tool', () => {
  const cancelled = (requestId: number) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  });

  test('by a notification in the connection', async () => {
    const { run, begun, stopped } = endless();
    const { post, begin } = await setUp(run);
    const headers = await begin();
    const request = post(call(1), headers);
    await begun;
    expect((await post(cancelled(1), headers)).status).toBe(202);
    await stopped;
    // A cancelled call has no answer; its request must not hang for that.
    expect((await request).status).toBe(202);
  });

  test('by a notification, of a call that streams its progress', async () => {
    const { run, begun, stopped } = endless();
    const { post, begin } = await setUp(run);
    const headers = await begin();
    const request = post(call(1, { progressToken: 'p' }), headers);
    await begun;
    await post(cancelled(1), headers);
    await stopped;
    expect(await streamed(await request)).toEqual([]);
  });

  test('not by a notification of another connection', async () => {
    const { run, begun, stopped } = endless();
    const { post, begin } = await setUp(run);
    const [mine, theirs] = [await begin(), await begin()];
    void post(call(1), mine);
    await begun;
    await post(cancelled(1), theirs);
    const first = await Promise.race([
      stopped.then(() => 'stopped'),
      new Promise((resolve) => setTimeout(resolve, 30, 'working')),
    ]);
    expect(first).toBe('working');
    await post(cancelled(1), mine);
    await stopped;
  });

  test('by closing the request, in the 2026 era', async () => {
    const { run, begun, stopped } = endless();
    const { post } = await setUp(run);
    const controller = new AbortController();
    void post(call(1, ENVELOPE), MODERN, controller.signal).catch(() => {});
    await begun;
    controller.abort();
    await stopped;
  });

  test('by ending the connection', async () => {
    const { run, begun, stopped } = endless();
    const { endpoint, post, begin } = await setUp(run);
    const headers = await begin();
    const pending = post(call(1), headers);
    await begun;
    const request = new Request('http://localhost/mcp', { method: 'DELETE', headers });
    await endpoint.handle({ request, caller: localOwner, spelling: 'seed', project: undefined });
    await stopped;
    expect((await pending).status).toBe(404);
  });

  test('by ending the connection, of a call that streams its progress', async () => {
    const { run, begun, stopped } = endless();
    const { endpoint, post, begin } = await setUp(run);
    const headers = await begin();
    const pending = post(call(1, { progressToken: 'p' }), headers);
    await begun;
    const request = new Request('http://localhost/mcp', { method: 'DELETE', headers });
    await endpoint.handle({ request, caller: localOwner, spelling: 'seed', project: undefined });
    await stopped;
    expect(await streamed(await pending)).toEqual([]);
  });
});

// Of both eras only the 2026 one says it with an HTTP status, so that a gateway need not read the body.
test.each([
  ['that nobody serves', 'shop/open'],
  ['of the other era', 'logging/setLevel'],
])('a method %s is not found, in the status of a 2026 answer too', async (_case, method) => {
  const { post } = await setUp(async () => {});
  const params = { _meta: ENVELOPE };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const response = await post({ jsonrpc: '2.0', id: 1, method, params }, headers);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } });
});
