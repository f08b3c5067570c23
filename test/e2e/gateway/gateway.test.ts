import { writeFileSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { verifies } from '../../requirements.ts';
import { Peer, SEED_MESSAGES, upgradeStatus } from '../support/gateway.ts';
import { runJson, type Server, startServer, temporaryFolder, until } from '../support/program.ts';

let server: Server;
let names = 0;
const podName = () => `pod-${++names}`;
const join = (pod: string, participant: string, more: Record<string, string> = {}) =>
  Peer.join(server.url, { pod, participant, ...more });
const api = async (path: string) => {
  const response = await fetch(`${server.url}/api/pods${path}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

beforeAll(async () => {
  server = await startServer();
});

describe('a pod', () => {
  test('carries the messages of the seed to everyone as they were sent', async () => {
    verifies('SUB-01', 'SUB-02', 'SUB-05');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await join(pod, 'bob');
    for (const message of SEED_MESSAGES) alice.send(message);
    await bob.message('msg-10');
    await alice.message('msg-10');
    for (const peer of [alice, bob]) {
      expect(peer.ids).toEqual(SEED_MESSAGES.map(({ id }) => id));
      for (const [index, { seq, epoch, from, ts, protocol, ...rest }] of peer.said.entries()) {
        expect(rest).toEqual(SEED_MESSAGES[index]);
        expect({ seq, from, protocol }).toEqual({ seq: index + 1, from: 'alice', protocol: 'mcpp/v0.1' });
        expect([typeof epoch, typeof ts]).toEqual(['string', 'string']);
      }
    }
  });

  test('passes unknown fields and unusual numbers on byte for byte', async () => {
    verifies('SUB-01');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const raw =
      '{"id":"x-1","kind":"chat","x_extra":{"a":[1.0,12345678901234567890]},"context":{"id":"c","mood":"calm","metadata":{"deep":{"er":null}}},"payload":{"text":"© ™ 漢字 😊"}  }';
    const texts: string[] = [];
    alice.socket.on('message', (data) => texts.push(String(data)));
    alice.send(raw);
    await alice.message('x-1');
    const sent = texts.find((text) => text.includes('"x-1"'))!;
    expect(sent.startsWith(raw.slice(0, -1).trimEnd().slice(0, 40))).toBe(true);
    expect(sent).toContain('12345678901234567890');
    expect(sent).toContain('"mood":"calm"');
  });

  test('welcomes the joiner and tells the others', async () => {
    verifies('SUB-07');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await join(pod, 'bob');
    const welcome = bob.frames[0]!;
    expect(welcome).toMatchObject({
      from: 'system:gateway',
      kind: 'system/welcome',
      payload: { you: { id: 'bob', capabilities: ['*'] }, participants: [{ id: 'alice' }], pod, seq: 0 },
    });
    const joined = await alice.next(({ kind }) => kind === 'system/presence');
    expect(joined.payload).toEqual({ event: 'join', participant: { id: 'bob', capabilities: ['*'] } });
    await bob.leave();
    const left = await alice.next(({ payload }) => (payload as { event?: string }).event === 'leave');
    expect(left.payload).toMatchObject({ participant: { id: 'bob' } });
    expect(bob.frames.some(({ kind }) => kind === 'system/presence')).toBe(false);
  });

  test('takes its name from ?topic= too', async () => {
    const pod = podName();
    const alice = await join(pod, 'alice');
    const bob = await Peer.join(server.url, { topic: pod, participant: 'bob' });
    bob.send({ id: 'm-1', kind: 'chat', payload: { text: 'hello' } });
    expect(await alice.message('m-1')).toMatchObject({ from: 'bob' });
  });

  test('lets a newer connection of a participant replace the older one', async () => {
    const pod = podName();
    const bob = await join(pod, 'bob');
    const old = await join(pod, 'alice');
    const fresh = await join(pod, 'alice');
    expect((await old.closed).code).toBe(4009);
    bob.send({ id: 'after', kind: 'chat', payload: { text: 'still there?' } });
    await fresh.message('after');
    fresh.send({ id: 'yes', kind: 'chat', payload: { text: 'yes' } });
    await bob.message('yes');
    const events = bob.frames.filter(({ kind }) => kind === 'system/presence').map(({ payload }) => payload);
    expect(events).toEqual([{ event: 'join', participant: { id: 'alice', capabilities: ['*'] } }]);
    const { body } = await api(`/${pod}/participants`);
    expect((body.participants as { id: string }[]).map(({ id }) => id).sort()).toEqual(['alice', 'bob']);
  });
});

describe('the door', () => {
  test('refuses before the upgrade', async () => {
    verifies('KERN-11', 'SUB-07');
    const data = temporaryFolder();
    const { token } = await runJson<{ token: string; id: string }>(
      data,
      'token',
      'create',
      '--name',
      'alice',
    );
    const guarded = await startServer({ data });
    const good = { headers: { authorization: `Bearer ${token}` } };
    const status = (path: string, options = {}) => upgradeStatus(guarded.url, path, options);
    expect(await status('/ws?pod=p')).toBe(401);
    expect(await status('/ws?pod=p&token=inf_wrong')).toBe(401);
    expect(await status('/ws?pod=p', { headers: { authorization: 'Bearer inf_wrong' } })).toBe(401);
    expect(await status('/ws?pod=p', { ...good, origin: 'https://evil.example' })).toBe(403);
    expect(await status('/ws?pod=p', { headers: { ...good.headers, host: 'evil.example' } })).toBe(403);
    expect(await status('/ws', good)).toBe(400);
    expect(await status('/ws?pod=..%2Fx', good)).toBe(400);
    expect(await status('/ws?pod=p&contexts=nonsense', good)).toBe(400);
    expect(await status('/ws?pod=p&context=main', good)).toBe(400);
    expect(await status('/ws?pod=p&participant=bob', good)).toBe(403);
    expect(await status('/ws?pod=proj_unknown&since=-1', good)).toBe(400);
    expect(await status('/other', good)).toBe(404);
    expect(await status('/ws?pod=p', good)).toBe(101);
    expect(await status(`/ws?pod=p&token=${token}`)).toBe(101);
  });

  test('takes a token as a subprotocol without saying it back, and a cookie from its own page alone', async () => {
    verifies('KERN-11', 'CON-06');
    const data = temporaryFolder();
    const create = ['token', 'create', '--name', 'alice'];
    const { token } = await runJson<{ token: string }>(data, ...create);
    const guarded = await startServer({ data });
    const offering = (given: string) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`${guarded.url.replace('http', 'ws')}/ws?pod=p`, [
          'infold',
          `infold.token.${given}`,
        ]);
        socket.on('error', () => resolve('refused'));
        socket.once('open', () => {
          resolve(socket.protocol);
          socket.terminate();
        });
      });
    expect(await offering(token)).toBe('infold');
    expect(await offering(`${token}x`)).toBe('refused');

    const signedIn = await fetch(`${guarded.url}/api/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Infold-Console': '1', Origin: guarded.url },
      body: JSON.stringify({ token, keep: true }),
    });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const by = (headers: Record<string, string>) =>
      upgradeStatus(guarded.url, '/ws?pod=p', { headers: { cookie, ...headers } });
    expect(await by({ origin: guarded.url })).toBe(101);
    // A page on another port is of the same site, and its browser sends the cookie.
    const { hostname, port } = new URL(guarded.url);
    expect(await by({ origin: `http://${hostname}:${Number(port) + 1}` })).toBe(401);
    expect(await by({ origin: `http://localhost:${port}` })).toBe(401);
    expect(await by({})).toBe(401);
    expect(await by({ origin: guarded.url, 'sec-fetch-site': 'same-site' })).toBe(401);
    expect(await by({ origin: guarded.url, cookie: cookie.replace('=', '=A') })).toBe(401);
  });

  test('tells whoever may enter a pod what holds there', async () => {
    verifies('SUB-11');
    const data = temporaryFolder();
    const config = pathOf(data, 'gateway.json');
    const rules = [
      { effect: 'deny', kind: 'chat', context: 'main', pod: 'quiet' },
      { effect: 'allow', kind: ['vote', 'veto'], context: { within: 'type:review' }, from: 'lead-*' },
    ];
    const templates = { review: { description: 'Somebody else looks', kinds: ['vote'], idleMs: 60_000 } };
    writeFileSync(
      config,
      JSON.stringify({ gateway: { templates, rules, history: { pods: { quiet: 'memory' } } } }),
    );
    const { id } = await runJson<{ id: string }>(data, 'project', 'add', '--name', 'theirs');
    await runJson(data, 'project', 'add', '--name', 'mine');
    const create = ['token', 'create', '--name', 'reader', '--scope', 'read', '--project', 'mine'];
    const { token } = await runJson<{ token: string }>(data, ...create);
    const ruled = await startServer({ data, args: ['--config', config] });
    const policy = async (pod: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${ruled.url}/api/pods/${pod}/policy`, { headers });
      return { status: response.status, ...((await response.json()) as object) };
    };
    expect(await policy('quiet')).toEqual({
      ...{ status: 200, history: 'memory', idle_ms: 300_000, templates },
      rules: rules.map((rule, index) => ({ name: `gateway.rules.${index}`, ...rule })),
    });
    expect(await policy('other')).toMatchObject({
      history: 'durable',
      rules: [{ name: 'gateway.rules.1', effect: 'allow' }],
    });
    expect((await policy(id)).status).toBe(403);
  });

  test('closes with 4001 when the token is revoked, by whichever process', async () => {
    const data = temporaryFolder();
    const made = await runJson<{ token: string; id: string }>(data, 'token', 'create', '--name', 'alice');
    const guarded = await startServer({ data });
    const alice = await Peer.join(guarded.url, { pod: 'p', token: made.token });
    await runJson(data, 'token', 'revoke', made.id);
    expect((await alice.closed).code).toBe(4001);
  });

  test('opens a project’s pod to whom the project is open', async () => {
    const data = temporaryFolder();
    const [mine, theirs] = await Promise.all(
      ['mine', 'theirs'].map(
        async (name) => (await runJson<{ id: string }>(data, 'project', 'add', '--name', name)).id,
      ),
    );
    const { token } = await runJson<{ token: string }>(
      data,
      'token',
      'create',
      '--name',
      'a',
      '--project',
      'mine',
    );
    const guarded = await startServer({ data });
    expect(await upgradeStatus(guarded.url, `/ws?pod=${mine}&token=${token}`)).toBe(101);
    expect(await upgradeStatus(guarded.url, `/ws?pod=${theirs}&token=${token}`)).toBe(403);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${guarded.url}/api/pods/${theirs}/messages`, { headers })).status).toBe(403);
  });

  test('holds senders to their capabilities', async () => {
    verifies('SUB-07');
    const data = temporaryFolder();
    const create = (name: string, ...more: string[]) =>
      runJson<{ token: string }>(data, 'token', 'create', '--name', name, ...more);
    const agent = await create('agent', '--capability', 'chat', 'mcp/request:*/list', 'mcp/response:*');
    const watcher = await create('watcher', '--scope', 'read');
    const guarded = await startServer({ data });
    const peer = await Peer.join(guarded.url, { pod: 'p', token: agent.token });
    const silent = await Peer.join(guarded.url, { pod: 'p', token: watcher.token });
    peer.send({ id: 'ok-1', kind: 'chat', payload: { text: 'hi' } });
    peer.send({ id: 'ok-2', kind: 'mcp/request:tools/list', payload: {} });
    peer.send({ id: 'no-1', kind: 'mcp/request:tools/call', payload: {} });
    peer.send({ id: 'no-2', kind: 'chatter', payload: {} });
    peer.send({ id: 'no-3', kind: 'system/presence', payload: {} });
    for (const id of ['no-1', 'no-2', 'no-3']) {
      expect(await peer.error(id)).toMatchObject({
        error: 'capability_violation',
        your_capabilities: ['chat', 'mcp/request:*/list', 'mcp/response:*'],
      });
    }
    silent.send({ id: 'no-4', kind: 'chat', payload: { text: 'hi' } });
    expect(await silent.error('no-4')).toMatchObject({
      error: 'capability_violation',
      attempted_kind: 'chat',
    });
    await silent.message('ok-2');
    expect(silent.ids).toEqual(['ok-1', 'ok-2']);
  });
});

