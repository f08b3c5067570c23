import {
  type Consumed,
  type Decision,
  type KnownDecision,
  type NewCall,
  parentsFrom,
  RULES,
  type Rule,
  SURELY_HELD,
  type WindowState,
} from '@infold/client/window';
import type { WindowCollapsed } from '@infold/protocol/events';
import type { Scrubber } from '@infold/scrub';
import { consumedResults } from '../../fold/queries.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { findSession } from '../../trust/sessions/queries.ts';
import { moneyOfTurn, priceOf, relativePrices } from '../costs/prices.ts';
import type { WindowOpened } from '../events.ts';
import type { WindowArchive } from '../originals/archive.ts';
import { WindowPrompts } from '../originals/held-prompts.ts';
import {
  balanceOf,
  conversationById,
  conversationByKey,
  countDecisions,
  decisionsOf,
  type EarlierTurn,
  lastTurns,
  promptTokens,
  turnsByDigests,
  type WindowConversation,
} from '../queries.ts';
import type { AnswerReport, ModelRequest, Prepare, PreparedRequest } from './prepare.ts';
import { type OpenRequest, Readers } from './readers.ts';
import type { PlanSettings, RequestOutline, WrittenPlan } from './request-reader.ts';
import {
  ConcurrentDecision,
  type NewTurn,
  Recorder,
  type TurnAnswer,
  type TurnRequest,
} from './turn-recorder.ts';

export interface WindowServices {
  journal: Journal;
  clock: Clock;
  config: Config;
  scrubber: Scrubber;
  archive: WindowArchive;
  /** Counts calls in the host's session, as the model is sent them. It never throws. */
  count?: (caller: Caller, hostSession: string, calls: readonly NewCall[]) => Promise<void>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long after a request its provider surely holds nothing of it any more. */
const LIFETIME = { anthropic: 6 * MINUTE, anthropicLong: HOUR + MINUTE, others: 25 * HOUR };

/** Stands between hosts and models: decides what each request holds, and keeps the accounts. */
export class WindowDoor {
  readonly #services: WindowServices;
  readonly #readers = new Readers();
  readonly #recorder: Recorder;
  readonly #counting = new Set<Promise<void>>();
  readonly prompts: WindowPrompts;

