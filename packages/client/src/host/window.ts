import type { CachePrices } from '../collapse/policy.ts';
import { layOut, Results } from '../window/layout.ts';
import { type EarlierTurn, parentsFrom } from '../window/parents.ts';
import { type KnownDecision, type Plan, planWindow, SURELY_HELD, type WindowState } from '../window/plan.ts';
import { type Digest, type Reading, readRequest } from '../window/read.ts';
import { RULES, type Rule } from '../window/types.ts';
import type { ChatMessage } from './chat.ts';

/** What a host is about to ask its model. */
export interface HostRequest {
  session: string;
  messages: readonly ChatMessage[];
  model: HostModel;
  /** The model can call `context_expand`. Where it cannot, nothing leaves that it might want back. */
  canExpand: boolean;
  /** Tokens that the provider counted for the prompt before, where the host knows them. */
  counted?: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface HostModel {
  name: string;
  prices: CachePrices;
  /** Its provider holds what is marked, and looks for it only near the marks. */
  wantsMarks: boolean;
  contextWindow?: number;
}

/** What becomes of a request's messages. */
export interface Arrangement {
  /** Places of messages that go. */
  dropped: ReadonlySet<number>;
  /** What stands for results, by the id of their call. */
  texts: ReadonlyMap<string, string>;
}

export interface Kept {
  handle: string;
  text: string;
}

/** One request and what was decided for it: enough to send it again to the byte, and to know what its provider holds. */
export interface WindowLine {
  at: number;
  /** Of all its messages. */
  digest: string;
  messages: number;
  prompt: string;
  /** What was saved by estimate, in input tokens. */
  saved: number;
  /** Tokens of the messages as they were sent. */
  sent: number;
  decisions: readonly KnownDecision[];
}

/** Where a session's lines are written down, so that a host that starts again goes on with the same bytes. */
export interface WindowMemory {
  read(session: string): readonly WindowLine[];
  append(session: string, line: WindowLine): void;
}

export interface HostWindowOptions {
  memory: WindowMemory;
  digest: Digest;
  newHandle: () => string;
  /** Puts originals where `context_expand` finds them. False, or an error: they are not there, and nothing leaves. */
  keep(session: string, originals: readonly Kept[]): Promise<boolean>;
  off?: ReadonlySet<Rule>;
}

export const UNCHANGED: Arrangement = { dropped: new Set(), texts: new Map() };

const MINUTE = 60_000;
/** How long after a request its provider surely holds nothing of it any more. */
const LIFETIME = { marked: 6 * MINUTE, others: 25 * 60 * MINUTE };
/** No room for another mark: a plugin cannot set any. */
const MARKS = { mark: '{}', count: 4 };

type Turn = EarlierTurn & { session: string };

/** What the server's window door does, within the host: it decides once what each request holds, and does it again. */
export class HostWindow {
  readonly #options: HostWindowOptions;
  readonly #lines = new Map<string, WindowLine[]>();
  readonly #turns = new Map<string, Turn[]>();
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(options: HostWindowOptions) {
    this.#options = options;
  }

