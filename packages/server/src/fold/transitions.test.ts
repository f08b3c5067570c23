import { type BranchStatus, collapsedText } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import type { MeteredCall } from '../call/services.ts';
import { countTokensOf } from '../kernel/tokens/count.ts';
import { HOUR, movableClock, temporaryFolder } from '../testing/fixtures.suite.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import { sweepSessions } from '../trust/sessions/sweep.ts';
import { type Agent, startServer, words } from './fixture.suite.ts';
import { Model, type ModelBranch } from './model.suite.ts';
import { type Branch, foldState, listBranches } from './queries.ts';
import { after, type BranchAction, TRANSITIONS } from './transitions.ts';

type Step =
  | { do: 'branch'; tokens: number }
  | { do: 'operate'; tokens: number; on: number }
  | { do: 'fold'; which: number; tokens: number }
  | { do: 'rollback'; which: number; restore: boolean }
  | { do: 'fetch'; tokens: number; late: boolean }
  | { do: 'consume'; which: number }
  | { do: 'collapse'; which: number; tokens: number }
  | { do: 'abandon'; which: number }
  | { do: 'reopen' }
  | { do: 'expire' };

const small = fc.integer({ min: 1, max: 40 });
const which = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('branch' as const), tokens: small }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('operate' as const), tokens: fc.nat({ max: 500 }), on: which }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fold' as const),
      which,
      tokens: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('abandon' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rollback' as const), which, restore: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fetch' as const),
      tokens: fc.integer({ min: 30, max: 300 }),
      late: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('consume' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('collapse' as const), which, tokens: fc.nat({ max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
);

function pick<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % Math.max(1, items.length)];
}

/** The server beside the model, each step done to both. */
class Pair {
  readonly clock = movableClock();
  readonly folder = temporaryFolder();
  model = new Model();
  sessionId: string | undefined;
  /** Ids of the server's branches by the model's. */
  ids = new Map<ModelBranch, string>();
  #agent: Agent | undefined;
  #handles = 0;

  async agent(): Promise<Agent> {
    if (!this.#agent) {
      this.#agent = (await startServer({}, this.clock, this.folder)).agent;
      await this.#begin();
    }
    return this.#agent;
  }

  async do(step: Step): Promise<void> {
    const agent = await this.agent();
    switch (step.do) {
      case 'branch': {
        if (this.model.path.length === 8) return;
        const { branch_id } = await agent.branch('b', words(step.tokens));
        this.model.branch(branch_id, step.tokens);
        this.ids.set(this.model.active!, branch_id);
        return;
      }
      case 'operate': {
        const open = [null, ...this.model.path];
        const branch = open[step.on % open.length]!;
        const { context_state } = await agent.spend(
          step.tokens,
          branch === null ? 'main' : this.ids.get(branch)!,
        );
        this.model.operate(branch, step.tokens);
        expect(context_state).toMatchObject({
          total_tokens: this.model.total,
          main_thread_tokens: this.model.tokensOf(null),
          current_branch_tokens: this.model.active ? this.model.tokensOf(this.model.active) : 0,
        });
        return;
      }
      case 'fold': {
        const branch = this.model.path[step.which % Math.max(1, this.model.path.length)];
        if (!branch) {
          expect(await agent.rpcError('context_return', { message: 'm' })).toMatchObject({ code: -32003 });
          return;
        }
        await agent.fold(words(step.tokens), this.ids.get(branch)!);
        this.model.fold(branch, step.tokens);
        return;
      }
      case 'rollback':
        return this.#rollback(agent, step);
      case 'abandon': {
        const branch = pick(this.model.path, step.which);
        if (!branch) return;
        const input = { branch_id: this.ids.get(branch)!, abandon: true };
        const { tokens_recovered } = await agent.call<{ tokens_recovered: number }>(
          'context_rollback',
          input,
        );
        expect(tokens_recovered).toBe(this.model.abandon(branch));
        return;
      }
      case 'fetch':
        return this.#fetch(agent, step);
      case 'consume': {
        const operation = pick(this.model.live, step.which);
        if (!operation?.name) return;
        await this.#record(agent, '', { consumes: [operation.name, 'rs_unknown'] });
        this.model.consume(operation);
        return;
      }
      case 'collapse': {
        const operation = pick(this.model.live, step.which);
        const name = operation?.name || 'rs_unknown';
        const report = { handle: name, summary_tokens: step.tokens };
        const { collapsed } = await agent.report([], undefined, [report, report]);
        const isNew = operation?.name && operation.phase !== 'collapsed';
        if (!operation?.name) expect(collapsed).toEqual({ accepted: 0, duplicates: 0, ignored: 2 });
        else expect(collapsed).toMatchObject({ accepted: isNew ? 1 : 0, ignored: 0 });
        if (operation?.name) this.model.collapse(operation, step.tokens);
        return;
      }
      case 'reopen':
        // As after a crash: the new process knows only what is on disk, and its host which session it was.
        await agent.services.journal.close();
        this.#agent = (await startServer({}, this.clock, this.folder)).agent;
        this.#agent.connection.hostSession = this.sessionId;
        return;
      case 'expire':
        this.clock.advance(25 * HOUR);
        await sweepSessions(agent.services.journal, this.clock.read, 24 * HOUR);
        this.model.expire();
        await this.checkBranches();
        this.model = new Model();
        this.ids = new Map();
        await this.#begin();
    }
  }

