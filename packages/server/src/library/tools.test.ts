import type { DiscoverItem, LoadedItem } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { countTokens } from '../kernel/tokens.ts';
import { callerNamed, HOUR } from '../testing/fixtures.suite.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { DEFAULT_META_PROMPT } from './bootstrap.ts';
import { Agent, CODING, idsOf, SPEC, STYLE, startServer } from './fixture.suite.ts';
import { bareHash, contentHash } from './hashes.ts';

const eventTypes = (agent: Agent) =>
  agent.services.journal
    .entriesAfter(0, 1000)
    .flatMap((entry) => entry.events.map(({ type }) => type))
    .filter((type) => type.startsWith('attest.') || type.startsWith('draft.'));

const eventData = (agent: Agent, wanted: string) =>
  agent.services.journal
    .entriesAfter(0, 1000)
    .flatMap((entry) => entry.events)
    .filter(({ type }) => type === wanted)
    .map(({ data }) => data as Record<string, unknown>);

describe('memory.setup', () => {
  test('answers the workspace, the host session and the meta prompt, and is on record', async () => {
    verifies('LIB-01', 'LIB-13');
    const { agent, project } = await startServer();
    const answer = await agent.setup('4f04001af902673e92094a7c59d86abb');
    expect(answer).toEqual({
      workspaceId: project.workspace_id,
      sessionId: '4f04001af902673e92094a7c59d86abb',
      mpf: { hash: bareHash(DEFAULT_META_PROMPT), content: DEFAULT_META_PROMPT },
    });
    expect(answer.workspaceId).toMatch(/^ws-[0-9a-f]{32}$/);
    expect(eventData(agent, 'attest.setup')).toMatchObject([
      { workspace_id: project.workspace_id, mpf_hash: answer.mpf!.hash, mpf_changed: true },
    ]);
  });

  test('sends no content to who knows the hash, in either form', async () => {
    verifies('LIB-01');
    const { agent } = await startServer();
    const { hash } = (await agent.setup()).mpf!;
    for (const knownHash of [hash, `sha256:${hash}`]) {
      expect((await agent.setup('thread-1', { knownHash })).mpf).toEqual({ hash, changed: false });
    }
    expect((await agent.setup('thread-1', { knownHash: 'other' })).mpf).toHaveProperty('content');
    expect(eventTypes(agent)).toEqual(['attest.setup']);
  });

  test('gives the published meta prompt, and records again when it has changed', async () => {
    verifies('LIB-01');
    const { agent, publish } = await startServer();
    const { hash } = (await agent.setup()).mpf!;
    await publish({ 'META_PROMPT.md': '# Ours\n' });
    expect((await agent.setup('thread-1', { knownHash: hash })).mpf).toEqual({
      hash: bareHash('# Ours\n'),
      content: '# Ours\n',
    });
    expect(eventTypes(agent)).toEqual(['attest.setup', 'attest.setup']);
  });

  test.each([
    [{}, 'session_id is required'],
    [{ session_id: 5 }, 'expected string'],
    [{ session_id: '' }, 'must not be empty'],
    [{ session_id: '../session' }, "may only contain letters, numbers, '-' and '_'"],
    [{ session_id: 'session.json' }, "may only contain letters, numbers, '-' and '_'"],
    [{ session_id: 'x'.repeat(129) }, 'must be at most 128 bytes'],
  ])('refuses %j', async (input, message) => {
    verifies('LIB-02');
    const { agent } = await startServer();
    const before = agent.services.journal.head().seq;
    expect((await agent.refusal('memory.setup', input)).error).toContain(message);
    expect(agent.services.journal.head().seq).toBe(before);
  });

  test('names the session that a branch began on this connection', async () => {
    const { agent } = await startServer();
    const { session_id } = await agent.call<{ session_id: string }>('context_branch', {
      description: 'b',
      prompt: 'p',
      project_path: agent.connection.project,
    });
    await agent.setup('thread-7');
    const state = await agent.result('memory.discover', { session_id: 'thread-7' });
    expect(state._meta?.['infold/contextState']).toMatchObject({ session_id, branch_depth: 1 });
  });
});

