import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { PROJECT, startServer, words } from './fixture.suite.ts';

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

  test('one report for a branch that is not open refuses the whole batch', async () => {
    const { agent } = await startServer();
    const { branch_id } = await agent.branch();
    await agent.fold('');
    const good = { tool: 'Read', tokens: 10, branch_id: 'main' };
    for (const bad of [branch_id, 'br_unknown']) {
      await expect(agent.report([good, { ...good, branch_id: bad }])).rejects.toThrow(/branch/i);
    }
    expect((await agent.status()).token_breakdown.total).toBe(0);
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
