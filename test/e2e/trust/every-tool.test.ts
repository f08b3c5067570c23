import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from '@infold/client/api';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer } from '../support/gateway.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  type Envelope,
  post,
  run,
  runJson,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';
import { SAMPLE_ARGS, SAMPLES, sampleData } from '../support/sample-calls.ts';

interface MadeToken {
  id: string;
  token: string;
}

const ghost = ['ghp', 'Zq8Lw3Nv6Rt1Yx5Kp9Bd2Mf7Hc4Js0GaTeUo'].join('_');

async function token(data: string, ...flags: string[]): Promise<MadeToken> {
  return runJson<MadeToken>(data, 'token', 'create', ...flags);
}

/** Every tool of the program once, in the order of the samples. */
async function callAll(url: string, bearer: string): Promise<Map<string, Envelope | Error>> {
  const client = await connectHttp(`${url}/mcp`, '2026', bearer);
  const { tools } = await client.listTools();
  const results: Record<string, Envelope> = {};
  const outcomes = new Map<string, Envelope | Error>();
  for (const { tool, input } of SAMPLES.filter((sample) => tools.some(({ name }) => name === sample.tool))) {
    try {
      results[tool] = await callTool(client, tool, input(results));
      outcomes.set(tool, results[tool]!);
    } catch (error) {
      outcomes.set(tool, error as Error);
    }
  }
  expect([...outcomes.keys()].sort()).toEqual(tools.map(({ name }) => name).sort());
  return outcomes;
}

const codeOf = (outcome: Envelope | Error): unknown =>
  outcome instanceof Error ? 'error' : outcome.isError ? outcome.structuredContent.code : 'ok';

/** Names of the files in a data folder that hold a text. */
function filesWith(data: string, text: string): string[] {
  return readdirSync(data, { withFileTypes: true, recursive: true })
    .filter((item) => item.isFile())
    .filter((item) => readFileSync(join(item.parentPath ?? item.path, item.name)).includes(text))
    .map(({ name }) => name);
}

