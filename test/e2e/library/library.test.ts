import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  ERAS,
  post,
  run,
  runJson,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/library', import.meta.url));
const PROJECT = '/home/me/shop';

interface Item {
  id: string;
  path: string;
  kind: string;
  hash: string;
}

let sample: Promise<string> | undefined;

/** A data folder of its own with the example published in it: made once by the program, and copied. */
async function sampleFolder(): Promise<string> {
  sample ??= publishExample();
  const data = temporaryFolder();
  cpSync(await sample, data, { recursive: true });
  return data;
}

async function publishExample(): Promise<string> {
  const data = temporaryFolder();
  await runJson(data, 'library', 'import', EXAMPLE, '--publish', '--project', PROJECT);
  return data;
}

function folderOf(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;

describe('an agent', () => {
  test.each(ERAS)('goes through the whole cycle over stdio, with portable names (%s era)', async (era) => {
    verifies('LIB-01', 'LIB-03', 'LIB-04', 'LIB-07', 'LIB-08');
    const data = await sampleFolder();
    const { client } = await connectStdio(era, data, ['--project', PROJECT]);
    const before = await callTool(client, 'memory_discover');
    expect(before.isError).toBe(true);
    expect(before.content[0]!.text).toContain('memory.setup with the exact host session_id is required');
    const setup = await callTool(client, 'memory_setup', { session_id: 'thread-1' });
    expect(setup.structuredContent).toMatchObject({
      sessionId: 'thread-1',
      mpf: { content: readFileSync(join(EXAMPLE, 'META_PROMPT.md'), 'utf8') },
    });
    const { items } = (await callTool(client, 'memory_discover', { query: 'rounding' }))
      .structuredContent as { items: Item[] };
    expect(items.map(({ path }) => path)).toEqual(['coding/MONEY.md']);
    const [{ id }] = items as [Item];
    const load = await callTool(client, 'memory_load', { ids: [id], knownHashes: { [id]: '' } });
    expect(load.structuredContent).toMatchObject({
      items: [
        { constraints: [{ id: 'Amounts' }, { id: 'Amounts/1' }, { id: 'Amounts/2' }, { id: 'Rounding' }] },
      ],
    });
    const refer = await callTool(client, 'memory_refer', {
      refs: [{ ruleId: id, constraintId: 'Rounding' }],
    });
    expect(refer.structuredContent).toEqual({ ok: true, count: 1 });
    const draft = await callTool(client, 'draft', {
      resource: 'rule',
      op: { update: { id, body: '# Money\n' } },
    });
    expect(draft.structuredContent).toEqual({ ok: true, draft_path: 'coding/MONEY.md' });
    expect((await callTool(client, 'memory_submit', { summary: 'done' })).structuredContent).toEqual({
      ok: true,
    });
    const { rows } = await runJson<{ rows: Record<string, unknown>[] }>(
      data,
      'attest',
      'report',
      '--project',
      PROJECT,
    );
    expect(rows[0]).toMatchObject({ path: 'coding/MONEY.md', state: 'referred', loaded: 1, referred: 1 });
    const { turns } = await runJson<{ turns: unknown[] }>(data, 'attest', 'turns', '--project', PROJECT);
    expect(turns).toMatchObject([{ outcome: 'submitted', summary: 'done', drafted: [{ action: 'update' }] }]);
  });

  test.each(ERAS)('tries its draft alone, hands it in and hears what became of it (%s era)', async (era) => {
    verifies('LIB-09', 'LIB-11', 'LIB-12', 'LIB-15');
    const data = await sampleFolder();
    const windows = await Promise.all(
      [[], [], ['--drafts']].map(async (flags, index) => {
        const { client } = await connectStdio(era, data, ['--project', PROJECT, ...flags]);
        const session_id = `window-${index}`;
        const setup = await callTool(client, 'memory_setup', { session_id });
        expect(setup.isError).toBe(false);
        const call = (name: string, input: Record<string, unknown> = {}) =>
          callTool(client, name, { ...input, session_id });
        return { call, client };
      }),
    );
    const [drafter, other, optedIn] = windows as [
      (typeof windows)[0],
      (typeof windows)[0],
      (typeof windows)[0],
    ];
    const found = (await drafter.call('memory_discover', { query: 'rounding' })).structuredContent;
    const [{ id }] = (found as { items: Item[] }).items as [Item];
    const unsafe = await drafter.call('draft', {
      resource: 'rule',
      op: { create: { path: '.git/config', body: 'x' } },
    });
    expect([unsafe.isError, unsafe.content[0]!.text]).toEqual([true, 'unsafe path']);
    await drafter.call('draft', { resource: 'rule', op: { update: { id, body: '# Money, drafted\n' } } });
    await drafter.call('draft', {
      resource: 'mpf',
      op: { update: { id: 'META_PROMPT.md', body: '# Mine\n' } },
    });
    const loaded = async ({ call }: typeof drafter) =>
      (await call('memory_load', { ids: [id], knownHashes: { [id]: '' } })).structuredContent as {
        items: { hasDraft: boolean; content: string; draftBaseHash?: string }[];
        notices?: string[];
      };
    for (const window of [drafter, optedIn]) {
      expect(await loaded(window)).toMatchObject({
        items: [{ hasDraft: true, draftBaseHash: expect.any(String) }],
        notices: [expect.stringContaining('Unpublished drafts among these')],
      });
    }
    expect((await loaded(other)).items[0]).toMatchObject({ hasDraft: false });
    expect((await loaded(other)).items[0]!.content).not.toContain('drafted');
    const metaPrompt = async ({ call }: typeof drafter) =>
      ((await call('memory_setup')).structuredContent as { mpf: { content: string } }).mpf.content;
    expect(await metaPrompt(drafter)).not.toBe('# Mine\n');
    expect(await metaPrompt(other)).not.toBe('# Mine\n');
    expect(await metaPrompt(optedIn)).toBe('# Mine\n');

    const submitted = await drafter.call('draft', { resource: 'rule', op: { submit: { id } } });
    expect(submitted.structuredContent).toMatchObject({ ok: true, status: 'in_review' });
    const library = (...args: string[]) => runJson(data, 'library', ...args, '--project', PROJECT);
    await library('comment', 'coding/MONEY.md', 'Where did the rest go?');
    await library('decline', 'coding/MONEY.md', '--note', 'Too short');
    const review = {
      draft_path: 'coding/MONEY.md',
      op: 'update',
      status: 'declined',
      by: 'owner',
      note: 'Too short',
      comments: [{ by: 'owner', text: 'Where did the rest go?' }],
    };
    const told = await drafter.call('memory_discover', {});
    expect(told.structuredContent).toMatchObject({ reviews: [review] });
    expect(told.content[0]!.text).toContain('Too short');
    expect((await drafter.call('memory_discover', {})).structuredContent).not.toHaveProperty('reviews');
    expect((await drafter.call('memory_setup')).structuredContent).toMatchObject({ reviews: [review] });
    expect((await loaded(drafter)).items[0]).toMatchObject({ hasDraft: false });
  });

  test('finds workflows as prompts, in both eras', async () => {
    const server = await startServer({ data: await sampleFolder() });
    for (const era of ERAS) {
      const client = await connectHttp(`${server.url}/mcp?project=${PROJECT}`, era);
      const { prompts } = await client.listPrompts();
      expect(prompts).toMatchObject([
        { name: 'RELEASE', description: 'Bring a release out', arguments: [{ name: 'task' }] },
      ]);
      const prompt = await client.getPrompt({ name: 'RELEASE' });
      expect(prompt.messages[0]!.content).toMatchObject({
        type: 'text',
        text: expect.stringContaining('Write the notes for users'),
      });
      const forTask = await client.getPrompt({ name: 'RELEASE', arguments: { task: 'version 2.1' } });
      expect(forTask.messages[0]!.content).toMatchObject({
        text: expect.stringMatching(/^Task: version 2\.1\n\nFollow this workflow/),
      });
      await expect(client.getPrompt({ name: 'NOTHING' })).rejects.toThrow(
        /Prompt not found: NOTHING \(there are \w/,
      );
    }
  });

  test('completes the address of a published file, from any part of its path', async () => {
    const server = await startServer({ data: await sampleFolder() });
    for (const era of ERAS) {
      const client = await connectHttp(`${server.url}/mcp?project=${PROJECT}`, era);
      const ref = { type: 'ref/resource' as const, uri: 'infold://library/{path}' };
      const values = async (value: string) =>
        (await client.complete({ ref, argument: { name: 'path', value } })).completion.values;
      expect(await values('coding/')).toContain('coding/MONEY.md');
      expect(await values('money')).toEqual(['coding/MONEY.md']);
      expect(await values('nothing-like-it')).toEqual([]);
    }
  });

  test('reads published files as resources and is told when they change', async () => {
    verifies('KERN-16');
    const server = await startServer({ data: await sampleFolder() });
    const client = await connectHttp(`${server.url}/mcp?project=${PROJECT}`, '2025');
    const uri = 'infold://library/coding/MONEY.md';
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toContain(uri);
    const read = async () => ((await client.readResource({ uri })).contents[0] as { text: string }).text;
    expect(await read()).toBe(readFileSync(join(EXAMPLE, 'coding/MONEY.md'), 'utf8'));
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri);
    });
    await client.subscribeResource({ uri });
    const other = 'infold://library/context/GLOSSARY.md';
    await client.subscribeResource({ uri: other });
    const changed = folderOf({ 'coding/MONEY.md': '# Money, new\n' });
    await runJson(server.data, 'library', 'import', changed, '--project', PROJECT);
    // A draft changes no resource: what is published after it is heard of, and nothing else.
    const glossary = folderOf({ 'context/GLOSSARY.md': '# Glossary, new\n' });
    await runJson(server.data, 'library', 'import', glossary, '--publish', '--project', PROJECT);
    await until(() => told.length > 0);
    expect(new Set(told)).toEqual(new Set([other]));
    await runJson(server.data, 'library', 'import', changed, '--publish', '--project', PROJECT);
    await until(() => told.includes(uri));
    expect(new Set(told)).toEqual(new Set([other, uri]));
    expect(await read()).toBe('# Money, new\n');
    await expect(client.readResource({ uri: 'infold://library/../../etc/passwd' })).rejects.toThrow();
    await expect(client.readResource({ uri: 'infold://library/nothing.md' })).rejects.toThrow();
  });
});

