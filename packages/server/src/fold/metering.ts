import { type CollapseReport, collapsedText, type OperationReport } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { MeteredCall } from '../call/services.ts';
import type { Journal } from '../journal/journal.ts';
import type { Config } from '../kernel/config.ts';
import { type GiveWay, goOn } from '../kernel/give-way.ts';
import type { Database } from '../kernel/sqlite.ts';
import { countTokensOf } from '../kernel/tokens/count.ts';
import { isOwnTool } from '../trust/clients/own-tools.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { checkNames } from '../trust/secrets/identifiers.ts';
import { scrubValue } from '../trust/secrets/scrubbing.ts';
import { findSession, type Session, sessionById } from '../trust/sessions/queries.ts';
import { type Collapse, recordCollapses } from './commands/collapses.ts';
import { budgetNotices, refuseWhenFull } from './commands/limits.ts';
import { type Operation, recordOperations } from './commands/operations.ts';
import {
  branchOf,
  branchOfAgentNamed,
  contextStateOf,
  type FoldState,
  foldState,
  liveState,
  openPath,
  operationOfCall,
  operationOfHandle,
} from './queries.ts';
import { commitToSession, openState } from './session.ts';
import { type HookedCall, placeOfCall, summaryIn } from './subagents.ts';
import { textOf } from './trajectory/pages.ts';

/** What an operation costs is known at once for a short text; a longer one must not hold up the answer. */
const AWAITED = 32 * 1024;
/** With more than so many characters waiting to be counted, answers wait for it after all. */
const MOST_WAITING = 8 * 1024 * 1024;

/** A call and its result, in tokens, as they stand in a request to a model. */
export interface SentCall {
  id: string;
  tool: string;
  input: number;
  output: number;
}

const OPEN = { status: 'active' } as const;

const REPORTED_NAMES = ['call_id', 'tool', 'branch_id', 'handle'].flatMap((name) => [
  `operations.*.${name}`,
  `collapsed.*.${name}`,
]);

/** Counts what this server sees and what others report. What nobody reported is not invented. */
export class Meter {
  readonly #journal: Journal;
  readonly #scrubber: Scrubber;
  readonly #config: Config;
  readonly #onError: (error: unknown) => void;
  /** What is being counted, and for which session. */
  readonly #pending = new Map<Promise<unknown>, string>();
  /** Characters of that. */
  #waiting = 0;

  constructor(journal: Journal, scrubber: Scrubber, config: Config, onError: (error: unknown) => void) {
    this.#journal = journal;
    this.#scrubber = scrubber;
    this.#config = config;
    this.#onError = onError;
  }