  /** It never throws: what it cannot read, or cannot keep, goes as it came. */
  async arrange(request: HostRequest): Promise<Arrangement> {
    // One after the other: what the first decides the second has to know.
    const before = this.#busy.get(request.session) ?? Promise.resolve();
    const own = before.then(() => this.#arrange(request)).catch(() => UNCHANGED);
    this.#busy.set(request.session, own);
    const arrangement = await own;
    if (this.#busy.get(request.session) === own) this.#busy.delete(request.session);
    return arrangement;
  }

  async #arrange(request: HostRequest): Promise<Arrangement> {
    const { digest } = this.#options;
    const lines = this.#linesOf(request.session);
    const reading = this.#read(request, lines.at(-1));
    const known = this.#known(request, reading, lines);
    let plan = this.#plan(request, reading, known, this.#options.off);
    if (!(await this.#areKept(request.session, plan))) {
      plan = this.#plan(request, reading, known, new Set(RULES));
    }
    const taken = plan.taken.map(({ decision }) => ({ ...decision, at: request.at }));
    this.#remember(request, reading, plan, known.inherited, taken);
    if (plan.text === undefined) return UNCHANGED;
    const layout = layOut(reading, new Results(reading, digest), [...known.state.decisions, ...taken]);
    return {
      dropped: new Set(layout.dropped.keys()),
      texts: new Map([...layout.texts].map(([call, { text }]) => [call, text])),
    };
  }

  #linesOf(session: string): WindowLine[] {
    let lines = this.#lines.get(session);
    if (!lines) {
      lines = [...this.#options.memory.read(session)];
      this.#lines.set(session, lines);
      for (const line of lines) this.#addTurn(session, line);
    }
    return lines;
  }

  #addTurn(session: string, { digest, messages, at, prompt }: WindowLine): void {
    const turn = { session, messages, at, prompt };
    this.#turns.set(digest, [turn, ...(this.#turns.get(digest) ?? [])]);
  }

  #read({ messages, canExpand, model, counted }: HostRequest, last: WindowLine | undefined): Reading {
    const tools = canExpand ? [{ type: 'function', function: { name: 'context_expand' } }] : [];
    const text = JSON.stringify({ model: model.name, messages, tools });
    const reading = readRequest(text, 'openai-chat', this.#options.digest);
    // Plugins are not shown the system prompt and the tools: they are what the provider counted besides the messages.
    const besides = last && counted ? Math.max(0, counted - last.sent) : 0;
    return {
      ...reading,
      conversation: {
        ...reading.conversation,
        system: { tokens: besides, digest: '' },
        cache: model.wantsMarks ? MARKS : undefined,
      },
    };
  }

  #known(request: HostRequest, { digests }: Reading, lines: readonly WindowLine[]): Known {
    const turns = digests.toReversed().flatMap((digest) => this.#turns.get(digest) ?? []);
    // A fork goes on with what was decided for the session that it began in.
    const origin = turns[0] && turns[0].session !== request.session ? turns[0].session : undefined;
    const own = new Map(lines.flatMap(({ decisions }) => decisions.map((one) => [one.handle, one])));
    const inherited = (origin === undefined ? [] : this.#linesOf(origin))
      .flatMap(({ decisions }) => decisions)
      .filter(({ handle }) => !own.has(handle));
    return {
      inherited,
      state: {
        decisions: [...inherited, ...own.values()],
        balance: lines.reduce((sum, { saved }) => sum + saved, 0),
        turns: lines.length,
        parents: parentsFrom(turns, promptOf(request), {
          now: request.at,
          lifetime: SURELY_HELD * lifetimeOf(request),
        }),
      },
    };
  }

  #plan(request: HostRequest, reading: Reading, { state }: Known, off: ReadonlySet<Rule> | undefined): Plan {
    const { digest, newHandle } = this.#options;
    const { prices, contextWindow } = request.model;
    return planWindow(reading, state, {
      ...{ prices, digest, newHandle, lifetime: lifetimeOf(request) },
      ...(off && { off }),
      ...(contextWindow !== undefined && { contextWindow }),
    });
  }

  async #areKept(session: string, { taken }: Plan): Promise<boolean> {
    const originals = taken
      .filter(({ original }) => original !== '')
      .map(({ decision, original }) => ({ handle: decision.handle, text: original }));
    if (originals.length === 0) return true;
    return this.#options.keep(session, originals).catch(() => false);
  }

  #remember(
    request: HostRequest,
    { digests, conversation }: Reading,
    { tokens, cost }: Plan,
    inherited: readonly KnownDecision[],
    taken: readonly KnownDecision[],
  ): void {
    const line: WindowLine = {
      at: request.at,
      digest: digests.at(-1)!,
      messages: digests.length,
      prompt: promptOf(request),
      saved: cost.asked - cost.sent,
      sent: tokens.sent - conversation.system.tokens,
      decisions: [...inherited, ...taken],
    };
    this.#linesOf(request.session).push(line);
    this.#addTurn(request.session, line);
    this.#options.memory.append(request.session, line);
  }
}

interface Known {
  state: WindowState;
  /** Decisions of the session that this one was forked from. */
  inherited: readonly KnownDecision[];
}

const promptOf = ({ model, canExpand }: HostRequest) => `${model.name} ${canExpand}`;
const lifetimeOf = ({ model }: HostRequest) => (model.wantsMarks ? LIFETIME.marked : LIFETIME.others);