describe('REST', () => {
  test('takes a draft from proposal to publication', async () => {
    verifies('LIB-12');
    const server = await startServer({ data: await sampleFolder() });
    const api = (path: string) =>
      `${server.url}/api/library${path}${path.includes('?') ? '&' : '?'}project=${PROJECT}`;
    const { items, next } = await json<{ items: Item[]; next: string | null }>(
      await fetch(api('/items?limit=3')),
    );
    expect([items.length, next]).toEqual([3, 'context/GLOSSARY.md']);
    const rest = await json<{ items: Item[]; next: null }>(
      await fetch(api(`/items?limit=3&cursor=${encodeURIComponent(next!)}`)),
    );
    expect(rest.items.map(({ path }) => path)).toEqual(['workflow/RELEASE.md']);
    expect((await json<{ items: Item[] }>(await fetch(api('/items?q=rounding')))).items).toHaveLength(1);
    expect((await json<{ items: Item[] }>(await fetch(api('/items?kind=context')))).items).toHaveLength(1);
    const release = rest.items[0]!;
    expect(await json(await fetch(api(`/items/${release.id}`)))).toMatchObject({
      front_matter: { steps: [{ title: 'Check' }, {}, {}] },
      constraints: [{ id: 'Steps' }, { id: 'Steps/1' }, {}, {}],
    });

    const made = await post(api('/drafts'), {
      resource: 'rule',
      op: { create: { path: 'coding/LOGS.md', body: '# Logs\n\n## Levels\n\n- one\n' } },
    });
    expect(made.status).toBe(201);
    const { draft } = await json<{ draft: { id: string; status: string } }>(made);
    const step = async (name: string, body: unknown = {}) =>
      json<Record<string, unknown>>(await post(api(`/drafts/${draft.id}/${name}`), body));
    expect(await step('approve')).toMatchObject({ code: 'draft_state' });
    expect(await step('submit')).toMatchObject({ status: 'in_review' });
    expect(await step('comment', { text: 'Why?' })).toMatchObject({
      comments: [{ by: 'owner', text: 'Why?' }],
    });
    expect(await step('approve', { note: 'ok' })).toMatchObject({ status: 'approved', note: 'ok' });
    expect(await step('publish')).toMatchObject({
      revision: 2,
      changes: [{ op: 'create', path: 'coding/LOGS.md' }],
    });
    const shown = await json<{ drafts: unknown[] }>(await fetch(api('/drafts')));
    expect(shown.drafts).toEqual([]);
    expect(
      (await json<{ drafts: unknown[] }>(await fetch(api('/drafts?status=published')))).drafts,
    ).toHaveLength(1);
    const byPath = encodeURIComponent('coding/LOGS.md');
    const { revisions } = await json<{ revisions: unknown[] }>(await fetch(api(`/items/${byPath}/history`)));
    expect(revisions).toMatchObject([
      { revision: 2, op: 'create', source: 'draft', author: 'owner', reviewer: 'owner', publisher: 'owner' },
    ]);
    const another = await post(api('/drafts'), {
      resource: 'rule',
      op: { create: { path: 'x.md', body: 'x' } },
    });
    const { draft: dropped } = await json<{ draft: { id: string } }>(another);
    expect(await json(await post(api(`/drafts/${dropped.id}/discard`), {}))).toMatchObject({
      status: 'discarded',
    });
  });

  test('answers conflicts with all versions, and bad requests with a reason', async () => {
    verifies('LIB-12', 'LIB-15');
    const server = await startServer({ data: await sampleFolder() });
    const api = (path: string) => `${server.url}/api/library${path}?project=${PROJECT}`;
    const id = (await json<{ items: Item[] }>(await fetch(api('/items')))).items.find(
      ({ path }) => path === 'coding/MONEY.md',
    )!.id;
    const { draft } = await json<{ draft: { id: string } }>(
      await post(api('/drafts'), { resource: 'rule', op: { update: { id, body: 'mine\n' } } }),
    );
    await runJson(
      server.data,
      'library',
      'import',
      folderOf({ 'coding/MONEY.md': 'theirs\n' }),
      '--publish',
      '--project',
      PROJECT,
    );
    const conflict = await post(api(`/drafts/${draft.id}/submit`), {});
    expect(conflict.status).toBe(409);
    expect(await json(conflict)).toMatchObject({
      code: 'conflict',
      conflicts: [{ base: {}, published: { content: 'theirs\n' }, draft: { content: 'mine\n' } }],
    });
    expect(await json(await fetch(api(`/drafts/${draft.id}`)))).toMatchObject({
      conflict: { reason: 'changed' },
      diff: [
        { kind: 'removed', text: 'theirs\n' },
        { kind: 'added', text: 'mine\n' },
      ],
    });
    expect(await json(await post(api(`/drafts/${draft.id}/rebase`), { take: 'draft' }))).toMatchObject({
      rebased: true,
      conflict: null,
    });
    for (const [step, body, message] of [
      ['submit', { note: 'x' }, 'Unknown field "note"; none is allowed here'],
      ['discard', { note: 'x' }, 'Unknown field "note"; none is allowed here'],
      ['comment', { text: 'x', note: 'y' }, 'Unknown field "note"; allowed are text, line, side, hash'],
      ['approve', { comment: 'x' }, 'Unknown field "comment"; allowed are note, hash'],
      ['decline', { reason: 'x' }, 'Unknown field "reason"; allowed are note'],
      ['publish', { message: 'x' }, 'Unknown field "message"; allowed are note'],
      ['rebase', { side: 'draft' }, 'Unknown field "side"; allowed are take, body, onto'],
    ] as const) {
      const response = await post(api(`/drafts/${draft.id}/${step}`), body);
      expect([step, response.status, (await json<{ error: string }>(response)).error]).toEqual([
        step,
        400,
        message,
      ]);
    }
    const nested = { resource: 'rule', op: { create: { path: 'a.md', body: 'x', titel: 'y' } } };
    expect(await json(await post(api('/drafts'), nested))).toMatchObject({
      error: 'Unknown field "op.create.titel"; allowed are path, body, description',
    });
    for (const [path, body, status] of [
      ['/drafts', { resource: 'rule', op: { create: { path: '../x', body: 'x' } } }, 400],
      ['/drafts', { resource: 'rule', op: { create: { path: '.git/config', body: 'x' } } }, 400],
      ['/drafts', { resource: 'rule', op: {} }, 400],
      ['/drafts', '{broken', 400],
      ['/drafts', { resource: 'rule', op: { update: { id: 'p-none', body: 'x' } } }, 404],
      [
        '/drafts',
        { resource: 'rule', op: { create: { path: 'a.md', body: 'x'.repeat(1024 * 1024 + 1) } } },
        413,
      ],
      ['/drafts/none/submit', {}, 404],
      [`/drafts/${draft.id}/comment`, { text: ' ' }, 400],
      [`/drafts/${draft.id}/rebase`, { take: 'both' }, 400],
      [`/drafts/${draft.id}/publish`, {}, 409],
      ['/items/none/restore', { revision: 1 }, 404],
    ] as const) {
      const response = await post(api(path), body);
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) });
    }
    expect((await fetch(api('/items/none'))).status).toBe(404);
    expect((await fetch(`${api('/items')}&kind=recipe`)).status).toBe(400);
  });

  test('needs the scope review to decide, and hides what is not the caller’s', async () => {
    verifies('LIB-12');
    const data = await sampleFolder();
    const token = async (name: string, scope: string) =>
      (await runJson<{ token: string }>(data, 'token', 'create', '--name', name, '--scope', scope)).token;
    const [alice, bob, rita] = [
      await token('alice', 'read,write'),
      await token('bob', 'read,write'),
      await token('rita', 'read,write,review'),
    ];
    const server = await startServer({ data });
    const as = (bearer: string) => ({ authorization: `Bearer ${bearer}` });
    const api = (path: string) => `${server.url}/api/library${path}?project=${PROJECT}`;
    const made = await post(
      api('/drafts'),
      { resource: 'rule', op: { create: { path: 'a.md', body: '# A\n' } } },
      as(alice),
    );
    const { draft } = await json<{ draft: { id: string } }>(made);
    const status = async (step: string, bearer: string) =>
      (await post(api(`/drafts/${draft.id}/${step}`), {}, as(bearer))).status;
    expect(await status('submit', bob)).toBe(404);
    expect(await status('submit', rita)).toBe(404);
    expect(await status('submit', alice)).toBe(200);
    expect(await status('approve', alice)).toBe(403);
    expect(await status('approve', bob)).toBe(403);
    expect(await status('approve', rita)).toBe(200);
    expect(await status('publish', alice)).toBe(403);
    expect(await status('publish', rita)).toBe(200);
    expect((await fetch(api('/drafts'))).status).toBe(401);
  });

  test('shows figures of use', async () => {
    verifies('LIB-17');
    const server = await startServer({ data: await sampleFolder() });
    const client = await connectHttp(`${server.url}/mcp?project=${PROJECT}`, '2026');
    const session_id = 'thread-9';
    await callTool(client, 'memory.setup', { session_id });
    const { items } = (await callTool(client, 'memory.discover', { session_id, kind: 'rule' }))
      .structuredContent as { items: Item[] };
    const id = items.find(({ path }) => path === 'coding/MONEY.md')!.id;
    await callTool(client, 'memory.load', { ids: [id], knownHashes: { [id]: '' }, session_id });
    await callTool(client, 'memory.refer', { refs: [{ ruleId: id, constraintId: 'Rounding' }], session_id });
    await callTool(client, 'memory.reject', { reason: 'no', session_id });
    const figures = async (name: string) =>
      json<Record<string, Record<string, unknown>[]>>(
        await fetch(`${server.url}/api/attestation/${name}?project=${PROJECT}&days=7`),
      );
    expect((await figures('rules')).rules![0]).toMatchObject({
      path: 'coding/MONEY.md',
      referred: 1,
      rejected_turns: 1,
    });
    expect((await figures('constraints')).constraints![0]).toMatchObject({
      constraint_id: 'Rounding',
      referred: 1,
    });
    expect((await figures('agents')).agents).toMatchObject([{ agent: 'owner', rejected_turns: 1 }]);
    expect((await figures('days')).days).toHaveLength(1);
    expect((await figures('turns')).turns).toMatchObject([{ outcome: 'rejected', reason: 'no' }]);
    expect((await fetch(`${server.url}/api/attestation/rules?days=0`)).status).toBe(400);
  });
});