  constructor(services: WindowServices) {
    this.#services = services;
    this.prompts = new WindowPrompts(services, this.#readers);
    this.#recorder = new Recorder(services.journal, services.clock);
  }

  readonly prepare: Prepare = async (request) => {
    await this.#services.archive.open();
    const open = await this.#readers.open(request.body, request.dialect);
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await this.#prepare(request, open);
        } catch (error) {
          if (!(error instanceof ConcurrentDecision) || attempt >= 3) throw error;
        }
      }
    } finally {
      open.done();
    }
  };

  async close(): Promise<void> {
    await Promise.all(this.#counting);
    await this.#recorder.close();
    this.prompts.close();
    await this.#readers.close();
  }

  async #prepare(request: ModelRequest, open: OpenRequest): Promise<PreparedRequest> {
    const { caller } = request;
    const known = this.#look(request, open);
    const settings = this.#settings(request, open, known.conversation);
    const plan = await this.#plan(request, open, known, settings);
    request.signal.throwIfAborted();
    const opened = known.conversation ? undefined : openedBy(request, known);
    const id = opened?.conversation ?? known.conversation!.id;
    this.#keepOriginals(request, id, plan);
    const asked = askedOf(request, open, known, plan);
    const turn: NewTurn = {
      ...{ caller, conversation: id, key: known.key, opened, asked, known: known.count },
      previous: known.previous,
      decisions: plan.taken.map(collapsedBy),
    };
    const isDecided = plan.taken.length > 0 || opened !== undefined;
    const recorded = isDecided ? await this.#recorder.decided(turn) : this.#recorder.passed(turn);
    this.#holdPrompt(request, id, asked, known, plan);
    this.#count(request, plan);
    return {
      body: plan.body,
      conversation: id,
      answered: (report) => recorded.answered(this.#answer(asked, report)),
      failed: (reason) =>
        reason === 'late'
          ? this.prompts.sentWhole(id, request.body)
          : recorded.answered({ status: FAILED[reason], usage: null, milliseconds: NO_TIME, money: null }),
    };
  }

  /** The request does not wait for it. */
  #count({ caller, hostSession }: ModelRequest, { calls }: WrittenPlan): void {
    if (hostSession === undefined || calls.length === 0) return;
    const counting = this.#services.count?.(caller, hostSession, calls);
    if (!counting) return;
    this.#counting.add(counting);
    void counting.finally(() => this.#counting.delete(counting));
  }

  #holdPrompt(
    { body, dialect }: ModelRequest,
    conversation: string,
    { model, digest }: TurnRequest,
    { decisions }: Known,
    plan: WrittenPlan,
  ): void {
    const laidOut = plan.body ? [...decisions, ...plan.taken.map(({ decision }) => decision)] : [];
    const handles = laidOut.map(({ handle }) => handle);
    this.prompts.hold(conversation, { body, dialect, model, digest, handles, at: this.#services.clock() });
  }

  #keepOriginals({ caller, hostSession }: ModelRequest, conversation: string, { taken }: WrittenPlan): void {
    const originals = taken.filter(({ original }) => original !== '');
    if (originals.length === 0) return;
    this.#services.archive.keep(
      caller,
      originals.map(({ decision, original }) => ({
        handle: decision.handle,
        text: original,
        conversation,
        session: hostSession ?? null,
      })),
    );
  }

  /** What is known of the conversation that a request belongs to. */
  #look({ caller, hostSession, upstream, headers }: ModelRequest, { outline }: OpenRequest): Known {
    const { database } = this.#services.journal;
    const { org, principal } = caller;
    const key = hostSession ?? [upstream, hostOf(headers['user-agent']), outline.digests[0]].join(' ');
    const latest = conversationByKey(database, org, principal, key);
    const parents = [
      ...this.#recorder.unwritten(caller, outline.digests),
      ...turnsByDigests(database, caller, outline.digests.toReversed()),
    ].sort((one, other) => other.messages - one.messages || other.at - one.at);
    const parent = parents[0];
    const conversation = hostSession === undefined ? this.#unnamed(outline, key, parent, latest) : latest;
    const lines = new Set([conversation?.id, parent?.conversation].filter((id) => id !== undefined));
    const decisions = [...lines].flatMap((id) => decisionsOf(database, id));
    const byHandle = new Map(decisions.map((decision) => [decision.handle, decision]));
    return {
      key,
      previous: latest?.id,
      conversation,
      parents,
      decisions: [...byHandle.values()] as unknown as KnownDecision[],
      count: conversation ? countDecisions(database, conversation.id) : 0,
    };
  }

  /** Of a host that tells no session: the one that the request goes on in. One that only begins like another is another. */
  #unnamed(
    { isFirst, digests }: RequestOutline,
    key: string,
    parent: EarlierTurn | undefined,
    latest: WindowConversation | undefined,
  ): WindowConversation | undefined {
    const isAgain = parent?.messages === digests.length && latest?.turns === 1;
    if (isFirst) return isAgain ? latest : undefined;
    const own = parent && conversationById(this.#services.journal.database, parent.conversation);
    return own?.key === key ? own : latest;
  }

  #settings(
    { dialect, path }: ModelRequest,
    { outline }: OpenRequest,
    conversation: WindowConversation | undefined,
  ): PlanSettings {
    const { window } = this.#services.config;
    const model = outline.model ?? modelIn(path);
    const { read, write, writeLong, contextWindow } = relativePrices(model ?? null, dialect, window.prices);
    const isOff = (rule: Rule) => window.rules[rule] === false;
    const isOn = conversation?.is_enabled ?? true;
    const anthropic = outline.isLong ? LIFETIME.anthropicLong : LIFETIME.anthropic;
    return {
      off: isOn ? RULES.filter(isOff) : RULES,
      prices: { read, write: outline.isLong ? writeLong : write },
      lifetime: dialect === 'anthropic' ? anthropic : LIFETIME.others,
      contextWindow: contextWindow ?? undefined,
    };
  }

  async #plan(
    request: ModelRequest,
    open: OpenRequest,
    known: Known,
    settings: PlanSettings,
  ): Promise<WrittenPlan> {
    const at = this.#services.clock();
    const state = this.#state(request, open, known, settings);
    const plan = await open.plan(state, settings);
    const clean = plan.taken.filter(({ decision }) => !this.#holdsSecret(decision));
    if (clean.length === plan.taken.length) return plan;
    // Nothing unredacted reaches the journal, and nothing redacted a model that was promised all: what holds a secret stays.
    const decisions = [...known.decisions, ...clean.map(({ decision }) => ({ ...decision, at }))];
    return { ...(await open.replay(state, decisions, settings)), taken: clean };
  }

  #holdsSecret({ effect }: Decision): boolean {
    return 'text' in effect && this.#services.scrubber.scrub(effect.text).count > 0;
  }

  #state(
    { caller, hostSession, path }: ModelRequest,
    { outline }: OpenRequest,
    { conversation, parents, decisions }: Known,
    { lifetime }: PlanSettings,
  ): WindowState {
    const { journal, clock } = this.#services;
    const { database } = journal;
    const session =
      hostSession === undefined ? undefined : findSession(database, caller, hostSession, undefined);
    const [last] = conversation ? lastTurns(database, conversation.id, 1) : [];
    const usage = last?.answer?.usage;
    return {
      decisions,
      consumed: session ? consumedResults(database, session.id).map(consumedBy) : [],
      balance: conversation ? balanceOf(database, conversation.id) : 0,
      turns: conversation?.turns ?? 0,
      ...(usage && last.tokens.sent > 0 && { scale: promptTokens(usage) / last.tokens.sent }),
      parents: parentsFrom(
        parents.map((parent) => ({ ...parent, prompt: promptOf(parent) })),
        promptOf({ ...outline, model: outline.model ?? modelIn(path) ?? null }),
        { now: clock(), lifetime: SURELY_HELD * lifetime },
      ),
    };
  }

  #answer(asked: TurnRequest, { status, usage, milliseconds }: AnswerReport): TurnAnswer {
    const price = priceOf(asked.model, this.#services.config.window.prices);
    return { status, usage, milliseconds, money: usage && price ? moneyOfTurn(asked, usage, price) : null };
  }
}

