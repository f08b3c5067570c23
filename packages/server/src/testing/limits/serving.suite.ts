import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openDatabase } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { type Probe, type Probes, refusesAbove } from './probe.suite.ts';
import type { Agent, Outcome, Served } from './served.suite.ts';

let items = 0;
const remember = (server: Served, content: string): Promise<Outcome> =>
  server.post('/api/memory/items', { content });

/** JSON-RPC over HTTP answers what is wrong with a whole request as an error of its own. */
async function rpc(server: Served, body: string): Promise<Outcome> {
  const response = await server.send('/mcp', body);
  const text = await response.text();
  const answer = JSON.parse(text) as { error?: { code: number; message: string } };
  const data = {};
  return { status: response.status, data, text, notices: [], refusal: answer.error };
}

const toolsList = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const padded = (text: string, size: number) => text + ' '.repeat(size - text.length);
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const keyed = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])));

/** A body that is JSON of this shape; whatever else is wrong with it is another matter. */
const shape = (value: number, text: (size: number) => string): Probe =>
  refusesAbove(value, 'too_large', async (server, size) => {
    const outcome = await server.post('/api/memory/items', text(size));
    return outcome.refusal?.code === 'too_large' ? outcome : { ...outcome, refusal: undefined };
  });

const isKnown = async (agent: Agent): Promise<boolean> => {
  const response = await agent.request('tools/list', {}, { 'mcp-session-id': await agent.connection() });
  await response.text();
  return response.status === 200;
};

const rate = (
  value: number,
  what: string,
  act: (server: Served) => Promise<Outcome>,
  times = value,
): Probe => ({
  value,
  async watch(server) {
    for (let time = 0; time < times; time++) expect((await act(server)).refusal).toBeUndefined();
    expect((await act(server)).refusal).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining(`limit of ${value} ${what}`),
    });
  },
});

const branch = (server: Served) =>
  server.agent().call('context_branch', { description: 'a', prompt: 'b', project_path: '/p' });

/** A request whose body does not come, or not all of it. */
function hanging(server: Served, begun = ''): () => void {
  const headers = { 'content-type': 'application/json', 'content-length': String(begun.length + 10) };
  const pending = request(`${server.url}/api/memory/items`, { method: 'POST', headers });
  pending.on('error', () => {});
  pending.flushHeaders();
  if (begun !== '') pending.write(begun);
  return () => pending.destroy();
}

/** What begins a connection, in so many bytes. */
function initialize(size: number): string {
  const message = (name: string) =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } },
    });
  return message('x'.repeat(size - message('').length));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