describe('the command line', () => {
  test('gives back what it took in, byte for byte, with the same ids the second time', async () => {
    verifies('LIB-16');
    const data = temporaryFolder();
    const files = {
      'AGENTS.md': '# A\r\n',
      'CLAUDE.md': '\uFEFF# C',
      '.cursor/rules/x.mdc': '---\nglobs: *.ts\n---\nx\n',
      '.github/copilot-instructions.md': '# G\n',
      'workflow/W.md': '# W\n',
    };
    const folder = folderOf(files);
    const publish = () =>
      runJson<Record<string, unknown>>(
        data,
        'library',
        'import',
        folder,
        '--publish',
        '--project',
        'default',
      );
    expect(await publish()).toMatchObject({ project: 'default', created: 5, revision: 1 });
    expect(await publish()).toMatchObject({
      created: 0,
      unchanged: 5,
      revision: 1,
    });
    const out = temporaryFolder();
    expect(await runJson(data, 'library', 'export', out)).toMatchObject({ project: 'default', written: 5 });
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(join(out, path.replace(/^\./, '')), 'utf8')).toBe(text);
    expect(readdirSync(out).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('exports nothing through links, and nothing that a tool would run', async () => {
    verifies('LIB-15');
    const data = await sampleFolder();
    const library = (...args: string[]) =>
      run(['--data', data, '--json', 'library', ...args, '--project', PROJECT]);
    const outside = temporaryFolder();
    const repository = folderOf({ '.git/config': 'theirs' });
    symlinkSync(outside, join(repository, 'coding'));
    writeFileSync(join(outside, 'target.md'), 'theirs');
    symlinkSync(join(outside, 'target.md'), join(repository, 'META_PROMPT.md'));
    const ended = await library('export', repository);
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      skipped: [
        { path: 'coding/ERRORS.md', reason: 'unsafe path' },
        { path: 'coding/MONEY.md', reason: 'unsafe path' },
      ],
    });
    expect(readdirSync(outside)).toEqual(['target.md']);
    expect(readFileSync(join(outside, 'target.md'), 'utf8')).toBe('theirs');
    expect(lstatSync(join(repository, 'META_PROMPT.md')).isFile()).toBe(true);
    expect(readFileSync(join(repository, '.git/config'), 'utf8')).toBe('theirs');
  });

  test('reviews drafts, shows differences and history, restores', async () => {
    verifies('LIB-12');
    const data = await sampleFolder();
    const changed = folderOf({ 'coding/MONEY.md': '# Money\n\n## Rounding\n\nNever.\n' });
    const library = (...args: string[]) =>
      runJson<Record<string, unknown>>(data, 'library', ...args, '--project', PROJECT);
    expect(await library('import', changed)).toMatchObject({ updated: 1, published: false });
    expect(await library('status')).toMatchObject({
      revision: 1,
      drafts: 1,
      rules: 2,
      workflows: 1,
      context: 1,
      meta_prompt: true,
    });
    expect(await library('drafts')).toMatchObject({
      drafts: [{ draft_path: 'coding/MONEY.md', op: 'update', status: 'draft' }],
    });
    const diff = await run(['--data', data, 'library', 'diff', 'coding/MONEY.md', '--project', PROJECT]);
    expect(diff.stdout).toContain('+ Never.');
    expect(diff.stdout).toContain('- Round once');
    await library('submit', 'coding/MONEY.md');
    await library('comment', 'coding/MONEY.md', 'Really?');
    await library('approve', 'coding/MONEY.md', '--note', 'yes');
    expect(await library('publish', 'coding/MONEY.md')).toMatchObject({ revision: 2 });
    expect(await library('history', 'coding/MONEY.md')).toMatchObject({
      revisions: [{ revision: 1 }, { revision: 2 }],
    });
    expect(await library('restore', 'coding/MONEY.md', '1')).toMatchObject({ revision: 3 });
    expect(
      (await run(['--data', data, 'library', 'rebase', 'coding/MONEY.md', '--project', PROJECT])).code,
    ).toBe(1);
    expect(
      (await run(['--data', data, 'library', 'restore', 'coding/MONEY.md', 'x', '--project', PROJECT])).code,
    ).toBe(2);
    expect((await run(['--data', data, 'verify'])).code).toBe(0);
  });

  test('takes several drafts through review at once, and says which it could not', async () => {
    verifies('LIB-12');
    const data = await sampleFolder();
    const library = (...args: string[]) =>
      run(['--data', data, '--json', 'library', ...args, '--project', PROJECT]);
    const answer = async (...args: string[]) => {
      const { code, stdout } = await library(...args);
      return { code, ...(JSON.parse(stdout) as Record<string, unknown>) };
    };
    const folder = folderOf({
      'a.md': '# A\n',
      'b.md': '# B\n',
      'c.md': '# C\n',
      'coding/MONEY.md': 'mine\n',
    });
    expect(await answer('import', folder)).toMatchObject({ created: 3, updated: 1 });
    expect(await answer('import', folder)).toMatchObject({ code: 0, created: 0, updated: 0, unchanged: 4 });
    await library('import', folderOf({ 'coding/MONEY.md': 'theirs\n' }), '--publish');
    expect(await answer('submit', '--all')).toMatchObject({
      code: 3,
      drafts: [{ status: 'in_review' }, { status: 'in_review' }, { status: 'in_review' }],
      failed: [{ draft_path: 'coding/MONEY.md', code: 'conflict' }],
    });
    const stuck = await library('rebase', 'coding/MONEY.md');
    expect(stuck.code).toBe(1);
    expect(stuck.stdout + stuck.stderr).toContain('--take draft, --take published or --body FILE');
    const merged = folderOf({ 'merged.md': 'both\n' });
    expect(await answer('rebase', 'coding/MONEY.md', '--body', join(merged, 'merged.md'))).toMatchObject({
      rebased: true,
    });
    expect(await answer('discard', 'coding/MONEY.md')).toMatchObject({ code: 0, status: 'discarded' });
    expect(await answer('decline', 'c.md', '--note', 'no')).toMatchObject({ status: 'declined', note: 'no' });
    expect(await answer('approve', 'a.md', 'b.md')).toMatchObject({
      code: 0,
      drafts: [{ draft_path: 'a.md', status: 'approved' }, { draft_path: 'b.md' }],
      failed: [],
    });
    expect(await answer('publish', '--all')).toMatchObject({ changes: [{}, {}] });
    expect(await answer('approve', '--all')).toMatchObject({ code: 0, drafts: [] });
    expect((await library('approve')).code).toBe(2);
    expect((await library('discard', 'a.md', '--all')).code).toBe(2);
    expect(await answer('history', 'a.md')).toMatchObject({
      revisions: [{ author: 'owner', reviewer: 'owner', publisher: 'owner' }],
    });
  });

  test('publishes by import what was staged, and leaves no draft of it', async () => {
    verifies('LIB-12', 'LIB-16');
    const data = temporaryFolder();
    const library = (...args: string[]) =>
      runJson<Record<string, unknown>>(data, 'library', ...args, '--project', PROJECT);
    expect(await library('import', EXAMPLE)).toMatchObject({ created: 5, published: false });
    expect(await library('import', EXAMPLE, '--publish')).toMatchObject({ created: 5, drafts_left: [] });
    expect(await library('status')).toMatchObject({ revision: 1, drafts: 0, conflicts: [] });
    expect((await run(['--data', data, 'verify', '--tables'])).code).toBe(0);
  });

  test('asks which draft a path means, and takes the only one that the step fits', async () => {
    verifies('LIB-12');
    const data = await sampleFolder();
    const library = (...args: string[]) => run(['--data', data, 'library', ...args, '--project', PROJECT]);
    await library('import', folderOf({ 'a.md': 'old\n' }));
    await library('import', folderOf({ 'a.md': 'published\n' }), '--publish');
    await library('import', folderOf({ 'b.md': 'b\n' }));
    const { client } = await connectStdio('2025', data, ['--project', PROJECT]);
    await callTool(client, 'memory_setup', { session_id: 's' });
    const found = await callTool(client, 'memory_discover', {});
    const { id } = (found.structuredContent as { items: Item[] }).items.find(({ path }) => path === 'a.md')!;
    await callTool(client, 'draft', { resource: 'rule', op: { update: { id, body: 'new\n' } } });
    const drafts = (await library('drafts')).stdout;
    const ids = [...drafts.matchAll(/^(draft_\S+) +a\.md +(\w+)/gm)].map(([, one, op]) => [op!, one!]);
    const { create: stale, update: fresh } = Object.fromEntries(ids) as Record<string, string>;
    const refused = await library('diff', 'a.md');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${fresh} (draft, by owner), ${stale} (draft, by owner)`);
    expect((await library('submit', fresh!)).code).toBe(0);
    expect((await library('discard', 'a.md')).stderr).toContain(`${fresh} (in review, by owner)`);
    expect((await library('approve', 'a.md')).stdout).toContain('a.md is approved.');
    const discarded = await library('discard', '--all');
    expect(discarded).toMatchObject({ code: 0, stderr: '' });
    expect(discarded.stdout).toContain('b.md is discarded.');
    expect(discarded.stdout).toContain(
      `a.md (${fresh}) is approved and was skipped; name it, or add --force.`,
    );
    expect((await library('publish', 'a.md')).stdout).toContain('update a.md');
    expect((await library('restore', 'a.md', '99')).stderr).toMatch(
      /no revision 99 of a\.md; there are 2, 3\n/,
    );
    await library('import', folderOf({ 'c.md': 'c\n' }));
    await library('submit', '--all');
    expect((await library('discard', '--all')).stdout).toContain('There are no drafts to discard.');
    expect((await library('discard', '--all', '--force')).stdout).toContain('c.md is discarded.');
  });

  test('works for the folder that it is called in, as an agent there does', async () => {
    verifies('LIB-16');
    const data = temporaryFolder();
    const folder = realpathSync(folderOf({ 'AGENTS.md': '# A\n', 'sub/x.txt': '' }));
    const library = (cwd: string, ...args: string[]) => run(['--data', data, ...args], { cwd });
    const before = await library(folder, 'library', 'status');
    expect(before.stderr).toContain(`${folder} is not a project yet, so this is about "default"`);
    const taken = await library(folder, 'library', 'import', '.', '--publish');
    expect(taken.stdout).toContain(`is the project of ${folder}.`);
    expect(await library(folder, 'library', 'status')).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('1 rules'),
    });
    const { client } = await connectStdio('2025', data, ['--project', folder]);
    await callTool(client, 'memory_setup', { session_id: 's' });
    const found = await callTool(client, 'memory_discover', {});
    expect(found.structuredContent).toMatchObject({ items: [{ path: 'AGENTS.md' }] });
    // A folder below is the same project where both are in one repository, and a project of its own elsewhere.
    const below = join(folder, 'sub');
    expect((await library(below, 'library', 'status')).stderr).toContain('is not a project yet');
    mkdirSync(join(folder, '.git'));
    expect(await library(below, 'library', 'status')).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('1 rules'),
    });
    const other = realpathSync(temporaryFolder());
    expect((await library(other, 'init')).stdout).toContain(`is the project of ${other}.`);
    expect((await library(other, 'library', 'status')).stdout).toContain('2 rules');
  });

  test('keeps an own draft from being approved where the configuration says so', async () => {
    const data = await sampleFolder();
    const config = join(folderOf({ 'c.json': '{"library": {"selfApproval": false}}' }), 'c.json');
    const library = (...args: string[]) =>
      run(['--data', data, '--config', config, 'library', ...args, '--project', PROJECT]);
    await library('import', folderOf({ 'a.md': '# A\n' }));
    expect((await library('submit', 'a.md')).code).toBe(0);
    const refused = await library('approve', 'a.md');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('somebody else must approve it'),
    ]);
  });

  test('reports as a table, as JSON and as comma-separated values', async () => {
    verifies('LIB-17');
    const data = await sampleFolder();
    const report = (...args: string[]) => run(['--data', data, 'attest', 'report', ...args]);
    expect((await report()).stdout).toMatch(
      /^PROJECT +PATH +KIND +STATE +VERDICT.*\nshop +coding\/ERRORS.md +rule +never loaded +not enough yet/,
    );
    const csv = (await report('--csv')).stdout.split('\r\n');
    expect(csv[0]).toBe(
      'project,path,kind,state,verdict,why,loaded,referred,claimed_without_loading,stale,agents,turns,followed_turns,rejected_turns,revisions,restored,declined_drafts,last_loaded_at,last_referred_at,loaded_by_host',
    );
    expect(csv).toHaveLength(6);
    const lines = (await report('--ndjson')).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { path: string }).path)).toContain('coding/ERRORS.md');
    for (const by of ['rule', 'constraint', 'project', 'agent', 'model', 'day'])
      expect((await report('--by', by, '--days', '30')).code).toBe(0);
    expect((await report('--by', 'colour')).code).toBe(2);
    expect((await report('--days', 'many')).code).toBe(2);
  });

  test('init gives a project something to begin with, and leaves what is there', async () => {
    const data = temporaryFolder();
    const folder = join(temporaryFolder(), 'rules');
    const first = await runJson<{ published: string[]; written: string[] }>(data, 'init', folder);
    expect(first.published.sort()).toEqual([
      'META_PROMPT.md',
      'coding/CHANGES.md',
      'coding/NAMING.md',
      'workflow/REVIEW.md',
    ]);
    expect(first.written).toHaveLength(4);
    expect(readFileSync(join(folder, 'META_PROMPT.md'), 'utf8')).toContain(
      'loaded rules > this meta-prompt > your defaults',
    );
    writeFileSync(join(folder, 'META_PROMPT.md'), 'mine');
    expect(await runJson(data, 'init', folder)).toMatchObject({ published: [], written: [] });
    expect(readFileSync(join(folder, 'META_PROMPT.md'), 'utf8')).toBe('mine');
    expect(await runJson(data, 'library', 'status')).toMatchObject({
      rules: 2,
      workflows: 1,
      meta_prompt: true,
    });
  });

  test('takes what it can and says what it could not', async () => {
    const data = temporaryFolder();
    const folder = folderOf({ 'good.md': '# good\n', 'con.md': '# device\n' });
    const ended = await run(['--data', data, '--json', 'library', 'import', folder, '--publish']);
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      created: 1,
      skipped: [{ path: 'con.md', reason: 'unsafe path' }],
    });
    expect((await run(['--data', data, 'library', 'import', join(folder, 'none')])).code).toBe(2);
  });
});
