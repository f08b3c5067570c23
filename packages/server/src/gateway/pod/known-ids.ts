import type { Database } from '../../kernel/sqlite.ts';
import { KNOWN_IDS, type PodRow, podByName, positionOfId } from '../queries.ts';
import type { Budget, Holder } from './budget.ts';

/** What an id takes besides its characters. */
const ID_BYTES = 64;
const bytesOf = (id: string) => id.length + ID_BYTES;

interface Spot {
  readonly org: string;
  readonly name: string;
  readonly mode: string;
}

/** The ids of a pod's newest messages: of its life in this process in memory, of the time before in the tables. */
export class KnownIds implements Holder {
  readonly #database: Database;
  readonly #budget: Budget;
  readonly #pod: Spot;
  readonly #ids = new Set<string>();
  #bytes = 0;
  #before: PodRow | undefined;
  /** Some of this life are in the tables alone. */
  #isIncomplete = false;

  constructor(database: Database, budget: Budget, pod: Spot) {
    this.#database = database;
    this.#budget = budget;
    this.#pod = pod;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A new life, after what is stored. */
  restart(before: PodRow | undefined): void {
    this.#ids.clear();
    this.#count(-this.#bytes);
    this.#before = before;
    this.#isIncomplete = false;
  }

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#count(bytesOf(id));
    if (this.#ids.size > KNOWN_IDS) this.remove(this.#ids.values().next().value!);
  }

  remove(id: string): void {
    if (this.#ids.delete(id)) this.#count(-bytesOf(id));
  }

  /** The newest stays: it may be nowhere else yet. Of a pod that is not stored, a message that comes twice is heard twice. */
  dropOldest(): boolean {
    if (this.#ids.size <= 1) return false;
    this.remove(this.#ids.values().next().value!);
    this.#isIncomplete = true;
    return true;
  }

  /** Where a message of this id stands; null where only that it was said is known. */
  positionOf(id: string): number | null | undefined {
    const { org, name, mode } = this.#pod;
    const isKnown = this.#ids.has(id);
    if (isKnown || (this.#isIncomplete && mode === 'durable')) {
      const row = podByName(this.#database, org, name);
      const found = row && positionOfId(this.#database, row, id);
      return isKnown ? (found ?? null) : found;
    }
    // Once enough was said in this life, those before it do not count any more.
    if (!this.#before || this.#ids.size >= KNOWN_IDS) return undefined;
    return positionOfId(this.#database, this.#before, id);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.change(this, bytes);
  }
}
