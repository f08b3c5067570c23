import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { listLibraryItems } from './actions/items.ts';
import { DEFAULT_META_PROMPT } from './bootstrap.ts';
import { bareHash, contentHash } from './files/hashes.ts';
import { Agent, CODING, eventTypes, idsOf, PROJECT, SPEC, STYLE, startServer } from './fixture.suite.ts';
import { liveDrafts, temporaryId } from './queries/drafts.ts';

const started = async () => {
  const server = await startServer();
  // Sees every draft of its own; what other sessions see has tests of its own below.
  await server.agent.setup('thread-1', { drafts: true });
  const { agent } = server;
  return {
    ...server,
    rule: await agent.idOf('coding/STYLE.md'),
    workflow: await agent.idOf('workflow/CODING.md'),
    context: await agent.idOf('context/SPEC.md'),
    /** What somebody without drafts sees. */
    other: new Agent(server.services, callerNamed('bob')),
  };
};

const paths = async (agent: Agent, input = {}) => (await agent.discover(input)).map(({ path }) => path);

describe('draft create', () => {
  test('stages a new file that only its drafter sees', async () => {
    verifies('LIB-09', 'LIB-11', 'LIB-12');
    const { agent, other, library } = await started();
    const body = '# New\n\n## Scope\n\n- x\n';
    expect(
      await agent.draft('context', { create: { path: 'spec/new-context.md', body, description: 'why' } }),
    ).toEqual({
      ok: true,
      draft_path: 'spec/new-context.md',
    });
    await agent.draft('rule', { create: { path: 'workflow/SHIP.md', body } });
    const items = await agent.discover();
    const context = items.find(({ path }) => path === 'spec/new-context.md')!;
    expect(context).toEqual({
      id: temporaryId('context', 'spec/new-context.md'),
      kind: 'context',
      path: 'spec/new-context.md',
      name: 'new-context',
      group: 'spec',
      hash: contentHash(body),
      hasDraft: true,
    });
    expect(context.id).toMatch(/^tmp-context-[0-9a-f]{12}$/);
    expect(items.find(({ path }) => path === 'workflow/SHIP.md')).toMatchObject({ kind: 'workflow' });
    for (const id of [context.id, 'spec/new-context.md']) {
      expect(await agent.load(id)).toMatchObject([
        { id: context.id, hasDraft: true, changed: true, content: body, constraints: [] },
      ]);
    }
    expect((await agent.load(context.id))[0]).not.toHaveProperty('draftBaseHash');
    await other.setup();
    expect(await paths(other)).toHaveLength(3);
    expect(
      (await other.refusal('memory.load', { ids: [context.id], knownHashes: { [context.id]: '' } })).error,
    ).toBe('Unknown rule id');
    expect((await library.act(localOwner, listLibraryItems, { project: PROJECT })).items).toHaveLength(3);
    expect((await agent.discover({ query: 'ship' })).map(({ path }) => path)).toEqual(['workflow/SHIP.md']);
    expect(await other.discover({ query: 'ship' })).toEqual([]);
  });

  test('on a draft, on a published path or at a reserved one is refused, and changes nothing', async () => {
    verifies('LIB-10');
    const { agent, services } = await started();
    const create = (path: string) => ({ create: { path, body: 'x' } });
    await agent.draft('rule', create('a/B.md'));
    const before = services.journal.head().seq;
    const errors = [
      await agent.draftRefusal('rule', create('a/B.md')),
      await agent.draftRefusal('context', create('a/B.md')),
      await agent.draftRefusal('rule', create('coding/STYLE.md')),
      await agent.draftRefusal('rule', create('META_PROMPT.md')),
      await agent.draftRefusal('mpf', create('other.md')),
      await agent.draftRefusal('rule', create('context/x.md')),
      await agent.draftRefusal('context', create('workflow/x.md')),
      await agent.draftRefusal('rule', create('../x.md')),
      await agent.draftRefusal('rule', create('x.txt')),
      await agent.draftRefusal('context', create('context/x')),
      await agent.draftRefusal('rule', {
        create: { path: 'a/C.md', body: '---\nkind: context\n---\n# C\n' },
      }),
      await agent.draftRefusal('context', {
        create: { path: 'context/C.md', body: '---\nkind: rule\n---\n# C\n' },
      }),
    ].map(({ error }) => error);
    expect(errors).toEqual([
      'draft already exists',
      'draft already exists',
      'a file already exists at coding/STYLE.md',
      expect.stringContaining('resource "mpf"'),
      expect.stringContaining('reserved path META_PROMPT.md'),
      expect.stringContaining('resource "context"'),
      expect.stringContaining('resource "rule"'),
      'unsafe path',
      expect.stringMatching(/^x\.txt is not Markdown.*\.md, \.mdc or \.markdown/),
      expect.stringContaining('context/x is not Markdown'),
      expect.stringContaining('resource "context"'),
      expect.stringContaining('resource "rule"'),
    ]);
    // Refused calls still cost the session something: that is all they wrote.
    const later = services.journal
      .entriesAfter(before, 100)
      .flatMap(({ events }) => events.map(({ type }) => type));
    expect(new Set(later)).toEqual(new Set(['operation.completed']));
  });
});

