import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { words } from '../../fold/fixture.suite.ts';
import { HOUR } from '../../testing/fixtures.suite.ts';
import { startHost } from '../host.suite.ts';

describe('subagents', () => {
  test('at work side by side have a branch each, beside the active one', async () => {
    verifies('HOST-05');
    const { host, agent } = await startHost();
    const { branch_id } = await agent.branch('mine', words(10));
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Explore', task: words(20) });
    await host.tell({ kind: 'subagent-start', agent: 'a2', type: 'Plan' });
    await host.tool({ callId: 'c1', input: words(100) }, { agent: 'a1' });
    await host.tool({ callId: 'c2', input: words(200) }, { agent: 'a2' });
    await host.tool({ callId: 'c3', input: words(5) });
    const status = await agent.status();
    expect(status).toMatchObject({ active_branch_id: branch_id, branch_depth: 1 });
    expect(status.token_breakdown).toMatchObject({ total: 15, [branch_id]: 15 });
    expect(host.branches()).toMatchObject([
      { description: 'mine', agent: null },
      {
        description: `Subagent Explore: ${words(20)}`,
        agent: 'a1',
        parent_id: branch_id,
        depth: 2,
        tokens: 120,
      },
      { description: 'Subagent Plan', agent: 'a2', parent_id: branch_id, tokens: 200 },
    ]);
    await host.tell({ kind: 'subagent-stop', agent: 'a2', type: 'Plan', lastMessage: words(30) });
    expect(host.branch('Subagent Plan')).toMatchObject({
      status: 'folded',
      summary: words(30),
      tokens_folded: 200,
    });
    expect((await agent.status()).token_breakdown).toMatchObject({ total: 45, folded_total: 200 });
  });

  test('one whose start tells no task is given that of the call that started it', async () => {
    const { host } = await startHost();
    for (const agent of ['a1', 'a2']) {
      const input = { description: `Find ${agent}`, prompt: words(12), subagent_type: 'Explore' };
      const output = JSON.stringify({ status: 'async_launched', agentId: agent });
      await host.tool({ tool: 'Agent', callId: agent, input, output });
    }
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Explore' });
    expect(host.branch('Subagent Explore: Find a1')).toMatchObject({ agent: 'a1', tokens: 12 });
  });

  test('what one came to counts once, though its tool answers with it too', async () => {
    verifies('HOST-05');
    const { host, agent } = await startHost();
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Explore' });
    const lastMessage = `The port is 4711.${words(50)}`;
    await host.tell({ kind: 'subagent-stop', agent: 'a1', lastMessage });
    const { total } = (await agent.status()).token_breakdown;
    expect(total).toBeGreaterThan(50);
    await host.tool({ tool: 'Agent', callId: 'c1', input: words(10), output: lastMessage });
    expect((await agent.status()).token_breakdown.total).toBe(total! + 10);
    // Another one's few words stand in many texts.
    await host.tell({ kind: 'subagent-stop', agent: 'a2', type: 'Plan', lastMessage: 'one' });
    await host.tool({ callId: 'c2', output: words(60) });
    expect((await agent.status()).token_breakdown.total).toBe(total! + 10 + 1 + 60);
  });

  test('one that another one started is below it, and goes with it', async () => {
    const { host } = await startHost();
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'outer' });
    await host.tell({ kind: 'subagent-start', agent: 'a2', type: 'inner' }, { agent: 'a1' });
    await host.tell({ kind: 'subagent-start', agent: 'a3', type: 'other' }, { agent: 'a3' });
    await host.tool({ input: words(10) }, { agent: 'a1' });
    await host.tool({ input: words(20) }, { agent: 'a2' });
    expect(host.branch('Subagent inner')).toMatchObject({
      parent_id: host.branch('Subagent outer').id,
      depth: 2,
    });
    await host.tell({ kind: 'subagent-stop', agent: 'a1', lastMessage: 'done' });
    const outer = host.branch('Subagent outer');
    expect(outer).toMatchObject({ status: 'folded', tokens: 10, tokens_folded: 30 });
    expect(host.branch('Subagent inner')).toMatchObject({
      status: 'folded',
      summary: '',
      folded_by: outer.id,
    });
    expect(host.branch('Subagent other')).toMatchObject({ status: 'active', parent_id: null });
  });

  test('one that nobody saw start begins with its first call, or with what it said last', async () => {
    const { host } = await startHost();
    await host.tool({ input: words(10) }, { agent: 'a1' });
    await host.tell({ kind: 'subagent-stop', agent: 'a1', lastMessage: 'found it' });
    await host.tell({ kind: 'subagent-stop', agent: 'a2', type: 'Plan', lastMessage: 'a plan' });
    // Hosts have nameless helpers of their own.
    await host.tell({ kind: 'subagent-stop', agent: 'a3', lastMessage: 'what to ask next' });
    expect(host.branches()).toMatchObject([
      { agent: 'a1', status: 'folded', tokens: 10, summary: 'found it' },
      { agent: 'a2', status: 'folded', tokens: 0, summary: 'a plan' },
    ]);
  });

  test('a stop that is told twice folds once; what it does afterwards still counts with it', async () => {
    const { host, agent, clock } = await startHost();
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    for (const lastMessage of ['first', 'second']) {
      await host.tell({ kind: 'subagent-stop', agent: 'a1', type: 'Plan', lastMessage });
    }
    await host.tool({ input: words(40) }, { agent: 'a1' });
    expect(host.branches()).toMatchObject([{ summary: 'first', tokens: 40, tokens_folded: 40 }]);
    expect((await agent.status()).token_breakdown).toMatchObject({ total: 1, folded_total: 40 });
    // The same report once more, and one of later.
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    expect(host.branches()).toHaveLength(1);
    clock.advance(1000);
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    expect(host.branches()).toHaveLength(2);
  });

  test('one that never stops is folded when its session ends; the session’s own branches stay open', async () => {
    verifies('HOST-05');
    const { host, agent } = await startHost();
    const { branch_id } = await agent.branch('mine', words(10));
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    await host.tell({ kind: 'subagent-start', agent: 'a2', type: 'inner' }, { agent: 'a1' });
    await host.tell({ kind: 'session-end' });
    expect(host.branches().map(({ status }) => status)).toEqual(['active', 'folded', 'folded']);
    expect((await agent.status()).active_branch_id).toBe(branch_id);
    await host.tell({ kind: 'session-end' });
    expect(host.branches()).toHaveLength(3);
  });

  test('one whose session has expired leaves what it came to, and stays expired', async () => {
    const { host, clock, agent } = await startHost();
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    const { id } = host.branch('Subagent Plan');
    clock.advance(25 * HOUR);
    await host.tell({ kind: 'subagent-stop', agent: 'a1', lastMessage: 'PORT-4711 was taken' });
    expect(agent.services.journal.database.get('SELECT * FROM fold_branch WHERE id = ?', id)).toMatchObject({
      status: 'expired',
      summary: 'PORT-4711 was taken',
    });
  });

  test('one that a person folds or abandons goes alone', async () => {
    const { host, agent } = await startHost();
    await agent.branch('mine', words(10));
    for (const type of ['Plan', 'Explore']) await host.tell({ kind: 'subagent-start', agent: type, type });
    const { branch_id } = await agent.branch('deeper', words(10));
    await agent.fold('done', host.branch('Subagent Plan').id);
    const abandoned = { branch_id: host.branch('Subagent Explore').id, abandon: true };
    expect(await agent.call('context_rollback', abandoned)).toMatchObject({ tokens_recovered: 0 });
    expect(host.branches().map(({ status }) => status)).toEqual(['active', 'folded', 'discarded', 'active']);
    expect((await agent.status()).active_branch_id).toBe(branch_id);
  });

  test('a rollback gives back nothing for what stood in a subagent’s window', async () => {
    const { host, agent } = await startHost();
    await agent.branch('mine', words(10));
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    await host.tool({ input: words(100) }, { agent: 'a1' });
    expect(await agent.rollback('main')).toMatchObject({ tokens_recovered: 10 });
    expect(host.branches().map(({ status }) => status)).toEqual(['discarded', 'discarded']);
    await host.tool({ input: words(100) }, { agent: 'a1' });
    expect((await agent.status()).token_breakdown.total).toBe(0);
  });

  test('what they leave is the same after a rebuild', async () => {
    const { host, agent } = await startHost();
    await host.tool({ callId: 'c1', input: words(10) }, { agent: 'a1' });
    await host.tell({ kind: 'subagent-stop', agent: 'a1', lastMessage: 'done' });
    await host.tool({ callId: 'c2', input: words(10) }, { agent: 'a1' });
    const { journal } = agent.services;
    const tables = () =>
      ['fold_branch', 'fold_main', 'fold_operation', 'fold_call'].map((name) =>
        journal.database.all(`SELECT * FROM ${name}`),
      );
    const before = tables();
    await journal.rebuild();
    expect(tables()).toEqual(before);
  });
});
