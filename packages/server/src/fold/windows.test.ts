import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { Agent, startServer, words } from './fixture.suite.ts';
import { Model, type ModelBranch } from './model.suite.ts';

/**
 * Several windows of one person, each with its own model: whatever they do in whatever order, each sees its own
 * branches and figures alone.
 */

const PROJECTS = ['/work-of/alice', '/work-of/alice/other'];

interface Window {
  agent: Agent;
  model: Model;
  ids: Map<ModelBranch, string>;
}

const step = fc.record({
  window: fc.nat({ max: 3 }),
  project: fc.nat({ max: 1 }),
  do: fc.constantFrom('branch', 'fold', 'foldOther', 'spend', 'rollback', 'reconnect'),
  tokens: fc.integer({ min: 1, max: 5 }),
  which: fc.nat({ max: 7 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class Windows {
  readonly all: Window[];

  constructor(first: Agent) {
    // Two with a connection each, and two whose hosts told their ids and may connect again.
    const { services } = first;
    const connections = [
      new Connection(),
      new Connection(),
      new Connection(undefined, { hostSession: 'thread-1' }),
      new Connection(undefined, { hostSession: 'thread-2' }),
    ];
    this.all = connections.map((connection) => ({
      agent: new Agent(services, undefined, connection),
      model: new Model(),
      ids: new Map(),
    }));
  }

  async do({ window: index, project, tokens, which, ...step }: Step): Promise<void> {
    const window = this.all[index]!;
    const { agent, model, ids } = window;
    const project_path = PROJECTS[project]!;
    if (step.do === 'branch' && model.path.length < 8) {
      const { branch_id } = await agent.branch('b', words(tokens), { project_path });
      model.branch(branch_id, tokens);
      ids.set(model.active!, branch_id);
    } else if (step.do === 'spend') {
      const { session_id } = await agent.status();
      if (session_id === null) return;
      await agent.report([{ tool: 'Read', tokens }], session_id);
      model.operate(model.active, tokens);
    } else if (step.do === 'fold') {
      if (!model.active) {
        expect(await agent.rpcError('context_return', { message: 'm', project_path })).toMatchObject({
          code: -32003,
        });
        return;
      }
      await agent.call('context_return', { message: words(tokens), project_path });
      model.fold(model.active, tokens);
    } else if (step.do === 'foldOther') {
      const others = this.all.filter((other) => other !== window).flatMap((other) => [...other.ids.values()]);
      const branch_id = others[which % Math.max(1, others.length)];
      if (branch_id === undefined) return;
      expect(await agent.rpcError('context_return', { message: 'm', branch_id })).toMatchObject({
        code: -32602,
      });
    } else if (step.do === 'rollback' && model.branches.length > 0) {
      await agent.rollback('main');
      model.rollback(null, false);
    } else if (step.do === 'reconnect' && agent.connection.hostSession !== undefined) {
      const { hostSession } = agent.connection;
      window.agent = new Agent(agent.services, undefined, new Connection(undefined, { hostSession }));
    }
  }

  async check(): Promise<void> {
    for (const { agent, model, ids } of this.all) {
      const { active_branch_id, branch_path, token_breakdown } = await agent.status();
      expect(active_branch_id).toBe(model.active && ids.get(model.active));
      expect(branch_path).toEqual(['main', ...model.path.map((branch) => ids.get(branch))]);
      expect(token_breakdown.total).toBe(model.total);
      expect(token_breakdown.folded_total).toBe(model.foldedTotal);
      const { branches } = await agent.call<{ branches: { id: string }[] }>('context_list_branches');
      expect(branches.map(({ id }) => id)).toEqual(model.branches.map((branch) => ids.get(branch)));
    }
  }
}

test('windows that interleave at random each see their own branches alone', async () => {
  verifies('KERN-17');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const { agent, services } = await startServer();
      const windows = new Windows(agent);
      for (const one of steps) {
        await windows.do(one);
        await windows.check();
      }
      await services.journal.close();
    }),
    { numRuns: runs(30) },
  );
}, 120_000);