  /** A marked result of this server's own; one that is late was used up before it was counted. */
  async #fetch(agent: Agent, { tokens, late }: Extract<Step, { do: 'fetch' }>): Promise<void> {
    const handle = `rs_${++this.#handles}`;
    if (late) await this.#record(agent, '', { consumes: [handle] });
    await this.#record(agent, words(tokens), { mark: { handle, summary: 'one two' } });
    const summary = await countTokensOf(collapsedText('one two', handle));
    const own = this.model.active?.operations ?? this.model.main;
    Object.assign(own.at(-1)!, { name: handle, result: tokens, summary });
    if (late) this.model.consume(own.at(-1)!);
  }

  async #record(agent: Agent, text: string, more: Partial<MeteredCall>): Promise<void> {
    const { meter, journal } = agent.services;
    const session = sessionById(journal.database, this.sessionId!)!;
    await meter.record({ caller: agent.caller, session, tool: 'page', input: '', text, ...more });
    this.model.operate(this.model.active, await countTokensOf(text));
  }

  async #rollback(agent: Agent, { which, restore }: Extract<Step, { do: 'rollback' }>): Promise<void> {
    const targets = [null, ...this.model.branches];
    const target = targets[which % targets.length]!;
    const branch_id = target === null ? 'main' : this.ids.get(target)!;
    if (this.model.isClosed(target)) {
      expect(await agent.rpcError('context_rollback', { branch_id })).toMatchObject({ code: -32003 });
      return;
    }
    const answer = await agent.rollback(branch_id, restore);
    expect(answer.tokens_recovered).toBe(this.model.rollback(target, restore));
  }

  /** Everything the tables say must be what the model says. */
  async check(): Promise<void> {
    await this.checkBranches();
    const { database } = (await this.agent()).services.journal;
    const { active } = this.model;
    expect(foldState(database, this.sessionId!)).toEqual({
      session_id: this.sessionId,
      active_branch_id: active && this.ids.get(active),
      active_tokens: active ? this.model.tokensOf(active) : 0,
      depth: active?.depth ?? 0,
      main_tokens: this.model.tokensOf(null),
      total: this.model.total,
      collapsible: this.model.collapsible,
      folded_total: this.model.foldedTotal,
    });
  }

  async checkBranches(): Promise<void> {
    const { database } = (await this.agent()).services.journal;
    const stored = listBranches(database, this.sessionId!);
    const shape = (name: string, parent: string | null, status: string, tokens: number, operations: number) =>
      `${name} in ${parent} ${status} ${tokens}/${operations}`;
    expect(stored.map((b) => shape(b.id, b.parent_id, b.status, b.tokens, b.operations))).toEqual(
      this.model.branches.map((b) =>
        shape(
          this.ids.get(b)!,
          b.parent && this.ids.get(b.parent)!,
          b.status,
          // What a discarded branch held is history: the model goes on summing over its children, the tables stop.
          b.status === 'discarded'
            ? stored.find(({ id }) => id === this.ids.get(b))!.tokens
            : this.model.tokensOf(b),
          b.operations.filter(({ discarded }) => !discarded).length,
        ),
      ),
    );
    this.#checkTree(stored);
  }

  /** One active path, no orphan. */
  #checkTree(stored: Branch[]): void {
    const open = stored
      .filter(({ status }) => status === 'active')
      .sort((one, other) => one.depth - other.depth);
    for (const [index, branch] of open.entries()) {
      expect(branch.depth).toBe(index + 1);
      expect(branch.parent_id).toBe(index === 0 ? null : open[index - 1]!.id);
    }
  }

  /** The session begins with a report, so that there is one even before the first branch. */
  async #begin(): Promise<void> {
    const agent = this.#agent!;
    await agent.spend(0, 'main');
    this.sessionId = (await agent.status()).session_id!;
  }
}

describe('the branch state machine', () => {
  test('agrees with a simple model over random sequences, reopening and expiry included', async () => {
    verifies('FOLD-02', 'FOLD-07', 'FOLD-12', 'FOLD-15');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const pair = new Pair();
        for (const one of steps) {
          await pair.do(one);
          await pair.check();
        }
        const { journal } = (await pair.agent()).services;
        const before = journal.database.all('SELECT * FROM fold_branch ORDER BY ordinal');
        await journal.rebuild();
        expect(journal.database.all('SELECT * FROM fold_branch ORDER BY ordinal')).toEqual(before);
        await pair.check();
        // Nothing archived is lost: every branch that was ever made can still be read.
        for (const { id } of before as unknown as Branch[]) {
          expect(await (await pair.agent()).call('context_expand', { handle: id })).toMatchObject({
            kind: 'branch',
          });
        }
        await journal.close();
      }),
      { numRuns: runs(40) },
    );
  }, 120_000);

  test('the transition table lets nothing leave an ended status', () => {
    const actions: BranchAction[] = ['fold', 'discard', 'reopen', 'expire'];
    const table = (Object.keys(TRANSITIONS) as BranchStatus[]).map((status) => [
      status,
      ...actions.map((action) => after(status, action) ?? '-'),
    ]);
    expect(table).toEqual([
      ['active', 'folded', 'discarded', '-', 'expired'],
      ['folded', '-', 'discarded', 'active', '-'],
      ['discarded', '-', '-', '-', '-'],
      ['expired', '-', '-', '-', '-'],
    ]);
  });
});