describe('which session a call belongs to', () => {
  test.each(['memory.discover', 'memory.load', 'memory.refer', 'memory.submit', 'memory.reject', 'draft'])(
    '%s before setup says that setup is required',
    async (name) => {
      verifies('LIB-02');
      const { agent } = await startServer();
      const input = {
        'memory.load': { ids: ['p-1'], knownHashes: { 'p-1': '' } },
        'memory.refer': { refs: [{ ruleId: 'p-1', constraintId: 'A' }] },
        'memory.submit': { summary: 'done' },
        draft: { resource: 'rule', op: { discard: { id: 'x' } } },
      }[name];
      const refusal = await agent.refusal(name, input ?? {});
      expect(refusal).toMatchObject({ code: 'setup_required', retryable: true });
      expect(refusal.error).toContain('memory.setup with the exact host session_id is required');
    },
  );

  test('with several live ones the caller is asked for session_id', async () => {
    verifies('LIB-02');
    const { agent, services } = await startServer();
    await agent.setup('one');
    await agent.setup('two');
    const stranger = new Agent(services);
    const refusal = await stranger.refusal('memory.discover');
    expect(refusal).toMatchObject({
      code: 'session_required',
      sessions: expect.arrayContaining(['one', 'two']),
    });
    expect(await stranger.discover({ session_id: 'one' })).toHaveLength(3);
    expect(await stranger.refusal('memory.discover', { session_id: 'three' })).toMatchObject({
      code: 'setup_required',
    });
  });

  test('an only one is found without a connection, and ends after a day', async () => {
    const { agent, services, clock } = await startServer();
    await agent.setup();
    expect(await new Agent(services).discover()).toHaveLength(3);
    clock.advance(25 * HOUR);
    expect(await agent.refusal('memory.discover')).toMatchObject({ code: 'setup_required' });
  });

  test("nobody works in another principal's session or library", async () => {
    const { agent, services } = await startServer();
    await agent.setup('mine');
    const bob = new Agent(services, callerNamed('bob'));
    expect(await bob.refusal('memory.discover', { session_id: 'mine' })).toMatchObject({
      code: 'setup_required',
    });
    const elsewhere = new Agent(services, callerNamed('eve', { org: 'other' }));
    await elsewhere.setup();
    expect(await elsewhere.discover()).toEqual([]);
  });
});

