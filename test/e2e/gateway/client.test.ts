import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  connectPod,
  PodError,
  type PodOptions,
  type WebSocketConstructor,
} from '../../../packages/client/src/gateway/index.ts';
import { verifies } from '../../requirements.ts';
import { runJson, type Server, startServer, temporaryFolder, until } from '../support/program.ts';

let server: Server;
let names = 0;
const sockets: WebSocket[] = [];
/** The ws package, as a program on Node 20 passes it; kept, so that a test can cut a connection. */
const Kept = class extends WebSocket {
  constructor(address: string) {
    super(address);
    sockets.push(this);
  }
} as unknown as WebSocketConstructor;
const join = (participant: string, pod: string, more: Partial<PodOptions> = {}) =>
  connectPod({ url: server.url, pod, participant, WebSocket: Kept, retryAfter: 20, ...more });

beforeAll(async () => {
  server = await startServer();
});

describe('the client', () => {
  test('sends, nests contexts, and hears what others do', async () => {
    verifies('SUB-14', 'SUB-02');
    const pod = `pod-${++names}`;
    const alice = await join('alice', pod);
    const bob = await join('bob', pod);
    const heard: string[] = [];
    bob.on('message', ({ kind }) => heard.push(kind));
    const contexts: string[] = [];
    bob.on('context', ({ event, type }) => contexts.push(`${event} ${type}`));
    const result = await alice.inContext('reasoning', async (outer) => {
      await outer.reflect('Is it safe?');
      const inner = await outer.inContext('workflow', async (nested) => {
        expect(nested.parent).toBe(outer.id);
        const sent = await nested.send('mcp/proposal:tools/call', { method: 'tools/call' });
        expect(sent.context).toEqual({ id: nested.id, type: 'workflow', parent: outer.id });
        return 42;
      });
      await outer.conclude('It is');
      return inner;
    });
    expect(result).toBe(42);
    const said = await alice.chat('done', { to: ['bob'] });
    expect(said).toMatchObject({ from: 'alice', seq: 4, to: ['bob'] });
    await until(() => heard.length === 4);
    expect(heard).toEqual(['reflection', 'mcp/proposal:tools/call', 'conclusion', 'chat']);
    expect(contexts).toEqual(['created reasoning', 'created workflow']);
    expect(alice.participants.map(({ id }) => id)).toEqual(['bob']);
    bob.close();
    await until(() => alice.participants.length === 0);
    alice.close();
    await expect(alice.chat('too late')).rejects.toThrow('closed');
  });

  test('rejects what the gateway refuses, and who may not join', async () => {
    const pod = `pod-${++names}`;
    const alice = await join('alice', pod);
    await alice.chat('once', { id: 'same' });
    const error = await alice.chat('twice', { id: 'same' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PodError);
    expect((error as PodError).code).toBe('duplicate_id');
    await expect(alice.replay({ since: -1 })).rejects.toMatchObject({ code: 'bad_envelope' });
    alice.close();
    await expect(join('alice', '../x')).rejects.toThrow('lost');
  });

  test('hears what it missed before it joined, also when it comes right behind the welcome', async () => {
    verifies('SUB-09', 'SUB-14');
    const pod = `pod-${++names}`;
    const alice = await join('alice', pod);
    for (let index = 0; index < 30; index++) await alice.chat(`line ${index}`);
    const late = await join('late', pod, { since: 0 });
    const heard: number[] = [];
    late.on('message', ({ seq }) => heard.push(seq!));
    await until(() => heard.length === 30);
    expect(heard).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    alice.close();
    late.close();
  });

  test('is told of a refusal also where its filter keeps its own messages away', async () => {
    verifies('SUB-07', 'SUB-14');
    const pod = `pod-${++names}`;
    const bob = await join('bob', pod);
    const heard: string[] = [];
    bob.on('message', ({ kind }) => heard.push(kind));
    const alice = await join('alice', pod, { filter: { contexts: 'all', kinds: ['conclusion'] } });
    await expect(alice.send('system/welcome', {})).rejects.toMatchObject({ code: 'capability_violation' });
    expect(await alice.chat('taken')).toMatchObject({ kind: 'chat', payload: { text: 'taken' } });
    await until(() => heard.length === 1);
    bob.close();
    alice.close();
  });

  test('finds contexts by their id', async () => {
    verifies('SUB-10', 'SUB-14');
    const pod = `pod-${++names}`;
    const alice = await join('alice', pod);
    const id = await alice.inContext('reasoning', async (context) => {
      await context.conclude('Yes');
      return context.id;
    });
    await alice.send('chat', { text: 'therefore' }, { correlation_id: id });
    expect(await alice.resolve(id)).toMatchObject({
      contexts: [{ pod, id, summary: 'Yes' }],
      linked: [{ pod, envelope: { correlation_id: id } }],
    });
    expect(await alice.resolve('nothing')).toMatchObject({ contexts: [], linked: [] });
    alice.close();
  });

  test('changes filters, and replays', async () => {
    const pod = `pod-${++names}`;
    const alice = await join('alice', pod);
    const bob = await join('bob', pod, { filter: { contexts: 'main' } });
    const heard: string[] = [];
    bob.on('message', ({ id }) => heard.push(id));
    const inside = { id: 'c', type: 'reasoning' };
    await alice.chat('1', { id: '1', context: inside });
    await alice.chat('2', { id: '2' });
    await bob.chat('own, filtered', { id: '3', context: inside });
    await bob.setFilter({ contexts: { types: ['reasoning'] }, kinds: ['chat'] });
    await alice.chat('4', { id: '4', context: inside });
    await until(() => heard.length === 2);
    expect(heard).toEqual(['2', '4']);
    const { messages, next } = await bob.replay({ context: 'c', limit: 2 });
    expect(messages.map(({ id }) => id)).toEqual(['1', '3']);
    expect((await bob.replay({ context: 'c', since: next! })).messages.map(({ id }) => id)).toEqual(['4']);
    alice.close();
    bob.close();
  });

  test('comes back by itself, misses nothing, and sends nothing twice', async () => {
    verifies('SUB-09', 'SUB-14');
    const pod = `pod-${++names}`;
    const alice = await join('alice', pod);
    const bob = await join('bob', pod);
    const bobs = sockets.at(-1)!;
    const heard: string[] = [];
    const gaps: unknown[] = [];
    let lost = 0;
    bob.on('message', ({ id }) => heard.push(id));
    bob.on('gap', (gap) => gaps.push(gap));
    bob.on('disconnected', () => lost++);
    await alice.chat('before', { id: 'before' });
    await until(() => heard.length === 1);
    bobs.terminate();
    const meanwhile = Array.from({ length: 20 }, (_, index) => alice.chat('x', { id: `m-${index}` }));
    const mine = bob.chat('sent while away', { id: 'mine' });
    await Promise.all(meanwhile);
    expect((await mine).seq).toBeGreaterThan(0);
    await until(() => heard.length === 22);
    expect(lost).toBeGreaterThan(0);
    expect(new Set(heard).size).toBe(22);
    expect(heard.filter((id) => id.startsWith('m-'))).toEqual(
      Array.from({ length: 20 }, (_, index) => `m-${index}`),
    );
    expect(gaps).toEqual([]);
    alice.close();
    bob.close();
  });

  test('ends for good when its token is revoked or another connection takes its place', async () => {
    const data = temporaryFolder();
    const { token, id } = await runJson<{ token: string; id: string }>(
      data,
      'token',
      'create',
      '--name',
      'alice',
    );
    const guarded = await startServer({ data });
    const options = { url: guarded.url, pod: 'p', token, WebSocket: Kept };
    const first = await connectPod(options);
    const replaced = new Promise<number>((resolve) => first.on('closed', ({ code }) => resolve(code)));
    const second = await connectPod(options);
    expect(await replaced).toBe(4009);
    const revoked = new Promise<number>((resolve) => second.on('closed', ({ code }) => resolve(code)));
    const ended = (async () => {
      for await (const _message of second.messages());
      return true;
    })();
    await runJson(data, 'token', 'revoke', id);
    expect(await revoked).toBe(4001);
    expect(await ended).toBe(true);
  });
});
