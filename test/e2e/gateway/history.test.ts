import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer, SEED_MESSAGES } from '../support/gateway.ts';
import { run, runJson, type Server, startServer, temporaryFolder, until } from '../support/program.ts';

let server: Server;
let names = 0;
const podName = () => `pod-${++names}`;
const join = (pod: string, participant: string, more: Record<string, string> = {}, from = server) =>
  Peer.join(from.url, { pod, participant, ...more });
const chat = (id: string, more: object = {}) => ({
  id,
  kind: 'chat',
  payload: { text: `says ${id}` },
  ...more,
});

beforeAll(async () => {
  server = await startServer();
});

describe('filters', () => {
  const seedIds = async (filter: Record<string, string>) => {
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await join(pod, 'bob', filter);
    for (const message of SEED_MESSAGES) alice.send(message);
    await alice.message('msg-10');
    await bob.settled();
    return bob.ids;
  };

  test('at join give the results of the seed', async () => {
    verifies('SUB-05', 'SUB-06');
    expect(await seedIds({ contexts: 'all' })).toEqual(['msg-1', 'msg-2', 'msg-3', 'msg-4', 'msg-10']);
    expect(await seedIds({ contexts: 'main' })).toEqual(['msg-4']);
    expect(await seedIds({ contexts: 'type:reasoning' })).toEqual([
      'msg-1',
      'msg-2',
      'msg-3',
      'msg-4',
      'msg-10',
    ]);
    expect(await seedIds({ contexts: 'type:workflow' })).toEqual(['msg-4']);
    expect(await seedIds({ kinds: 'conclusion' })).toEqual(['msg-3']);
    expect(await seedIds({ contexts: 'id:reason-789' })).toEqual(['msg-1', 'msg-2', 'msg-3']);
    expect(await seedIds({ contexts: 'id:reason-789', descendants: 'true' })).toEqual([
      'msg-1',
      'msg-2',
      'msg-3',
      'msg-10',
    ]);
  });

  test('can be changed at any time and are acknowledged', async () => {
    verifies('SUB-05');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await join(pod, 'bob');
    const payload = { contexts: { types: ['workflow'], ids: ['reason-789'] }, kinds: ['refl*', 'chat'] };
    bob.send({ id: 'filter-1', kind: 'gateway/filter', payload });
    const answer = await bob.next(({ kind }) => kind === 'system/filter');
    expect(answer).toMatchObject({ correlation_id: 'filter-1', payload });
    for (const message of SEED_MESSAGES) alice.send(message);
    alice.send(chat('c-1'));
    await bob.message('c-1');
    expect(bob.ids).toEqual(['msg-1', 'c-1']);
    bob.send({ id: 'filter-2', kind: 'gateway/filter', payload: { contexts: 'all' } });
    await bob.next(({ correlation_id }) => correlation_id === 'filter-2');
    alice.send({ ...SEED_MESSAGES[2], id: 'again' });
    await bob.message('again');
    bob.send({ id: 'filter-3', kind: 'gateway/filter', payload: { contexts: 'some' } });
    expect(await bob.error('filter-3')).toMatchObject({ error: 'bad_envelope' });
  });

  test('leave `to` an address unless a receiver asks for directed messages only', async () => {
    verifies('SUB-05');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const [bob, carol, dave] = await Promise.all([
      join(pod, 'bob', { directed: 'true' }),
      join(pod, 'carol', { directed: 'true' }),
      join(pod, 'dave'),
    ]);
    alice.send(chat('to-bob', { to: ['bob', 'bob'] }));
    alice.send(chat('to-all'));
    await Promise.all([bob, carol, dave].map((peer) => peer!.message('to-all')));
    expect(bob!.ids).toEqual(['to-bob', 'to-all']);
    expect(carol!.ids).toEqual(['to-all']);
    expect(dave!.ids).toEqual(['to-bob', 'to-all']);
  });
});