describe('every tool, by what the caller may', () => {
  test('the owner may call all of them; a reader none that writes; nobody without a valid token any', async () => {
    verifies('KERN-10');
    const server = await startServer({ data: await sampleData(), args: SAMPLE_ARGS });
    const readOnly = new Map<string, boolean>();
    const listed = (await (await fetch(`${server.url}/mcp/tools/list`)).json()) as {
      tools: { name: string; annotations: { readOnlyHint: boolean } }[];
    };
    for (const { name, annotations } of listed.tools) readOnly.set(name, annotations.readOnlyHint);
    const holder = await token(server.data, '--name', 'holder', '--scope', 'read,write,review,admin');
    for (const [tool, outcome] of await callAll(server.url, holder.token)) {
      expect(`${tool} ${codeOf(outcome)}`).toBe(`${tool} ok`);
    }
    const reader = await token(server.data, '--name', 'reader', '--scope', 'read');
    const client = await connectHttp(`${server.url}/mcp`, '2026', reader.token);
    for (const { tool } of SAMPLES) {
      if (readOnly.get(tool) !== false) continue;
      const { structuredContent, isError } = await callTool(client, tool, {});
      expect({ tool, isError, code: structuredContent.code }).toEqual({
        tool,
        isError: true,
        code: 'forbidden',
      });
    }
    const expired = await token(server.data, '--name', 'late', '--expires', '1s');
    const revoked = await token(server.data, '--name', 'gone');
    await runJson(server.data, 'token', 'revoke', revoked.id);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    for (const bearer of [undefined, 'inf_wrong', expired.token, revoked.token]) {
      for (const { tool } of SAMPLES) {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } };
        const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
        const response = await post(`${server.url}/mcp`, body, headers);
        expect(`${tool} ${response.status}`).toBe(`${tool} 401`);
      }
    }
    const { denials } = await runJson<{ denials: { principal: string; code: string; count: number }[] }>(
      server.data,
      'denials',
    );
    expect(denials.some(({ principal, code }) => principal === 'reader' && code === 'forbidden')).toBe(true);
    expect(denials.some(({ code }) => code === 'unauthenticated')).toBe(true);
    expect((await server.stop()).stderr).not.toContain(holder.token);
  });

  test('who administers makes, lists and ends tokens over REST, and is told of bad input as on the command line', async () => {
    verifies('KERN-10');
    const server = await startServer();
    const admin = await token(server.data, '--name', 'ada', '--scope', 'read,write,admin');
    const api = createApi({ url: server.url, token: admin.token });
    const made = await api.createToken({ name: 'bob', scopes: ['read'] });
    const bob = createApi({ url: server.url, token: made.token });
    expect(await bob.listProjects()).toMatchObject({ projects: [] });
    await expect(bob.listTokens()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await expect(api.createToken({ name: 'eve', scopes: ['review'] })).rejects.toMatchObject({ status: 403 });
    const { tokens } = await api.listTokens();
    expect(tokens.map(({ name }) => name)).toEqual(['ada', 'bob']);
    expect(JSON.stringify(tokens)).not.toContain(made.token);
    expect(await api.revokeToken({ id: made.id })).toEqual({ id: made.id, revoked: true, already: false });
    await expect(bob.listProjects()).rejects.toMatchObject({ status: 401 });
    const { denials } = await api.listDenials();
    expect(denials).toContainEqual(expect.objectContaining({ principal: 'bob', resource: 'listTokens' }));
    const shown = await run(['--data', server.data, 'token', 'create', '--name', 'a', '--scope', 'all']);
    const bad = await api
      .createToken({ name: 'a', scopes: ['all' as 'read'] })
      .catch((error: Error) => error);
    expect(shown.stderr).toBe(`infold: ${(bad as Error).message}\n`);
    expect((await server.stop()).stderr).not.toContain(made.token);
  });

  test('another organisation and another project see nothing', async () => {
    verifies('KERN-10');
    const server = await startServer();
    const alice = await token(server.data, '--name', 'alice');
    const client = await connectHttp(`${server.url}/mcp`, '2026', alice.token);
    const branch = await callTool(client, 'context_branch', {
      description: 'd',
      prompt: 'p',
      project_path: '/shop',
    });
    const { session_id, branch_id } = branch.structuredContent as Record<string, string>;
    await runJson(server.data, 'project', 'add', '--name', 'elsewhere');
    const strangers = [
      await token(server.data, '--name', 'alice', '--org', 'rivals'),
      await token(server.data, '--name', 'alice', '--project', 'elsewhere'),
      await token(server.data, '--name', 'bob'),
    ];
    for (const stranger of strangers) {
      const headers = { authorization: `Bearer ${stranger.token}` };
      const get = async (path: string) => (await fetch(server.url + path, { headers })).status;
      expect(await get(`/api/sessions/${session_id}`)).toBe(404);
      expect(await get(`/api/branches/${branch_id}`)).toBe(404);
      const sessions = await fetch(`${server.url}/api/sessions`, { headers });
      expect(await sessions.json()).toMatchObject({ sessions: [] });
      const other = await connectHttp(`${server.url}/mcp`, '2026', stranger.token);
      await expect(other.readResource({ uri: `infold://branch/${branch_id}` })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });
});

/** A value once for each text in it, names of fields in maps too, with a secret at the end of that text. */
function withSecrets(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value} ${ghost}`, `${value}-${ghost}`];
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => withSecrets(one).map((changed) => value.with(index, changed)));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...withSecrets(inner).map((changed) => ({ ...value, [key]: changed })),
    ...(key === 'knownHashes' ? [{ ...value, [key]: { ...(inner as object), [ghost]: '' } }] : []),
  ]);
}

describe('secrets', () => {
  test('given to any tool, in any field, are nowhere in the data folder', async () => {
    verifies('KERN-12');
    const server = await startServer({ data: await sampleData(), args: SAMPLE_ARGS });
    const client = await connectHttp(`${server.url}/mcp`, '2025');
    const { tools } = await client.listTools();
    const results: Record<string, Envelope> = {};
    for (const { tool, input } of SAMPLES.filter((sample) =>
      tools.some(({ name }) => name === sample.tool),
    )) {
      const good = input(results);
      const more = {
        session_id: `s-${ghost}`,
        ...(good.pod ? { id: ghost, to: [ghost], participant: ghost } : {}),
      };
      const bad = [
        ...withSecrets(good),
        ...Object.entries(more).map(([name, value]) => ({ ...good, [name]: value })),
      ];
      for (const one of bad) {
        const answer = await callTool(client, tool, one as never).catch((error: Error) => error.message);
        if (typeof answer !== 'string' && answer.structuredContent.code === 'secret_identifier') {
          expect(JSON.stringify(answer)).not.toContain(ghost);
        }
      }
      results[tool] = await callTool(client, tool, good);
    }
    await server.stop();
    expect(filesWith(server.data, ghost)).toEqual([]);
  });

  test('in a name are refused with the name of its field, in whichever door, and are nowhere in the data folder', async () => {
    verifies('KERN-12');
    const server = await startServer({ args: SAMPLE_ARGS });
    const { data, url } = server;
    const report = (operation: object, session = 's', project = 'p') =>
      post(`${url}/api/sessions/${session}/operations?project=${encodeURIComponent(project)}`, {
        operations: [{ tool: 'Read', ...operation }],
      });
    const item = (more: object) =>
      post(`${url}/api/memory/items`, { content: `it is so ${Math.random()}`, ...more });
    const draft = (op: object) => post(`${url}/api/library/drafts`, { resource: 'rule', op });
    const body = '# Rule\n\n- Do it\n';
    const refused: [string, () => Promise<Response>][] = [
      ['address', () => report({}, `s-${ghost}`)],
      ['project', () => report({}, 's', `/home/${ghost}`)],
      ['call_id', () => report({ call_id: ghost }, 's', '/p')],
      ['tool', () => report({ tool: `x ${ghost}` }, 's', '/p')],
      ['branch_id', () => report({ branch_id: ghost }, 's', '/p')],
      ['project', () => item({ project: `/home/${ghost}` })],
      ['thread', () => item({ thread: ghost })],
      ['author', () => item({ author: ghost })],
      ['agent_id', () => item({ agent_id: ghost })],
      ['domain', () => item({ domain: ghost })],
      ['relations', () => item({ relations: [{ type: 'supports', id: ghost }] })],
      ['path', () => draft({ create: { path: `coding/${ghost}.md`, body } })],
      [
        'project',
        () =>
          post(`${url}/api/library/drafts`, {
            resource: 'rule',
            project: `/home/${ghost}`,
            op: { create: { path: 'a.md', body } },
          }),
      ],
      ['project', () => post(`${url}/api/memory/import`, { project: ghost, items: [{ content: 'x' }] })],
    ];
    for (const [field, call] of refused) {
      const response = await call();
      const text = await response.text();
      expect(`${field}: ${response.status} ${text}`).toMatch(
        new RegExp(`400 .*${field}.*"secret_identifier"`),
      );
      expect(text).not.toContain(ghost);
    }
    const imported = await post(`${url}/api/memory/import`, {
      items: [
        { content: 'x', id: ghost },
        { content: 'y', thread: ghost },
      ],
    });
    expect(await imported.json()).toMatchObject({ imported: 0, bad: [{ line: 1 }, { line: 2 }] });
    // What a text holds is replaced, and the rest kept.
    expect(
      (await report({ call_id: 'c1', input: { note: ghost }, output: `see ${ghost}` }, 's', '/p')).status,
    ).toBe(200);
    expect((await item({ source: `see ${ghost}`, url: `https://x.example/${ghost}` })).status).toBe(201);
    for (const query of [{ pod: `p-${ghost}` }, { pod: 'p', participant: ghost }]) {
      await expect(Peer.join(url, query)).rejects.toThrow('status 400');
    }
    const peer = await Peer.join(url, { pod: 'p', participant: 'ann' });
    const message = { id: 'm', kind: 'chat', payload: { text: `see ${ghost}` } };
    const bad = [
      { id: ghost },
      { kind: ghost },
      { to: [ghost] },
      { correlation_id: ghost },
      { context: { id: ghost } },
      { context: { id: 'c', type: ghost } },
      { context: { id: 'c', parent: ghost } },
    ];
    for (const more of bad) peer.send({ ...message, ...more });
    peer.send(message);
    await peer.message('m');
    const errors = peer.frames
      .filter(({ kind }) => kind === 'system/error')
      .map(({ payload }) => (payload as { error: string }).error);
    expect(errors).toEqual(bad.map(() => 'secret_identifier'));
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${ghost}.md`), body);
    const commands = [
      ['project', 'add', '--name', ghost],
      ['project', 'add', '--name', 'x', '--path', `/home/${ghost}`],
      ['project', 'set', `/home/${ghost}`, '--mirror', 'off'],
      ['token', 'create', '--name', ghost],
      ['token', 'create', '--name', 'x', '--org', ghost],
      ['pod', 'send', `p-${ghost}`, 'hello'],
      ['pod', 'send', 'p', 'hello', '--kind', ghost],
      ['pod', 'send', 'p', 'hello', '--context', ghost],
      ['memory', 'import', folder, '--project', ghost],
      ['library', 'import', folder, '--project', `/home/${ghost}`],
    ];
    for (const command of commands) {
      const { code, stderr } = await run(['--data', data, '--json', ...command]);
      expect(`${command.join(' ')}: ${code} ${stderr}`).toContain('secret_identifier');
      expect(stderr).not.toContain(ghost);
    }
    const files = await run(['--data', data, '--json', 'library', 'import', folder]);
    expect(JSON.parse(files.stdout)).toMatchObject({
      read: 0,
      skipped: [{ reason: expect.stringContaining('contains a secret') }],
    });
    const named = await connectHttp(`${url}/mcp`, '2025', undefined, fetch, `host ${ghost}`);
    expect((await callTool(named, 'remember', { content: 'said by a client' })).structuredContent.code).toBe(
      'secret_identifier',
    );
    const opened = await connectHttp(`${url}/mcp?project=${encodeURIComponent(`/home/${ghost}`)}`, '2025');
    expect((await callTool(opened, 'remember', { content: 'said there' })).structuredContent.code).toBe(
      'secret_identifier',
    );
    const host = await connectStdio('2025', data, ['--session', `s-${ghost}`]).catch(() => undefined);
    if (host) expect((await callTool(host.client, 'remember', { content: 'said here' })).isError).toBe(true);
    await server.stop();
    expect(filesWith(data, ghost)).toEqual([]);
  });

  test('are filtered from files and streams on the command line', async () => {
    verifies('KERN-12');
    const filtered = await run(['scrub'], { input: `export T=${ghost}\nkeep this\n` });
    expect(filtered).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\[REDACTED:[a-z-]+\]\nkeep this\n$/),
    });
    expect(filtered.stdout).not.toContain(ghost);
    expect((await run(['scrub', '--check'], { input: ghost })).code).toBe(4);
    expect((await run(['scrub', '--check'], { input: 'nothing here' })).code).toBe(0);
    const lines = [{ body: ghost }, { body: 'clean' }].map((line) => JSON.stringify(line)).join('\n');
    const { stdout } = await run(['scrub', '--jsonl', '--field', 'body'], { input: lines });
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string; count: number });
    expect(records.map(({ count }) => count)).toEqual([1, 0]);
    expect(records[1]).toEqual({ text: 'clean', count: 0, kinds: [] });
    expect((await run(['scrub', '--jsonl'], { input: '{broken' })).stderr).toContain('Line 1');
    expect((await run(['scrub', '/no/such/file'])).code).toBe(1);
  });
});

describe('limits', () => {
  test('are shown with their origin, and hold: rate, size, calls at once', async () => {
    const env = { INFOLD_LIMITS_BRANCHES_PER_MINUTE: '3', INFOLD_LIMITS_BYTES_PER_MINUTE: '5000' };
    const { stdout } = await run(['--json', 'limits'], { env });
    const { limits } = JSON.parse(stdout) as { limits: { name: string; value: number; origin: string }[] };
    expect(limits.find(({ name }) => name === 'branchesPerMinute')).toMatchObject({
      value: 3,
      origin: 'environment',
    });
    const server = await startServer({ env });
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    const branch = () =>
      callTool(client, 'context_branch', { description: 'd', prompt: 'p', project_path: '/shop' });
    for (let count = 0; count < 3; count++) expect((await branch()).isError).toBe(false);
    expect((await branch()).structuredContent).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfter: expect.any(Number),
    });
    const large = { operations: [{ tool: 'Read', output: 'x'.repeat(4000) }] };
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      statuses.push((await post(`${server.url}/api/sessions/s/operations`, large)).status);
    }
    expect(statuses).toContain(429);
  });

  test('answers carry headers that keep browsers out, and a token in the address is refused', async () => {
    verifies('KERN-11');
    const { url } = await startServer();
    const response = await fetch(`${url}/mcp/tools/list`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
    });
    expect((await fetch(`${url}/api/sessions?token=inf_x`)).status).toBe(400);
  });
});

describe('keeping and forgetting', () => {
  test('a backup is made while the server runs, and restored elsewhere', async () => {
    const server = await startServer();
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    await callTool(client, 'context_branch', { description: 'kept', prompt: 'p', project_path: '/shop' });
    const file = join(temporaryFolder(), 'copy.infold');
    expect(await runJson(server.data, 'backup', file)).toMatchObject({ ok: true });
    const restored = join(temporaryFolder(), 'new');
    expect(await runJson(restored, 'restore', file)).toMatchObject({ ok: true });
    expect(JSON.stringify(await runJson(restored, 'tree'))).toContain('kept');
    expect((await run(['--data', restored, 'restore', file])).code).toBe(1);
  });

  test('forgets a principal with the results that are kept for them', async () => {
    const server = await startServer({ data: await sampleData(), args: SAMPLE_ARGS });
    const words = 'Tuned the prompt of the summary job';
    const fetched = async (name: string) => {
      const made = await token(server.data, '--name', name);
      const client = await connectHttp(`${server.url}/mcp`, '2026', made.token);
      const found = await callTool(client, 'search_records', { model: 'activity', per_page: 3, lean: true });
      return () => callTool(client, 'scratch_read', { ref: found.structuredContent.scratch_ref });
    };
    const alice = await fetched('alice');
    const bob = await fetched('bob');
    expect(JSON.stringify(await alice())).toContain(words);
    await runJson(server.data, 'forget', '--principal', 'alice');
    expect((await alice()).structuredContent).toMatchObject({ code: 'not_found' });
    expect(JSON.stringify(await bob())).toContain(words);
    await runJson(server.data, 'forget', '--principal', 'bob');
    await server.stop();
    expect(filesWith(server.data, words).filter((name) => name.startsWith('scratch'))).toEqual([]);
  });

  test('forgets a branch while the server runs, and the chain verifies', async () => {
    const server = await startServer();
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    const input = { description: 'about marigold', prompt: 'p', project_path: '/shop' };
    const { branch_id } = (await callTool(client, 'context_branch', input)).structuredContent as {
      branch_id: string;
    };
    await runJson(server.data, 'forget', '--branch', branch_id);
    const expanded = await callTool(client, 'context_expand', { handle: branch_id });
    expect(JSON.stringify(expanded)).not.toContain('marigold');
    // The branch, and what was told of it in its project's pod.
    expect(await runJson(server.data, 'verify')).toMatchObject({ ok: true, erased: 2 });
    expect((await run(['--data', server.data, 'forget'])).code).toBe(2);
    expect((await run(['--data', server.data, 'forget', '--branch', 'br_no'])).code).toBe(1);
  });

  test('forgets an item also where its branch told of it in the pod', async () => {
    const data = temporaryFolder();
    await runJson(data, 'project', 'add', '--name', 'shop', '--path', '/shop');
    await runJson(data, 'project', 'set', 'shop', '--mirror', 'full');
    const server = await startServer({ data });
    const client = await connectHttp(`${server.url}/mcp`, '2025');
    await callTool(client, 'context_branch', { description: 'notes', prompt: 'p', project_path: '/shop' });
    const content = 'Quentin keeps the Zanzibar vault code';
    const { id } = (await callTool(client, 'remember', { content })).structuredContent as { id: string };
    await callTool(client, 'context', { goal: 'Zanzibar vault' });
    const told = async () => (await run(['--data', data, 'pod', 'replay', 'shop'])).stdout;
    const { projects } = await runJson<{ projects: { id: string }[] }>(data, 'project', 'list');
    const history = async () =>
      (await fetch(`${server.url}/api/pods/${projects[0]!.id}/messages`).then((response) =>
        response.text(),
      )) + (await told());
    await until(async () => (await history()).split('Quentin').length > 2, 60_000);
    await runJson(data, 'forget', '--item', id);
    expect(await history()).not.toContain('Quentin');
    await server.stop();
    expect(readFileSync(join(data, 'infold.db'), 'latin1')).not.toContain('Quentin');
    expect(await runJson(data, 'verify', '--tables')).toMatchObject({ ok: true, tables: { ok: true } });
  });
});
