import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed, errorOf } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { readDraft } from './actions/drafts.ts';
import { planRebase, rebaseDraft } from './commands/rebase.ts';
import { type ReviewStep, STEPS } from './commands/review.ts';
import { contentHash } from './files/hashes.ts';
import { Agent, STYLE, startServer, type TestServer } from './fixture.suite.ts';
import { draftNow, reviewState, reviewStateWithTexts } from './queries/command-state.ts';
import { findDraft } from './queries/drafts.ts';
import { fileByPath, historyOf, textByHash } from './queries/files.ts';
import { draftDetails, revisionView } from './views.ts';

const writer = callerNamed('alice', { scopes: ['read', 'write'] });
const reviewer = callerNamed('rita', { scopes: ['read', 'write', 'review'] });

async function started(validators: Parameters<typeof startServer>[2] = []) {
  const server = await startServer(undefined, {}, validators);
  const agent = new Agent(server.services, writer);
  await agent.setup();
  return { ...server, agent, rule: await agent.idOf('coding/STYLE.md') };
}

function draftAt({ library, project }: TestServer, path: string, caller = writer) {
  const draft = findDraft(library.database, caller, project.workspace_id, path);
  if (!draft) throw new Error(`There is no draft ${path}`);
  return draft;
}

const published = ({ library, project }: TestServer, path: string) => {
  const file = fileByPath(library.database, project.workspace_id, path);
  return file && textByHash(library.database, file.hash);
};

async function throughReview(server: TestServer, path: string) {
  const { id } = draftAt(server, path);
  await server.library.submit(writer, id);
  await server.library.decide(reviewer, id, 'approve');
  return server.library.publish(reviewer, [id]);
}