describe('history', () => {
  test('is replayed by context, type, kind, sender, text, time and position', async () => {
    verifies('SUB-09');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await join(pod, 'bob');
    for (const message of SEED_MESSAGES) alice.send(message);
    await bob.message('msg-10');
    bob.send(chat('from-bob', { payload: { text: 'A needle, in the haystack!' } }));
    await alice.message('from-bob');
    let asked = 0;
    const replayed = async (payload: object) => {
      const id = `replay-${++asked}`;
      alice.frames.length = 0;
      alice.send({ id, kind: 'gateway/replay', payload });
      const end = await alice.next(
        ({ kind, correlation_id }) => kind === 'system/replay' && correlation_id === id,
      );
      const again = alice.frames.filter(({ replay }) => replay);
      expect(end.payload).toMatchObject({ count: again.length });
      return { ids: again.map((frame) => frame.id), next: (end.payload as { next: number | null }).next };
    };
    expect((await replayed({})).ids).toEqual([...SEED_MESSAGES.map(({ id }) => id), 'from-bob']);
    expect((await replayed({ context: 'reason-789' })).ids).toEqual(['msg-1', 'msg-2', 'msg-3']);
    expect((await replayed({ type: 'reasoning', kind: 'reflection' })).ids).toEqual(['msg-1', 'msg-10']);
    expect((await replayed({ kind: 'mcp/*' })).ids).toEqual(['msg-2', 'msg-4']);
    expect((await replayed({ from: 'bob' })).ids).toEqual(['from-bob']);
    expect((await replayed({ text: 'needles haystack' })).ids).toEqual(['from-bob']);
    expect((await replayed({ since: 2, before: 5 })).ids).toEqual(['msg-3', 'msg-4']);
    expect((await replayed({ after_time: '2999-01-01T00:00:00Z' })).ids).toEqual([]);
    expect(await replayed({ since: 1, limit: 2 })).toEqual({ ids: ['msg-2', 'msg-3'], next: 3 });
    alice.send({ id: 'bad', kind: 'gateway/replay', payload: { since: 'yesterday' } });
    expect(await alice.error('bad')).toMatchObject({ error: 'bad_envelope' });
  });

  test('is read and searched over REST', async () => {
    verifies('SUB-09');
    const pod = podName();
    const alice = await join(pod, 'alice');
    for (const message of SEED_MESSAGES) alice.send(message);
    await alice.message('msg-10');
    const get = async (path: string) => {
      const response = await fetch(`${server.url}/api/pods/${pod}/${path}`);
      const body = (await response.json()) as {
        messages: { seq: number; envelope: { id: string } }[];
        next: string;
      };
      return {
        status: response.status,
        ids: body.messages?.map(({ envelope }) => envelope.id),
        next: body.next,
      };
    };
    expect(await get('messages?limit=2')).toEqual({ status: 200, ids: ['msg-1', 'msg-2'], next: '2' });
    expect((await get('messages?limit=2&cursor=2')).ids).toEqual(['msg-3', 'msg-4']);
    const newest = await get('messages?limit=2&order=newest');
    expect(newest).toEqual({ status: 200, ids: ['msg-10', 'msg-4'], next: '4' });
    expect((await get('messages?limit=9&order=newest&cursor=4&since=1')).ids).toEqual(['msg-3', 'msg-2']);
    expect((await get('messages?limit=1&order=newest&context=reason-789')).ids).toEqual(['msg-3']);
    expect((await get('search?q=analysis&order=newest')).ids).toEqual(['msg-10', 'msg-4', 'msg-1']);
    expect((await get('messages?context=sub-reason-abc')).ids).toEqual(['msg-10']);
    expect((await get('messages?before=2000-01-01T00:00:00Z')).ids).toEqual([]);
    expect((await get('search?q=analysis&type=reasoning')).ids).toEqual(['msg-1', 'msg-10']);
    expect((await get('search?q=%22%29%28*%20OR')).ids).toEqual([]);
    expect((await get('search')).status).toBe(400);
    expect((await get('messages?since=never')).status).toBe(400);
    expect((await fetch(`${server.url}/api/pods/unheard-of/messages`)).status).toBe(404);
    const list = (await (await fetch(`${server.url}/api/pods`)).json()) as { pods: { name: string }[] };
    expect(list.pods.find(({ name }) => name === pod)).toMatchObject({
      seq: 5,
      history: 'durable',
      participants: 1,
    });
  });

  test('holds no secrets, while live frames pass as sent', async () => {
    verifies('KERN-12');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await join(pod, 'bob');
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    alice.send(chat('secret', { payload: { text: `the token is ${secret}` } }));
    expect(JSON.stringify(await bob.message('secret'))).toContain(secret);
    const stored = await (await fetch(`${server.url}/api/pods/${pod}/messages`)).text();
    expect(stored).not.toContain(secret);
    expect(stored).toContain('[REDACTED:');
  });

  test('lets who comes back go on without a gap, also after a restart', async () => {
    verifies('SUB-09');
    const data = temporaryFolder();
    const first = await startServer({ data });
    const alice = await join('p', 'alice', {}, first);
    for (let index = 1; index <= 50; index++) alice.send(chat(`m-${index}`));
    await alice.message('m-50');
    const bob = await join('p', 'bob', { since: '45' }, first);
    await bob.message('m-50');
    expect(bob.ids).toEqual(['m-46', 'm-47', 'm-48', 'm-49', 'm-50']);
    const { epoch } = await bob.message('m-50');
    const ended = await first.stop();
    expect(ended.code).toBe(0);
    expect((await alice.closed).code).toBe(1001);
    const second = await startServer({ data });
    const back = await join('p', 'bob', { since: '48', epoch: epoch! }, second);
    back.send(chat('new'));
    const fresh = await back.message('new');
    expect(back.ids).toEqual(['m-49', 'm-50', 'new']);
    expect(fresh.seq).toBe(51);
    expect(back.frames.some(({ kind }) => kind === 'system/gap')).toBe(false);
    back.send({ id: 'm-7', kind: 'chat', payload: {} });
    expect(await back.error('m-7')).toMatchObject({ error: 'duplicate_id' });
    const ahead = await join('p', 'carol', { since: '99', epoch: epoch! }, second);
    const gap = await ahead.next(({ kind }) => kind === 'system/gap');
    // What stands at 51 now is not what was heard there.
    expect(gap.payload).toEqual({ from: 51, to: 99 });
    await second.stop();
    expect((await run(['verify', '--data', data])).code).toBe(0);
    expect((await run(['rebuild', '--data', data])).code).toBe(0);
  });

  test('can be kept in memory or not at all, pod by pod, and says what is missing', async () => {
    verifies('SUB-09');
    const gateway = { history: { mode: 'durable', pods: { brief: 'memory', silent: 'none' } } };
    const small = { INFOLD_LIMITS_RECENT_ENVELOPES: '10', INFOLD_GATEWAY: JSON.stringify(gateway) };
    const mixed = await startServer({ env: small });
    for (const pod of ['brief', 'silent']) {
      const alice = await join(pod, 'alice', {}, mixed);
      for (let index = 1; index <= 30; index++) alice.send(chat(`m-${index}`));
      await alice.message('m-30');
      const bob = await join(pod, 'bob', { since: '5' }, mixed);
      alice.send(chat('last'));
      await bob.message('last');
      const gaps = bob.frames.filter(({ kind }) => kind === 'system/gap').map(({ payload }) => payload);
      expect(gaps).toEqual([{ from: 6, to: pod === 'brief' ? 20 : 30 }]);
      expect(bob.ids.length).toBe(pod === 'brief' ? 11 : 1);
      bob.send({ id: 'r', kind: 'gateway/replay', payload: { text: 'says' } });
      const end = await bob.next(({ kind }) => kind === 'system/replay');
      expect(end.payload).toMatchObject({ count: pod === 'brief' ? 10 : 0 });
    }
    await mixed.stop();
    expect(await runJson(mixed.data, 'pod', 'replay', 'brief')).toMatchObject({ messages: [] });
  });

  test('is seen by every process on the data folder, and positions are given out once', async () => {
    const data = temporaryFolder();
    const one = await startServer({ data });
    const other = await startServer({ data });
    const alice = await join('p', 'alice', {}, one);
    const bob = await join('p', 'bob', {}, other);
    for (let index = 0; index < 20; index++) {
      alice.send(chat(`a-${index}`));
      bob.send(chat(`b-${index}`));
    }
    await until(() => alice.ids.length === 40 && bob.ids.length === 40);
    expect(bob.ids).toEqual(alice.ids);
    expect(alice.said.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    bob.send(chat('a-3'));
    expect(await bob.error('a-3')).toMatchObject({ error: 'duplicate_id' });
    await runJson(data, 'pod', 'send', 'p', 'from the command line', '--from', 'carol');
    await Promise.all([alice, bob].map((peer) => peer.next(({ from }) => from === 'carol')));
    one.process.kill('SIGKILL');
    await until(async () => {
      bob.send(chat(`after-${Math.random()}`));
      await new Promise((resolve) => setTimeout(resolve, 300));
      return bob.ids.some((id) => id.startsWith('after-'));
    }, 20_000);
  });
});
