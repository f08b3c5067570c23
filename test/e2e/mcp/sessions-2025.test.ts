import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  initializeCall,
  modernHeaders,
  modernStatusCall,
  post,
  type Server,
  startServer,
  statusCall,
} from '../support/program.ts';

let server: Server;
let url: string;

beforeAll(async () => {
  server = await startServer();
  url = `${server.url}/mcp`;
});
afterAll(() => server.stop());

const PLAIN = { accept: 'application/json' };
const BOTH = { accept: 'application/json, text/event-stream' };

async function begin(): Promise<Record<string, string>> {
  const response = await post(url, initializeCall, BOTH);
  expect(response.status).toBe(200);
  const headers = { ...BOTH, 'mcp-session-id': response.headers.get('mcp-session-id')! };
  expect((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(
    202,
  );
  return headers;
}

describe('a 2025-era connection', () => {
  test('begins with initialize, which names it', async () => {
    const response = await post(url, initializeCall, BOTH);
    expect(response.headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]{20,}$/);
    const { result } = (await response.json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'infold' } });
  });

  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])('speaks %s too', async (protocolVersion) => {
    const params = { ...initializeCall.params, protocolVersion };
    const response = await post(url, { ...initializeCall, params }, BOTH);
    expect(await response.json()).toMatchObject({ result: { protocolVersion } });
  });

  test('answers calls with one JSON body', async () => {
    verifies('KERN-06');
    const headers = await begin();
    const response = await post(url, statusCall, headers);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toMatchObject({ id: 1, result: { isError: false } });
  });

  test('has a stream of notifications, one at a time', async () => {
    const headers = { ...(await begin()), accept: 'text/event-stream' };
    const abort = new AbortController();
    const stream = await fetch(url, { headers, signal: abort.signal });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect((await fetch(url, { headers })).status).toBe(409);
    abort.abort();
  });

  test('ends with DELETE; after that it is not there', async () => {
    const headers = await begin();
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await post(url, statusCall, headers)).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(404);
  });

  test('of a name that was never given is not there', async () => {
    const headers = { ...BOTH, 'mcp-session-id': 'a-guess' };
    for (const message of [statusCall, initializeCall]) {
      const response = await post(url, message, headers);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { message: 'Session not found' } });
    }
    expect((await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } })).status).toBe(404);
  });

  test('is not needed: a request without one is served', async () => {
    const response = await post(url, statusCall, BOTH);
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await response.json()).toMatchObject({ result: { isError: false } });
  });

  test('is bound to its own session, beside another connection', async () => {
    const branch = { description: 'One', prompt: 'Work', project_path: '/home/someone/two-windows' };
    const clients = [await connectHttp(url, '2025'), await connectHttp(url, '2025')] as const;
    const begun = [];
    for (const [index, client] of clients.entries()) {
      const result = await callTool(client, 'context_branch', { ...branch, session_id: `window-${index}` });
      begun.push(result.structuredContent.session_id);
    }
    expect(begun[0]).not.toBe(begun[1]);
    for (const [index, client] of clients.entries()) {
      const { structuredContent } = await callTool(client, 'infold_status', { project: branch.project_path });
      expect(structuredContent.session).toMatchObject({ id: begun[index], host_id: `window-${index}` });
    }
    for (const client of clients) await client.close();
  });
});

describe('a plain HTTP client', () => {
  test.each([PLAIN, { accept: '*/*' }, { accept: 'application/json;q=0.9' }])(
    'that accepts only JSON gets JSON: %o',
    async (headers) => {
      for (const message of [statusCall, { jsonrpc: '2.0', id: 2, method: 'tools/list' }]) {
        const response = await post(url, message, headers);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toContain('application/json');
        expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: message.id, result: {} });
      }
    },
  );

  test('may speak the 2026 era as well', async () => {
    const response = await post(url, modernStatusCall, { ...PLAIN, ...modernHeaders });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: 1, result: { isError: false } });
  });

  test('may send a small batch, as the oldest revisions allow', async () => {
    const batch = [1, 2, 3].map((id) => ({ ...statusCall, id }));
    const answers = (await (await post(url, batch)).json()) as { id: number }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  });
});

test('the state of the session goes out in a header, in both eras', async () => {
  const params = {
    name: 'context_branch',
    arguments: { description: 'One', prompt: 'Work', project_path: '/home/someone/header' },
  };
  const response = await post(url, { ...statusCall, params });
  const header = JSON.parse(response.headers.get('x-context-state')!) as Record<string, unknown>;
  const { result } = (await response.json()) as { result: { _meta: Record<string, unknown> } };
  expect(header.session_id).toMatch(/^sess_/);
  expect(result._meta['infold/contextState']).toEqual(header);
});