describe('the way of a draft', () => {
  test('nothing is published before it was submitted and approved', async () => {
    verifies('LIB-12');
    const server = await started();
    const { agent, library, rule } = server;
    await agent.draft('rule', { update: { id: rule, body: 'better', description: 'Clarify' } });
    const { id } = draftAt(server, 'coding/STYLE.md');
    expect((await errorOf(() => library.publish(reviewer, [id]))).code).toBe('draft_not_found');
    expect((await errorOf(() => library.publish(localOwner, [id]))).code).toBe('draft_state');
    await library.submit(writer, id);
    expect((await errorOf(() => library.submit(writer, id))).message).toContain('in review');
    expect((await errorOf(() => library.publish(reviewer, [id]))).message).toContain(
      'submitted and approved first',
    );
    expect((await errorOf(() => library.decide(writer, id, 'approve'))).code).toBe('forbidden');
    expect((await library.comment(reviewer, id, 'Looks right')).status).toBe('in_review');
    expect(await library.decide(reviewer, id, 'approve', 'fine')).toMatchObject({
      status: 'approved',
      decided_by: 'rita',
      note: 'fine',
    });
    expect(published(server, 'coding/STYLE.md')).toBe(STYLE);
    expect((await errorOf(() => library.publish(writer, [id]))).code).toBe('forbidden');
    expect(await library.publish(reviewer, [id])).toMatchObject({
      revision: 2,
      changes: [{ op: 'update', path: 'coding/STYLE.md' }],
    });
    expect(published(server, 'coding/STYLE.md')).toBe('better');
    expect((await agent.load(rule))[0]).toMatchObject({ hash: contentHash('better'), hasDraft: false });
    expect(draftDetails(library.database, draftAt(server, id))).toMatchObject({
      status: 'published',
      comments: [{ by: 'rita', text: 'Looks right' }],
    });
    expect((await errorOf(() => library.publish(reviewer, [id]))).message).toContain('published');
  });

  test('new files get ids of their kind; renamed ones keep theirs; deleted ones go', async () => {
    verifies('LIB-12');
    const server = await started();
    const { agent, rule } = server;
    await agent.draft('rule', { create: { path: 'a/B.md', body: '# B\n' } });
    await agent.draft('context', { create: { path: 'notes/C.md', body: '# C\n' } });
    await agent.draft('rule', { rename: { id: rule, new_path: 'coding/WORDS.md' } });
    await agent.draft('rule', { delete: { id: 'workflow/CODING.md' } });
    for (const path of ['a/B.md', 'notes/C.md', 'coding/WORDS.md', 'workflow/CODING.md'])
      await throughReview(server, path);
    const items = await agent.discover();
    expect(items.map(({ path }) => path)).toEqual([
      'a/B.md',
      'coding/WORDS.md',
      'context/SPEC.md',
      'notes/C.md',
    ]);
    expect(items.find(({ path }) => path === 'a/B.md')!.id).toMatch(/^p-/);
    expect(items.find(({ path }) => path === 'notes/C.md')).toMatchObject({
      kind: 'context',
      id: expect.stringMatching(/^ctx-/),
    });
    expect(await agent.idOf('coding/WORDS.md')).toBe(rule);
    expect(published(server, 'coding/WORDS.md')).toBe(STYLE);
  });

  test('a declined draft no longer lies over what is published', async () => {
    const server = await started();
    const { agent, library, rule } = server;
    await agent.draft('rule', { update: { id: rule, body: 'worse' } });
    const { id } = draftAt(server, 'coding/STYLE.md');
    await library.submit(writer, id);
    expect(await library.decide(reviewer, id, 'decline', 'No')).toMatchObject({
      status: 'declined',
    });
    expect((await agent.load(rule))[0]).toMatchObject({ hash: contentHash(STYLE), hasDraft: false });
    expect((await errorOf(() => library.decide(reviewer, id, 'approve'))).code).toBe('draft_state');
    await agent.draft('rule', { update: { id: rule, body: 'other' } });
  });

  test('a draft that is changed after it was approved must be reviewed again', async () => {
    const server = await started();
    const { agent, library, rule } = server;
    await agent.draft('rule', { update: { id: rule, body: 'reviewed' } });
    const { id } = draftAt(server, 'coding/STYLE.md');
    await library.submit(writer, id);
    await library.decide(reviewer, id, 'approve');
    await agent.draft('rule', { update: { id: rule, body: 'smuggled' } });
    expect((await errorOf(() => library.publish(reviewer, [id]))).code).toBe('draft_not_found');
    expect(published(server, 'coding/STYLE.md')).toBe(STYLE);
  });

  test('who approves, or comments on a line, can say which version that was, and is refused for another', async () => {
    const server = await started();
    const { agent, library, rule } = server;
    await agent.draft('rule', { update: { id: rule, body: 'read\n' } });
    const { id, hash: read } = draftAt(server, 'coding/STYLE.md');
    await agent.draft('rule', { update: { id: rule, body: 'swapped\n' } });
    await library.submit(writer, id);
    const refused = { code: 'conflict', message: expect.stringMatching(/^The draft has changed since/) };
    expect(await errorOf(() => library.decide(reviewer, id, 'approve', undefined, read!))).toMatchObject(
      refused,
    );
    const place = { line: 1, hash: read! };
    expect(await errorOf(() => library.comment(reviewer, id, 'Why?', place))).toMatchObject(refused);
    const { hash } = draftAt(server, 'coding/STYLE.md');
    await library.comment(reviewer, id, 'Why?', { line: 1, hash: hash! });
    await library.decide(reviewer, id, 'approve', undefined, hash!);
    await library.publish(reviewer, [id]);
    expect(published(server, 'coding/STYLE.md')).toBe('swapped\n');
  });

  test('unsubmitted drafts are nobody else’s business, and only their drafter submits them', async () => {
    const server = await started();
    const { agent, library, rule } = server;
    await agent.draft('rule', { update: { id: rule, body: 'x' } });
    const { id } = draftAt(server, 'coding/STYLE.md');
    const bob = callerNamed('bob', { scopes: ['read', 'write'] });
    for (const caller of [
      bob,
      reviewer,
      callerNamed('eve', { org: 'other' }),
      callerNamed('tom', { projects: ['proj_x'] }),
    ]) {
      expect((await errorOf(() => library.submit(caller, id))).code).toBe('draft_not_found');
    }
    await library.submit(writer, id);
    expect((await errorOf(() => library.submit(reviewer, id))).code).toBe('forbidden');
    expect((await errorOf(() => library.comment(bob, id, 'hi'))).code).toBe('draft_not_found');
  });

  test('can be gone by several drafts at once; those that cannot say why', async () => {
    verifies('LIB-12');
    const server = await started();
    const { agent, library, rule, services } = server;
    await agent.draft('rule', { update: { id: rule, body: 'mine' } });
    await agent.draft('rule', { create: { path: 'a/A.md', body: 'a' } });
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'b' } });
    await server.publish({ 'coding/STYLE.md': 'meanwhile' });
    const ids = ['a/A.md', 'coding/STYLE.md', 'a/B.md'].map((path) => draftAt(server, path).id);
    const before = services.journal.head().seq;
    const submitted = await library.takeStep(writer, ids, 'submit');
    expect(submitted.drafts.map(({ path, status }) => [path, status])).toEqual([
      ['a/A.md', 'in_review'],
      ['a/B.md', 'in_review'],
    ]);
    expect(submitted.failed).toMatchObject([{ draft_path: 'coding/STYLE.md', code: 'conflict' }]);
    expect(services.journal.head().seq).toBe(before + 1);
    expect((await library.takeStep(writer, ids, 'discard')).drafts).toHaveLength(3);
    expect(await agent.discover({ query: 'a' })).toEqual([]);
    expect((await errorOf(() => library.discard(writer, ids[0]!))).code).toBe('draft_state');
    expect((await errorOf(() => library.takeStep(writer, ids, 'approve'))).code).toBe('forbidden');
  });

  test('leads past somebody else where a setting says so', async () => {
    verifies('LIB-12');
    const server = await startServer(undefined, { library: { selfApproval: false } });
    const { library, project, services } = server;
    const { draft_id: id } = await library.stage(reviewer, project, {
      resource: 'rule',
      op: { create: { path: 'a.md', body: 'x' } },
    });
    await library.submit(reviewer, id);
    expect(await errorOf(() => library.decide(reviewer, id, 'approve'))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('somebody else must approve it'),
    });
    expect(await library.act(reviewer, readDraft, { id })).toMatchObject({ self_approval: false });
    const second = callerNamed('sam', { scopes: ['read', 'write', 'review'] });
    await library.decide(second, id, 'approve');
    expect(await library.publish(reviewer, [id])).toMatchObject({ revision: 2 });

    const { draft_id: other } = await library.stage(reviewer, project, {
      resource: 'rule',
      op: { create: { path: 'b.md', body: 'x' } },
    });
    await library.submit(reviewer, other);
    services.config.library.selfApproval = true;
    await library.decide(reviewer, other, 'approve');
    services.config.library.selfApproval = false;
    expect((await errorOf(() => library.publish(second, [other]))).code).toBe('forbidden');
    await library.decide(reviewer, other, 'decline', 'my own mistake');
  });

  test('a check of another door can refuse a publication', async () => {
    const server = await started([
      ({ kind, frontMatter }) =>
        kind === 'workflow' && 'steps' in frontMatter && !Array.isArray(frontMatter.steps)
          ? ['steps must be a list']
          : [],
    ]);
    const { agent, library } = server;
    await agent.draft('rule', { create: { path: 'workflow/BAD.md', body: '---\nsteps: 5\n---\n# Bad\n' } });
    const error = await errorOf(() => throughReview(server, 'workflow/BAD.md'));
    expect(error).toMatchObject({
      code: 'invalid_content',
      message: expect.stringContaining('steps must be a list'),
    });
    await library.rebase(writer, draftAt(server, 'workflow/BAD.md').id, {
      body: '---\nsteps: [a]\n---\n# Good\n',
    });
    await throughReview(server, 'workflow/BAD.md');
    expect(published(server, 'workflow/BAD.md')).toContain('# Good');
  });
});