describe('draft update', () => {
  test('lies over the published file for its drafter', async () => {
    verifies('LIB-09', 'LIB-11');
    const { agent, rule, other } = await started();
    const body = '# Style\n\n## Names\n\n- one\n';
    expect(await agent.draft('rule', { update: { id: rule, body } })).toEqual({
      ok: true,
      draft_path: 'coding/STYLE.md',
    });
    const known = { ids: [rule], knownHashes: { [rule]: contentHash(STYLE) } };
    const { items } = await agent.call<{ items: Awaited<ReturnType<Agent['load']>> }>('memory.load', known);
    expect(items[0]).toMatchObject({
      changed: true,
      hasDraft: true,
      draftBaseHash: contentHash(STYLE),
      hash: contentHash(body),
    });
    expect(items[0]!.content!.startsWith(body)).toBe(true);
    expect(idsOf(items[0]!.constraints)).toEqual(['Names', 'Names/1']);
    const again = await agent.call<{ items: { changed: boolean }[] }>('memory.load', {
      ids: [rule],
      knownHashes: { [rule]: contentHash(body) },
    });
    expect(again.items[0]!.changed).toBe(false);
    expect(await agent.refer(rule, 'Names/1')).toEqual({ ok: true, count: 1 });
    await other.setup();
    expect((await other.load(rule))[0]).toMatchObject({ hash: contentHash(STYLE), hasDraft: false });
    expect((await agent.discover({ query: 'names' })).map(({ id }) => id)).toEqual([rule]);
    expect(await agent.discover({ query: 'forbidden' })).toEqual([]);
  });

  test('twice is one draft with the second body and the first base', async () => {
    const { agent, rule, publish } = await started();
    await agent.draft('rule', { update: { id: rule, body: 'one' } });
    await publish({ 'coding/STYLE.md': 'published meanwhile' });
    await agent.draft('rule', { update: { id: rule, body: 'two' } });
    expect((await agent.load(rule))[0]).toMatchObject({
      hash: contentHash('two'),
      draftBaseHash: contentHash(STYLE),
    });
    expect(await agent.draft('rule', { discard: { id: rule } })).toEqual({
      ok: true,
      draft_path: 'coding/STYLE.md',
    });
    expect((await agent.load(rule))[0]).toMatchObject({
      hash: contentHash('published meanwhile'),
      hasDraft: false,
    });
  });

  test('of a new file changes that draft', async () => {
    const { agent } = await started();
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'one' } });
    for (const id of ['a/B.md', temporaryId('rule', 'a/B.md')]) {
      await agent.draft('rule', { update: { id, body: `by ${id}` } });
      expect((await agent.load('a/B.md'))[0]).toMatchObject({ hash: contentHash(`by ${id}`) });
    }
  });

  test('of what is not there, or of another resource, finds no file', async () => {
    verifies('LIB-10');
    const { agent, rule, context } = await started();
    for (const [resource, id] of [
      ['rule', 'p-unknown'],
      ['context', rule],
      ['rule', context],
      ['rule', 'META_PROMPT.md'],
      ['mpf', rule],
    ] as const) {
      expect((await agent.draftRefusal(resource, { update: { id, body: 'x' } })).error).toBe(
        'file not found in cache',
      );
    }
  });
});