describe('memory.discover', () => {
  test('shows what there is, with the fields of the protocol and no content', async () => {
    verifies('LIB-03');
    const { agent } = await startServer();
    await agent.setup();
    const items = await agent.discover();
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^p-[0-9a-f-]{36}$/),
        kind: 'rule',
        path: 'coding/STYLE.md',
        name: 'STYLE',
        group: 'coding',
        hash: contentHash(STYLE),
        description: 'How code looks',
      },
      {
        id: expect.stringMatching(/^ctx-[0-9a-f-]{36}$/),
        kind: 'context',
        path: 'context/SPEC.md',
        name: 'SPEC',
        group: 'context',
        hash: contentHash(SPEC),
      },
      {
        id: expect.stringMatching(/^p-/),
        kind: 'workflow',
        path: 'workflow/CODING.md',
        name: 'CODING',
        group: 'workflow',
        hash: contentHash(CODING),
      },
    ]);
  });

  test('filters by kind, by folder and by the group that front matter names', async () => {
    verifies('LIB-03');
    const { agent } = await startServer({
      'coding/A.md': '# A\n',
      'coding/deep/B.md': '# B\n',
      'docs/C.md': '---\ngroup: coding\n---\n# C\n',
      'workflow/D.md': '# D\n',
      'TOP.md': '# T\n',
    });
    await agent.setup();
    const paths = async (input: Record<string, unknown>) =>
      (await agent.discover(input)).map(({ path }) => path);
    expect(await paths({ group: 'coding' })).toEqual(['coding/A.md', 'coding/deep/B.md', 'docs/C.md']);
    expect(await paths({ group: 'coding/deep' })).toEqual(['coding/deep/B.md']);
    expect(await paths({ group: 'docs' })).toEqual(['docs/C.md']);
    expect(await paths({ kind: 'workflow' })).toEqual(['workflow/D.md']);
    expect(await paths({ kind: 'rule', group: 'workflow' })).toEqual([]);
    expect(await paths({ group: 'coding', query: 'b' })).toEqual(['coding/deep/B.md']);
    expect(await paths({ kind: 'workflow', query: 'd' })).toEqual(['workflow/D.md']);
    expect((await agent.discover({ query: 'top' }))[0]).not.toHaveProperty('group');
    expect((await agent.refusal('memory.discover', { kind: 'recipe' })).error).toContain('kind');
  });

  test('finds by words in path, name, description and headings, best first', async () => {
    verifies('LIB-03');
    const { agent } = await startServer({
      'coding/STYLE.md': '---\ndescription: Zig style rules\n---\n# Style\n',
      'coding/zig/ERRORS.md': '# Errors\n## Handling failures\n',
      'ZIG.md': '# About\n',
      'web/ReactHooks.md': '# Hooks\n```\n# secretword\n```\n',
    });
    await agent.setup();
    const names = async (query: string) => (await agent.discover({ query })).map(({ name }) => name);
    expect(await names('zig')).toEqual(['ZIG', 'STYLE', 'ERRORS']);
    expect(await names('zig style')).toEqual(['STYLE']);
    expect(await names('ZIG styl')).toEqual(['STYLE']);
    expect(await names('how to handle a failure')).toEqual(['ERRORS']);
    expect(await names('hooks')).toEqual(['ReactHooks']);
    expect(await names('secretword')).toEqual([]);
    for (const odd of ['"', 'a" OR "b', '*', 'NEAR(', '-x', ':', '(', '{path}', "'; DROP TABLE", '\u0000']) {
      await expect(agent.discover({ query: odd })).resolves.toBeDefined();
    }
    const nothing = await agent.result('memory.discover', { query: 'zig python' });
    expect(nothing.structuredContent).toEqual({ items: [] });
    expect(nothing._meta?.['infold/notices']).toEqual([expect.stringContaining('none has: python')]);
    expect(await names('  ')).toHaveLength(4);
  });

  test('shows so many and says that there are more; its evidence keeps the first names', async () => {
    verifies('LIB-13');
    const files = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [
        `r/Rule ${String(index).padStart(2, '0')}.md`,
        `# ${index}\n`,
      ]),
    );
    const { agent } = await startServer(files);
    await agent.setup();
    expect(await agent.discover()).toHaveLength(25);
    const { result_names, result_count } = eventData(agent, 'attest.discover')[0] as {
      result_names: string[];
      result_count: number;
    };
    expect(result_count).toBe(25);
    expect(result_names).toHaveLength(21);
    expect(result_names.at(-1)).toBe('... (+5 more)');
    expect(result_names).not.toContain('Rule 24');
    const limits = { ...agent.services.config.limits, discoverItems: 10 };
    const small = new Agent({ ...agent.services, config: { ...agent.services.config, limits } });
    for (const input of [{}, { query: 'rule' }]) {
      const result = await small.result('memory.discover', { session_id: 'thread-1', ...input });
      expect((result.structuredContent as { items: DiscoverItem[] }).items).toHaveLength(10);
      expect(result._meta?.['infold/notices']).toEqual([expect.stringContaining('first 10')]);
    }
  });
});

