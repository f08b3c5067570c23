import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed, errorOf } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { compareDrafts, listDrafts, readDraft } from './actions/drafts.ts';
import { importFiles, importLibrary } from './actions/folders.ts';
import { listRevisions, readLibraryItem } from './actions/items.ts';
import { publishDrafts } from './actions/publish.ts';
import { restoreRevision } from './actions/restore.ts';
import { commentDraft, reviewDrafts } from './actions/review.ts';
import { listAgentUsage, readItemUsage, reportUsage } from './actions/usage.ts';
import { STYLE, startServer } from './fixture.suite.ts';

const reviewer = callerNamed('rita', { scopes: ['read', 'write', 'review'] });

async function started() {
  const server = await startServer();
  const { library, project } = server;
  const op = { create: { path: 'a/A.md', body: 'a' } };
  const { draft_id: id } = await library.stage(localOwner, project, { resource: 'rule', op });
  return { ...server, id, project: project.id };
}

describe('a draft', () => {
  test('is found by its id without a project, and by its path in one', async () => {
    const { library, project, id } = await started();
    const read = (input: Record<string, unknown>) => library.act(localOwner, readDraft, input);
    expect(await read({ id })).toMatchObject({ id, content: 'a' });
    expect(await read({ id: 'a/A.md', project })).toMatchObject({ id });
    expect((await errorOf(() => read({ id: 'a/A.md' }))).code).toBe('draft_not_found');
    expect((await errorOf(() => read({ id, project: 'nowhere' }))).code).toBe('project_not_found');
  });

  test('that is closed is listed where all are asked for, and compared where it is named', async () => {
    const { library, project, id } = await started();
    await library.discard(localOwner, id);
    const listed = async (more: object) =>
      (await library.act(localOwner, listDrafts, { project, ...more })).drafts.map((draft) => draft.id);
    expect(await listed({})).toEqual([]);
    expect(await listed({ all: true })).toEqual([id]);
    const compared = (more: object) => library.act(localOwner, compareDrafts, { project, ...more });
    expect((await compared({})).drafts).toEqual([]);
    expect((await compared({ id })).drafts).toMatchObject([{ id, diff: [{ kind: 'added', text: 'a' }] }]);
  });

  test('is one of those that are named, or of all: never both, never neither', async () => {
    const { library, project, id } = await started();
    const submit = (more: object) =>
      library.act(localOwner, reviewDrafts, { project, step: 'submit', ...more });
    for (const more of [{}, { drafts: [id], all: true }]) {
      expect(await errorOf(() => submit(more))).toMatchObject({
        code: 'invalid_arguments',
        message: 'Invalid arguments for reviewDrafts: drafts: name those to submit, or ask for all, not both',
      });
    }
    expect(await submit({ all: true })).toMatchObject({ drafts: [{ id, status: 'in_review' }], failed: [] });
    const publish = () => library.act(localOwner, publishDrafts, { project, all: true });
    expect(await publish()).toEqual({ revision: null, changes: [] });
    await library.decide(localOwner, id, 'approve');
    expect(await publish()).toMatchObject({ revision: 2, changes: [{ op: 'create', path: 'a/A.md' }] });
  });
});

test('a history names its file, and a restored file what was restored', async () => {
  const { library, publish, project } = await started();
  await publish({ 'coding/STYLE.md': 'second\n' });
  const named = { id: 'coding/STYLE.md', project };
  const history = await library.act(localOwner, listRevisions, named);
  expect(history).toMatchObject({ path: 'coding/STYLE.md', revisions: [{ revision: 1 }, { revision: 2 }] });
  expect(await library.act(localOwner, listRevisions, { ...named, id: history.id })).toEqual(history);
  expect(await library.act(localOwner, restoreRevision, { ...named, revision: 1 })).toMatchObject({
    path: 'coding/STYLE.md',
    restored: 1,
    revision: 3,
    changes: [{ op: 'update', id: history.id }],
  });
});

