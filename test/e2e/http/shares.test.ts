import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer, upgradeStatus } from '../support/gateway.ts';
import {
  initializeCall,
  post,
  runJson,
  type Server,
  startServer,
  statusCall,
  temporaryFolder,
} from '../support/program.ts';

const BOTH = { accept: 'application/json, text/event-stream' };
const LIMITS = {
  INFOLD_LIMITS_HTTP_CONNECTIONS: '20',
  INFOLD_LIMITS_STREAMS_PER_PRINCIPAL: '3',
  INFOLD_LIMITS_STREAMS_PER_ORGANISATION: '4',
  INFOLD_LIMITS_SOCKETS_PER_PRINCIPAL: '3',
  INFOLD_LIMITS_SOCKETS_PER_ORGANISATION: '4',
  INFOLD_LIMITS_PODS_PER_PRINCIPAL: '6',
  INFOLD_LIMITS_PODS_PER_ORGANISATION: '8',
  INFOLD_LIMITS_CALLS_PER_MINUTE: '30000',
  INFOLD_LIMITS_BYTES_PER_MINUTE: String(60 * 1024 * 1024),
  INFOLD_LIMITS_STRANGERS_PER_MINUTE: '60',
  INFOLD_LIMITS_STRANGERS_WAITING: '2',
};

let server: Server;
let url: string;
let calm: string;
let flood: string;
let sibling: string;

beforeAll(async () => {
  const data = temporaryFolder();
  const token = async (name: string, org: string) =>
    (await runJson<{ token: string }>(data, 'token', 'create', '--name', name, '--org', org)).token;
  calm = await token('calm', 'one');
  flood = await token('flood', 'two');
  sibling = await token('sibling', 'two');
  server = await startServer({ data, env: LIMITS, args: ['--toolsets', 'fold,memory,gateway'] });
  url = `${server.url}/mcp`;
});
afterAll(() => server.stop());

const as = (bearer: string) => ({ ...BOTH, authorization: `Bearer ${bearer}` });
const call = (name: string, input: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

async function begin(bearer: string): Promise<string> {
  const response = await post(url, initializeCall, as(bearer));
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('mcp-session-id')!;
}

const statusIn = async (session: string, bearer: string) =>
  (await post(url, statusCall, { ...as(bearer), 'mcp-session-id': session })).status;

const openStream = (session: string, bearer: string) =>
  fetch(url, { headers: { ...as(bearer), accept: 'text/event-stream', 'mcp-session-id': session } });

/** A body whose length nobody announced. */
function sendChunked(bearer: string, body: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { ...as(bearer), 'content-type': 'application/json' };
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode!));
    });
    // A refusal comes before the rest was sent.
    outgoing.on('error', () => resolve(429));
    for (let start = 0; start < body.length; start += 65_536)
      outgoing.write(body.slice(start, start + 65_536));
    outgoing.end();
  });
}

describe('one principal’s flood', () => {
  test('of connections ends none of another organisation’s, and none of its own organisation’s', async () => {
    const [kept, near] = [await begin(calm), await begin(sibling)];
    let last = '';
    for (let count = 0; count < 60; count++) last = await begin(flood);
    expect(await statusIn(kept, calm)).toBe(200);
    expect(await statusIn(near, sibling)).toBe(200);
    expect(await statusIn(last, flood)).toBe(200);
  });

  test('of streams is refused at its share; others open theirs, and a stream that ends makes room', async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => begin(flood)));
    const streams = [];
    for (const session of sessions) streams.push(await openStream(session, flood));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(await streams[3]!.json()).toMatchObject({
      code: 'rate_limited',
      error: expect.stringContaining('3 open streams'),
    });
    const near = await openStream(await begin(sibling), sibling);
    expect(near.status).toBe(200);
    expect((await openStream(await begin(sibling), sibling)).status).toBe(429);
    const other = await openStream(await begin(calm), calm);
    expect(other.status).toBe(200);
    await streams[0]!.body!.cancel();
    await expect.poll(async () => (await openStream(sessions[3]!, flood)).status).toBe(200);
    for (const stream of [...streams.slice(1, 3), near, other]) await stream.body!.cancel();
  });

  test('of WebSockets is refused at its share; others join', async () => {
    const path = (bearer: string, pod: string) => `/ws?pod=${pod}&token=${bearer}`;
    const joined = [];
    for (let count = 0; count < 3; count++) {
      joined.push(await Peer.join(server.url, { pod: `socket-${count}`, token: flood }));
    }
    expect(await upgradeStatus(server.url, path(flood, 'socket-4'))).toBe(429);
    joined.push(await Peer.join(server.url, { pod: 'socket-0', token: sibling }));
    expect(await upgradeStatus(server.url, path(sibling, 'socket-1'))).toBe(429);
    joined.push(await Peer.join(server.url, { pod: 'socket-0', token: calm }));
    joined[0]!.socket.terminate();
    await expect.poll(() => upgradeStatus(server.url, path(flood, 'socket-4'))).toBe(101);
    for (const peer of joined) peer.socket.terminate();
  });

  test('of pods is refused at its share; others open theirs', async () => {
    const send = async (bearer: string, pod: string) => {
      const context = { id: `work-${pod}`, type: 'reasoning' };
      const response = await post(
        url,
        call('pod_send', { pod, kind: 'chat', payload: {}, context }),
        as(bearer),
      );
      const { result } = (await response.json()) as { result: { structuredContent: { code?: string } } };
      return result.structuredContent.code ?? 'ok';
    };
    const outcomes = [];
    for (let count = 0; count < 12; count++) outcomes.push(await send(flood, `pod-${count}`));
    expect(outcomes).toContain('rate_limited');
    expect(outcomes.filter((outcome) => outcome === 'ok').length).toBeLessThanOrEqual(6);
    expect(await send(calm, 'quiet')).toBe('ok');
    expect(await send(sibling, 'near')).toBe('ok');
  });

  test('of batches is served one call at a time, and others between them', async () => {
    const batch = Array.from({ length: 100 }, (_, id) => call('context', { goal: 'what was decided' }, id));
    const order: string[] = [];
    const flooding = Array.from({ length: 4 }, async () => {
      const response = await post(url, batch, as(flood));
      await response.text();
      order.push('batch');
      return response.status;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let count = 0; count < 5; count++) {
      expect((await post(url, statusCall, as(calm))).status).toBe(200);
      order.push('calm');
    }
    expect(await Promise.all(flooding)).toEqual([200, 200, 200, 200]);
    // Four hundred packs had begun when the first small call came, and it did not wait for all of them.
    expect(order[0]).toBe('calm');
    expect((await post(url, statusCall, as(calm))).status).toBe(200);
  });

  test('of bytes without a length is counted as it is read', async () => {
    const body = JSON.stringify(call('infold_status', { x: 'a'.repeat(3 * 1024 * 1024) }));
    const statuses = [];
    for (let count = 0; count < 12; count++) statuses.push(await sendChunked(flood, body));
    expect(statuses[0]).toBe(200);
    expect(statuses).toContain(429);
    expect(await sendChunked(calm, body)).toBe(200);
  });
});

test('strangers have a budget of their own, and use up nobody else’s', async () => {
  verifies('KERN-10');
  const knocks = await Promise.all(
    Array.from({ length: 70 }, () =>
      post(url, statusCall, { authorization: 'Bearer nobody' }).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );
  expect(new Set(knocks)).toEqual(new Set([401, 429, 0]));
  expect(knocks.filter((status) => status === 429)).toHaveLength(2);
  const served = await Promise.all(Array.from({ length: 10 }, () => post(url, statusCall, as(calm))));
  expect(served.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});
