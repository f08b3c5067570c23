import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer } from '../support/gateway.ts';
import { runJson, type Server, startServer, temporaryFolder, until } from '../support/program.ts';

let server: Server;
let names = 0;
const podName = () => `pod-${++names}`;
const chat = (id: string, more: object = {}) => ({
  id,
  kind: 'chat',
  payload: { text: `says ${id}` },
  ...more,
});

beforeAll(async () => {
  server = await startServer();
});

const deep = (levels: number) =>
  `{"id":"deep","kind":"chat","payload":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const inContext = (id: string, context: object) => ({
  id,
  kind: 'reflection',
  context,
  payload: { thought: id },
});

/** Everything that is refused: what is sent, the code, and whether its id can be named. */
const BAD: [string, unknown, string, string?][] = [
  ['text that is no JSON', 'hello', 'bad_json'],
  ['a binary frame', Buffer.from('{"id":"b","kind":"chat"}'), 'bad_json'],
  ['an empty frame', '', 'bad_json'],
  ['2 MB', JSON.stringify(chat('big', { payload: 'x'.repeat(2_000_000) })), 'message_size'],
  ['JSON 10,000 deep', deep(10_000), 'bad_json'],
  ['an array', '[]', 'bad_envelope'],
  ['no id', { kind: 'chat' }, 'bad_envelope'],
  ['no kind', { id: 'no-kind' }, 'bad_envelope', 'no-kind'],
  ['an id that is a number', { id: 7, kind: 'chat' }, 'bad_envelope'],
  ['__proto__ at the top', '{"id":"p-1","kind":"chat","__proto__":{"admin":true}}', 'bad_envelope', 'p-1'],
  [
    '__proto__ in metadata',
    '{"id":"p-2","kind":"chat","context":{"id":"c","metadata":{"\\u005f_proto__":1}}}',
    'bad_envelope',
    'p-2',
  ],
  ['a field twice', '{"id":"t-1","kind":"chat","from":"alice","from":"mallory"}', 'bad_envelope', 't-1'],
  ['an unknown protocol', chat('v', { protocol: 'mcpp/v9' }), 'bad_protocol', 'v'],
  ['a forged sender', chat('f', { from: 'bob' }), 'forged_sender', 'f'],
  ['the gateway as sender', chat('g', { from: 'system:gateway' }), 'forged_sender', 'g'],
  ['a kind of the gateway', { id: 's', kind: 'system/welcome', payload: {} }, 'capability_violation', 's'],
  [
    'metadata of 1 MB',
    inContext('m', { id: 'c', metadata: { note: 'x'.repeat(1_000_000) } }),
    'metadata_limit',
    'm',
  ],
  [
    '10,000 names',
    chat('n', { to: Array.from({ length: 10_000 }, (_, index) => `n${index}`) }),
    'bad_envelope',
    'n',
  ],
  ['a context id of 10 kB', inContext('k', { id: 'x'.repeat(10_240) }), 'bad_envelope', 'k'],
  ['a context that is a number', inContext('o', 42 as never), 'bad_envelope', 'o'],
  ['no such day', chat('ts-1', { ts: '2025-02-30T12:00:00Z' }), 'bad_envelope', 'ts-1'],
  ['a time in words', chat('ts-2', { ts: 'yesterday' }), 'bad_envelope', 'ts-2'],
  ['a context that is its own parent', inContext('own', { id: 'c', parent: 'c' }), 'parent_cycle', 'own'],
  [
    'a proposal with correlation_id',
    { id: 'pr', kind: 'mcp/proposal:tools/call', correlation_id: 'x' },
    'bad_envelope',
    'pr',
  ],
  ['a response without', { id: 're', kind: 'mcp/response:tools/call' }, 'bad_envelope', 're'],
];

describe('bad input', () => {
  test.each(BAD)('%s is answered, and nobody else is affected', async (_name, input, code, id) => {
    verifies('SUB-08', 'SUB-07');
    const pod = podName();
    const alice = await Peer.join(server.url, { pod, participant: 'alice' });
    const bob = await Peer.join(server.url, { pod, participant: 'bob' });
    if (Buffer.isBuffer(input)) alice.socket.send(input, { binary: true });
    else alice.send(input);
    const frame = await alice.next(({ kind }) => kind === 'system/error');
    expect((frame.payload as { error: string }).error).toBe(code);
    expect(frame.correlation_id).toBe(id);
    expect(frame).toMatchObject({ from: 'system:gateway', protocol: 'mcpp/v0.1' });
    alice.send(chat('after'));
    await bob.message('after');
    expect(bob.ids).toEqual(['after']);
  });

  test('an id is taken once', async () => {
    const pod = podName();
    const alice = await Peer.join(server.url, { pod, participant: 'alice' });
    const bob = await Peer.join(server.url, { pod, participant: 'bob' });
    alice.send(chat('once'));
    await bob.message('once');
    bob.send(chat('once'));
    expect(await bob.error('once')).toMatchObject({ error: 'duplicate_id' });
    await alice.settled();
    expect(alice.ids).toEqual(['once']);
  });

  test('a circle of parents is refused, whichever message closes it', async () => {
    const alice = await Peer.join(server.url, { pod: podName(), participant: 'alice' });
    alice.send(inContext('1', { id: 'a', parent: 'b' }));
    alice.send(inContext('2', { id: 'b', parent: 'c' }));
    alice.send(inContext('3', { id: 'c', parent: 'a' }));
    expect(await alice.error('3')).toMatchObject({ error: 'parent_cycle' });
    alice.send(inContext('4', { id: 'b', parent: 'a' }));
    expect(await alice.error('4')).toMatchObject({ error: 'parent_cycle' });
    expect(alice.ids).toEqual(['1', '2']);
  });
});

describe('limits', () => {
  test('of nesting, also when a placeholder turns out to have parents', async () => {
    verifies('SUB-08');
    const narrow = await startServer({ env: { INFOLD_LIMITS_CONTEXT_DEPTH: '3' } });
    const alice = await Peer.join(narrow.url, { pod: 'p', participant: 'alice' });
    alice.send(inContext('1', { id: 'a' }));
    alice.send(inContext('2', { id: 'b', parent: 'a' }));
    alice.send(inContext('3', { id: 'c', parent: 'b' }));
    alice.send(inContext('4', { id: 'd', parent: 'c' }));
    expect(await alice.error('4')).toMatchObject({ error: 'depth_limit', limit: 3 });
    alice.send(inContext('5', { id: 'z', parent: 'y' }));
    alice.send(inContext('6', { id: 'y', parent: 'b' }));
    expect(await alice.error('6')).toMatchObject({ error: 'depth_limit' });
    expect(alice.ids).toEqual(['1', '2', '3', '5']);
  });

  test('of contexts: 10,000 of them stop at the limit, and others go on', async () => {
    verifies('SUB-08');
    const pod = podName();
    const alice = await Peer.join(server.url, { pod, participant: 'alice' });
    const bob = await Peer.join(server.url, { pod, participant: 'bob', contexts: 'main' });
    for (let index = 0; index < 10_000; index++) alice.send(inContext(`m-${index}`, { id: `c-${index}` }));
    alice.send(chat('end'));
    await bob.next(({ id }) => id === 'end', 20_000);
    await alice.next(({ id }) => id === 'end', 20_000);
    const errors = alice.frames.filter(({ kind }) => kind === 'system/error');
    expect(alice.ids.length).toBe(1001);
    expect(errors.length).toBe(9000);
    expect(new Set(errors.map(({ payload }) => (payload as { error: string }).error))).toEqual(
      new Set(['context_limit']),
    );
    bob.send(inContext('mine', { id: 'mine' }));
    await alice.message('mine');
  });

  test('of rate count contexts as units: one that runs away stops only itself', async () => {
    verifies('SUB-08');
    const data = temporaryFolder();
    const { token } = await runJson<{ token: string }>(data, 'token', 'create', '--name', 'alice');
    const env = {
      INFOLD_LIMITS_CONTEXT_ENVELOPES_PER_MINUTE: '20',
      INFOLD_LIMITS_ENVELOPES_PER_MINUTE: '100',
    };
    const slow = await startServer({ data, env });
    const alice = await Peer.join(slow.url, { pod: 'p', token });
    for (let index = 0; index < 40; index++) alice.send(inContext(`run-${index}`, { id: 'runaway' }));
    alice.send(inContext('calm', { id: 'other' }));
    await alice.message('calm');
    const answered = await alice.error('run-39');
    expect(answered).toMatchObject({ error: 'rate_limit', retry_after: expect.any(Number) });
    expect(alice.ids.filter((id) => id.startsWith('run-')).length).toBeLessThan(25);
    for (let index = 0; index < 80; index++) alice.send(chat(`more-${index}`));
    expect(await alice.error('more-79')).toMatchObject({ error: 'rate_limit' });
  });
});

describe('a reader that stops reading', () => {
  test('is let go with 4008, holds up nobody, and goes on where it was', async () => {
    verifies('SUB-12');
    const env = { INFOLD_LIMITS_READER_BUFFER_BYTES: '262144' };
    const tight = await startServer({ env });
    const alice = await Peer.join(tight.url, { pod: 'p', participant: 'alice' });
    const stuck = await Peer.join(tight.url, { pod: 'p', participant: 'stuck' });
    stuck.socket.pause();
    const text = 'x'.repeat(10_000);
    let sent = 0;
    const gone = () =>
      alice.frames.some(({ payload }) => (payload as { event?: string } | undefined)?.event === 'leave');
    await until(async () => {
      for (let index = 0; index < 50; index++) alice.send(chat(`m-${++sent}`, { payload: { text } }));
      await alice.message(`m-${sent}`);
      return gone();
    }, 30_000);
    stuck.socket.resume();
    expect((await stuck.closed).code).toBe(4008);
    const last = stuck.said.at(-1)!;
    expect(stuck.ids).toEqual(Array.from({ length: stuck.ids.length }, (_, index) => `m-${index + 1}`));
    const back = await Peer.join(tight.url, {
      pod: 'p',
      participant: 'stuck',
      since: `${last.seq}`,
      epoch: last.epoch!,
    });
    await back.next(({ id }) => id === `m-${sent}`, 20_000);
    expect([...stuck.ids, ...back.ids]).toEqual(Array.from({ length: sent }, (_, index) => `m-${index + 1}`));
  });
});

describe('compression', () => {
  test('is negotiated, and used from a size on', async () => {
    verifies('SUB-11');
    const pod = podName();
    const alice = await Peer.join(server.url, { pod, participant: 'alice' }, { perMessageDeflate: true });
    const plain = await Peer.join(server.url, { pod, participant: 'plain' });
    expect(alice.socket.extensions).toContain('permessage-deflate');
    expect(plain.socket.extensions).toBe('');
    const bytesOf = (peer: Peer) =>
      (peer.socket as unknown as { _socket: { bytesRead: number } })._socket.bytesRead;
    const text = 'again and again '.repeat(10_000);
    const before = [bytesOf(alice), bytesOf(plain)];
    alice.send(chat('small'));
    alice.send(chat('long', { payload: { text } }));
    for (const peer of [alice, plain]) {
      await peer.message('small');
      expect((await peer.message('long')).payload).toEqual({ text });
    }
    expect(bytesOf(alice) - before[0]!).toBeLessThan(10_000);
    expect(bytesOf(plain) - before[1]!).toBeGreaterThan(160_000);
  });
});
