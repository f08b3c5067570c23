import type { Entry, Journal } from './journal.ts';

const POLL_INTERVAL = 40;
const PAGE = 500;

/**
 * Hands every entry to the watchers once, in order, whichever process wrote it. SQLite's `data_version` changes
 * when another connection commits, and asking for it costs microseconds, so polling beats watching the file.
 */
export class Tail {
  readonly #journal: Journal;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(entry: Entry) => void>();
  #timer: NodeJS.Timeout | undefined;
  #delivered = 0;
  #version = 0;

  constructor(journal: Journal, onError: (error: unknown) => void) {
    this.#journal = journal;
    this.#onError = onError;
  }

  watch(listener: (entry: Entry) => void): () => void {
    if (this.#listeners.size === 0) {
      this.#version = this.#dataVersion();
      this.#delivered = this.#journal.head().seq;
      this.#timer = setInterval(() => this.#poll(), POLL_INTERVAL);
      this.#timer.unref();
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** An entry that this process just committed. Entries of other processes that came before it go first. */
  deliver(entry: Entry): void {
    if (this.#listeners.size === 0) return;
    if (entry.seq === this.#delivered + 1) this.#hand(entry);
    else if (entry.seq > this.#delivered) this.#catchUp();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    try {
      const version = this.#dataVersion();
      if (version === this.#version) return;
      this.#version = version;
      this.#catchUp();
    } catch (error) {
      this.#onError(error);
    }
  }

  #catchUp(): void {
    for (;;) {
      const entries = this.#journal.entriesAfter(this.#delivered, PAGE);
      for (const entry of entries) this.#hand(entry);
      if (entries.length < PAGE) return;
    }
  }

  #hand(entry: Entry): void {
    this.#delivered = entry.seq;
    for (const listener of this.#listeners) {
      try {
        listener(entry);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  #dataVersion(): number {
    return this.#journal.database.get<{ data_version: number }>('PRAGMA data_version')!.data_version;
  }
}