describe('draft rename', () => {
  test('moves the file for its drafter and keeps its content and ids', async () => {
    verifies('LIB-09', 'LIB-11');
    const { agent, rule } = await started();
    const before = (await agent.load(rule))[0]!;
    expect(await agent.draft('rule', { rename: { id: rule, new_path: 'naming/WORDS.md' } })).toEqual({
      ok: true,
      draft_path: 'naming/WORDS.md',
    });
    const after = (await agent.load(rule))[0]!;
    expect(after).toEqual({
      ...before,
      path: 'naming/WORDS.md',
      hasDraft: true,
      draftBaseHash: contentHash(STYLE),
    });
    expect(await paths(agent)).toEqual(['context/SPEC.md', 'naming/WORDS.md', 'workflow/CODING.md']);
    expect(await paths(agent, { group: 'naming' })).toEqual(['naming/WORDS.md']);
    expect(await paths(agent, { group: 'coding' })).toEqual([]);
  });

  test('onto an existing path, a draft, the same path or an unsafe one is refused', async () => {
    verifies('LIB-10', 'LIB-15');
    const { agent, rule } = await started();
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'x' } });
    const errors: unknown[] = [];
    for (const new_path of [
      'workflow/CODING.md',
      'a/B.md',
      'coding/STYLE.md',
      '../x.md',
      'META_PROMPT.md',
      'x',
    ]) {
      errors.push((await agent.draftRefusal('rule', { rename: { id: rule, new_path } })).error);
    }
    expect(errors).toEqual([
      'a file already exists at workflow/CODING.md',
      'draft already exists',
      expect.stringContaining('already has'),
      'unsafe path',
      expect.stringContaining('META_PROMPT.md'),
      expect.stringContaining('x is not Markdown'),
    ]);
    expect(
      (await agent.draftRefusal('mpf', { rename: { id: 'META_PROMPT.md', new_path: 'x.md' } })).error,
    ).toContain('cannot be renamed');
  });

  test('of a new file moves that draft', async () => {
    const { agent } = await started();
    await agent.draft('rule', { create: { path: 'a/B.md', body: '# B\n' } });
    await agent.draft('rule', { rename: { id: 'a/B.md', new_path: 'a/C.md' } });
    expect(await paths(agent)).toContain('a/C.md');
    expect(await paths(agent)).not.toContain('a/B.md');
  });
});

describe('draft delete and discard', () => {
  test('a deletion hides the file from its drafter alone', async () => {
    verifies('LIB-09', 'LIB-11');
    const { agent, rule, other } = await started();
    expect(await agent.draft('rule', { delete: { id: rule } })).toEqual({
      ok: true,
      draft_path: 'coding/STYLE.md',
    });
    expect((await agent.refusal('memory.load', { ids: [rule], knownHashes: { [rule]: '' } })).error).toBe(
      'Unknown rule id',
    );
    expect(await paths(agent)).not.toContain('coding/STYLE.md');
    expect(await agent.discover({ query: 'naming' })).toEqual([]);
    expect(
      await agent.refusal('memory.refer', { refs: [{ ruleId: rule, constraintId: 'Naming/1' }] }),
    ).toMatchObject({ code: 'unknown_rule_or_workflow' });
    await other.setup();
    expect(await paths(other)).toContain('coding/STYLE.md');
    await agent.draft('rule', { discard: { id: 'coding/STYLE.md' } });
    expect(await paths(agent)).toContain('coding/STYLE.md');
  });

  test('deleting a new file discards its draft', async () => {
    verifies('LIB-10');
    const { agent } = await started();
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'x' } });
    expect(await agent.draft('rule', { delete: { id: temporaryId('rule', 'a/B.md') } })).toEqual({
      ok: true,
      draft_path: 'a/B.md',
    });
    expect(await paths(agent)).not.toContain('a/B.md');
    await agent.draft('rule', { create: { path: 'a/B.md', body: 'again' } });
  });

  test('what is not there can be neither deleted nor discarded', async () => {
    verifies('LIB-10');
    const { agent, rule } = await started();
    for (const op of [
      { delete: { id: 'p-unknown' } },
      { discard: { id: rule } },
      { discard: { id: 'a/B.md' } },
    ]) {
      expect((await agent.draftRefusal('rule', op)).error).toBe('file not found in cache');
    }
    expect((await agent.draftRefusal('mpf', { delete: { id: 'META_PROMPT.md' } })).error).toBe(
      'file not found in cache',
    );
  });

  test('an operation on a draft of another one is refused', async () => {
    const { agent, rule, workflow, context } = await started();
    await agent.draft('rule', { update: { id: rule, body: 'x' } });
    await agent.draft('rule', { rename: { id: workflow, new_path: 'workflow/X.md' } });
    await agent.draft('context', { delete: { id: context } });
    const refused = [
      await agent.draftRefusal('rule', { delete: { id: rule } }),
      await agent.draftRefusal('rule', { rename: { id: rule, new_path: 'y.md' } }),
      await agent.draftRefusal('rule', { update: { id: workflow, body: 'x' } }),
      await agent.draftRefusal('context', { update: { id: context, body: 'x' } }),
    ];
    for (const refusal of refused)
      expect(refusal).toMatchObject({ error: 'draft already exists', code: 'draft_exists' });
    expect(refused[0]!.draft).toEqual({ draft_path: 'coding/STYLE.md', op: 'update' });
  });
});

