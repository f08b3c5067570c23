import type { Database } from '../../kernel/sqlite.ts';
import { hasOwner, type PositionLease } from './lease.ts';
import type { Positions } from './positions.ts';

/** When this process wants to give out positions in pods: from the first pod on, and until it has none. */
export class Ownership implements Positions {
  readonly #lease: PositionLease;
  readonly #onTurn: () => void;
  #isWanted = false;
  #wasOwner = false;

  /** `onTurn` is called when the positions become this process's to give out. */
  constructor(lease: PositionLease, onTurn: () => void) {
    this.#lease = lease;
    this.#onTurn = onTurn;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  isOwner(): boolean {
    return this.#lease.isOwner;
  }

  isOthers(database: Database, now: number): boolean {
    return this.#lease.isOthers(database, now);
  }

  isServed(database: Database, now: number): boolean {
    return hasOwner(database, now);
  }

  begin(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.renew();
  }

  /** An idle server leaves the disk alone. */
  rest(): void {
    this.#isWanted = false;
    this.#lease.release();
    this.#wasOwner = false;
  }

  renew(): void {
    if (!this.#isWanted) return;
    // A machine that slept has lost its lease without noticing.
    const held = this.#wasOwner && this.#lease.isOwner;
    this.#lease.renew();
    this.#wasOwner = this.#lease.isOwner;
    if (this.#wasOwner && !held) this.#onTurn();
  }
}
