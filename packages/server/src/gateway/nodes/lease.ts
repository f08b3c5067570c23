import { hostname } from 'node:os';
import type { Clock } from '../../kernel/clock.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS cache_gateway_owner (
  one INTEGER PRIMARY KEY CHECK (one = 1), process TEXT NOT NULL, until INTEGER NOT NULL) STRICT`;
const LEASE = 8000;
export const LEASE_RENEWAL = 2000;

interface Holder {
  process: string;
  until: number;
}

/**
 * One process of those that share a data folder gives out positions in pods; the others hand it their messages
 * through the journal. A lease, not part of what happened: it lives beside the journal.
 */
export class PositionLease {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #process = JSON.stringify([hostname(), process.pid, randomId('process')]);
  #until = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  get isOwner(): boolean {
    return this.#until > this.#clock();
  }

  /** Whether another process has the lease, by the table: asked inside a commit. */
  isOthers(database: Database, now: number): boolean {
    const holder = holderOf(database);
    return holder !== undefined && holder.process !== this.#process && isHeld(holder, now);
  }

  /** Takes or keeps the lease where it is free. When the file is locked, the next try decides. */
  renew(): void {
    const now = this.#clock();
    try {
      if (this.#until === 0) this.#database.exec(TABLE);
      const holder = holderOf(this.#database);
      if (holder && holder.process !== this.#process && isHeld(holder, now)) {
        this.#until = 0;
        return;
      }
      const changed = this.#database.run(
        `INSERT INTO cache_gateway_owner VALUES (1, ?1, ?2)
         ON CONFLICT (one) DO UPDATE SET process = ?1, until = ?2 WHERE process = ?3`,
        this.#process,
        now + LEASE,
        holder?.process ?? this.#process,
      );
      this.#until = changed > 0 ? now + LEASE : 0;
    } catch {
      // Busy: the lease is longer than several tries.
    }
  }

  release(): void {
    this.#until = 0;
    try {
      if (holderOf(this.#database)?.process !== this.#process) return;
      this.#database.run('DELETE FROM cache_gateway_owner WHERE process = ?', this.#process);
    } catch {
      // It runs out by itself.
    }
  }
}

/** Whether a process is there that gives out positions; asked inside a commit. */
export function hasOwner(database: Database, now: number): boolean {
  const holder = holderOf(database);
  return holder !== undefined && isHeld(holder, now);
}

function holderOf(database: Database): Holder | undefined {
  if (!database.hasTable('cache_gateway_owner')) return undefined;
  return database.get<Holder>('SELECT process, until FROM cache_gateway_owner WHERE one = 1');
}

/** A time too far ahead was written by a clock that was wrong. */
function isHeld(holder: Holder, now: number): boolean {
  return holder.until > now && holder.until <= now + 10 * LEASE && !isKnownDead(holder.process);
}

/** A server that crashed and was started again must not wait for its own lease to run out. */
function isKnownDead(holder: string): boolean {
  const [host, pid] = JSON.parse(holder) as [string, number];
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // Another user's process is alive too: it only may not be asked.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