/** As a proxy would say it, or the host. */
const FAILED = { unreachable: 502, gone: 499 };
const NO_TIME = { first: 0, all: 0, own: 0 };

/** What stands before the messages: where it differs, a provider holds nothing of what follows. */
function promptOf({
  model,
  system_digest,
  tools_digest,
}: Pick<EarlierTurn, 'model' | 'system_digest' | 'tools_digest'>): string {
  return [model, system_digest, tools_digest].join(' ');
}

function consumedBy({ handle, call_id }: { handle: string; call_id: string | null }): Consumed {
  return { handle, ...(call_id !== null && { call: call_id }) };
}

interface Known {
  key: string;
  /** The one that was used last of those with this key. */
  previous: string | undefined;
  conversation: WindowConversation | undefined;
  /** What this request goes on from, the longest first. */
  parents: readonly EarlierTurn[];
  decisions: readonly KnownDecision[];
  /** Decisions of this conversation alone. */
  count: number;
}

function openedBy(request: ModelRequest, { key, parents: [parent] }: Known): WindowOpened {
  return {
    conversation: randomId('conv'),
    principal: request.caller.principal,
    key,
    host_session: request.hostSession ?? null,
    host: hostOf(request.headers['user-agent']),
    upstream: request.upstream,
    dialect: request.dialect,
    forked_from: parent?.conversation ?? null,
  };
}

/** `claude-cli/2.1.325 (external, cli)`: the name before the version. */
function hostOf(agent: string | undefined): string | null {
  return /^[\w. -]{1,60}/.exec(agent ?? '')?.[0].trim() || null;
}

/** Gemini's addresses name the model. */
function modelIn(path: string): string | undefined {
  return /\/models\/([^/:]+)/.exec(path)?.[1];
}

function askedOf(
  request: ModelRequest,
  { outline }: OpenRequest,
  { conversation, parents: [parent] }: Known,
  plan: WrittenPlan,
): TurnRequest {
  const { held, gone, tokens, cost, isCold } = plan;
  return {
    // One that is not written yet will be the next.
    parent: parent
      ? { conversation: parent.conversation, turn: parent.turn || (conversation?.turns ?? 0) + 1 }
      : null,
    model: outline.model ?? modelIn(request.path) ?? null,
    messages: outline.digests.length,
    digest: outline.digests.at(-1)!,
    system_digest: outline.system_digest,
    tools_digest: outline.tools_digest,
    held: { ...held, results: held.results.slice(0, 20) },
    gone,
    tokens,
    cost,
    is_cold: isCold,
    passed: conversation?.is_enabled === false ? 'switched off' : null,
  };
}

function collapsedBy({
  decision,
  tool,
}: WrittenPlan['taken'][number]): Omit<WindowCollapsed, 'conversation' | 'turn'> {
  const { handle, rule, anchors, effect, tokens } = decision;
  return { handle, rule, anchors: [...anchors], effect, tokens, tool, secrets: 0 };
}
