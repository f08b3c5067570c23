import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import { type Agent, PROJECT, startServer, words } from './fixture.suite.ts';

describe('metering', () => {
  test('every call of another door in a session is an operation; those of this door cost nothing', async () => {
    verifies('FOLD-14');
    const { agent, services } = await startServer();
    const { branch_id } = await agent.branch('b', words(10));
    await agent.status();
    await agent.call('context_list_branches');
    expect((await agent.status()).token_breakdown.total).toBe(10);
    await agent.call('infold_status', { project: PROJECT });
    expect((await agent.status()).token_breakdown[branch_id]).toBeGreaterThan(100);
    const types = services.journal
      .entriesAfter(0, 100)
      .flatMap((entry) => entry.events.map(({ type }) => type));
    expect(types).toEqual(['project.added', 'session.started', 'branch.created', 'operation.completed']);
  });

  test('a long call is counted after its answer, in the branch in which it was made', async () => {
    verifies('FOLD-14');
    const { agent } = await startServer();
    await agent.branch('outer', words(10));
    const inner = await agent.branch('inner', words(10));
    await agent.call('remember', { content: 'one two three four five '.repeat(4000), project: PROJECT });
    const { summary } = await agent.fold('done');
    expect(summary).toMatchObject({ operations_count: 1 });
    expect(summary.tokens_folded).toBeGreaterThan(20_000);
    expect((await agent.status()).token_breakdown.total).toBeLessThan(100);
    await agent.branch('another', words(10));
    await agent.call('remember', { content: 'six seven eight nine ten '.repeat(4000), project: PROJECT });
    const { tokens_recovered } = await agent.rollback(inner.branch_id);
    expect(tokens_recovered).toBeGreaterThan(20_000);
  });

  test('a call id counts once, within a report and between reports', async () => {
    const { agent } = await startServer();
    const once = { tool: 'Read', call_id: 'c1', tokens: 10 };
    const answer = await agent.report([once, once]);
    expect(Object.keys(answer)).toEqual(['accepted', 'duplicates', 'context_state']);
    expect(answer).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await agent.report([once, { ...once, call_id: 'c2' }])).toMatchObject({
      accepted: 1,
      duplicates: 1,
      context_state: { main_thread_tokens: 20 },
    });
  });

  test('others come in between the operations of a report, which is taken as a whole nevertheless', async () => {
    const { agent, services } = await startServer();
    await agent.report([{ tool: 'Read', tokens: 1 }]);
    const { journal } = services;
    const session = sessionById(journal.database, (await agent.status()).session_id!)!;
    const before = journal.head().seq;
    const seen: number[] = [];
    const operations = Array.from({ length: 20 }, () => ({ tool: 'Read', output: words(10) }));
    const giveWay = () => void seen.push(journal.head().seq);
    await services.meter.report(agent.caller, session, operations, [], giveWay);
    expect(seen).toEqual(Array.from({ length: 21 }, () => before));
    expect(journal.head().seq).toBe(before + 1);
  });

  test('one report for a branch that is not open refuses the whole batch', async () => {
    const { agent } = await startServer();
    const { branch_id } = await agent.branch();
    await agent.fold(words(1));
    const good = { tool: 'Read', tokens: 10, branch_id: 'main' };
    for (const bad of [branch_id, 'br_unknown']) {
      await expect(agent.report([good, { ...good, branch_id: bad }])).rejects.toThrow(/branch/i);
    }
    expect((await agent.status()).token_breakdown.total).toBe(1);
  });

  test('a budget is announced at 80% and enforced when it is passed', async () => {
    const { agent } = await startServer();
    const { branch_id } = await agent.branch('b', words(10), { budget: 1000 });
    const notices = async () => {
      const outcome = await agent.outcome('infold_status', { project: PROJECT });
      return (outcome as { _meta: Record<string, unknown> })._meta['infold/notices'];
    };
    expect(await notices()).toBeUndefined();
    await agent.spend(450);
    expect(await notices()).toEqual([expect.stringContaining(`Branch ${branch_id} has used`)]);
    await agent.spend(1000);
    for (const tool of ['infold_status', 'context_branch']) {
      expect(await agent.refusal(tool, { project: PROJECT, description: 'd', prompt: 'p' })).toMatchObject({
        code: 'budget_exceeded',
        budget: 1000,
      });
    }
    await agent.fold('folding is always allowed');
    expect((await agent.call('infold_status', { project: PROJECT })).version).toBeDefined();
  });
});

