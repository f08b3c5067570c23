import { type Api, ApiError } from '@infold/client/api';
import type { Envelope } from '@infold/protocol';

export interface PodMessage {
  seq: number;
  epoch: string;
  envelope: Envelope;
}

const FIRST_PAGE = 300;
const PAGE = 1000;
/** Messages that are held; of more, the oldest are read again by who goes back to them. */
const MOST = 100_000;
const DROPPED = 10_000;

/**
 * Messages of a pod without holes, from some position to another: read page by page in both directions, and grown by what
 * comes.
 */
export class PodFeed {
  readonly #api: Pick<Api, 'listPodMessages'>;
  readonly #pod: string;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  #messages: PodMessage[] = [];
  /** Everything up to here is held; what came live beyond it waits for what is between. */
  #through = 0;
  #isWhole = false;
  #version = 0;
  #reading: Promise<void> | undefined;
  #isHearing = false;
  #failed: (() => Promise<() => void>) | undefined;
  /** Counts the beginnings: what was asked for before the last one is not wanted any more. */
  #life = 0;
  isBegun = false;
  hasOlder = false;
  hasNewer = false;
  problem: unknown;

  constructor(api: Pick<Api, 'listPodMessages'>, pod: string) {
    this.#api = api;
    this.#pod = pod;
  }

  get messages(): readonly PodMessage[] {
    return this.#messages;
  }

  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  stop(): void {
    this.#ending.abort();
    this.#listeners.clear();
  }

  /** Reads the newest messages, or those up to a position. */
  begin(at?: number): Promise<void> {
    this.#life++;
    this.#reading = undefined;
    this.#isWhole = false;
    return this.#read(async () => {
      const before = at === undefined ? {} : { before: String(at + 1) };
      const { messages, next } = await this.#ask({ order: 'newest', limit: FIRST_PAGE, ...before });
      return () => {
        this.#messages = messages.reverse();
        this.#through = this.#messages.at(-1)?.seq ?? at ?? 0;
        this.isBegun = true;
        this.hasOlder = next !== null;
        this.hasNewer = at !== undefined;
      };
    });
  }

  older(): Promise<void> {
    return this.#read(async () => {
      const [first] = this.#messages;
      // It may have been read while somebody waited for it.
      if (!this.hasOlder || !first) return () => {};
      const query = { order: 'newest', limit: PAGE, before: String(first.seq) } as const;
      const { messages, next } = await this.#ask(query);
      return () => {
        this.#messages = [...messages.reverse(), ...this.#messages];
        this.hasOlder = next !== null;
      };
    });
  }

  /** Reads what was said since, one page of it. */
  newer(): Promise<void> {
    return this.#read(async () => {
      const { messages, next } = await this.#ask({ limit: PAGE, since: String(this.#through) });
      return () => {
        this.#merge(messages);
        this.#through = Math.max(this.#through, messages.at(-1)?.seq ?? 0);
        this.hasNewer = next !== null;
      };
    });
  }

  /** Something was said: it is read, after what is being read now. Said often meanwhile, it is read once. */
  async hear(): Promise<void> {
    if (this.#isHearing) return;
    this.#isHearing = true;
    while (this.#reading && !this.#isEnded) await this.#reading;
    this.#isHearing = false;
    if (!this.isBegun || this.#isWhole) return;
    do await this.newer();
    while (this.hasNewer && this.problem === undefined && !this.#isEnded);
  }

  /** Tries what failed last once more. */
  async retry(): Promise<void> {
    if (this.#failed) await this.#read(this.#failed);
  }

  /** From now on everything is told: what was said before is read, and nothing is missing then. */
  async meet(): Promise<void> {
    const life = this.#life;
    do {
      await this.newer();
    } while (this.hasNewer && this.problem === undefined && life === this.#life && !this.#isEnded);
    if (life !== this.#life || this.problem !== undefined) return;
    this.#isWhole = true;
    this.#through = this.#messages.at(-1)?.seq ?? this.#through;
  }

  /** What is said is not told any more, until somebody meets it again. */
  part(): void {
    this.#isWhole = false;
  }

  /** Whether everything that is said is told. */
  get isMet(): boolean {
    return this.#isWhole;
  }

  receive(messages: readonly PodMessage[]): void {
    if (messages.length === 0) return;
    this.#merge(messages);
    if (this.#isWhole) this.#through = this.#messages.at(-1)!.seq;
    this.#changed();
  }

  get #isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  async #ask(query: object) {
    try {
      return await this.#api.listPodMessages({ pod: this.#pod, ...query }, { signal: this.#ending.signal });
    } catch (error) {
      // A pod that nobody has used yet: there is nothing in it.
      if (error instanceof ApiError && error.status === 404) return { messages: [], next: null };
      throw error;
    }
  }

  /** One after the other; who asks while something is read waits for that, and asks again. */
  async #read(work: () => Promise<() => void>): Promise<void> {
    const life = this.#life;
    while (this.#reading && life === this.#life) await this.#reading;
    if (life !== this.#life || this.#isEnded) return;
    const reading = work().then(
      (apply) => {
        if (life !== this.#life) return;
        apply();
        this.problem = undefined;
        this.#failed = undefined;
      },
      (error: unknown) => {
        if (life !== this.#life || this.#isEnded) return;
        this.problem = error;
        this.#failed = work;
      },
    );
    this.#reading = reading;
    this.#changed();
    await reading;
    if (this.#reading === reading) this.#reading = undefined;
    if (!this.#isEnded) this.#changed();
  }

  #merge(messages: readonly PodMessage[]): void {
    const last = this.#messages.at(-1)?.seq ?? 0;
    const first = this.#messages[0]?.seq ?? 0;
    const isAfter = messages.every(({ seq }, index) => seq > (messages[index - 1]?.seq ?? last));
    if (isAfter) this.#messages = [...this.#messages, ...messages];
    else {
      const bySeq = new Map([...this.#messages, ...messages].map((message) => [message.seq, message]));
      this.#messages = [...bySeq.values()]
        .filter(({ seq }) => seq >= first)
        .sort((one, other) => one.seq - other.seq);
    }
    if (this.#messages.length <= MOST) return;
    this.#messages = this.#messages.slice(DROPPED);
    this.hasOlder = true;
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
