import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS cache_gateway_owner (
  one INTEGER PRIMARY KEY CHECK (one = 1), process TEXT NOT NULL, until INTEGER NOT NULL) STRICT`;
const LEASE = 8000;
export const LEASE_RENEWAL = 2000;

/**
 * One process of those that share a data folder gives out positions in pods; the others hand it their messages
 * through the journal. A lease, not part of what happened: it lives beside the journal.
 */
export class Ownership {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #process: string;
  #until = 0;

  constructor(database: Database, clock: Clock, process: string) {
    this.#database = database;
    this.#clock = clock;
    this.#process = process;
  }

  get isOwner(): boolean {
    return this.#until > this.#clock();
  }

  /** Takes or keeps the lease where it is free. When the file is locked, the next try decides. */
  renew(): void {
    const now = this.#clock();
    try {
      if (this.#until === 0) this.#database.exec(TABLE);
      const changed = this.#database.run(
        `INSERT INTO cache_gateway_owner VALUES (1, ?1, ?2) ON CONFLICT (one) DO UPDATE
         SET process = ?1, until = ?2 WHERE process = ?1 OR until <= ?3 OR until > ?3 + 10 * ?4`,
        this.#process,
        now + LEASE,
        now,
        LEASE,
      );
      this.#until = changed > 0 ? now + LEASE : 0;
    } catch {
      // Busy: the lease is longer than several tries.
    }
  }

  release(): void {
    this.#until = 0;
    try {
      this.#database.run('DELETE FROM cache_gateway_owner WHERE process = ?', this.#process);
    } catch {
      // It runs out by itself.
    }
  }
}

/** Whether a process is there that gives out positions; asked inside a commit. */
export function hasOwner(database: Database, now: number): boolean {
  const there = database.get(`SELECT 1 FROM sqlite_schema WHERE name = 'cache_gateway_owner'`);
  if (!there) return false;
  return (
    database.get(
      'SELECT 1 FROM cache_gateway_owner WHERE until > ? AND until <= ?',
      now,
      now + 10 * LEASE,
    ) !== undefined
  );
}
