import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { startServer, words } from '../fixture.suite.ts';

describe('context_rollback', () => {
  test('discards what came after, and makes the target active', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.spend(5000, 'main');
    const first = await agent.branch('first', words(3000));
    const second = await agent.branch('second', words(10000));
    const third = await agent.branch('third', words(5000));
    expect(await agent.rollback(first.branch_id, true)).toEqual({
      rolled_back_to: first.branch_id,
      branches_discarded: [second.branch_id, third.branch_id],
      tokens_recovered: 15000,
      context_state: {
        active_branch_id: first.branch_id,
        branch_depth: 1,
        total_tokens: 8000,
        collapsible: 0,
      },
    });
    expect(JSON.stringify(await agent.call('context_expand', { handle: third.branch_id }))).toContain(
      'third',
    );
  });

  test('with restore_state also discards what the target did since', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    const target = await agent.branch('target', words(10));
    await agent.spend(100);
    await agent.branch('later', words(20));
    await agent.fold(words(5));
    await agent.spend(200);
    expect((await agent.rollback(target.branch_id, false)).tokens_recovered).toBe(5);
    await agent.branch('later again', words(20));
    await agent.fold(words(5));
    await agent.spend(300);
    const answer = await agent.rollback(target.branch_id, true);
    expect(answer.tokens_recovered).toBe(305);
    expect(answer.context_state.total_tokens).toBe(310);
  });

  test('to a folded branch reopens it and takes its summary back', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.spend(100, 'main');
    const outer = await agent.branch('outer', words(50));
    const inner = await agent.branch('inner', words(30));
    await agent.fold(words(4));
    await agent.fold(words(7));
    expect((await agent.status()).token_breakdown).toMatchObject({
      main_thread: 107,
      total: 107,
      folded_total: 84,
    });
    const answer = await agent.rollback(inner.branch_id);
    expect(answer).toMatchObject({
      branches_discarded: [],
      tokens_recovered: 0,
      context_state: {
        active_branch_id: inner.branch_id,
        branch_depth: 2,
        total_tokens: 180,
        collapsible: 0,
      },
    });
    expect((await agent.status()).token_breakdown).toEqual({
      main_thread: 100,
      [outer.branch_id]: 50,
      [inner.branch_id]: 30,
      total: 180,
      folded_total: 0,
    });
  });

  test('to main discards every branch', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.spend(100, 'main');
    await agent.branch('a', words(50));
    await agent.fold(words(5));
    await agent.branch('b', words(20));
    const answer = await agent.rollback('main');
    expect(answer).toMatchObject({ rolled_back_to: 'main', tokens_recovered: 25 });
    expect(answer.context_state).toEqual({
      active_branch_id: null,
      branch_depth: 0,
      total_tokens: 100,
      collapsible: 0,
    });
  });
});
