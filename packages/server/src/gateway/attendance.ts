import type { Database } from '../kernel/sqlite.ts';
import type { Ownership } from './ownership.ts';

/** When this process wants to give out positions in pods: from the first pod on, and until it has none. */
export class Attendance {
  readonly #ownership: Ownership;
  readonly #onTurn: () => void;
  #attending = false;
  #wasOwner = false;

  /** `onTurn` is called when the positions become this process's to give out. */
  constructor(ownership: Ownership, onTurn: () => void) {
    this.#ownership = ownership;
    this.#onTurn = onTurn;
  }

  get attending(): boolean {
    return this.#attending;
  }

  get isOwner(): boolean {
    return this.#ownership.isOwner;
  }

  isOthers(database: Database, now: number): boolean {
    return this.#ownership.isOthers(database, now);
  }

  begin(): void {
    if (this.#attending) return;
    this.#attending = true;
    this.renew();
  }

  /** An idle server leaves the disk alone. */
  rest(): void {
    this.#attending = false;
    this.#ownership.release();
    this.#wasOwner = false;
  }

  renew(): void {
    if (!this.#attending) return;
    // A machine that slept has lost its lease without noticing.
    const held = this.#wasOwner && this.#ownership.isOwner;
    this.#ownership.renew();
    this.#wasOwner = this.#ownership.isOwner;
    if (this.#wasOwner && !held) this.#onTurn();
  }
}
