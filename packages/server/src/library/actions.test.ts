import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed, errorOf } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { compareDrafts, listDrafts, readDraft } from './actions/drafts.ts';
import { importLibrary } from './actions/folders.ts';
import { listRevisions } from './actions/items.ts';
import { publishDrafts } from './actions/publish.ts';
import { restoreRevision } from './actions/restore.ts';
import { reviewDrafts } from './actions/review.ts';
import { listAgentUsage, reportUsage } from './actions/usage.ts';
import { startServer } from './fixture.suite.ts';

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

test('figures of others are for who reviews, those of all projects for who owns the data folder', async () => {
  verifies('LIB-17');
  const { library, project } = await started();
  const bob = callerNamed('bob', { scopes: ['read', 'write'] });
  const agents = (input: object) => library.act(bob, listAgentUsage, { project, ...input });
  expect((await errorOf(() => agents({ agent: 'alice' }))).code).toBe('forbidden');
  expect(await agents({ agent: 'bob' })).toEqual({ agents: [], next: null });
  const admin = callerNamed('ada', { scopes: ['read', 'write', 'review', 'admin'] });
  expect((await errorOf(() => library.act(admin, reportUsage, {}))).code).toBe('forbidden');
  expect((await library.act(admin, reportUsage, { project })).rows).toHaveLength(3);
  expect((await library.act(localOwner, reportUsage, {})).rows).toHaveLength(3);
});

test('folders of the machine are not for who only reviews', async () => {
  const { library, project } = await started();
  const imported = () => library.act(reviewer, importLibrary, { project, folder: '/nowhere' });
  expect((await errorOf(imported)).code).toBe('forbidden');
});