test('figures of others are for who reviews, those of all projects are those of the ones that are open', async () => {
  verifies('LIB-17');
  const { library, project } = await started();
  const bob = callerNamed('bob', { scopes: ['read', 'write'] });
  const agents = (input: object) => library.act(bob, listAgentUsage, { project, ...input });
  expect((await errorOf(() => agents({ agent: 'alice' }))).code).toBe('forbidden');
  expect(await agents({ agent: 'bob' })).toEqual({ agents: [], next: null });
  const admin = callerNamed('ada', { scopes: ['read', 'write', 'review', 'admin'] });
  expect((await library.act(admin, reportUsage, {})).rows).toHaveLength(3);
  const elsewhere = callerNamed('eve', { scopes: ['read'], projects: ['prj_other'] });
  expect((await library.act(elsewhere, reportUsage, {})).rows).toEqual([]);
  expect((await errorOf(() => library.act(elsewhere, reportUsage, { project }))).code).toBe('project_denied');
  expect((await library.act(admin, reportUsage, { project })).rows).toHaveLength(3);
  expect((await library.act(localOwner, reportUsage, {})).rows).toHaveLength(3);
});

test('folders of the machine are not for who only reviews', async () => {
  const { library, project } = await started();
  const imported = () => library.act(reviewer, importLibrary, { project, folder: '/nowhere' });
  expect((await errorOf(imported)).code).toBe('forbidden');
});

describe('a comment on a line', () => {
  test('says which side of the diff it is about, and whether that has changed since', async () => {
    verifies('LIB-12');
    const { library, project } = await startServer();
    const body = `${STYLE}\nOne more line.\n`;
    const op = { update: { id: 'coding/STYLE.md', body } };
    const { draft_id: id } = await library.stage(localOwner, project, { resource: 'rule', op });
    const comment = (more: object) => library.act(localOwner, commentDraft, { id, text: 'Why?', ...more });
    await comment({});
    await comment({ line: body.split('\n').length - 1 });
    const { comments } = await comment({ line: 2, side: 'published' });
    expect(comments).toMatchObject([
      { line: null, side: null, current: true },
      { line: 15, side: 'draft', current: true },
      { line: 2, side: 'published', current: true },
    ]);
    const again = { update: { id: 'coding/STYLE.md', body: `${STYLE}\nAnother line.\n` } };
    await library.stage(localOwner, project, { resource: 'rule', op: again });
    const after = await library.act(localOwner, readDraft, { id });
    expect(after.comments.map(({ current }) => current)).toEqual([true, false, true]);
  });

  test('is refused where there is no such line', async () => {
    const { library, id } = await started();
    const comment = (more: object) => library.act(localOwner, commentDraft, { id, text: 'x', ...more });
    for (const more of [{ line: 2 }, { line: 1, side: 'published' }, { side: 'draft' }]) {
      expect((await errorOf(() => comment(more))).code).toBe('invalid_arguments');
    }
    expect(await comment({ line: 1 })).toMatchObject({ comments: [{ line: 1, side: 'draft' }] });
  });
});

describe('a file', () => {
  test('is read as it was at any revision, also by a path that it no longer has', async () => {
    const { library, project, publish } = await startServer();
    await publish({ 'coding/STYLE.md': 'Shorter\n' });
    const read = (more: object) =>
      library.act(localOwner, readLibraryItem, { project: project.id, id: 'coding/STYLE.md', ...more });
    expect(await read({})).toMatchObject({ content: 'Shorter\n', revision: 2, description: null });
    expect(await read({ revision: 1 })).toMatchObject({
      ...{ content: STYLE, revision: 1, description: 'How code looks' },
      front_matter: { description: 'How code looks' },
    });
    await library.act(localOwner, restoreRevision, {
      project: project.id,
      id: 'coding/STYLE.md',
      revision: 1,
    });
    expect(await read({ revision: 2 })).toMatchObject({ content: 'Shorter\n' });
    expect((await errorOf(() => read({ id: 'nowhere.md', revision: 1 }))).code).toBe('not_found');
  });

  test('was used so and so often in each of its revisions, by whom it does not say', async () => {
    verifies('LIB-17');
    const { library, project, agent, clock, publish } = await startServer();
    await agent.setup();
    const id = await agent.idOf('coding/STYLE.md');
    await agent.load(id);
    await agent.load(id);
    clock.advance(1000);
    await publish({ 'coding/STYLE.md': `${STYLE}\n## More\n\n- And this\n` });
    clock.advance(1000);
    await agent.load(id);
    await agent.refer(id, 'Naming/1');
    await agent.call('memory.reject', { reason: 'no' });
    const usage = await library.act(localOwner, readItemUsage, {
      project: project.id,
      id: 'coding/STYLE.md',
    });
    expect(usage.revisions).toMatchObject([
      { revision: 1, loaded: 2, referred: 0, turns: 1, rejected_turns: 1 },
      { revision: 2, loaded: 1, referred: 1, turns: 1, rejected_turns: 1, until: null },
    ]);
    expect(usage.revisions[0]!.until).toBe(usage.revisions[1]!.from);
    expect(usage.days).toMatchObject([{ loaded: 3, referred: 1 }]);
    expect(usage.constraints.filter(({ referred }) => referred > 0)).toMatchObject([
      { constraint_id: 'Naming/1', referred: 1, current: true },
    ]);
    expect(new Set(usage.constraints.map(({ rule_id }) => rule_id))).toEqual(new Set([id]));
  });
});

