import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  initializeCall,
  post,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

interface Made {
  id: string;
  token: string;
  expires_at: string | null;
}

const STREAM = { accept: 'application/json, text/event-stream' };

/** A 2025-era connection's stream of notifications. */
async function openNotifications(server: Server, bearer: string): Promise<Response> {
  const headers = { ...STREAM, authorization: `Bearer ${bearer}` };
  const begun = await post(`${server.url}/mcp`, initializeCall, headers);
  const session = begun.headers.get('mcp-session-id')!;
  return fetch(`${server.url}/mcp`, {
    headers: { ...headers, accept: 'text/event-stream', 'mcp-session-id': session },
  });
}

/** A 2026-era stream of what changes. */
async function openListen(server: Server, bearer: string): Promise<Response> {
  const client = await connectHttp(`${server.url}/mcp`, '2026', bearer);
  const branch = { description: 'watched', prompt: 'p', project_path: '/shop' };
  const { branch_id } = (await callTool(client, 'context_branch', branch)).structuredContent;
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = {
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { notifications: { resourceSubscriptions: [`infold://branch/${branch_id}`] }, _meta },
  };
  return post(`${server.url}/mcp`, message, {
    ...STREAM,
    authorization: `Bearer ${bearer}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
  });
}

/** A call that waits for news of a pod and tells how far it is. */
function openProgress(server: Server, bearer: string): Promise<Response> {
  const params = {
    name: 'pod_read',
    arguments: { pod: 'quiet', wait_seconds: 20 },
    _meta: { progressToken: 'p' },
  };
  const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
  return post(`${server.url}/mcp`, message, { ...STREAM, authorization: `Bearer ${bearer}` });
}

const WAYS = { openNotifications, openListen, openProgress };

/** When the stream ended, or that it is still open after a while. */
async function endOf(stream: Response): Promise<number> {
  const reader = stream.body!.getReader();
  for (;;) {
    const { done } = await reader.read();
    if (done) return Date.now();
  }
}

async function isOpen(ending: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    ending.then(() => false),
    new Promise<true>((resolve) => setTimeout(resolve, 300, true)),
  ]);
}

/** At the same time, because most of it is waiting for a token to expire. */
describe.concurrent.each(Object.entries(WAYS))('a stream (%s)', (_name, open) => {
  test('ends soon after its token was revoked by another process or has expired; others go on', async () => {
    verifies('KERN-10');
    const data = temporaryFolder();
    const create = (name: string, ...more: string[]) =>
      runJson<Made>(data, 'token', 'create', '--name', name, ...more);
    const [lasting, revoked] = [await create('lasting'), await create('revoked')];
    const server = await startServer({ data, args: ['--toolsets', 'fold,gateway'] });
    const brief = await create('brief', '--expires', '8s');
    const streams = await Promise.all([lasting, revoked, brief].map(({ token }) => open(server, token)));
    for (const stream of streams) {
      expect(stream.status).toBe(200);
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
    }
    const [stays, goes, expires] = streams.map(endOf) as [Promise<number>, Promise<number>, Promise<number>];
    expect(await isOpen(goes)).toBe(true);
    await runJson(data, 'token', 'revoke', revoked.id);
    const told = Date.now();
    // The command has ended; on a busy machine the rest may take longer than the second that it should.
    expect((await goes) - told).toBeLessThan(3000);
    const expiry = Date.parse(brief.expires_at!);
    const ended = await expires;
    expect(ended).toBeGreaterThanOrEqual(expiry);
    expect(ended).toBeLessThan(expiry + 3000);
    expect(await isOpen(stays)).toBe(true);
  });
});