export const servingProbes: Probes = {
  requestBytes: refusesAbove(400, 'too_large', (server, size) =>
    server.post('/api/memory/items', padded(JSON.stringify({ content: `item ${++items}` }), size)),
  ),
  requestBytesInAll: {
    value: 4000,
    async watch(server, value) {
      // One principal may hold half of it, and a request alone is always served.
      const letGo = hanging(server, 'x'.repeat(value / 2 - 100));
      await until(async () => server.services.held.bytes > 0);
      expect((await remember(server, 'x'.repeat(200))).refusal).toMatchObject({ code: 'rate_limited' });
      letGo();
      await until(async () => server.services.held.bytes === 0);
      expect((await remember(server, 'x'.repeat(value / 2))).refusal).toBeUndefined();
    },
  },
  httpConnectionBytes: refusesAbove(300, -32600, (server, size) => rpc(server, initialize(size))),
  portConnections: {
    value: 2,
    async watch({ url }, value) {
      const { hostname, port } = new URL(url);
      const open = Array.from({ length: value + 1 }, () => connect(Number(port), hostname));
      const closed = open.map((socket) => once(socket, 'close').then(() => socket));
      expect(open.indexOf(await Promise.race(closed))).toBe(value);
      for (const socket of open) socket.destroy();
    },
  },
  promptsHeldBytes: {
    value: 4000,
    async watch(server, value) {
      const { services } = server;
      const ask = (session: string, size: number) => {
        const messages = [{ role: 'user', content: 'x'.repeat(size) }];
        return services.prepare({
          ...{ caller: localOwner, upstream: 'anthropic', dialect: 'anthropic', method: 'POST', headers: {} },
          ...{ path: '/v1/messages', hostSession: session, signal: new AbortController().signal },
          body: Buffer.from(JSON.stringify({ model: 'model', messages })),
        });
      };
      const isKept = async (session: string) =>
        (await server.get(`/api/windows/${session}/prompt`)).data.is_kept;
      await ask('small', value / 4);
      expect(await isKept('small')).toBe(true);
      await ask('large', value);
      expect([await isKept('small'), await isKept('large')]).toEqual([true, false]);
      await ask('other', value / 2);
      expect([await isKept('small'), await isKept('other')]).toEqual([false, true]);
    },
  },
  batchMessages: refusesAbove(2, -32600, (server, size) =>
    rpc(server, `[${Array.from({ length: size }, () => toolsList).join(',')}]`),
  ),
  jsonDepth: shape(4, nested),
  jsonKeys: shape(5, keyed),
  httpConnections: {
    value: 2,
    async watch(server) {
      const [first, second, third] = [server.agent(), server.agent(), server.agent()];
      expect([await isKnown(first), await isKnown(second)]).toEqual([true, true]);
      await third.connection();
      expect([await isKnown(first), await isKnown(second), await isKnown(third)]).toEqual([
        false,
        true,
        true,
      ]);
    },
  },
  httpConnectionIdle: {
    value: 60_000,
    async watch(server, value) {
      const idle = server.agent();
      await idle.connection();
      server.clock.advance(value);
      // Looked at when another one comes.
      await server.agent().connection();
      expect(await isKnown(idle)).toBe(true);
      server.clock.advance(value + 1);
      await server.agent().connection();
      expect(await isKnown(idle)).toBe(false);
    },
  },
  // Two seconds' worth may be used at once.
  callsPerMinute: rate(90, 'calls a minute', (server) => server.get('/api/sessions'), 3),
  sessionsPerMinute: rate(2, 'sessions a minute', branch),
  branchesPerMinute: rate(2, 'branches a minute', branch),
  bytesPerMinute: rate(
    100,
    'bytes a minute',
    (server) => server.post('/api/memory/items', padded(JSON.stringify({ content: `item ${++items}` }), 50)),
    2,
  ),
  callsAtOnce: {
    value: 2,
    async watch(server, value) {
      const isServed = async () => (await server.get('/api/sessions')).refusal === undefined;
      const first = hanging(server);
      expect(await isServed()).toBe(true);
      const second = hanging(server);
      await until(async () => !(await isServed()));
      expect((await server.get('/api/sessions')).refusal).toMatchObject({
        code: 'rate_limited',
        message: expect.stringContaining(`limit of ${value} calls at once`),
      });
      first();
      second();
      await until(isServed);
    },
  },
  inlineEntryBytes: {
    value: 2000,
    async watch(server, value) {
      const blobs = () => {
        try {
          return readdirSync(join(server.services.config.data, 'blobs'), { recursive: true }).length;
        } catch {
          return 0;
        }
      };
      await remember(server, 'x'.repeat(value / 2));
      expect(blobs()).toBe(0);
      await remember(server, 'x'.repeat(value));
      expect(blobs()).toBeGreaterThan(0);
    },
  },
  entryBytes: {
    value: 2000,
    async watch(server, value) {
      expect((await remember(server, 'x'.repeat(value / 2))).refusal).toBeUndefined();
      const { refusal } = await remember(server, 'x'.repeat(value));
      expect(refusal).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining(`${value} bytes`),
      });
    },
  },
  lockWait: {
    value: 100,
    async watch(server) {
      const other = await openDatabase(join(server.services.config.data, 'infold.db'));
      other.exec('BEGIN IMMEDIATE');
      const started = performance.now();
      const { refusal } = await remember(server, 'while another process writes');
      expect(refusal).toMatchObject({ code: 'journal_busy' });
      expect(performance.now() - started).toBeLessThan(4000);
      other.exec('ROLLBACK');
      other.close();
      expect((await remember(server, 'afterwards')).refusal).toBeUndefined();
    },
  },
};
