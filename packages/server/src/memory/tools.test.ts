import { CONTEXT_FACETS, CONTEXT_INTENTS, contextOutput } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { countTokens } from '../kernel/tokens/count.ts';
import { idsOf, itemsOf, startMemory } from './fixture.suite.ts';

const KINDS = {
  active_work: 'task',
  artifacts: 'artifact',
  constraints: 'rule',
  decisions: 'decision',
  domain: 'domain',
  gotchas: 'error_pattern',
  ideation: 'idea',
  planning: 'plan',
  procedures: 'procedure',
  recent_memory: 'note',
  verification: 'test',
} as const;

describe('context', () => {
  test('answers with the fields of the protocol and no others', async () => {
    verifies('PACK-02');
    const { agent } = await startMemory();
    const { id } = await agent.remember('We rotate refresh tokens on every use.', {
      title: 'Refresh rotation',
      kind: 'decision',
      source: 'adr/7',
      url: 'https://example.com/adr/7',
      valid_at: '2026-01-01',
      metadata: { status: 'accepted' },
    });
    const pack = await agent.context('  Add refresh-token\n rotation ', { domain: undefined });
    expect(contextOutput.strict().parse(pack)).toEqual(pack);
    expect(pack).toMatchObject({
      goal: '  Add refresh-token\n rotation ',
      intent: 'build',
      layer: 'recall',
      query: 'Add refresh-token rotation',
      domain: null,
      project: null,
      total_items: 1,
    });
    const [item] = itemsOf(pack);
    expect(item).toEqual({
      id,
      type: 'decision',
      name: 'Refresh rotation',
      content: 'We rotate refresh tokens on every use.',
      score: expect.any(Number),
      facet: 'decisions',
      reason: expect.stringContaining('refresh'),
      source: 'adr/7',
      quality: {
        origin: 'remember',
        source: 'adr/7',
        url: 'https://example.com/adr/7',
        created_at: expect.stringMatching(/^2026-01-05T/),
        updated_at: expect.stringMatching(/^2026-01-05T/),
        valid_at: '2026-01-01T00:00:00.000Z',
        project_id: null,
      },
      metadata: { status: 'accepted', scope: 'private' },
      related: [],
    });
    expect(pack.markdown).toContain('Refresh rotation');
    expect(pack.usage_hint).toMatch(/remember/);
  });

  test('clamps the limit and refuses what is not one', async () => {
    verifies('PACK-01');
    const { agent } = await startMemory();
    await agent.import(
      Array.from({ length: 60 }, (_, index) => ({ content: `release note number ${index}` })),
    );
    for (const [limit, expected] of [
      [0, 1],
      [-5, 1],
      [500, 50],
      [7, 7],
      [2.4, 2],
    ] as const) {
      expect((await agent.context('release note', { limit })).total_items, `limit ${limit}`).toBe(expected);
    }
    expect((await agent.context('release note')).total_items).toBe(24);
    expect((await agent.refusal('context', { goal: 'x', limit: 'ten' })).error).toContain('limit');
  });

  test.each([
    [{ goal: '   ' }, 'goal is required'],
    [{}, 'goal is required'],
    [{ goal: 'x'.repeat(100_000) }, 'longer than'],
    [{ goal: 'x', intent: 'review' }, 'intent'],
    [{ goal: 'x', layer: 'deep' }, 'layer'],
    [{ goal: 'x', token_budget: 0 }, 'token_budget'],
  ])('refuses %j', async (input, expected) => {
    verifies('PACK-01');
    const { agent } = await startMemory();
    expect(await agent.refusal('context', input)).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining(expected),
    });
  });

  test('has all eleven facets, and orders them by intent', async () => {
    verifies('PACK-03');
    const { agent } = await startMemory();
    for (const kind of Object.values(KINDS)) await agent.remember(`The billing export: ${kind}`, { kind });
    const facets = async (intent: string) =>
      (await agent.context('billing export', { intent })).sections.map(({ facet }) => facet);
    expect([...(await facets('general'))].sort()).toEqual([...CONTEXT_FACETS]);
    expect((await facets('build')).slice(0, 7)).toEqual([
      'active_work',
      'decisions',
      'constraints',
      'procedures',
      'gotchas',
      'artifacts',
      'recent_memory',
    ]);
    expect((await facets('debug'))[0]).toBe('gotchas');
    expect((await facets('plan'))[0]).toBe('planning');
    for (const intent of CONTEXT_INTENTS) expect(await facets(intent)).toHaveLength(11);
  });

  test('keeps wake within its tokens, and deep_search shows the most', async () => {
    verifies('PACK-03');
    const { agent } = await startMemory();
    const content = 'The crawler import adapter splits a feed into pages and retries each of them. '.repeat(
      8,
    );
    await agent.import(Array.from({ length: 60 }, (_, index) => ({ content: `${content} Part ${index}.` })));
    const wake = await agent.context('crawler import adapter', { layer: 'wake', limit: 50 });
    const recall = await agent.context('crawler import adapter', { limit: 50 });
    expect(countTokens(wake.markdown)).toBeLessThanOrEqual(1500);
    expect(wake.total_items).toBeGreaterThan(1);
    expect(wake.total_items).toBeLessThan(recall.total_items);
    expect(recall.total_items).toBe(50);
    expect(
      (await agent.context('crawler import adapter', { layer: 'deep_search', limit: 50 })).total_items,
    ).toBe(50);
  });

  test('has no item twice, and scores order items across sections', async () => {
    verifies('PACK-04');
    const { agent } = await startMemory();
    await agent.remember('Use Postgres for billing.', { kind: 'decision' });
    await agent.remember('Billing runs on Postgres since May.', { kind: 'note' });
    await agent.remember('The canteen has soup.', { kind: 'note' });
    const pack = await agent.context('which database for billing, Postgres?');
    expect(new Set(idsOf(pack)).size).toBe(pack.total_items);
    expect(itemsOf(pack).every(({ score, reason }) => score > 0 && reason !== '')).toBe(true);
    expect(pack.markdown).not.toContain('soup');
  });

  test('puts tasks that are worked on first, and finished ones into history', async () => {
    verifies('PACK-03');
    const { agent } = await startMemory();
    const project = await agent.project('shop');
    const task = (title: string, status: string) =>
      agent.remember(`${title} of the shop`, { kind: 'task', title, project, metadata: { status } });
    const doing = await task('Cart totals', 'In Progress');
    const done = await task('Search box', 'done');
    const archived = await task('Search page', 'archived');
    const pack = await agent.context('continue with the search of the shop', { project });
    expect(pack.sections[0]).toMatchObject({ facet: 'active_work', items: [{ id: doing.id }] });
    expect(pack.sections[0]!.items[0]!.reason).toContain('in progress');
    expect(itemsOf(pack).find(({ id }) => id === done.id)?.facet).toBe('recent_memory');
    expect(idsOf(pack)).not.toContain(archived.id);
    // Who asks for something else is not shown what is worked on.
    const other = await agent.context('who paints the fence', { project });
    expect(idsOf(other)).not.toContain(doing.id);
  });

  test('finds exact names first', async () => {
    verifies('PACK-11');
    const { agent } = await startMemory();
    await agent.import(
      Array.from({ length: 40 }, (_, index) => ({
        content: `The connection reset error came up again in the proxy, wait ${index} seconds and search the log`,
      })),
    );
    const names = ['ERR_CONN_RESET_0x7f31', 'proxy.ts', '--wait-searchable'];
    for (const name of names)
      await agent.remember(`Seen once: ${name}, nothing else to say.`, { source: name });
    for (const name of names) {
      const pack = await agent.context(`connection reset error in the proxy ${name}`);
      const best = itemsOf(pack).sort((one, other) => other.score - one.score)[0]!;
      expect(best.source).toBe(name);
      expect(best.reason).toContain(name);
    }
  });

  test('never exceeds a token budget, and says what it left out', async () => {
    verifies('PACK-13');
    const { agent } = await startMemory();
    await agent.import(
      Array.from({ length: 30 }, (_, index) => ({
        title: `Invoice rule ${index}`,
        kind: index % 2 === 0 ? 'rule' : 'decision',
        content: `Invoices of kind ${index} are rounded to cents. ${'More words about rounding. '.repeat(index)}`,
      })),
    );
    let previous = 0;
    for (const token_budget of [1, 20, 30, 60, 100, 200, 500, 1000, 8000]) {
      const result = await agent.result('context', {
        goal: 'invoice rounding rules',
        token_budget,
        limit: 30,
      });
      const pack = result.structuredContent as { total_items: number; notices?: string[] };
      expect(countTokens(result.content[0].text), `budget ${token_budget}`).toBeLessThanOrEqual(token_budget);
      expect(pack.total_items).toBeGreaterThanOrEqual(previous);
      previous = pack.total_items;
      if (pack.total_items < 30) {
        expect(pack.notices!.join()).toContain(`left out ${30 - pack.total_items} items`);
      }
    }
    expect(previous).toBe(30);
    expect(
      (await agent.context('invoice rounding rules', { token_budget: 100 })).total_items,
    ).toBeGreaterThan(0);
  });

  test('is audited without the text of the goal, and so is a refusal', async () => {
    verifies('PACK-09');
    const { agent, services } = await startMemory();
    const { id } = await agent.remember('Zebras are striped.');
    const project = await agent.project('secret-plans');
    await agent.context('why are zebras striped');
    const mallory = agent.as('mallory', { projects: ['proj_other'], scopes: ['read', 'write'] });
    expect(await mallory.refusal('context', { goal: 'zebras of others', project })).toMatchObject({
      error: `Project access denied: ${project}`,
      code: 'project_denied',
    });
    await services.denials.close();
    const events = services.journal.entriesAfter(0, 100).flatMap((entry) => entry.events);
    expect(events.find(({ type }) => type === 'pack.compiled')?.data).toMatchObject({
      tool: 'context',
      intent: 'build',
      goal_length: 'why are zebras striped'.length,
      result_count: 1,
      ids: [id],
    });
    expect(events.find(({ type }) => type === 'access.denied')?.data).toMatchObject({
      principal: 'mallory',
      resource: 'context',
      code: 'project_denied',
    });
    // The call itself is in the archive of its own session, as every call is.
    const audits = events.filter(({ type }) => type !== 'operation.completed');
    expect(JSON.stringify(audits)).not.toContain('why are zebras');
    expect(JSON.stringify(events)).not.toContain('zebras of others');
  });

  test('is audited without secrets in the names that the caller chose', async () => {
    const { agent, services } = await startMemory();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await agent.context('zebras', { domain: secret });
    await expect(agent.context('zebras', { agent_id: secret })).rejects.toThrow('agent_id contains a secret');
    const events = services.journal.entriesAfter(0, 100).flatMap((entry) => entry.events);
    expect(events.filter(({ type }) => type === 'pack.compiled')).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(secret);
  });
});
