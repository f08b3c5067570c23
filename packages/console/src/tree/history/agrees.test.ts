import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import type { MeteredCall } from '../../../../server/src/call/services.ts';
import { tellEntry } from '../../../../server/src/call/visible-entries.ts';
import { type Agent, PROJECT, startServer, words } from '../../../../server/src/fold/fixture.suite.ts';
import { listBranches } from '../../../../server/src/fold/queries.ts';
import { branchView, sessionView } from '../../../../server/src/fold/views.ts';
import { handleEvent } from '../../../../server/src/hooks/handlers.ts';
import type { HookCall } from '../../../../server/src/hooks/hook-call.ts';
import { HookContext } from '../../../../server/src/hooks/hook-context.ts';
import { HOUR, type MovableClock } from '../../../../server/src/testing/fixtures.suite.ts';
import { sessionById } from '../../../../server/src/trust/sessions/queries.ts';
import { sweepSessions } from '../../../../server/src/trust/sessions/sweep.ts';
import { consequencesOf, openWithin, whyNotBackTo } from '../actions/consequences.ts';
import { figuresOf, MAIN, type Tree } from '../model/tree.ts';
import { History } from './history.ts';

type Step =
  | { do: 'branch' | 'operate'; tokens: number; on: number }
  | { do: 'fold' | 'collapse'; on: number; tokens: number }
  | { do: 'rollback'; on: number; restore: boolean }
  | { do: 'fetch'; tokens: number; late: boolean }
  | { do: 'consume' | 'abandon' | 'stop'; on: number }
  /** A call that a hook tells of, of a subagent or not, or one that the window door sends. */
  | { do: 'hook' | 'send'; on: number; tokens: number; agent: number; late: boolean }
  | { do: 'expire' };

const on = fc.nat({ max: 9 });
const tokens = fc.integer({ min: 1, max: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constantFrom('branch' as const, 'operate' as const), tokens, on }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('fold' as const, 'collapse' as const), tokens, on }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rollback' as const), on, restore: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('fetch' as const), tokens, late: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('consume' as const, 'abandon' as const, 'stop' as const),
      on,
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom('hook' as const, 'send' as const),
      ...{ on, tokens, agent: fc.nat({ max: 4 }), late: fc.boolean() },
    }),
  },
);
const steps = fc
  .tuple(fc.array(step, { minLength: 10, maxLength: 60 }), fc.boolean())
  .map(([all, ends]): Step[] => (ends ? [...all, { do: 'expire' }] : all));

/** A real server, and what a page makes of what that writes down. */
class Watched {
  readonly history: History;
  readonly said: { seq: number; what: unknown }[] = [];
  readonly #agent: Agent;
  readonly #clock: MovableClock;
  readonly #session: string;
  #handles = 0;

  private constructor(agent: Agent, clock: MovableClock, session: string, most: number) {
    this.#agent = agent;
    this.#clock = clock;
    this.#session = session;
    this.history = new History(session, most);
  }

  static async start(most: number): Promise<Watched> {
    const { agent, clock } = await startServer();
    await agent.spend(0, MAIN);
    return new Watched(agent, clock, (await agent.status()).session_id!, most);
  }

  get tree(): Tree {
    return this.history.tree;
  }

