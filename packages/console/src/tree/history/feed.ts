import type { Api } from '@infold/client/api';
import type { JournalEntry } from '@infold/protocol';
import type { EventMap } from '@infold/protocol/events';
import { History } from './history.ts';

type Source = Pick<Api, 'listSessionEntries'>;

const PAGE = 1000;
/** Operations and marks after a position that were asked for with it. */
const FURTHER = 3000;

/** A session's entries: those that are there, page by page, then those that come. Each is applied once and in order. */
export class Feed {
  readonly history: History;
  readonly #api: Source;
  readonly #session: string;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  #waiting: JournalEntry[] = [];
  #reading: Promise<void> | undefined;
  #version = 0;
  /** Everything that was there is read. */
  isComplete = false;
  problem: unknown;

  constructor(api: Source, session: string) {
    this.#api = api;
    this.#session = session;
    this.history = new History(session);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  stop(): void {
    this.#ending.abort();
  }

  /** Live entries of all sessions; this one's are taken. */
  receive(entries: readonly JournalEntry[]): void {
    const own = entries.filter((entry) => isOf(entry, this.#session));
    if (own.length === 0) return;
    if (this.#reading || !this.isComplete) this.#waiting.push(...own);
    else this.#add(own);
  }

  /** Reads what this page was not told: at first everything, later what came while there was no connection. */
  async read(): Promise<void> {
    await this.#reading;
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** The history around a position that is not held: from the nearest tree that is, and some way on for who goes on. */
  async past(seq: number): Promise<History> {
    const history = new History(this.history.checkpointBefore(seq));
    let room = FURTHER;
    let isEnd = false;
    do {
      const { entries, next } = await this.#page(history.tree.seq);
      history.add(entries.filter((entry) => entry.seq <= seq));
      for (const entry of entries) {
        if (entry.seq <= seq || room <= 0) continue;
        history.add([entry]);
        room -= entry.events.length;
      }
      isEnd = next === null || entries.length === 0;
    } while (history.tree.seq < seq && !isEnd);
    return history;
  }

  async #readOn(): Promise<void> {
    this.problem = undefined;
    try {
      let cursor: string | null = String(this.history.tree.seq);
      while (cursor !== null) {
        const page: { entries: JournalEntry[]; next: string | null } = await this.#page(Number(cursor));
        this.#add(page.entries);
        cursor = page.next;
      }
      this.isComplete = true;
    } catch (error) {
      if (!this.#ending.signal.aborted) this.problem = error;
    }
    const waiting = this.#waiting;
    // What could not be read before them is missing: they are asked for again with it.
    this.#waiting = [];
    if (this.problem === undefined) this.#add(waiting);
    this.#changed();
  }

  #page(after: number): Promise<{ entries: JournalEntry[]; next: string | null }> {
    const cursor = after === 0 ? {} : { cursor: String(after) };
    const { signal } = this.#ending;
    return this.#api.listSessionEntries({ id: this.#session, limit: PAGE, ...cursor }, { signal });
  }

  #add(entries: readonly JournalEntry[]): void {
    if (entries.length === 0) return;
    this.history.add(entries);
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** What was said in a pod may count in a branch of it. */
export function isOf({ kind, session_id, events }: JournalEntry, session: string): boolean {
  if (kind === 'session') return session_id === session;
  return (
    kind === 'pod' &&
    events.some(({ data }) => {
      const { operation_of } = data as Partial<EventMap['envelope.accepted']>;
      return operation_of?.session_id === session;
    })
  );
}