describe('memory.load', () => {
  test('gives content with its reminder, and constraints of rules and workflows', async () => {
    verifies('LIB-04', 'LIB-06');
    const { agent, project } = await startServer();
    await agent.setup();
    const id = await agent.idOf('workflow/CODING.md');
    const answer = await agent.call<{ workspaceId: string; items: LoadedItem[] }>('memory.load', {
      ids: [id],
      knownHashes: { [id]: '' },
    });
    expect(answer.workspaceId).toBe(project.workspace_id);
    const [item] = answer.items;
    expect({ ...item, content: '' }).toEqual({
      id,
      kind: 'workflow',
      path: 'workflow/CODING.md',
      changed: true,
      hash: contentHash(CODING),
      hasDraft: false,
      content: '',
      constraints: [
        {
          id: 'Steps/1',
          name: 'Steps',
          text: 'Load relevant rules.',
          textHash: bareHash('Load relevant rules.'),
        },
        { id: 'Steps/2', name: 'Steps', text: 'Run tests.', textHash: bareHash('Run tests.') },
      ],
    });
    expect(item!.content!.startsWith(CODING)).toBe(true);
    expect(item!.content!.slice(CODING.length)).toMatch(/memory\.refer.*Steps\/1, Steps\/2/s);
    const [context] = await agent.load(await agent.idOf('context/SPEC.md'));
    expect(context).toMatchObject({ content: SPEC, constraints: [] });
  });

  test('leaves content out for who has it; constraints still come', async () => {
    verifies('LIB-05');
    const { agent } = await startServer();
    await agent.setup();
    const ids = (await agent.discover()).map(({ id }) => id);
    const first = await agent.load(...ids);
    for (const form of [(hash: string) => hash, (hash: string) => hash.replace('sha256:', '')]) {
      const knownHashes = Object.fromEntries(first.map(({ id, hash }) => [id, form(hash)]));
      const { items } = await agent.call<{ items: LoadedItem[] }>('memory.load', { ids, knownHashes });
      expect(items.map(({ changed, content }) => [changed, content])).toEqual(ids.map(() => [false, null]));
      expect(items.map(({ constraints }) => constraints)).toEqual(
        first.map(({ constraints }) => constraints),
      );
    }
  });

  test.each([
    [{ ids: ['p-1'] }, 'knownHashes is required'],
    [{ knownHashes: {} }, 'ids is required'],
    [{ ids: [], knownHashes: {} }, 'one or more'],
    [{ ids: ['p-1', 'p-2'], knownHashes: { 'p-1': '' } }, 'missing: p-2'],
    [{ ids: 'p-1', knownHashes: {} }, 'expected array'],
    [{ ids: ['p-1'], knownHashes: { 'p-1': null } }, 'expected string'],
  ])('refuses %j', async (input, message) => {
    verifies('LIB-04');
    const { agent } = await startServer();
    await agent.setup();
    expect(await agent.refusal('memory.load', input)).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining(message),
    });
  });

  test('of an unknown id loads nothing', async () => {
    verifies('LIB-04');
    const { agent } = await startServer();
    await agent.setup();
    const id = await agent.idOf('coding/STYLE.md');
    for (const unknown of ['p-unknown', 'META_PROMPT.md', 'coding/STYLE.md', '__proto__']) {
      const knownHashes = Object.fromEntries([id, unknown].map((one) => [one, '']));
      const refusal = await agent.refusal('memory.load', { ids: [id, unknown], knownHashes });
      expect(['Unknown rule id', expect.stringContaining('missing: __proto__')]).toContainEqual(
        refusal.error,
      );
    }
    expect(eventTypes(agent)).not.toContain('attest.load');
  });

  test('takes an id twice as once and keeps the order', async () => {
    const { agent } = await startServer();
    await agent.setup();
    const [one, two] = (await agent.discover()).map(({ id }) => id);
    expect((await agent.load(two!, one!, two!)).map(({ id }) => id)).toEqual([two, one]);
  });
});

