import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer } from '../support/gateway.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  post,
  run,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';

const POD_TOOLS = ['--toolsets', 'fold,gateway'];

interface Made {
  id: string;
  token: string;
}
interface Project {
  id: string;
}
interface ContextShown {
  id: string;
  pod?: string;
  state: string;
  messages: number;
  tokens: number;
  summary: string | null;
  children: ContextShown[];
}

const token = (data: string, name: string, ...more: string[]) =>
  runJson<Made>(data, 'token', 'create', '--name', name, ...more);

function configFile(gateway: object): string {
  const path = join(temporaryFolder(), 'infold.config.json');
  writeFileSync(path, JSON.stringify({ gateway }));
  return path;
}

async function getJson<Answer>(
  { url }: Server,
  path: string,
  bearer?: string,
): Promise<Answer & { status: number }> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const response = await fetch(`${url}${path}`, { headers });
  return { ...((await response.json()) as Answer), status: response.status };
}

describe('a correlation', () => {
  test('leads to contexts in other pods, and a pod that is closed to the caller looks as if it were not there', async () => {
    verifies('SUB-10');
    const data = temporaryFolder();
    const shop = await runJson<Project>(data, 'project', 'add', '--name', 'shop');
    const vault = await runJson<Project>(data, 'project', 'add', '--name', 'vault');
    const alice = await token(data, 'alice');
    const bob = await token(data, 'bob', '--project', 'shop');
    const server = await startServer({ data, args: POD_TOOLS });
    const inVault = await Peer.join(server.url, { pod: vault.id, token: alice.token });
    inVault.send({
      id: 'm-1',
      kind: 'conclusion',
      context: { id: 'why-7', type: 'reasoning' },
      payload: { conclusion: 'The key turns left' },
    });
    await inVault.message('m-1');
    const inShop = await Peer.join(server.url, { pod: shop.id, token: alice.token });
    inShop.send({ id: 'm-2', kind: 'chat', correlation_id: 'why-7', payload: { text: 'Turn it left' } });
    await inShop.message('m-2');

    type Found = { contexts: ContextShown[]; linked: { pod: string; envelope: { id: string } }[] };
    const seen = await getJson<Found>(server, '/api/correlations/why-7', alice.token);
    expect(seen).toMatchObject({
      status: 200,
      contexts: [{ pod: vault.id, id: 'why-7', messages: 1, summary: 'The key turns left' }],
      linked: [{ pod: shop.id, envelope: { id: 'm-2' } }],
    });
    // What he may read of it is there; the context itself is not.
    const partly = await getJson<Found>(server, '/api/correlations/why-7', bob.token);
    expect(partly).toMatchObject({ status: 200, contexts: [], linked: [{ pod: shop.id }] });
    inVault.send({ id: 'm-3', kind: 'chat', context: { id: 'why-9' }, payload: {} });
    await inVault.message('m-3');
    const hidden = await getJson<{ error: string }>(server, '/api/correlations/why-9', bob.token);
    const unknown = await getJson<{ error: string }>(server, '/api/correlations/why-8', bob.token);
    expect(hidden).toMatchObject({ status: 404, code: 'not_found' });
    expect({ ...hidden, error: hidden.error.replace('why-9', 'why-8') }).toEqual(unknown);

    const guest = await Peer.join(server.url, { pod: shop.id, token: bob.token });
    for (const [peer, contexts] of [
      [inShop, [{ pod: vault.id, id: 'why-7' }]],
      [guest, []],
    ] as const) {
      peer.send({ id: 'q', kind: 'gateway/resolve', payload: { id: 'why-7' } });
      const answer = await peer.next(({ kind }) => kind === 'system/resolve');
      expect(answer).toMatchObject({ correlation_id: 'q', payload: { id: 'why-7', contexts } });
      expect((answer.payload as Found).contexts).toHaveLength(contexts.length);
    }
    inShop.send({ id: 'bad', kind: 'gateway/resolve', payload: {} });
    expect(await inShop.error('bad')).toMatchObject({ error: 'bad_envelope' });

    const asAlice = await connectHttp(`${server.url}/mcp`, '2026', alice.token);
    const found = await callTool(asAlice, 'pod_contexts', { id: 'why-7', project: 'shop' });
    expect(found.structuredContent).toMatchObject({
      contexts: [{ pod: vault.id }],
      linked: [{ pod: shop.id }],
    });
    const asBob = await connectHttp(`${server.url}/mcp`, '2026', bob.token);
    expect((await callTool(asBob, 'pod_contexts', { id: 'why-9' })).structuredContent).toMatchObject({
      code: 'not_found',
    });
    expect(await runJson<Found>(data, 'pod', 'resolve', 'why-7')).toMatchObject({
      contexts: [{ pod: vault.id }],
    });
    const nothing = await run(['--data', data, 'pod', 'resolve', 'why-8']);
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toContain('No context is named "why-8"');
  });
});