describe('draft of the meta prompt', () => {
  test('can be updated and deleted, and shows in setup', async () => {
    verifies('LIB-09', 'LIB-01');
    const { agent, publish } = await started();
    expect(await agent.draft('mpf', { update: { id: 'META_PROMPT.md', body: '# Mine\n' } })).toEqual({
      ok: true,
      draft_path: 'META_PROMPT.md',
    });
    expect((await agent.setup()).mpf).toEqual({
      hash: bareHash('# Mine\n'),
      content: '# Mine\n',
      hasDraft: true,
      draftBaseHash: contentHash(DEFAULT_META_PROMPT),
    });
    await agent.draft('mpf', { discard: { id: 'MPF' } });
    await publish({ 'META_PROMPT.md': '# Ours\n' });
    await agent.draft('mpf', { delete: { id: 'META_PROMPT.md' } });
    expect((await agent.setup()).mpf).toBeNull();
    await agent.draft('mpf', { discard: { id: 'META_PROMPT.md' } });
    expect((await agent.setup()).mpf!.content).toBe('# Ours\n');
    expect(
      (await agent.draftRefusal('mpf', { create: { path: 'META_PROMPT.md', body: 'x' } })).error,
    ).toContain('already exists');
    expect(await paths(agent)).not.toContain('META_PROMPT.md');
  });
});

describe('the draft tool refuses', () => {
  test.each([
    [{ resource: 'rule' }, 'op is required'],
    [{ resource: 'rule', op: {} }, 'exactly one of create, update, rename, delete, discard, submit'],
    [{ resource: 'rule', op: { create: { path: 'a', body: 'b' }, discard: { id: 'x' } } }, 'exactly one'],
    [{ resource: 'rule', op: { publish: { id: 'x' } } }, 'Unrecognized key'],
    [{ resource: 'recipe', op: { discard: { id: 'x' } } }, 'resource'],
    [{ op: { discard: { id: 'x' } } }, 'resource'],
    [{ resource: 'rule', op: { create: { path: 'a.md' } } }, 'op.create.body is required'],
    [{ resource: 'rule', op: { create: { path: '', body: 'x' } } }, 'op.create.path'],
    [{ resource: 'rule', op: { create: { path: 'a.md', body: '' } } }, 'op.create.body'],
    [{ resource: 'rule', op: { update: { id: '', body: 'x' } } }, 'op.update.id'],
    [{ resource: 'rule', op: { create: { path: 'a.md', body: 5 } } }, 'op.create.body'],
    [{ resource: 'rule', op: { create: { path: 'a.md', body: 'a\0b' } } }, 'NUL'],
    [{ resource: 'rule', op: { create: { path: 'a.md', body: 'a\ud800b' } } }, 'not valid UTF-8'],
    [
      { resource: 'rule', op: { create: { path: 'a.md', body: 'x'.repeat(1024 * 1024 + 1) } } },
      'at most 1048576',
    ],
    [{ resource: 'rule', op: { create: { path: 'a.md', body: 'ä'.repeat(600 * 1024) } } }, 'at most 1048576'],
  ])('case %#', async (input, message) => {
    verifies('LIB-09');
    const { agent } = await started();
    expect((await agent.refusal('draft', input)).error).toContain(message);
    expect(await paths(agent)).toHaveLength(3);
  });

  test('a body of one megabyte is taken', async () => {
    const { agent } = await started();
    await agent.draft('context', { create: { path: 'big.md', body: 'x'.repeat(1024 * 1024) } });
    expect((await agent.load('big.md'))[0]!.content).toHaveLength(1024 * 1024);
  });
});

