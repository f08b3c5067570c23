import { OPERATION_SOURCES, type OperationSource } from '@infold/protocol/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import { type Agent, PROJECT, startServer, words } from './fixture.suite.ts';
import { branchById } from './queries.ts';

const HOST = 'host-1';

/** Everybody who may see a call, telling of it as they do. */
async function everybody(agent: Agent) {
  const { meter, journal } = agent.services;
  const { session_id } = await agent.call<{ session_id: string }>('context_branch', {
    ...{ description: 'first', prompt: 'p', session_id: HOST },
  });
  await agent.call('context_return', { message: 'done', session_id: HOST });
  const session = sessionById(journal.database, session_id)!;
  const common = { caller: localOwner, session, tool: 'Bash' };
  const tell: Record<OperationSource, (callId: string, tokens: number) => Promise<unknown>> = {
    infold: (callId, tokens) => meter.record({ ...common, callId, input: '', text: words(tokens) }),
    reported: (call_id, tokens) => meter.report(localOwner, session, [{ tool: 'Bash', call_id, tokens }]),
    hook: (callId, tokens) =>
      meter.hooked({
        ...common,
        callId,
        input: '',
        output: words(tokens),
        at: 0,
        isLate: false,
        isOwn: false,
      }),
    window: (id, tokens) =>
      meter.sent(localOwner, HOST, [{ id, tool: 'Bash', input: 1, output: tokens - 1 }]),
  };
  return { session, tell };
}

const report = fc.record({
  call: fc.nat({ max: 2 }),
  by: fc.constantFrom(...OPERATION_SOURCES),
  tokens: fc.integer({ min: 1, max: 50 }),
});

describe('a call that several see', () => {
  test('counts once, as who sees it best says, in whatever order and however often they tell', async () => {
    verifies('HOST-05');
    const { agent, services } = await startServer();
    const { session, tell } = await everybody(agent);
    const { database } = services.journal;
    const inMain = () =>
      database.get<{ tokens: number }>('SELECT tokens FROM fold_main WHERE session_id = ?', session.id)!
        .tokens;
    let run = 0;
    const orders = fc.tuple(fc.array(report, { maxLength: 10 }), fc.nat({ max: 10 }));
    await fc.assert(
      fc.asyncProperty(orders, async ([reports, foldAfter]) => {
        run++;
        const { branch_id } = await agent.branch('b', words(10), { session_id: HOST });
        const before = inMain();
        const counted = new Map<number, { rank: number; tokens: number; isInBranch: boolean }>();
        let isFolded = false;
        const fold = async () => {
          isFolded = true;
          await agent.call('context_return', { message: words(3), session_id: HOST });
        };
        for (const [place, { call, by, tokens }] of reports.entries()) {
          if (place === foldAfter) await fold();
          await tell[by](`${run}-${call}`, tokens);
          const rank = OPERATION_SOURCES.indexOf(by);
          const known = counted.get(call);
          if (known && known.rank >= rank) continue;
          counted.set(call, { rank, tokens, isInBranch: known?.isInBranch ?? !isFolded });
        }
        if (!isFolded) await fold();
        const sum = (isInBranch: boolean) =>
          [...counted.values()].reduce(
            (all, one) => all + (one.isInBranch === isInBranch ? one.tokens : 0),
            0,
          );
        expect(branchById(database, branch_id)).toMatchObject({
          tokens: 10 + sum(true),
          tokens_folded: 10 + sum(true),
          operations: [...counted.values()].filter(({ isInBranch }) => isInBranch).length,
        });
        expect(inMain()).toBe(before + 3 + sum(false));
      }),
      { numRuns: 25 },
    );
    const folded = database.get<{ sum: number }>('SELECT sum(tokens) AS sum FROM fold_branch')!.sum;
    const tables = () =>
      ['fold_branch', 'fold_main', 'fold_operation', 'fold_call'].map((name) =>
        database.all(`SELECT * FROM ${name}`),
      );
    const kept = tables();
    expect(kept[1]).toMatchObject([{ folded_total: folded }]);
    await services.journal.rebuild();
    expect(tables()).toEqual(kept);
  }, 60_000);

  test('goes to the subagent’s branch when its hook or its request says whose it was', async () => {
    const { agent, services } = await startServer();
    const { session, tell } = await everybody(agent);
    const { meter, journal } = services;
    const call = { caller: localOwner, session, tool: 'Bash', input: '', at: 0, isLate: false, isOwn: false };
    await tell.infold('c1', 30);
    await meter.hooked({ ...call, callId: 'c1', agent: 'a1', output: words(40) });
    await meter.sent(localOwner, `${HOST}_a1`, [{ id: 'c1', tool: 'Bash', input: 5, output: 20 }]);
    await meter.sent(localOwner, `${HOST}_a1`, [{ id: 'c2', tool: 'Bash', input: 5, output: 10 }]);
    await meter.sent(localOwner, `${HOST}_nobody`, [{ id: 'c3', tool: 'Bash', input: 5, output: 10 }]);
    const { branches } = await agent.call<{ branches: unknown[] }>('context_list_branches', {
      ...{ session_id: HOST, project_path: PROJECT },
    });
    expect(branches.at(-1)).toMatchObject({ description: 'Subagent', tokens: 40 });
    expect(journal.database.all('SELECT tokens FROM fold_main')).toEqual([{ tokens: 1 }]);
  });

  test('of this server’s own is counted by it, and said better by others', async () => {
    const { agent, services } = await startServer();
    const { session, tell } = await everybody(agent);
    const { meter } = services;
    const tool = 'mcp__infold__search_records';
    const sent = () => meter.sent(localOwner, HOST, [{ id: 'c1', tool, input: 5, output: 20 }]);
    const total = async () =>
      (
        await agent.call<{ token_breakdown: { total: number } }>('context_branch_status', {
          session_id: session.id,
        })
      ).token_breakdown.total;
    await sent();
    expect(await total()).toBe(1);
    await tell.infold('c1', 40);
    expect(await total()).toBe(41);
    await sent();
    expect(await total()).toBe(26);
  });

  test('keeps its figure once it was collapsed', async () => {
    const { agent, services } = await startServer();
    const { session, tell } = await everybody(agent);
    await tell.hook('c1', 30);
    await services.meter.report(localOwner, session, [], [{ call_id: 'c1', summary_tokens: 4 }]);
    await tell.window('c1', 60);
    expect(services.journal.database.all('SELECT tokens FROM fold_main')).toEqual([{ tokens: 5 }]);
  });
});