describe('contexts', () => {
  test('form a tree that can be asked for, with a placeholder for a parent that nobody has used', async () => {
    verifies('SUB-04', 'SUB-02');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const say = (id: string, context: object) =>
      alice.send({ id, kind: 'reflection', context, payload: { thought: id } });
    say('t-1', { id: 'child', type: 'reasoning', parent: 'root' });
    say('t-2', { id: 'grandchild', parent: 'child' });
    say('t-3', { id: 'child', type: 'workflow', parent: 'elsewhere' });
    expect(await alice.message('t-3')).toMatchObject({ context: { type: 'workflow', parent: 'elsewhere' } });
    const { body } = await api(`/${pod}/contexts`);
    expect(body.contexts).toMatchObject([
      {
        id: 'root',
        state: 'placeholder',
        messages: 0,
        children: [
          {
            id: 'child',
            type: 'reasoning',
            messages: 2,
            summary: 't-3',
            children: [{ id: 'grandchild', parent: 'child' }],
          },
        ],
      },
    ]);
    const created = alice.frames
      .filter(({ kind }) => kind === 'system/context')
      .map(({ payload }) => payload);
    expect(created).toMatchObject([
      { event: 'created', id: 'child' },
      { event: 'created', id: 'grandchild' },
    ]);
  });

  test('are linked to by correlation_id, from other pods too', async () => {
    verifies('SUB-10');
    const [pod, other] = [podName(), podName()];
    const alice = await join(pod, 'alice');
    const elsewhere = await join(other, 'alice');
    alice.send({ id: 'r-1', kind: 'reflection', context: { id: 'why-7' }, payload: { thought: 'Why?' } });
    alice.send({ id: 'r-2', kind: 'mcp/response:tools/call', correlation_id: 'why-7', payload: {} });
    elsewhere.send({ id: 'act', kind: 'mcp/request:tools/call', correlation_id: 'why-7', payload: {} });
    await Promise.all([alice.message('r-2'), elsewhere.message('act')]);
    const { body } = await api(`/${pod}/contexts/why-7`);
    const linked = (body.linked as { pod: string; envelope: { id: string } }[]).map((link) => [
      link.pod,
      link.envelope.id,
    ]);
    expect(linked.sort()).toEqual(
      [
        [other, 'act'],
        [pod, 'r-2'],
      ].sort(),
    );
    const found = await api(`/${pod}/messages?correlation=why-7`);
    expect(
      (found.body.messages as { envelope: { id: string } }[]).map(({ envelope }) => envelope.id),
    ).toEqual(['r-2']);
  });

  test('conclude when nobody uses them, and begin again when somebody does', async () => {
    verifies('SUB-03');
    const data = temporaryFolder();
    const brief = await startServer({ data, env: { INFOLD_GATEWAY: JSON.stringify({ idleMs: 300 }) } });
    const alice = await Peer.join(brief.url, { pod: 'p', participant: 'alice' });
    const bob = await Peer.join(brief.url, { pod: 'p', participant: 'bob' });
    for (const message of SEED_MESSAGES) alice.send(message);
    const concluded = (peer: Peer, id: string) =>
      peer.next(({ kind, payload }) => {
        const { event, id: context } = (payload ?? {}) as { event?: string; id?: string };
        return kind === 'system/context' && event === 'concluded' && context === id;
      });
    expect((await concluded(bob, 'reason-789')).payload).toMatchObject({
      context: 'reason-789',
      type: 'reasoning',
      messages: 3,
      summary: 'Deny the operation',
    });
    const { tokens } = (await concluded(bob, 'reason-789')).payload as { tokens: number };
    expect(tokens).toBeGreaterThan(3);
    const order = bob.frames
      .filter(({ payload }) => (payload as { event?: string } | undefined)?.event === 'concluded')
      .map(({ payload }) => (payload as { id: string }).id);
    expect(order).toEqual(['sub-reason-abc', 'reason-789']);
    const states = async () => {
      const response = await fetch(`${brief.url}/api/pods/p/contexts`);
      return ((await response.json()) as { contexts: { state: string }[] }).contexts.map(
        ({ state }) => state,
      );
    };
    await until(async () => (await states())[0] === 'concluded');
    alice.send({ ...SEED_MESSAGES[0], id: 'again' });
    await bob.message('again');
    expect(await states()).toEqual(['live']);
  });
});