describe('a conflict', () => {
  const BASE = '# T\n\n## A\n\n- one\n\n## B\n\n- two\n';

  async function conflicting(op: Record<string, unknown>, meanwhile: string) {
    const server = await started();
    await server.publish({ 'x/T.md': BASE });
    const id = await server.agent.idOf('x/T.md');
    await server.agent.draft('rule', JSON.parse(JSON.stringify(op).replaceAll('ID', id)));
    await server.publish({ 'x/T.md': meanwhile });
    return {
      ...server,
      draft: draftAt(
        server,
        Object.values(op).some((value) => (value as { new_path?: string }).new_path) ? 'x/U.md' : 'x/T.md',
      ),
    };
  }

  test('is found at submit, with all three versions', async () => {
    verifies('LIB-12');
    const mine = BASE.replace('one', 'ONE');
    const theirs = BASE.replace('one', 'uno');
    const { library, draft } = await conflicting({ update: { id: 'ID', body: mine } }, theirs);
    const error = await errorOf(() => library.submit(writer, draft.id));
    expect(error.code).toBe('conflict');
    expect(error.details!.conflicts).toEqual([
      {
        draft_id: draft.id,
        draft_path: 'x/T.md',
        reason: 'changed',
        base: { path: 'x/T.md', hash: contentHash(BASE), content: BASE },
        published: { path: 'x/T.md', hash: contentHash(theirs), content: theirs },
        draft: { path: 'x/T.md', hash: contentHash(mine), content: mine },
      },
    ]);
  });

  test('is found again at publish, and nothing of the batch is published', async () => {
    verifies('LIB-12');
    const server = await started();
    const { agent, library, rule } = server;
    await agent.draft('rule', { update: { id: rule, body: 'mine' } });
    await agent.draft('rule', { create: { path: 'a/B.md', body: '# B\n' } });
    const ids = ['coding/STYLE.md', 'a/B.md'].map((path) => draftAt(server, path).id);
    for (const id of ids) {
      await library.submit(writer, id);
      await library.decide(reviewer, id, 'approve');
    }
    await server.publish({ 'coding/STYLE.md': 'meanwhile' });
    expect((await errorOf(() => library.publish(reviewer, ids))).code).toBe('conflict');
    expect(published(server, 'a/B.md')).toBeUndefined();
    await library.publish(reviewer, [ids[1]!]);
    expect(published(server, 'a/B.md')).toBe('# B\n');
  });

  test('of changes to different lines is merged by rebase, and reviewed again', async () => {
    verifies('LIB-12');
    const server = await conflicting(
      { update: { id: 'ID', body: BASE.replace('one', 'ONE') } },
      BASE.replace('two', 'TWO'),
    );
    const { library, draft } = server;
    expect(await library.rebase(writer, draft.id, {})).toMatchObject({
      rebased: true,
      status: 'draft',
    });
    expect(await library.rebase(writer, draft.id, {})).toMatchObject({
      rebased: false,
    });
    await throughReview(server, 'x/T.md');
    expect(published(server, 'x/T.md')).toBe(BASE.replace('one', 'ONE').replace('two', 'TWO'));
  });

  test.each(['draft', 'published'] as const)(
    'of changes to the same lines needs a word: %s',
    async (take) => {
      const mine = BASE.replace('one', 'ONE');
      const theirs = BASE.replace('one', 'uno');
      const server = await conflicting({ update: { id: 'ID', body: mine } }, theirs);
      const { library, draft } = server;
      const refused = await errorOf(() => library.rebase(writer, draft.id, {}));
      expect(refused).toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/take: "draft" or take: "published", or body/),
        details: { retryAction: 'rebase_with_take_or_body', conflicts: [{ reason: 'changed' }] },
      });
      await library.rebase(writer, draft.id, { take });
      await throughReview(server, 'x/T.md');
      expect(published(server, 'x/T.md')).toBe(take === 'draft' ? mine : theirs);
    },
  );

  test('that was merged by hand does not overwrite a publication that nobody has seen', async () => {
    verifies('LIB-12');
    const theirs = BASE.replace('one', 'uno');
    const server = await conflicting({ update: { id: 'ID', body: BASE.replace('one', 'ONE') } }, theirs);
    const { library, draft } = server;
    await server.publish({ 'x/T.md': 'later' });
    const body = BASE.replace('one', 'ONE and uno');
    const onto = contentHash(theirs);
    expect(await errorOf(() => library.rebase(writer, draft.id, { body, onto }))).toMatchObject({
      code: 'conflict',
      message: 'What is published has changed since you read it: read it again first',
      details: { retryAction: 'read_again' },
    });
    expect(draftAt(server, 'x/T.md').hash).toBe(draft.hash);
    await library.rebase(writer, draft.id, { body, onto: contentHash('later') });
    await throughReview(server, 'x/T.md');
    expect(published(server, 'x/T.md')).toBe(body);
  });

  test('that goes on while a draft is rebased is rebased on what came last', async () => {
    const server = await conflicting(
      { update: { id: 'ID', body: BASE.replace('one', 'ONE') } },
      BASE.replace('two', 'second'),
    );
    const { library, draft } = server;
    const publishing = server.publish({ 'x/T.md': BASE.replace('two', 'third') });
    const rebasing = library.rebase(writer, draft.id, {});
    await Promise.all([publishing, rebasing]);
    const current = fileByPath(library.database, server.project.workspace_id, 'x/T.md')!;
    expect(draftAt(server, 'x/T.md').base_hash).toBe(current.hash);
    await throughReview(server, 'x/T.md');
    expect(published(server, 'x/T.md')).toBe(BASE.replace('one', 'ONE').replace('two', 'third'));
    const { database } = library;
    const outdated = planRebase(reviewStateWithTexts(database, draftNow(database, await redrafted(server))), {
      take: 'draft',
      body: undefined,
      mostBytes: 1000,
    });
    await server.publish({ 'x/T.md': 'later still' });
    const { id } = draftAt(server, 'x/T.md');
    expect(rebaseDraft(reviewState(database, draftNow(database, id)), outdated)).toEqual({
      events: [],
      answer: { rebased: false, isOutdated: true },
    });
  });

  async function redrafted(server: Awaited<ReturnType<typeof conflicting>>): Promise<string> {
    const id = await server.agent.idOf('x/T.md');
    await server.agent.draft('rule', { update: { id, body: 'mine' } });
    await server.publish({ 'x/T.md': 'later' });
    return draftAt(server, 'x/T.md').id;
  }

  test('that no merge can solve says what would', async () => {
    const server = await conflicting({ rename: { id: 'ID', new_path: 'x/U.md' } }, 'newer');
    await server.publish({ 'x/U.md': 'taken' });
    const rebase = () => server.library.rebase(writer, server.draft.id, {});
    await rebase();
    expect(await errorOf(rebase)).toMatchObject({
      message: expect.stringContaining('Rename the draft again to a path that is free, or discard it'),
      details: { retryAction: 'rename_or_discard' },
    });
  });

  test('of a rename or a deletion is rebased without losing what was published', async () => {
    const renamed = await conflicting({ rename: { id: 'ID', new_path: 'x/U.md' } }, 'newer');
    expect((await errorOf(() => renamed.library.submit(writer, renamed.draft.id))).code).toBe('conflict');
    await renamed.library.rebase(writer, renamed.draft.id, {});
    await throughReview(renamed, 'x/U.md');
    expect(published(renamed, 'x/U.md')).toBe('newer');
    const deleted = await conflicting({ delete: { id: 'ID' } }, 'newer');
    expect((await errorOf(() => deleted.library.submit(writer, deleted.draft.id))).code).toBe('conflict');
    await deleted.library.rebase(writer, deleted.draft.id, {});
    await throughReview(deleted, 'x/T.md');
    expect(published(deleted, 'x/T.md')).toBeUndefined();
  });

  test('with a file that was made at the same path, or with a deleted one, can be rebased', async () => {
    const server = await started();
    const { agent, library, rule, publish } = server;
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'mine\n' } });
    await publish({ 'a/B.md': 'theirs\n' });
    const created = draftAt(server, 'a/B.md');
    expect((await errorOf(() => library.submit(writer, created.id))).details!.conflicts).toMatchObject([
      { reason: 'path_taken', published: { content: 'theirs\n' } },
    ]);
    await library.rebase(writer, created.id, { take: 'draft' });
    const theirs = fileByPath(library.database, server.project.workspace_id, 'a/B.md')!.id;
    await throughReview(server, 'a/B.md');
    expect(published(server, 'a/B.md')).toBe('mine\n');
    expect(await agent.idOf('a/B.md')).toBe(theirs);

    await agent.draft('rule', { update: { id: rule, body: 'kept' } });
    await library.publishChanges(localOwner, server.project, 'import', () => [
      {
        op: 'delete',
        file_id: rule,
        kind: 'rule',
        path: 'coding/STYLE.md',
        previous_path: null,
        hash: contentHash(STYLE),
        group: null,
        description: null,
      },
    ]);
    const orphan = draftAt(server, 'coding/STYLE.md');
    expect((await errorOf(() => library.submit(writer, orphan.id))).details!.conflicts).toMatchObject([
      { reason: 'deleted', published: null },
    ]);
    await library.rebase(writer, orphan.id, { take: 'draft' });
    await throughReview(server, 'coding/STYLE.md');
    expect(published(server, 'coding/STYLE.md')).toBe('kept');
  });
});