describe('an agent whose host speaks MCP alone', () => {
  test('takes part: it is heard, reads with filters, waits for an answer, and sees the contexts', async () => {
    verifies('SUB-13');
    const server = await startServer({ args: POD_TOOLS });
    const bob = await Peer.join(server.url, { pod: 'review', participant: 'bob' });
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    const sent = await callTool(client, 'pod_send', {
      pod: 'review',
      participant: 'ada',
      kind: 'reflection',
      text: 'Is the lock fair?',
      context: { id: 'lock', type: 'reasoning', metadata: { ticket: 5 } },
    });
    expect(sent.structuredContent).toMatchObject({ pod: 'review', seq: 1 });
    const heard = await bob.message(sent.structuredContent.id as string);
    expect(heard).toMatchObject({
      from: 'ada',
      context: { id: 'lock', metadata: { ticket: 5 } },
      payload: { text: 'Is the lock fair?' },
    });
    const reading = callTool(client, 'pod_read', {
      pod: 'review',
      since: 1,
      filter: { contexts: 'main', directed: true },
      participant: 'ada',
      wait_seconds: 10,
    });
    bob.send({ id: 'b-1', kind: 'chat', context: { id: 'lock' }, payload: { text: 'in the context' } });
    bob.send({ id: 'b-2', kind: 'chat', to: ['carol'], payload: { text: 'for somebody else' } });
    await bob.message('b-2');
    await new Promise((resolve) => setTimeout(resolve, 300));
    bob.send({ id: 'b-3', kind: 'chat', to: ['ada'], payload: { text: 'It is' } });
    expect((await reading).structuredContent).toMatchObject({
      messages: [{ seq: 4, envelope: { id: 'b-3', payload: { text: 'It is' } } }],
      next: 4,
      more: false,
    });
    const page = await callTool(client, 'pod_read', { pod: 'review', context: 'lock', limit: 1 });
    expect(page.structuredContent).toMatchObject({ messages: [{ seq: 1 }], next: 1, more: true });
    const { structuredContent } = await callTool(client, 'pod_contexts', { pod: 'review', live: true });
    expect(structuredContent.contexts).toMatchObject([{ id: 'lock', messages: 2, metadata: { ticket: 5 } }]);
  });

  test('begins a context without making up an id for it', async () => {
    verifies('SUB-02');
    const server = await startServer({ args: POD_TOOLS });
    const bob = await Peer.join(server.url, { pod: 'p', participant: 'bob' });
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    const say = async (context: unknown) =>
      (await callTool(client, 'pod_send', { pod: 'p', text: 'hm', context })).structuredContent as {
        id: string;
        context?: string;
      };
    const first = await say({ type: 'reasoning' });
    expect(first.context).toMatch(/^ctx_\w{20,}$/);
    expect(await bob.message(first.id)).toMatchObject({ context: { id: first.context, type: 'reasoning' } });
    const below = await say({ type: 'lookup', parent: first.context });
    expect(below.context).not.toBe(first.context);
    const plain = await say(null);
    expect(plain).not.toHaveProperty('context');
    expect(await bob.message(plain.id)).not.toHaveProperty('context');
  });

  test('is told what is wrong, and nothing is said then', async () => {
    const data = temporaryFolder();
    const config = configFile({
      templates: { review: { kinds: ['vote'] } },
      rules: [{ effect: 'deny', kind: 'chat', pod: 'quiet' }],
    });
    const narrow = await token(data, 'narrow', '--capability', 'chat', '--capability', 'vote');
    const reader = await token(data, 'reader', '--scope', 'read');
    const server = await startServer({ data, args: [...POD_TOOLS, '--config', config] });
    const client = await connectHttp(`${server.url}/mcp`, '2026', narrow.token);
    const refused = async (input: object) =>
      (await callTool(client, 'pod_send', { pod: 'p', text: 'hello', ...input })).structuredContent;
    expect(await refused({ kind: 'reflection' })).toMatchObject({
      code: 'capability_violation',
      reason: 'capability_violation',
    });
    expect(await refused({ kind: 'fold/return' })).toMatchObject({ code: 'capability_violation' });
    expect(await refused({ kind: 'system/welcome' })).toMatchObject({ code: 'capability_violation' });
    expect(await refused({ pod: 'quiet' })).toMatchObject({
      code: 'capability_violation',
      rule: 'gateway.rules.0',
    });
    expect(await refused({ context: { id: 'r', type: 'review' } })).toMatchObject({
      reason: 'capability_violation',
      allowed_kinds: ['vote'],
    });
    expect(await refused({ participant: 'somebody' })).toMatchObject({ code: 'forbidden' });
    expect(await refused({ payload: {} })).toMatchObject({ code: 'invalid_arguments' });
    expect(await refused({ context: { id: 'a', parent: 'a' } })).toMatchObject({ reason: 'parent_cycle' });
    expect(await refused({ pod: 'not a name' })).toMatchObject({ code: 'invalid_arguments' });
    const secret = ['ghp', 'x7Qm2Kd9Lw4Rt6Yp1Zs8Vb3Nc5Hf0JgTaUeQ'].join('_');
    expect(await refused({ context: { id: secret } })).toMatchObject({
      code: 'secret_identifier',
      field: 'context.id',
    });
    expect(await refused({ id: 'once' })).toMatchObject({ id: 'once', seq: 1 });
    expect(await refused({ id: 'once' })).toMatchObject({ code: 'conflict', reason: 'duplicate_id' });
    const asReader = await connectHttp(`${server.url}/mcp`, '2026', reader.token);
    expect((await callTool(asReader, 'pod_send', { pod: 'p', text: 'x' })).structuredContent).toMatchObject({
      code: 'forbidden',
    });
    const read = await callTool(asReader, 'pod_read', { pod: 'p' });
    expect(read.structuredContent).toMatchObject({ messages: [{ seq: 1 }], more: false });
  });

  test('speaks over stdio without a server, and through one that runs', async () => {
    const data = temporaryFolder();
    const { client } = await connectStdio('2026', data, POD_TOOLS);
    const say = async (text: string) =>
      (await callTool(client, 'pod_send', { pod: 'p', text })).structuredContent as { seq: number | null };
    expect((await say('alone')).seq).toBe(1);
    const server = await startServer({ data, args: POD_TOOLS });
    const bob = await Peer.join(server.url, { pod: 'p', participant: 'bob', since: '0' });
    expect((await say('with a server')).seq).toBe(2);
    await bob.next(({ seq }) => seq === 2);
    bob.send({ id: 'b', kind: 'chat', payload: { text: 'heard you' } });
    const { structuredContent } = await callTool(client, 'pod_read', {
      pod: 'p',
      since: 2,
      wait_seconds: 10,
    });
    expect(structuredContent).toMatchObject({ messages: [{ seq: 3, envelope: { id: 'b' } }] });
    await bob.message('b');
    expect(bob.said.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    // Positions are the server's to give out: nobody waits for another process.
    expect((await bob.message('b')).epoch).not.toBe(bob.frames.find(({ seq }) => seq === 1)!.epoch);
  });
});

describe('an agent that works in a branch which its pod shows', () => {
  test('waits for others and not for what is told of itself, and is answered when the server stops', async () => {
    verifies('SUB-13');
    const server = await startServer({ args: POD_TOOLS });
    const project_path = '/home/someone/shop';
    const client = await connectHttp(`${server.url}/mcp?project=${project_path}`, '2026');
    const input = { description: 'Wait', prompt: 'Wait', project_path };
    const { session_id } = (await callTool(client, 'context_branch', input)).structuredContent as {
      session_id: string;
    };
    const read = (more: object = {}) =>
      callTool(client, 'pod_read', { wait_seconds: 1, session_id, ...more });
    const first = (await read()).structuredContent as { next: number; messages: unknown[] };
    expect(first.messages).toEqual([]);
    const began = performance.now();
    const second = (await read({ since: first.next })).structuredContent;
    expect(second.messages).toEqual([]);
    expect(performance.now() - began).toBeGreaterThan(900);
    const told = (await read({ filter: { kinds: ['fold/*'] } })).structuredContent as { messages: unknown[] };
    expect(told.messages.length).toBeGreaterThanOrEqual(3);
    const wrong = await callTool(client, 'pod_send', { pod: 'shop', text: 'Anybody here?' });
    expect(wrong._meta?.['infold/notices']).toEqual([
      expect.stringMatching(/^"shop" is not the pod of the project with this name: that pod is proj_/),
    ]);
    const waiting = read({ since: 10_000, wait_seconds: 20 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const stopping = performance.now();
    const stopped = server.stop();
    expect((await waiting).structuredContent).toMatchObject({ messages: [] });
    expect((await stopped).code).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(15_000);
  });
});

describe('branches in the pod of their project', () => {
  test('of an agent over stdio are seen live by who watches on a server, and before it was there', async () => {
    verifies('SUB-13');
    const data = temporaryFolder();
    const project_path = '/home/someone/shop';
    const { client } = await connectStdio('2026', data, ['--toolsets', 'fold']);
    const branch = async (description: string) => {
      const { structuredContent } = await callTool(client, 'context_branch', {
        description,
        prompt: 'Look',
        project_path,
      });
      return structuredContent as { branch_id: string; session_id: string };
    };
    const before = await branch('Before the server');
    const { projects } = await runJson<{ projects: Project[] }>(data, 'project', 'list');
    const pod = projects[0]!.id;
    const server = await startServer({ data });
    const watcher = await Peer.join(server.url, { pod, participant: 'watcher', since: '0' });
    await watcher.next(({ context, kind }) => kind === 'fold/branch' && context?.id === before.branch_id);
    const inner = await branch('While it runs');
    await watcher.next(
      ({ context }) => context?.id === inner.branch_id && context.parent === before.branch_id,
    );
    // Somebody else's report of an operation for a branch is refused; the agent's own is seen.
    const operations = [{ tool: 'Read', tokens: 40, branch_id: inner.branch_id }];
    const elsewhere = await post(`${server.url}/api/sessions/another/operations`, { operations });
    expect(elsewhere.status).toBeGreaterThanOrEqual(400);
    await post(`${server.url}/api/sessions/${inner.session_id}/operations`, { operations });
    await callTool(client, 'context_return', { message: 'It was the cache', project_path });
    const end = await watcher.next(
      ({ kind, context }) => kind === 'conclusion' && context?.id === inner.branch_id,
    );
    expect(end.payload).toMatchObject({ summary: 'It was the cache' });
    const { tokens } = (await getJson<{ tokens: number }>(server, `/api/branches/${inner.branch_id}`)) as {
      tokens: number;
    };
    await until(async () => {
      const { contexts } = await getJson<{ contexts: ContextShown[] }>(server, `/api/pods/${pod}/contexts`);
      return contexts[0]?.children[0]?.state === 'concluded';
    });
    const { contexts } = await getJson<{ contexts: ContextShown[] }>(server, `/api/pods/${pod}/contexts`);
    expect(contexts).toMatchObject([
      {
        id: before.branch_id,
        state: 'live',
        children: [{ id: inner.branch_id, summary: 'It was the cache' }],
      },
    ]);
    if (tokens !== undefined) expect(contexts[0]!.children[0]!.tokens).toBe(tokens);
    expect(watcher.said.filter(({ kind }) => kind === 'fold/operation')).toHaveLength(1);
    expect((await run(['--data', data, 'verify'])).code).toBe(0);
  });

  test('are a setting of the project', async () => {
    verifies('SUB-13');
    const data = temporaryFolder();
    const project = await runJson<Project>(data, 'project', 'add', '--name', 'shop');
    expect(await runJson(data, 'project', 'set', 'shop')).toMatchObject({
      mirrorBranches: null,
      rememberContexts: null,
    });
    expect(await runJson(data, 'project', 'set', 'shop', '--mirror', 'off', '--remember', 'on')).toEqual({
      id: project.id,
      name: 'shop',
      mirrorBranches: 'off',
      rememberContexts: true,
    });
    expect(await runJson(data, 'project', 'set', project.id, '--mirror', 'default')).toMatchObject({
      mirrorBranches: null,
      rememberContexts: true,
    });
    const wrong = await run(['--data', data, 'project', 'set', 'shop', '--mirror', 'maybe']);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('mirror: must be one of');
    expect((await run(['--data', data, 'project', 'set', 'nowhere'])).code).toBe(1);
  });
});

describe('rules and templates', () => {
  test('that cannot be right stop the server at its start, with the key; contradictions are told of', async () => {
    verifies('SUB-11');
    const bad = configFile({ templates: { review: { idle: 5 } } });
    const failed = await run(['--data', temporaryFolder(), 'serve', '--port', '0', '--config', bad]);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain('"gateway.templates.review": unknown key "idle"');
    const missing = configFile({ rules: [{ effect: 'deny', kind: 'x', context: { type: 'reveiw' } }] });
    const doctor = await run(['--data', temporaryFolder(), 'doctor', '--config', missing]);
    expect(doctor.stdout).toContain('no template is named "reveiw"');
    expect(doctor.code).toBe(1);
    const rules = [
      { effect: 'allow', kind: 'vote' },
      { effect: 'deny', kind: 'vote' },
    ];
    const server = await startServer({ args: ['--config', configFile({ rules })] });
    await until(() =>
      server.stderr().includes('gateway.rules.0 allows what gateway.rules.1 denies; deny wins'),
    );
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    alice.send({ id: 'v', kind: 'vote', payload: {} });
    expect(await alice.error('v')).toMatchObject({ error: 'capability_violation', rule: 'gateway.rules.1' });
  });
});