describe('files that are sent', () => {
  const HOSTILE = [
    '../up.md',
    'a/../../b.md',
    '/etc/passwd.md',
    'C:\\x.md',
    'a\u202Egpj.md',
    '.git/hooks/x.md',
    'a.exe',
  ];
  const sent = [
    { path: 'coding/STYLE.md', content: STYLE },
    { path: 'workflow/CODING.md', content: '# Coding\n\n- Now otherwise\n' },
    { path: 'coding/NEW.md', content: '# New\n\n- Be new\n' },
    { path: '.cursorrules', content: 'Use types\n' },
    ...HOSTILE.map((path) => ({ path, content: 'x' })),
  ];

  test('are only reported on in a dry run, then staged or published; hostile names are refused and said', async () => {
    verifies('LIB-15', 'LIB-16');
    const { library, project } = await startServer();
    const bring = (more: object) =>
      library.act(localOwner, importFiles, { project: project.id, files: sent, ...more });
    const expected = {
      files: expect.arrayContaining([
        { path: 'coding/NEW.md', result: 'created' },
        { path: 'coding/STYLE.md', result: 'unchanged' },
        { path: 'cursorrules.md', result: 'created' },
        { path: 'workflow/CODING.md', result: 'updated' },
      ]),
      ...{ created: 2, updated: 1, unchanged: 1, renamed: 0 },
    };
    const drafts = async () => (await library.act(localOwner, listDrafts, { project: project.id })).drafts;
    for (const publish of [false, true]) {
      const report = await bring({ dry_run: true, publish });
      expect(report).toMatchObject({ ...expected, published: false, revision: 1 });
      expect(report.skipped.map(({ path }) => path).sort()).toEqual(HOSTILE.toSorted());
      expect(await drafts()).toEqual([]);
    }
    expect(await bring({})).toMatchObject({ ...expected, published: false, revision: 1 });
    expect((await drafts()).length).toBe(3);
    expect(await bring({ publish: true })).toMatchObject({ published: true, revision: 2, drafts_left: [] });
    expect(await drafts()).toEqual([]);
  });

  test('are published by reviewers alone, and move no file that is not among them', async () => {
    const { library, project } = await startServer();
    const bring = (caller: typeof reviewer, more: object) =>
      library.act(caller, importFiles, {
        project: project.id,
        files: [{ path: 'copy/STYLE.md', content: STYLE }],
        ...more,
      });
    const writer = { ...localOwner, scopes: ['read', 'write'] as const };
    expect((await errorOf(() => bring(writer as never, { publish: true }))).code).toBe('forbidden');
    expect(await bring(localOwner, { publish: true })).toMatchObject({
      files: [{ path: 'copy/STYLE.md', result: 'created' }],
    });
  });

  test('have secrets taken out of them, one after another', async () => {
    const { library, project } = await startServer();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const report = await library.act(localOwner, importFiles, {
      project: project.id,
      files: [{ path: 'a.md', content: `The key is ${secret}\n` }],
      publish: true,
    });
    expect(report).toMatchObject({ secrets: 1, redacted: [{ path: 'a.md', secrets: 1 }] });
    const { content } = await library.act(localOwner, readLibraryItem, { project: project.id, id: 'a.md' });
    expect(content).not.toContain(secret);
  });
});