describe('history', () => {
  test('names who wrote, who approved and who published each revision', async () => {
    const server = await started();
    const { agent, library, project, rule, services } = server;
    await agent.draft('rule', { update: { id: rule, body: 'better' } });
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'b' } });
    const ids = ['coding/STYLE.md', 'a/B.md'].map((path) => draftAt(server, path).id);
    await library.takeStep(writer, ids, 'submit');
    await library.takeStep(reviewer, ids, 'approve');
    await library.publish(localOwner, ids);
    const shown = () =>
      historyOf(library.database, project.workspace_id, rule)
        .map(revisionView)
        .map(({ author, reviewer, publisher, by }) => [author, reviewer, publisher, by]);
    const expected = [
      ['owner', null, 'owner', 'owner'],
      ['alice', 'rita', 'owner', 'owner'],
    ];
    expect(shown()).toEqual(expected);
    await services.journal.rebuild();
    expect(shown()).toEqual(expected);
  });

  test('a path that names several drafts is refused unless one of them is in the state that is needed', async () => {
    verifies('LIB-12');
    const server = await started();
    const { agent, library, project, publish } = server;
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'old' } });
    const stale = draftAt(server, 'a/B.md');
    await publish({ 'a/B.md': 'published' });
    const file = fileByPath(library.database, project.workspace_id, 'a/B.md')!;
    await agent.draft('rule', { update: { id: file.id, body: 'new' } });
    const find = (step?: ReviewStep) =>
      findDraft(library.database, writer, project.workspace_id, 'a/B.md', step && STEPS[step]);
    const several = await errorOf(() => find('submit'));
    expect(several).toMatchObject({ code: 'several_drafts', message: expect.stringContaining(stale.id) });
    const { drafts } = several.details as { drafts: { id: string }[] };
    const fresh = drafts.find(({ id }) => id !== stale.id)!;
    expect(drafts).toEqual([
      { id: fresh.id, draft_path: 'a/B.md', status: 'draft', drafted_by: writer.principal },
      { id: stale.id, draft_path: 'a/B.md', status: 'draft', drafted_by: writer.principal },
    ]);
    await library.submit(writer, fresh.id);
    expect(find('approve')?.id).toBe(fresh.id);
    expect(find('submit')?.id).toBe(stale.id);
    for (const step of [undefined, 'publish', 'discard'] as const) {
      expect((await errorOf(() => find(step))).code).toBe('several_drafts');
    }
    await library.discard(writer, stale.id);
    expect(find()?.id).toBe(fresh.id);
  });

  test('keeps every revision of a file, and any of them can be restored', async () => {
    const server = await started();
    const { library, project, publish, rule, agent } = server;
    await publish({ 'coding/STYLE.md': 'second\n' });
    await agent.draft('rule', { rename: { id: rule, new_path: 'coding/WORDS.md' } });
    await throughReview(server, 'coding/WORDS.md');
    const revisions = historyOf(library.database, project.workspace_id, rule);
    expect(revisions.map(({ revision, op, path }) => [revision, op, path])).toEqual([
      [1, 'create', 'coding/STYLE.md'],
      [2, 'update', 'coding/STYLE.md'],
      [3, 'rename', 'coding/WORDS.md'],
    ]);
    expect((await errorOf(() => library.restore(writer, project, 'coding/WORDS.md', 1))).code).toBe(
      'forbidden',
    );
    expect(await library.restore(reviewer, project, 'coding/WORDS.md', 1)).toMatchObject({ revision: 4 });
    expect(published(server, 'coding/WORDS.md')).toBe(STYLE);
    expect((await errorOf(() => library.restore(reviewer, project, 'nowhere.md', 1))).code).toBe('not_found');
    expect(await errorOf(() => library.restore(reviewer, project, 'coding/WORDS.md', 99))).toMatchObject({
      code: 'not_found',
      message: 'There is no revision 99 of coding/WORDS.md; there are 1, 2, 3, 4',
    });
  });

  test('brings a deleted file back with its id', async () => {
    const server = await started();
    const { library, project, agent, rule } = server;
    await agent.draft('rule', { delete: { id: rule } });
    await throughReview(server, 'coding/STYLE.md');
    expect(published(server, 'coding/STYLE.md')).toBeUndefined();
    await library.restore(reviewer, project, 'coding/STYLE.md', 1);
    expect(await agent.idOf('coding/STYLE.md')).toBe(rule);
    expect(published(server, 'coding/STYLE.md')).toBe(STYLE);
  });
});