describe('memory.refer', () => {
  const started = async () => {
    const server = await startServer();
    await server.agent.setup();
    const rule = await server.agent.idOf('coding/STYLE.md');
    await server.agent.load(rule);
    return { ...server, rule, context: await server.agent.idOf('context/SPEC.md') };
  };

  test('records what was applied, with its evidence', async () => {
    verifies('LIB-07', 'LIB-13');
    const { agent, rule } = await started();
    const refs = [
      { ruleId: rule, constraintId: 'Naming/1', ruleHash: contentHash(STYLE), reason: 'renamed a variable' },
      { ruleId: rule, constraintId: 'Forbidden' },
    ];
    expect(await agent.call('memory.refer', { refs })).toEqual({ ok: true, count: 2 });
    expect(eventData(agent, 'attest.refer')[0]!.refs).toEqual([
      {
        rule_id: rule,
        path: 'coding/STYLE.md',
        rule_hash: contentHash(STYLE),
        claimed_hash: contentHash(STYLE),
        constraint_id: 'Naming/1',
        constraint_name: 'Naming',
        constraint_text: 'Use whole words',
        reason: 'renamed a variable',
        loaded: true,
        stale: false,
      },
      expect.objectContaining({
        constraint_id: 'Forbidden',
        claimed_hash: null,
        reason: null,
        loaded: true,
        stale: false,
      }),
    ]);
  });

  test('with a wrong constraint answers the valid ones, word for word', async () => {
    verifies('LIB-07');
    const { agent, publish } = await startServer({});
    await publish({
      'workflow/COMMIT.md': '# Commit\n\n## Steps\n\nInspect the diff and suggest a commit message.\n',
    });
    await agent.setup();
    const id = await agent.idOf('workflow/COMMIT.md');
    expect(await agent.refusal('memory.refer', { refs: [{ ruleId: id, constraintId: 'Step' }] })).toEqual({
      error: `memory.refer constraintId 'Step' is not valid for ruleId '${id}'; retry with one of: Steps`,
      code: 'unknown_constraint',
      retryable: true,
      retryAction: 'retry_with_valid_constraint',
      validConstraints: [
        { id: 'Steps', name: 'Steps', text: 'Inspect the diff and suggest a commit message.' },
      ],
    });
  });

  test('of an unknown rule, a context file or a deleted rule is refused', async () => {
    verifies('LIB-07');
    const { agent, context, rule, library, project } = await started();
    const refer = (ruleId: string) =>
      agent.refusal('memory.refer', { refs: [{ ruleId, constraintId: 'Naming/1' }] });
    const unknown = {
      code: 'unknown_rule_or_workflow',
      retryable: true,
      retryAction: 'rediscover_and_reload',
    };
    expect(await refer('p-unknown')).toMatchObject(unknown);
    expect(await refer('META_PROMPT.md')).toMatchObject(unknown);
    expect(await refer(context)).toMatchObject({
      code: 'invalid_target_kind',
      retryable: false,
      retryAction: 'use_rule_or_workflow_id',
    });
    await library.publishChanges(agent.caller, project, 'import', () => [
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
    expect(await refer(rule)).toMatchObject(unknown);
  });

  test('is all or nothing', async () => {
    verifies('LIB-07');
    const { agent, rule } = await started();
    for (const bad of [
      { ruleId: 'p-unknown', constraintId: 'x' },
      { ruleId: rule, constraintId: 'x' },
    ]) {
      await agent.refusal('memory.refer', { refs: [{ ruleId: rule, constraintId: 'Naming/1' }, bad] });
    }
    expect(eventTypes(agent)).not.toContain('attest.refer');
  });

  test.each([
    {},
    { refs: [] },
    { refs: [{ ruleId: 'p-1' }] },
    { refs: [{ constraintId: 'x' }] },
    { refs: 'x' },
    { refs: [{ ruleId: 'p', constraintId: '' }] },
  ])('refuses %j', async (input) => {
    const { agent } = await started();
    expect(await agent.refusal('memory.refer', input)).toMatchObject({ code: 'invalid_arguments' });
    expect(eventTypes(agent)).not.toContain('attest.refer');
  });

  test('without loading, or after a change, is accepted and told apart', async () => {
    verifies('LIB-07', 'LIB-13');
    const { agent, rule, publish } = await started();
    const workflow = await agent.idOf('workflow/CODING.md');
    const unloaded = await agent.result('memory.refer', {
      refs: [{ ruleId: workflow, constraintId: 'Steps/1' }],
    });
    expect(unloaded._meta?.['infold/notices']).toEqual([expect.stringContaining('has not loaded')]);
    await publish({ 'coding/STYLE.md': `${STYLE}\nMore.\n` });
    await agent.refer(rule, 'Naming/1');
    await agent.refer(rule, 'Naming/1', { ruleHash: contentHash(STYLE) });
    await agent.load(rule);
    await agent.refer(rule, 'Naming/1');
    const flags = eventData(agent, 'attest.refer').flatMap(({ refs }) =>
      (refs as { loaded: boolean; stale: boolean }[]).map(({ loaded, stale }) => [loaded, stale]),
    );
    expect(flags).toEqual([
      [false, false],
      [true, true],
      [true, true],
      [true, false],
    ]);
  });
});

describe('memory.submit and memory.reject', () => {
  test('close a turn and are on record', async () => {
    verifies('LIB-08', 'LIB-13');
    const { agent } = await startServer();
    await agent.setup();
    expect(await agent.call('memory.submit', { summary: 'All done' })).toEqual({ ok: true });
    expect(await agent.call('memory.reject', { reason: 'Did not follow Naming' })).toEqual({ ok: true });
    expect(await agent.call('memory.reject')).toEqual({ ok: true });
    expect(eventTypes(agent)).toEqual([
      'attest.setup',
      'attest.agent_report',
      'attest.reject',
      'attest.reject',
    ]);
    expect(eventData(agent, 'attest.reject').map(({ reason }) => reason)).toEqual([
      'Did not follow Naming',
      null,
    ]);
  });

  test.each([
    [{}, 'summary is required'],
    [{ summary: 5 }, 'expected string'],
    [{ summary: '' }, 'must not be empty'],
    [{ summary: ' \n' }, 'must not be empty'],
  ])('submit refuses %j', async (input, message) => {
    verifies('LIB-08');
    const { agent } = await startServer();
    await agent.setup();
    expect((await agent.refusal('memory.submit', input)).error).toContain(message);
    expect((await agent.refusal('memory.reject', { reason: 5 })).error).toContain('expected string');
    expect(eventTypes(agent)).toEqual(['attest.setup']);
  });

  test('a call whose evidence cannot be written fails', async () => {
    verifies('LIB-13');
    const { agent } = await startServer();
    await agent.setup();
    const id = await agent.idOf('coding/STYLE.md');
    const { journal } = agent.services;
    const commit = journal.commit.bind(journal);
    const broken = Object.create(journal, {
      commit: {
        value: (request: Parameters<typeof commit>[0]) =>
          commit({
            ...request,
            decide: (database, now) => {
              const decision = request.decide(database, now);
              if (decision.events.some(({ type }) => type.startsWith('attest.')))
                throw new Error('disk full');
              return decision;
            },
          }),
      },
      database: { get: () => journal.database },
      head: { value: () => journal.head() },
    });
    const agentOfBroken = new Agent({ ...agent.services, journal: broken }, agent.caller, agent.connection);
    for (const [name, input] of Object.entries({
      'memory.discover': {},
      'memory.load': { ids: [id], knownHashes: { [id]: '' } },
      'memory.refer': { refs: [{ ruleId: id, constraintId: 'Naming/1' }] },
      'memory.submit': { summary: 'x' },
      'memory.reject': {},
    })) {
      const refusal = await agentOfBroken.refusal(name, input);
      expect(refusal, name).toMatchObject({ code: 'internal', retryable: true });
      expect(refusal).not.toHaveProperty('items');
    }
  });
});

describe('the tool list', () => {
  test('has these tools, and none of the older names', async () => {
    verifies('LIB-14');
    const { services } = await startServer();
    const library = services.registry.tools.filter(({ door }) => door === 'library').map(({ name }) => name);
    expect(library).toEqual([
      'memory.setup',
      'memory.discover',
      'memory.load',
      'memory.refer',
      'memory.submit',
      'memory.reject',
      'draft',
    ]);
    for (const old of [
      'memory.begin',
      'memory.complete',
      'memory.startup',
      'memory.list',
      'memory.activate',
    ]) {
      expect(services.registry.find(old)).toBeUndefined();
    }
    expect(await new Agent(services, undefined, new Connection()).refusal('memory.begin')).toMatchObject({
      error: 'Unknown tool',
    });
  });

  test('costs an agent at most 1,300 tokens', async () => {
    const { services } = await startServer();
    const names = new Set(
      services.registry.tools.filter(({ door }) => door === 'library').map(({ name }) => name),
    );
    const shown = services.registry
      .list('seed')
      .filter(({ name }) => names.has(name))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(shown).toHaveLength(7);
    expect(countTokens(JSON.stringify(shown))).toBeLessThanOrEqual(1300);
  });

  test("shows each draft operation's fields", async () => {
    verifies('LIB-09');
    const { services } = await startServer();
    const draft = services.registry.list('seed').find(({ name }) => name === 'draft')!;
    const { op } = draft.inputSchema.properties as {
      op: {
        properties: Record<string, { required: string[] }>;
        minProperties: number;
        maxProperties: number;
      };
    };
    expect(
      Object.fromEntries(Object.entries(op.properties).map(([name, { required }]) => [name, required])),
    ).toEqual({
      create: ['path', 'body'],
      update: ['id', 'body'],
      rename: ['id', 'new_path'],
      delete: ['id'],
      discard: ['id'],
    });
    expect([op.minProperties, op.maxProperties]).toEqual([1, 1]);
  });
});

test('secrets do not reach the journal', async () => {
  const { agent } = await startServer();
  await agent.setup();
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  const body = `# Access\n\n## Use\n\n- token ${secret}\n`;
  const result = await agent.result('draft', { resource: 'rule', op: { create: { path: 'a/B.md', body } } });
  expect(result._meta?.['infold/notices']).toEqual([expect.stringContaining('replaced by placeholders')]);
  const [item] = await agent.load('a/B.md');
  expect(item!.content).toContain('[REDACTED:');
  expect(idsOf(item!.constraints)).toEqual(['Use/1']);
  expect(JSON.stringify(agent.services.journal.entriesAfter(0, 1000))).not.toContain(secret);
});