describe('what a client collapsed', () => {
  /** A marked result of this server, of so many tokens, in the active branch. */
  async function fetched(agent: Agent, handle: string, tokens: number) {
    const { meter, journal } = agent.services;
    const session = sessionById(journal.database, (await agent.status()).session_id!)!;
    const call = { caller: agent.caller, session, tool: 'search_records', input: '' };
    await meter.record({ ...call, text: words(tokens), mark: { handle, summary: 'one two' } });
    return (consumes: string[]) => meter.record({ ...call, tool: 'store', text: '', consumes });
  }

  test('can be collapsed once it was consumed, and leaves the totals when it is', async () => {
    verifies('FOLD-09');
    const { agent } = await startServer();
    const { branch_id } = await agent.branch('b', words(10));
    const consume = await fetched(agent, 'rs_1', 500);
    expect((await agent.status()).collapsible).toBe(0);
    await consume(['rs_1']);
    await consume(['rs_1']);
    const { collapsible, token_breakdown } = await agent.status();
    expect(token_breakdown[branch_id]).toBe(510);
    expect(collapsible).toBeGreaterThan(470);
    expect(collapsible).toBeLessThan(500);
    const report = { handle: 'rs_1', summary: words(20) };
    expect(await agent.report([], undefined, [report])).toMatchObject({
      accepted: 0,
      collapsed: { accepted: 1, duplicates: 0, ignored: 0 },
      context_state: { total_tokens: 30, current_branch_tokens: 30, collapsible: 0 },
    });
    expect(await agent.report([], undefined, [report])).toMatchObject({
      collapsed: { accepted: 0, duplicates: 1, ignored: 0 },
      context_state: { total_tokens: 30 },
    });
    expect((await agent.fold(words(5))).summary).toMatchObject({ tokens_folded: 30, tokens_saved: 25 });
  });

  test('is known by its call id where another tool was reported, in the same report too', async () => {
    const { agent } = await startServer();
    const read = { tool: 'Read', call_id: 'c1', input: words(3), output: words(100) };
    const total = { tool: 'Grep', call_id: 'c2', tokens: 80 };
    const collapsed = [
      { call_id: 'c1', tokens: 999, summary: words(4) },
      { call_id: 'c2', tokens: 70, summary_tokens: 6 },
      { call_id: 'c3', summary: 'nobody counted it' },
    ];
    expect(await agent.report([read, total], undefined, collapsed)).toMatchObject({
      accepted: 2,
      collapsed: { accepted: 2, duplicates: 0, ignored: 1 },
      // What this server counted itself it knows better than a client; of a total it takes the client's word.
      context_state: { main_thread_tokens: 3 + 4 + 10 + 6 },
    });
  });

  test('goes with what a rollback discards, and stays in what it reopens', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    const outer = await agent.branch('outer', words(10));
    await (await fetched(agent, 'rs_1', 200))(['rs_1']);
    const before = (await agent.status()).collapsible;
    await agent.branch('inner', words(10));
    await agent.fold('done');
    await (await fetched(agent, 'rs_2', 300))(['rs_2']);
    await agent.fold('outer is done');
    expect((await agent.status()).collapsible).toBe(0);
    // Late: the branch was folded before its reporter got through.
    await agent.report([], undefined, [{ handle: 'rs_1', summary_tokens: 50 }]);
    await agent.rollback(outer.branch_id);
    const reopened = await agent.status();
    expect(reopened.token_breakdown).toMatchObject({ [outer.branch_id]: 10 + 50 + 300, folded_total: 0 });
    expect(reopened.collapsible).toBeGreaterThan(before);
    await agent.branch('again', words(10));
    await agent.fold('done again');
    await (await fetched(agent, 'rs_3', 400))(['rs_3']);
    const { context_state } = await agent.rollback(outer.branch_id, true);
    expect(context_state).toMatchObject({ total_tokens: 360, collapsible: reopened.collapsible });
    expect(await agent.report([], undefined, [{ handle: 'rs_3', summary_tokens: 5 }])).toMatchObject({
      collapsed: { accepted: 0, ignored: 1 },
      context_state: { total_tokens: 360 },
    });
  });

  test('keeps its summary without secrets in it', async () => {
    verifies('KERN-12');
    const { agent, services } = await startServer();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await agent.report([{ tool: 'Read', call_id: 'c1', output: words(100) }], undefined, [
      { call_id: 'c1', summary: `the token is ${secret}` },
    ]);
    const written = JSON.stringify(services.journal.entriesAfter(0, 100));
    expect(written).toContain('operation.collapsed');
    expect(written).not.toContain(secret);
  });

  test('is told when the hard limit is passed: what folding and what collapsing would free', async () => {
    verifies('FOLD-08');
    const { agent } = await startServer({ hardLimit: true, contextLimit: 1000 });
    await agent.branch('b', words(10));
    await (await fetched(agent, 'rs_1', 800))(['rs_1']);
    await agent.spend(300);
    const { collapsible } = await agent.status();
    const { message, data } = await agent.rpcError('context_branch', { description: 'd', prompt: 'p' });
    expect(data).toMatchObject({ current_tokens: 1111, foldable: 1110, collapsible });
    expect(message).toContain('would free up to 1110 tokens');
    expect(message).toContain(`collapsing what was consumed ${collapsible} tokens`);
  });
});
