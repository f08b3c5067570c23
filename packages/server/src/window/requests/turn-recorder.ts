import type { WindowAnswered, WindowAsked, WindowCollapsed } from '@infold/protocol/events';
import type { Journal } from '../../journal/journal.ts';
import { nextTurn } from '../../kernel/background.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { windowStream } from '../../trust/streams.ts';
import { openConversation, recordAnswered, recordAsked } from '../commands.ts';
import type { WindowOpened } from '../events.ts';
import { conversationById, conversationByKey, countDecisions, type EarlierTurn, turnAt } from '../queries.ts';

/** Somebody else decided something for this conversation meanwhile: what was planned would not be what they send. */
export class ConcurrentDecision extends Error {}

export type TurnRequest = Omit<WindowAsked, 'conversation' | 'turn'>;
export type TurnAnswer = Omit<WindowAnswered, 'conversation' | 'turn'>;

/** A request, as it is about to be sent. */
export interface NewTurn {
  caller: Caller;
  conversation: string;
  key: string;
  /** Where the conversation begins with it, and the one that was known by its key before. */
  opened: WindowOpened | undefined;
  previous: string | undefined;
  asked: TurnRequest;
  decisions: readonly Omit<WindowCollapsed, 'conversation' | 'turn'>[];
  /** Decisions of the conversation that were known when this was planned. */
  known: number;
}

export interface RecordedTurn {
  answered(answer: TurnAnswer): Promise<void>;
}

/** How long what only passed may wait for its answer before it is written down without. */
const MOST_DELAY = 1000;

interface Unwritten extends EarlierTurn {
  owner: string;
  digest: string;
}

/**
 * Writes turns down. What was decided has to be on record before anybody acts on it. What only passed is written with its
 * answer, in one entry, or soon: until then it is known here, to this process.
 */
export class Recorder {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #unwritten = new Set<Unwritten>();
  readonly #under = new Set<Promise<unknown>>();
  /** What waits for its answer, and is written at once when the process ends. */
  readonly #waiting = new Set<() => void>();

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Turns of theirs that are a beginning of a request with these digests, and that no table has yet. */
  unwritten(caller: Caller, digests: readonly string[]): EarlierTurn[] {
    const owner = ownerOf(caller);
    return [...this.#unwritten].filter(
      (turn) => turn.owner === owner && digests[turn.messages - 1] === turn.digest,
    );
  }

  /** Resolves when it is on record. */
  async decided(turn: NewTurn): Promise<RecordedTurn> {
    const number = await this.#write(turn);
    return { answered: (answer) => this.#answered(turn, number, answer) };
  }

  passed(turn: NewTurn): RecordedTurn {
    const { messages, digest, model, system_digest, tools_digest } = turn.asked;
    const entry: Unwritten = {
      ...{ messages, digest, model, system_digest, tools_digest, owner: ownerOf(turn.caller) },
      ...{ conversation: turn.conversation, turn: 0, at: this.#clock() },
    };
    this.#unwritten.add(entry);
    let written: Promise<number> | undefined;
    const write = (answer?: TurnAnswer) => {
      this.#waiting.delete(hurry);
      written ??= this.#keep(this.#write(turn, answer)).finally(() => this.#unwritten.delete(entry));
      return written;
    };
    const hurry = () => void write().catch(() => {});
    const timer = setTimeout(hurry, MOST_DELAY);
    this.#waiting.add(hurry);
    return {
      answered: async (answer) => {
        clearTimeout(timer);
        // First the last bytes of the answer.
        await nextTurn();
        if (written) await this.#answered(turn, await written, answer);
        else await write(answer);
      },
    };
  }

  /** Resolves when everything is on record that can be. */
  async close(): Promise<void> {
    for (const hurry of this.#waiting) hurry();
    this.#waiting.clear();
    await Promise.allSettled(this.#under);
  }

  #keep<Value>(work: Promise<Value>): Promise<Value> {
    this.#under.add(work);
    const forget = () => this.#under.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #write(turn: NewTurn, answer?: TurnAnswer): Promise<number> {
    const { caller, conversation, key, opened, previous, asked, decisions, known } = turn;
    const committed = await this.#journal.commit({
      stream: windowStream(caller.org, conversation),
      actor: caller.actor,
      decide: (database) => {
        const existing = opened
          ? conversationByKey(database, caller.org, caller.principal, key)
          : conversationById(database, conversation);
        const isOvertaken =
          opened !== undefined
            ? existing?.id !== previous
            : decisions.length > 0 && countDecisions(database, conversation) !== known;
        if (isOvertaken) throw new ConcurrentDecision();
        const begun = opened ? openConversation(undefined, opened) : { events: [], answer: existing! };
        const recorded = recordAsked(begun.answer, asked, decisions, answer);
        return { events: [...begun.events, ...recorded.events], answer: recorded.answer };
      },
    });
    return committed.answer;
  }

  async #answered({ caller, conversation }: NewTurn, turn: number, answer: TurnAnswer): Promise<void> {
    await this.#keep(
      this.#journal.commit({
        stream: windowStream(caller.org, conversation),
        actor: caller.actor,
        group: true,
        decide: (database) =>
          recordAnswered(turnAt(database, conversation, turn), { conversation, turn, ...answer }),
      }),
    );
  }
}

const ownerOf = ({ org, principal }: Caller) => JSON.stringify([org, principal]);
