import type { Database } from '../kernel/sqlite.ts';
import { KNOWN_IDS, type PodRow, podByName, positionOfId } from './queries.ts';

/** The ids of a pod's newest messages: of its life in this process in memory, of the time before in the tables. */
export class KnownIds {
  readonly #database: Database;
  readonly #ids = new Set<string>();
  #before: PodRow | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A new life, after what is stored. */
  restart(before: PodRow | undefined): void {
    this.#ids.clear();
    this.#before = before;
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size > KNOWN_IDS) this.#ids.delete(this.#ids.values().next().value!);
  }

  remove(id: string): void {
    this.#ids.delete(id);
  }

  /** Where a message of this id stands; null where only that it was said is known. */
  positionOf(id: string, org: string, pod: string): number | null | undefined {
    if (this.#ids.has(id)) {
      const row = podByName(this.#database, org, pod);
      return (row && positionOfId(this.#database, row, id)) ?? null;
    }
    // Once enough was said in this life, those before it do not count any more.
    if (!this.#before || this.#ids.size >= KNOWN_IDS) return undefined;
    return positionOfId(this.#database, this.#before, id);
  }
}