test('two principals draft one file without seeing each other', async () => {
  const { agent, other, rule } = await started();
  await other.setup();
  await agent.draft('rule', { update: { id: rule, body: 'mine' } });
  await other.draft('rule', { update: { id: rule, body: 'theirs' } });
  expect((await agent.load(rule))[0]!.hash).toBe(contentHash('mine'));
  expect((await other.load(rule))[0]!.hash).toBe(contentHash('theirs'));
  expect([SPEC, CODING].map(contentHash)).toHaveLength(2);
});

describe('what a draft lies over', () => {
  /** Three sessions of one principal: the one that drafts, one that knows nothing of it, one that opted in. */
  const windows = async () => {
    const server = await startServer({
      'coding/STYLE.md': STYLE,
      'workflow/CODING.md': CODING,
      'context/SPEC.md': SPEC,
      'META_PROMPT.md': '# Ours\n',
    });
    const [drafter, other, optedIn] = [1, 2, 3].map(() => new Agent(server.services)) as [
      Agent,
      Agent,
      Agent,
    ];
    await drafter.setup('window-1');
    await other.setup('window-2');
    await optedIn.setup('window-3', { drafts: true });
    const rule = await drafter.idOf('coding/STYLE.md');
    const workflow = await drafter.idOf('workflow/CODING.md');
    const context = await drafter.idOf('context/SPEC.md');
    return { ...server, drafter, other, optedIn, rule, workflow, context };
  };
  const noticesOf = async (agent: Agent, name: string, input: Record<string, unknown>) =>
    (await agent.result(name, input))._meta?.['infold/notices'] ?? [];

  test('is what is published, in the session that staged it and in those that opted in', async () => {
    verifies('LIB-11');
    const { drafter, other, optedIn, rule, workflow } = await windows();
    await drafter.draft('rule', { update: { id: rule, body: '# Draft\n\n## Drafted\n\ntext\n' } });
    await drafter.draft('rule', { rename: { id: workflow, new_path: 'workflow/MOVED.md' } });
    await drafter.draft('rule', { create: { path: 'new/N.md', body: '# N\n' } });
    for (const agent of [drafter, optedIn]) {
      expect(await paths(agent)).toEqual([
        'coding/STYLE.md',
        'context/SPEC.md',
        'new/N.md',
        'workflow/MOVED.md',
      ]);
      expect((await agent.discover()).map(({ hasDraft }) => hasDraft)).toEqual([true, undefined, true, true]);
      expect((await agent.load(rule, 'new/N.md')).map(({ hasDraft }) => hasDraft)).toEqual([true, true]);
      expect((await agent.load(rule))[0]!.draftBaseHash).toBe(contentHash(STYLE));
      expect(await paths(agent, { query: 'drafted' })).toEqual(['coding/STYLE.md']);
      expect(await agent.refer(rule, 'Drafted')).toMatchObject({ ok: true });
      expect(await noticesOf(agent, 'memory.discover', {})).toEqual([
        'Unpublished drafts among these (hasDraft): 3',
      ]);
    }
    expect(await paths(other)).toEqual(['coding/STYLE.md', 'context/SPEC.md', 'workflow/CODING.md']);
    expect((await other.load(rule))[0]).toMatchObject({ hash: contentHash(STYLE), hasDraft: false });
    expect(await paths(other, { query: 'drafted' })).toEqual([]);
    expect(
      await other.refusal('memory.refer', { refs: [{ ruleId: rule, constraintId: 'Drafted' }] }),
    ).toMatchObject({ code: 'unknown_constraint' });
    expect(
      (await other.refusal('memory.load', { ids: ['new/N.md'], knownHashes: { 'new/N.md': '' } })).error,
    ).toBe('Unknown rule id');
    expect(await noticesOf(other, 'memory.discover', {})).toEqual([]);
    expect(await noticesOf(other, 'memory.setup', { session_id: 'window-2' })).toEqual([
      expect.stringMatching(/^Open drafts that are not in force in this session: 3; .*drafts: true/),
    ]);
  });

  test('is never a deletion or the meta prompt, unless the session opted in', async () => {
    verifies('LIB-11', 'LIB-01');
    const { drafter, other, optedIn, context } = await windows();
    expect(
      await noticesOf(drafter, 'draft', { resource: 'context', op: { delete: { id: context } } }),
    ).toEqual([expect.stringContaining('take effect in no session before they are published')]);
    await drafter.draft('mpf', { update: { id: 'META_PROMPT.md', body: '# Mine\n' } });
    for (const [agent, session] of [
      [drafter, 'window-1'],
      [other, 'window-2'],
    ] as const) {
      expect((await agent.setup(session)).mpf).toEqual({ hash: bareHash('# Ours\n'), content: '# Ours\n' });
      expect((await agent.load(context))[0]).toMatchObject({ content: SPEC, hasDraft: false });
      expect(await paths(agent)).toContain('context/SPEC.md');
      expect(await paths(agent, { query: 'spec' })).toEqual(['context/SPEC.md']);
    }
    expect((await optedIn.setup('window-3')).mpf).toMatchObject({ content: '# Mine\n', hasDraft: true });
    expect(await paths(optedIn)).not.toContain('context/SPEC.md');
    expect(await noticesOf(optedIn, 'memory.discover', {})).toEqual([
      'Files not shown, because a draft would delete them: 1',
    ]);
    expect(await noticesOf(optedIn, 'memory.setup', { session_id: 'window-3' })).toEqual([
      'The meta prompt is an unpublished draft',
    ]);
  });

  test('can be opted in to and out of by setting up again', async () => {
    verifies('LIB-11');
    const { drafter, other, rule } = await windows();
    await drafter.draft('rule', { update: { id: rule, body: 'draft' } });
    const isDraft = async () => (await other.load(rule))[0]!.hasDraft;
    expect(await isDraft()).toBe(false);
    await other.setup('window-2', { drafts: true });
    expect(await isDraft()).toBe(true);
    await other.setup('window-2');
    expect(await isDraft()).toBe(true);
    await other.setup('window-2', { drafts: false });
    expect(await isDraft()).toBe(false);
  });

  test('cannot be changed from a session that does not see it', async () => {
    verifies('LIB-11', 'LIB-10');
    const { drafter, other, rule } = await windows();
    await drafter.draft('rule', { update: { id: rule, body: 'first' } });
    await drafter.draft('rule', { create: { path: 'new/N.md', body: 'first' } });
    for (const op of [
      { update: { id: rule, body: 'second' } },
      { delete: { id: rule } },
      { discard: { id: 'coding/STYLE.md' } },
      { submit: { id: rule } },
      { create: { path: 'new/N.md', body: 'second' } },
    ]) {
      expect(await other.draftRefusal('rule', op)).toMatchObject({
        code: 'draft_exists',
        error: expect.stringMatching(/^draft already exists: another session staged it; .*drafts: true/),
        draft: { op: expect.stringMatching(/create|update/) },
      });
    }
    await other.setup('window-2', { drafts: true });
    await other.draft('rule', { update: { id: rule, body: 'second' } });
    // It is the second session's now: what another one wrote never comes unasked.
    expect((await drafter.load(rule))[0]).toMatchObject({ hash: contentHash(STYLE), hasDraft: false });
  });

  test('stays with its session when it is rebased, and comes out the same after a rebuild', async () => {
    verifies('LIB-11');
    const { drafter, other, rule, library, publish, services, project } = await windows();
    await drafter.draft('rule', { update: { id: rule, body: `${STYLE}mine\n` } });
    await publish({ 'coding/STYLE.md': `theirs\n${STYLE}` });
    const [draft] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
    await library.rebase(localOwner, draft!.id, {});
    const seen = async () => [
      (await drafter.load(rule))[0]!.hasDraft,
      (await other.load(rule))[0]!.hasDraft,
      (await drafter.discover({ query: 'naming' })).map(({ hasDraft }) => hasDraft),
    ];
    expect(await seen()).toEqual([true, false, [true]]);
    await services.journal.rebuild();
    expect(await seen()).toEqual([true, false, [true]]);
  });

  test('of a person at the command line is seen by nobody who did not ask', async () => {
    verifies('LIB-11');
    const { drafter, optedIn, rule, library, project } = await windows();
    await library.stage(localOwner, project, {
      resource: 'rule',
      op: { update: { id: rule, body: 'mine' } },
    });
    expect((await drafter.load(rule))[0]!.hasDraft).toBe(false);
    expect((await optedIn.load(rule))[0]!.hasDraft).toBe(true);
  });
});

