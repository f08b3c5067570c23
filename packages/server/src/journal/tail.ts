import type { Entry, Journal } from './journal.ts';

/**
 * How often entries of other processes are looked for, by how long ago the last one came: who watches a tree grow should
 * see it grow, and a server that nobody needs should sleep.
 */
const INTERVALS = [
  { until: 2 * 60_000, interval: 10 },
  { until: 10 * 60_000, interval: 40 },
  { until: Number.POSITIVE_INFINITY, interval: 90 },
];
const PAGE = 100;
const TURN = 15;

interface Watcher {
  listener: (entry: Entry) => void;
  /** The newest entry when it began to watch: older ones, still to be delivered to others, are not for it. */
  after: number;
}

/**
 * Hands every entry to the watchers once, in order, whichever process wrote it. SQLite's `data_version` changes
 * when another connection commits, and asking for it costs microseconds, so polling beats watching the file.
 */
export class Tail {
  readonly #journal: Journal;
  readonly #onError: (error: unknown) => void;
  readonly #watchers = new Set<Watcher>();
  #timer: NodeJS.Timeout | undefined;
  #delivered = 0;
  #version = 0;
  #lastChange = 0;
  #stuck = false;
  #goingOn: NodeJS.Immediate | undefined;

  constructor(journal: Journal, onError: (error: unknown) => void) {
    this.#journal = journal;
    this.#onError = onError;
  }

  watch(listener: (entry: Entry) => void): () => void {
    const first = this.#watchers.size === 0;
    if (first) {
      this.#version = this.#dataVersion();
      // Who begins to watch expects something, if not at once.
      this.#lastChange = performance.now() - INTERVALS[0]!.until;
    }
    const watcher = { listener, after: this.#journal.head().seq };
    if (first) {
      this.#delivered = watcher.after;
      this.#schedule();
    }
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.close();
    };
  }

  /** An entry that this process just committed. Entries of other processes that came before it go first. */
  deliver(entry: Entry): void {
    if (this.#watchers.size === 0) return;
    try {
      if (entry.seq === this.#delivered + 1) this.#hand(entry);
      else if (entry.seq > this.#delivered) this.#catchUp();
    } catch (error) {
      // The entry is durable: its writer must not be told that it failed because an older one cannot be read.
      this.#onError(error);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#goingOn);
    this.#goingOn = undefined;
    this.#timer = undefined;
  }

  #schedule(): void {
    const age = performance.now() - this.#lastChange;
    const { interval } = INTERVALS.find(({ until }) => age < until)!;
    this.#timer = setTimeout(() => {
      this.#poll();
      if (this.#timer) this.#schedule();
    }, interval);
    this.#timer.unref();
  }

  #poll(): void {
    this.#attempt(() => {
      const version = this.#dataVersion();
      if (version === this.#version) return;
      this.#catchUp();
      this.#version = version;
      this.#lastChange = performance.now();
    });
  }

  /** The next poll tries again; one report is enough. */
  #attempt(work: () => void): void {
    try {
      work();
      this.#stuck = false;
    } catch (error) {
      if (!this.#stuck) this.#onError(error);
      this.#stuck = true;
    }
  }

  /** In turns: another process may have written a million entries meanwhile. */
  #catchUp(): void {
    const end = performance.now() + TURN;
    for (;;) {
      const entries = this.#journal.entriesAfter(this.#delivered, PAGE);
      for (const entry of entries) this.#hand(entry);
      if (entries.length < PAGE) return;
      if (performance.now() > end) break;
    }
    // What comes meanwhile is handed over when it is its turn.
    this.#goingOn ??= setImmediate(() => {
      this.#goingOn = undefined;
      if (this.#watchers.size > 0) this.#attempt(() => this.#catchUp());
    });
  }

  #hand(entry: Entry): void {
    this.#delivered = entry.seq;
    for (const watcher of this.#watchers) {
      if (entry.seq <= watcher.after) continue;
      try {
        watcher.listener(entry);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  #dataVersion(): number {
    return this.#journal.database.get<{ data_version: number }>('PRAGMA data_version')!.data_version;
  }
}
