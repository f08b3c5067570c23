import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { countTokens } from '../kernel/tokens/count.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { contentHash } from './files/hashes.ts';
import { Agent, eventData, eventTypes, idsOf, STYLE, startServer } from './fixture.suite.ts';

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
    [{ summary: 5 }, 'must be a string; it was 5'],
    [{ summary: '' }, 'must not be empty'],
    [{ summary: ' \n' }, 'must not be empty'],
  ])('submit refuses %j', async (input, message) => {
    verifies('LIB-08');
    const { agent } = await startServer();
    await agent.setup();
    expect((await agent.refusal('memory.submit', input)).error).toContain(message);
    expect((await agent.refusal('memory.reject', { reason: 5 })).error).toContain(
      'must be a string; it was 5',
    );
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
    const library = services.registry.tools
      .filter(({ action }) => action.door === 'library')
      .map(({ name }) => name);
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
      services.registry.tools.filter(({ action }) => action.door === 'library').map(({ name }) => name),
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
      submit: ['id'],
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
  expect(idsOf(item!.constraints)).toEqual(['Use', 'Use/1']);
  expect(JSON.stringify(agent.services.journal.entriesAfter(0, 1000))).not.toContain(secret);
});