  /** Before a tool runs: refuses when the branch's budget is used up or the call would pass the hard limit. */
  async admit(session: Session, input: unknown): Promise<void> {
    const incoming = this.#config.hardLimit ? await countTokensOf(textOf(input)) : 0;
    refuseWhenFull(openState(this.#journal.database, session.id), incoming, this.#config);
  }

  /** After a tool ran. A call that was answered is not failed because it could not be counted. */
  async record(call: MeteredCall): Promise<string[]> {
    const input = textOf(call.input);
    const { database } = this.#journal;
    const characters = input.length + call.text.length;
    if (characters <= AWAITED) {
      await this.#record(call, input, undefined).catch(this.#onError);
    } else {
      // By the time it is counted another branch may be active.
      const { active_branch_id } = foldState(database, call.session.id);
      await this.#countLater(call.session, characters, this.#record(call, input, active_branch_id));
    }
    return budgetNotices(openPath(database, call.session.id));
  }

  /** The answer need not wait for it, unless too much is waiting already. */
  async #countLater({ id }: Session, characters: number, counting: Promise<void>): Promise<void> {
    this.#waiting += characters;
    const work = counting.catch(this.#onError).finally(() => {
      this.#waiting -= characters;
    });
    this.#track(id, work);
    if (this.#waiting > MOST_WAITING) await work;
  }

  /** A call of a host's own tool, as its hook tells it. Resolves when a short one is counted. */
  async hooked(call: HookedCall): Promise<void> {
    const output = call.original ?? call.output ?? '';
    const characters = textOf(call.input).length + output.length;
    if (characters <= AWAITED) return this.#hooked(call, undefined);
    const { active_branch_id } = foldState(this.#journal.database, call.session.id);
    await this.#countLater(call.session, characters, this.#hooked(call, active_branch_id));
  }

  async #hooked(call: HookedCall, active: string | null | undefined): Promise<void> {
    const { caller, session, isOwn } = call;
    // What this server counts of its own tools comes first: the hook only says it better.
    if (isOwn) await this.settled(session.id);
    const parts = await countBoth(call.input, call.output);
    const shortened = call.original === undefined ? 0 : (await countTokensOf(call.original)) - parts.output;
    const { value, count } = scrubValue(this.#scrubber, {
      input: call.input,
      output: call.kept ?? call.output,
    });
    const decide = (database: Database, state: FoldState) => {
      const place = placeOfCall(database, state, session, call);
      if (!place) return { events: [], answer: undefined };
      const output_tokens = Math.max(0, parts.output - summaryIn(database, session, call.output));
      const operation: Operation = {
        ...{ tool: call.tool, callId: call.callId ?? null, secrets: count, source: 'hook' },
        branchId: place.branchId === undefined ? active : place.branchId,
        ...{ mayBeLate: true, moves: call.agent !== undefined },
        tokens: parts.input + output_tokens,
        ...{ input: value.input, output: value.output, happenedAt: call.at },
        result: { output_tokens, ...(shortened > 0 && { shortened_tokens: shortened }) },
        ...(isOwn && { onlyRecounts: true }),
      };
      const { events } = recordOperations(
        {
          state,
          branch: (id) => (id === place.created ? OPEN : branchOf(database, session.id, id)),
          known: (callId) => operationOfCall(database, session.id, callId),
        },
        [operation],
      );
      return { events: events.length === 0 ? [] : [...place.events, ...events], answer: undefined };
    };
    await commitToSession(this.#journal, caller, session, decide, { group: true });
  }

  /**
   * Calls that a request brings to the host's model for the first time, as the window door sends them. A session that nobody
   * began is not begun for it. Never an error: the request is on its way.
   */
  async sent(caller: Caller, hostSession: string, calls: readonly SentCall[]): Promise<void> {
    try {
      await this.#sent(caller, hostSession, calls);
    } catch (error) {
      this.#onError(error);
    }
  }

  async #sent(caller: Caller, hostSession: string, calls: readonly SentCall[]): Promise<void> {
    const { database } = this.#journal;
    const own = findSession(database, caller, hostSession, undefined);
    const agent = own ? undefined : branchOfAgentNamed(database, caller, hostSession);
    const session = own ?? (agent && sessionById(database, agent.session_id));
    if (!session || !liveState(database, session.id)) return;
    if (agent && agent.status !== 'active' && agent.status !== 'folded') return;
    checkNames(this.#scrubber, { calls }, ['calls.*.id', 'calls.*.tool']);
    await this.settled(session.id);
    const operations = calls.map(
      ({ id, tool, input, output }): Operation => ({
        ...{ tool, callId: id, branchId: agent?.id, tokens: input + output, secrets: 0, source: 'window' },
        ...{ moves: agent !== undefined, mayBeLate: true, result: { output_tokens: output } },
        ...(isOwnTool(tool) && { onlyRecounts: true }),
      }),
    );
    await this.#commit(caller, session, operations, true);
  }

  async #record(call: MeteredCall, inputText: string, branchId: string | null | undefined): Promise<void> {
    const output_tokens = await countTokensOf(call.text);
    const tokens = (await countTokensOf(inputText)) + output_tokens;
    const { mark, consumes } = call;
    const { value, count } = scrubValue(this.#scrubber, { input: call.input, output: call.text });
    const operation: Operation = {
      tool: call.tool,
      branchId,
      callId: call.callId ?? null,
      tokens,
      input: value.input,
      output: value.output,
      secrets: count,
      source: 'infold',
      result: {
        output_tokens,
        ...(mark && {
          handle: mark.handle,
          summary_tokens: await countTokensOf(collapsedText(mark.summary, mark.handle)),
        }),
        ...(consumes?.length ? { consumes: [...consumes] } : {}),
      },
    };
    await this.#commit(call.caller, call.session, [operation], true);
  }

  /** Operations that a client, proxy or host hook saw. All or none are taken. */
  async report(
    caller: Caller,
    session: Session,
    reports: readonly OperationReport[],
    collapses: readonly CollapseReport[] = [],
    giveWay: GiveWay = goOn,
  ) {
    checkNames(this.#scrubber, { operations: reports, collapsed: collapses }, REPORTED_NAMES);
    const operations: Operation[] = [];
    for (const report of reports) {
      await giveWay();
      operations.push(await this.#fromReport(report));
    }
    await giveWay();
    const { answer } = await this.#commit(caller, session, operations, false);
    const collapsed =
      collapses.length > 0 ? { collapsed: await this.#collapse(caller, session, collapses) } : {};
    const state = foldState(this.#journal.database, session.id);
    return { ...answer, ...collapsed, context_state: contextStateOf(state) };
  }

  /** After the operations of the same report, which it may speak of, and after what is still being counted. */
  async #collapse(caller: Caller, session: Session, reports: readonly CollapseReport[]) {
    await this.settled(session.id);
    const collapses: Collapse[] = [];
    for (const { call_id, handle, tokens, summary, summary_tokens } of reports) {
      const clean = scrubValue(this.#scrubber, { summary });
      collapses.push({
        callId: call_id ?? null,
        handle: handle ?? null,
        tokens,
        ...(clean.value.summary === undefined ? {} : { summary: clean.value.summary }),
        summaryTokens: summary_tokens ?? (await countTokensOf(summary ?? '')),
        secrets: clean.count,
      });
    }
    const { answer } = await commitToSession(this.#journal, caller, session, (database, state) =>
      recordCollapses(
        {
          state,
          branch: (id) => branchOf(database, session.id, id),
          operation: ({ handle, callId }) =>
            (handle === null ? undefined : operationOfHandle(database, session.id, handle)) ??
            (callId === null ? undefined : operationOfCall(database, session.id, callId)),
        },
        collapses,
      ),
    );
    return answer;
  }

  async #fromReport(report: OperationReport): Promise<Operation> {
    const { input, output } = report;
    const parts = report.tokens === undefined ? await countBoth(input, output) : undefined;
    const clean = scrubValue(this.#scrubber, { input, output });
    const happened = report.at === undefined ? {} : { happenedAt: new Date(report.at).getTime() };
    return {
      tool: report.tool,
      branchId: report.branch_id === 'main' ? null : report.branch_id,
      callId: report.call_id ?? null,
      tokens: report.tokens ?? parts!.input + parts!.output,
      input: clean.value.input,
      output: clean.value.output,
      ...happened,
      secrets: clean.count,
      source: 'reported',
      ...(parts && { result: { output_tokens: parts.output } }),
    };
  }

  /** Waits for what is still being counted in a session: a branch is folded with all that was done in it. */
  async settled(sessionId: string): Promise<void> {
    await Promise.all([...this.#pending].flatMap(([work, session]) => (session === sessionId ? [work] : [])));
  }

  get isCounting(): boolean {
    return this.#pending.size > 0;
  }

  /** Waits for everything that is still being counted, at the end of the program. */
  async drain(): Promise<void> {
    await Promise.all(this.#pending.keys());
  }

  #commit(caller: Caller, session: Session, operations: Operation[], group: boolean) {
    return commitToSession(
      this.#journal,
      caller,
      session,
      (database, state) =>
        recordOperations(
          {
            state,
            branch: (id) => branchOf(database, session.id, id),
            known: (callId) => operationOfCall(database, session.id, callId),
          },
          operations,
        ),
      { group },
    );
  }

  #track(sessionId: string, work: Promise<unknown>): void {
    this.#pending.set(work, sessionId);
    void work.finally(() => this.#pending.delete(work));
  }
}

async function countBoth(input: unknown, output: unknown): Promise<{ input: number; output: number }> {
  const count = async (value: unknown) => (value === undefined ? 0 : countTokensOf(textOf(value)));
  return { input: await count(input), output: await count(output) };
}
