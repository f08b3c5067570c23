import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed } from '../testing/fixtures.suite.ts';
import { Agent, CODING, idsOf, SPEC, STYLE, startServer } from './fixture.suite.ts';
import { bareHash, contentHash } from './hashes.ts';
import { temporaryId } from './queries/drafts.ts';

const started = async () => {
  const server = await startServer();
  await server.agent.setup();
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
    const { agent, other, services } = await started();
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
    expect(
      services.library.list((await agent.setup()).workspaceId, { kind: undefined, group: undefined }, 10),
    ).toHaveLength(3);
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
    for (const new_path of ['workflow/CODING.md', 'a/B.md', 'coding/STYLE.md', '../x.md', 'META_PROMPT.md']) {
      errors.push((await agent.draftRefusal('rule', { rename: { id: rule, new_path } })).error);
    }
    expect(errors).toEqual([
      'a file already exists at workflow/CODING.md',
      'draft already exists',
      expect.stringContaining('already has'),
      'unsafe path',
      expect.stringContaining('META_PROMPT.md'),
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
    expect((await agent.setup()).mpf).toEqual({ hash: bareHash('# Mine\n'), content: '# Mine\n' });
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
    [{ resource: 'rule', op: {} }, 'exactly one of create, update, rename, delete, discard'],
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
