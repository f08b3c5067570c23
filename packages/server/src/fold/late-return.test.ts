import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { HOUR } from '../testing/fixtures.suite.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { sweepSessions } from '../trust/sessions/sweep.ts';
import { Agent, PROJECT, startServer, words } from './fixture.suite.ts';
import { branchById } from './queries.ts';

const LIFETIME = 24 * HOUR;

/** A branch whose session has ended; with `swept` its end is on record too. */
async function expired(swept: boolean) {
  const started = await startServer();
  const { agent, services, clock } = started;
  const { branch_id, session_id } = await agent.branch('overnight', words(3));
  await agent.spend(100);
  clock.advance(25 * HOUR);
  if (swept) await sweepSessions(services.journal, clock.read, LIFETIME);
  const status = () => branchById(services.journal.database, branch_id)?.status;
  return { ...started, branch_id, session_id, status };
}

describe.each([true, false])('a branch whose session has ended (swept: %s)', (swept) => {
  test('takes one late summary, and stays expired', async () => {
    verifies('FOLD-12');
    const { agent, services, branch_id, status } = await expired(swept);
    const answer = await agent.fold('What came of it: PORT-4711 was taken', branch_id);
    expect(answer).toMatchObject({
      branch_id,
      parent_branch_id: null,
      summary: { tokens_folded: 103, operations_count: 1 },
      context_state: { active_branch_id: null, total_tokens: 0 },
    });
    expect(status()).toBe('expired');
    expect(await agent.rpcError('context_return', { message: 'again', branch_id })).toMatchObject({
      code: -32003,
      message: expect.stringContaining(`${branch_id} is expired`),
      data: { branch_id, current_status: 'expired' },
    });
    const { items } = await agent.call<{ items: { type: string; text?: string }[] }>('context_expand', {
      handle: branch_id,
    });
    expect(items.at(-1)).toMatchObject({ type: 'summary', text: expect.stringContaining('PORT-4711') });
    const pack = await agent.call<{ markdown: string }>('context', { goal: 'PORT-4711', project: PROJECT });
    expect(pack.markdown).toContain('PORT-4711 was taken');
    const before = services.journal.database.all('SELECT * FROM fold_branch');
    await services.journal.rebuild();
    expect(services.journal.database.all('SELECT * FROM fold_branch')).toEqual(before);
  });

  test('is the one that its own connection means when it names none', async () => {
    const { agent, branch_id } = await expired(swept);
    expect((await agent.fold('late')).branch_id).toBe(branch_id);
    expect(await agent.rpcError('context_return', { message: 'again' })).toMatchObject({ code: -32003 });
  });

  test('is not where a later connection goes on, unless that names it', async () => {
    const { services, branch_id, session_id } = await expired(swept);
    const other = new Agent(services);
    expect(await other.rpcError('context_return', { message: 'm' })).toMatchObject({
      data: { current_status: 'none' },
    });
    const named = await other.call('context_return', { message: 'late', session_id });
    expect(named).toMatchObject({ branch_id });
  });

  test('is named by its id where there is no connection', async () => {
    const { services, branch_id } = await expired(swept);
    const alone = new Agent(services, undefined, Connection.alone());
    expect((await alone.fold('late', branch_id)).branch_id).toBe(branch_id);
  });

  test('cannot be rolled back to or abandoned', async () => {
    const { agent, branch_id, status } = await expired(swept);
    for (const abandon of [true, false]) {
      expect(await agent.rpcError('context_rollback', { branch_id, abandon })).toMatchObject({
        code: -32003,
        data: { current_status: 'expired' },
      });
    }
    expect(status()).toBe(swept ? 'expired' : 'active');
  });
});

describe('an open branch that is abandoned', () => {
  test('goes with its open children alone; what was folded stays, and its memory', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.branch('kept', words(2));
    await agent.fold('KEEP-1 is true');
    const outer = await agent.branch('outer', words(10));
    await agent.branch('inner, done', words(5));
    await agent.fold('KEEP-2 is true');
    const inner = await agent.branch('inner, open', words(7));
    const { total_tokens } = inner.context_state;
    const answer = await agent.call<Record<string, unknown>>('context_rollback', {
      branch_id: outer.branch_id,
      abandon: true,
    });
    const after = (await agent.status()).token_breakdown.total!;
    expect(answer).toMatchObject({
      rolled_back_to: 'main',
      branches_discarded: [outer.branch_id, inner.branch_id],
      tokens_recovered: total_tokens - after,
      context_state: { active_branch_id: null, branch_depth: 0, total_tokens: after },
    });
    const { branches } = await agent.call<{ branches: { description: string; status: string }[] }>(
      'context_list_branches',
    );
    expect(branches.map(({ description, status }) => `${description}: ${status}`)).toEqual([
      'kept: folded',
      'outer: discarded',
      'inner, done: folded',
      'inner, open: discarded',
    ]);
    for (const kept of ['KEEP-1', 'KEEP-2']) {
      const pack = await agent.call<{ markdown: string }>('context', { goal: kept, project: PROJECT });
      expect(pack.markdown).toContain(`${kept} is true`);
    }
  });

  test('leaves its parent active', async () => {
    const { agent } = await startServer();
    const outer = await agent.branch('outer');
    const inner = await agent.branch('inner');
    expect(await agent.call('context_rollback', { branch_id: inner.branch_id, abandon: true })).toMatchObject(
      { rolled_back_to: outer.branch_id, context_state: { branch_depth: 1 } },
    );
  });

  test('must be open', async () => {
    verifies('FOLD-08');
    const { agent } = await startServer();
    const { branch_id } = await agent.branch();
    await agent.fold();
    expect(await agent.rpcError('context_rollback', { branch_id, abandon: true })).toEqual({
      code: -32003,
      message: `Cannot abandon branch: branch is folded (${branch_id})`,
      data: { branch_id, current_status: 'folded' },
    });
  });
});