  /** What the server says of the session, in the words of its own views. */
  answers() {
    const { config, clock, journal } = this.#agent.services;
    const session = sessionById(journal.database, this.#session)!;
    const lifetime = { now: clock(), lifetime: config.limits.sessionLifetime };
    const { context_state, folded_total } = sessionView(
      journal.database,
      session,
      config.contextLimit,
      lifetime,
    );
    return {
      total: context_state.total_tokens,
      main: context_state.main_thread_tokens,
      collapsible: context_state.collapsible,
      folded: folded_total,
      active: context_state.active_branch_id,
      branches: listBranches(journal.database, this.#session)
        .map(branchView)
        .map(
          ({ id, parent_branch_id, depth, description, status, tokens, operations, summary, folded_by }) => ({
            ...{
              id,
              parent: parent_branch_id ?? MAIN,
              depth,
              description,
              status,
              tokens,
              operations,
              summary,
            },
            folded_by,
          }),
        ),
    };
  }

  /** Reads what is new, as a page does. */
  read(): void {
    const { journal, parts } = this.#agent.services;
    const { stream } = sessionById(journal.database, this.#session)!;
    const sources = { parts, database: journal.database };
    const entries = journal.entriesOf(stream, this.tree.seq, 1000);
    this.history.add(
      entries.map((entry) => tellEntry(sources, entry, { caller: this.#agent.caller, isBrief: true })!),
    );
    this.said.push({ seq: this.tree.seq, what: this.answers() });
  }

  async do(step: Step): Promise<void> {
    const agent = this.#agent;
    const open = [MAIN, ...this.tree.path];
    switch (step.do) {
      case 'branch':
        if (this.tree.path.length < 8) await agent.branch('b', words(step.tokens));
        return;
      case 'operate':
        await agent.spend(step.tokens, pick(open, step.on));
        return;
      case 'fold': {
        const branch = pick(this.tree.path, step.on);
        if (branch) await agent.fold(words(step.tokens), branch);
        return;
      }
      case 'abandon': {
        const branch = pick(this.tree.path, step.on);
        if (!branch) return;
        const going = openWithin(this.tree, this.tree.branches.get(branch)!).map(({ id }) => id);
        const answer = await agent.call('context_rollback', { branch_id: branch, abandon: true });
        expect(answer.branches_discarded).toEqual(going);
        return;
      }
      case 'rollback':
        return this.#rollBack(step.on, step.restore);
      case 'fetch': {
        const handle = `rs_${++this.#handles}`;
        if (step.late) await this.#record('', { consumes: [handle] });
        await this.#record(words(step.tokens), { mark: { handle, summary: 'one two' } });
        return;
      }
      case 'consume':
        await this.#record('', { consumes: [`rs_${(step.on % (this.#handles + 1)) + 1}`] });
        return;
      case 'hook':
        return this.#hook(step);
      case 'send':
        await agent.services.meter.sent(agent.caller, this.#session, [
          { id: `c${step.on}`, tool: 'Bash', input: step.tokens, output: step.tokens },
        ]);
        return;
      case 'stop':
        return this.#stop(`a${step.on % 4}`, words(step.on));
      case 'collapse': {
        const handle = `rs_${(step.on % (this.#handles + 1)) + 1}`;
        await agent.report([], undefined, [{ handle, summary_tokens: step.tokens }]);
        return;
      }
      case 'expire':
        this.#clock.advance(25 * HOUR);
        await sweepSessions(agent.services.journal, this.#clock.read, 24 * HOUR);
    }
  }

  /** Four of five are a subagent's; what is late happened some time before. */
  async #hook({ on, tokens, agent, late }: Extract<Step, { late: boolean; agent: number }>): Promise<void> {
    const { meter, journal, clock } = this.#agent.services;
    const session = sessionById(journal.database, this.#session)!;
    const call = { tool: 'Bash', callId: `c${on}`, input: '', output: words(tokens), isOwn: false };
    this.#clock.advance(1000);
    await meter.hooked({
      ...{ caller: this.#agent.caller, session, ...call },
      ...{ agent: agent === 4 ? undefined : `a${agent}`, at: clock() - on * 1000, isLate: late },
    });
  }

  async #stop(agent: string, lastMessage: string): Promise<void> {
    const { services, caller } = this.#agent;
    const call: HookCall = {
      ...{ id: 'h1', host: 'claude-code', session: this.#session, folder: PROJECT },
      ...{ at: services.clock(), isLate: false },
      event: { kind: 'subagent-stop', agent, type: 'Plan', lastMessage },
    };
    await handleEvent(call, new HookContext(services, caller, call));
  }

  async #record(text: string, more: Partial<MeteredCall>): Promise<void> {
    const { meter, journal } = this.#agent.services;
    const session = sessionById(journal.database, this.#session)!;
    await meter.record({ caller: this.#agent.caller, session, tool: 'page', input: '', text, ...more });
  }

  /** What a person is told before is what the server then does. */
  async #rollBack(which: number, restore: boolean): Promise<void> {
    const target = pick([...this.tree.branches.values()], which)!;
    if (whyNotBackTo(this.tree, target) !== undefined) {
      expect(await this.#agent.rpcError('context_rollback', { branch_id: target.id })).toMatchObject({
        code: -32003,
      });
      return;
    }
    const told = consequencesOf(this.tree, target.id, restore);
    const answer = await this.#agent.rollback(target.id, restore);
    expect(answer).toMatchObject({
      branches_discarded: told.discarded.map(({ id }) => id),
      ...(told.isExact && { tokens_recovered: told.recovered }),
    });
  }
}

function pick<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % Math.max(1, items.length)];
}

function shown(tree: Tree) {
  const [, ...branches] = [...tree.branches.values()];
  return {
    ...figuresOf(tree),
    active: tree.path.at(-1) ?? null,
    branches: branches.map((branch) => ({
      id: branch.id,
      parent: branch.parent,
      depth: branch.depth,
      description: branch.description,
      status: branch.status,
      tokens: branch.tokensFolded ?? branch.tokens,
      operations: branch.operations,
      summary: branch.summary,
      folded_by: branch.foldedBy,
    })),
  };
}

describe('a tree that is made from the journal', () => {
  test('says what the server says, now and at every earlier position', async () => {
    verifies('CON-03');
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const watched = await Watched.start(12_000);
        watched.read();
        for (const one of all) {
          await watched.do(one);
          watched.read();
          expect(shown(watched.tree)).toEqual(watched.answers());
        }
        for (const { seq, what } of watched.said) expect(shown(watched.history.at(seq)!)).toEqual(what);
      }),
      { numRuns: runs(40) },
    );
  }, 120_000);

  test('says what a rollback takes where a parent was abandoned before', async () => {
    const watched = await Watched.start(12_000);
    for (const one of [
      { do: 'branch', tokens: 20, on: 0 },
      { do: 'branch', tokens: 30, on: 0 },
      { do: 'fold', tokens: 7, on: 1 },
      { do: 'abandon', on: 0 },
      { do: 'rollback', on: 0, restore: false },
    ] satisfies Step[]) {
      watched.read();
      await watched.do(one);
    }
    watched.read();
    expect(shown(watched.tree)).toEqual(watched.answers());
  });

  test('keeps its figures when it no longer holds what they come from', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const watched = await Watched.start(10);
        for (const one of all) {
          watched.read();
          await watched.do(one);
        }
        watched.read();
        const { collapsible: _, ...page } = shown(watched.tree);
        expect(watched.answers()).toMatchObject(page);
        expect(all.length < 20 || watched.history.since > 0).toBe(true);
      }),
      { numRuns: 10 },
    );
  }, 60_000);
});