describe('a review', () => {
  const reviewer = callerNamed('rita', { scopes: ['read', 'write', 'review'] });

  test('is asked for by the agent, and its outcome reaches the agent', async () => {
    verifies('LIB-09', 'LIB-12', 'LIB-13');
    const { services, library, project } = await startServer();
    const alice = callerNamed('alice', { scopes: ['read', 'write'] });
    const agent = new Agent(services, alice);
    await agent.setup('window-1');
    const rule = await agent.idOf('coding/STYLE.md');
    await agent.draft('rule', { update: { id: rule, body: 'better' } });
    expect(await agent.draft('rule', { submit: { id: 'coding/STYLE.md' } })).toEqual({
      ok: true,
      draft_path: 'coding/STYLE.md',
      status: 'in_review',
    });
    expect(await agent.draftRefusal('rule', { submit: { id: rule } })).toMatchObject({ code: 'draft_state' });
    expect((await agent.draftRefusal('rule', { submit: { id: 'nothing.md' } })).error).toBe(
      'file not found in cache',
    );
    expect(eventTypes(agent)).toContain('draft.submitted');
    const [draft] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'alice' });
    const discovered = () => agent.call<{ reviews?: unknown }>('memory.discover');
    expect(await discovered()).not.toHaveProperty('reviews');
    await library.comment(reviewer, draft!.id, 'Why not shorter?');
    const commented = {
      draft_path: 'coding/STYLE.md',
      op: 'update',
      status: 'in_review',
      comments: [{ by: 'rita', text: 'Why not shorter?' }],
    };
    expect((await discovered()).reviews).toEqual([commented]);
    expect(await discovered()).not.toHaveProperty('reviews');
    await library.decide(reviewer, draft!.id, 'decline', 'Too long');
    const declined = { ...commented, status: 'declined', by: 'rita', note: 'Too long' };
    expect((await discovered()).reviews).toEqual([declined]);
    expect(await discovered()).not.toHaveProperty('reviews');
    // Setting up is the time to hear of it again, in another session too.
    expect(await agent.setup('window-1')).toMatchObject({ reviews: [declined] });
    const next = new Agent(services, alice);
    expect(await next.setup('window-2')).toMatchObject({ reviews: [declined] });
    expect(await next.call('memory.discover')).not.toHaveProperty('reviews');
    expect(await new Agent(services, callerNamed('bob')).setup('window-9')).not.toHaveProperty('reviews');

    await agent.draft('rule', { update: { id: rule, body: 'short' } });
    await agent.draft('rule', { submit: { id: rule } });
    const [again] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'alice' });
    await library.decide(reviewer, again!.id, 'approve');
    expect((await discovered()).reviews).toMatchObject([{ status: 'approved', by: 'rita' }]);
    await library.publish(reviewer, [again!.id]);
    expect((await discovered()).reviews).toMatchObject([{ status: 'published', by: 'rita' }]);
    await services.journal.rebuild();
    expect(await discovered()).not.toHaveProperty('reviews');
    expect(await agent.setup('window-1')).toMatchObject({
      reviews: [{ status: 'published' }, { status: 'declined' }],
    });
  });

  test('that is long ago, or of a draft that no agent staged, is not told of', async () => {
    const { agent, library, project, clock } = await startServer();
    await agent.setup();
    const op = (path: string) => ({ create: { path, body: 'x' } });
    await agent.draft('rule', op('old.md'));
    await library.stage(localOwner, project, { resource: 'rule', op: op('person.md') });
    for (const draft of liveDrafts(library.database, {
      workspaceId: project.workspace_id,
      principal: 'owner',
    })) {
      await library.submit(localOwner, draft.id);
      await library.decide(localOwner, draft.id, 'decline');
    }
    expect(await agent.setup()).toMatchObject({ reviews: [{ draft_path: 'old.md' }] });
    clock.advance(8 * 86_400_000);
    expect(await agent.setup('thread-2')).not.toHaveProperty('reviews');
  });
});
