import { hostname } from 'node:os';
import { randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { memoryProjection } from '../projection/index.ts';
import { ENTRY_ROWS, PARTITION_SIZE } from '../projection/tables.ts';
import { toCodes } from './codes.ts';
import type { Embedder } from './embedder.ts';

/**
 * Vectors of passages, beside the journal: they are no part of what happened, and can be made again. A passage that leaves the
 * index takes its vector along (`projection/writer.ts`).
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS cache_memory_vector (
  row INTEGER PRIMARY KEY, model INTEGER NOT NULL, scale REAL NOT NULL, codes BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS cache_memory_model (
  number INTEGER PRIMARY KEY, model TEXT NOT NULL, version TEXT NOT NULL, dimensions INTEGER NOT NULL,
  floor REAL, done INTEGER NOT NULL, stamp INTEGER NOT NULL, UNIQUE (model, version)) STRICT;
CREATE TABLE IF NOT EXISTS cache_memory_maker (
  one INTEGER PRIMARY KEY CHECK (one = 1), process TEXT NOT NULL, until INTEGER NOT NULL) STRICT;`;

/** How a passage is written for a model. Raised when that changes, as vectors of before mean something else. */
const WRITTEN = 1;
const LEASE = 10_000;
const RENEWED_BELOW = 5000;
const DROPPED_AT_ONCE = 500;

export interface UnvectoredPassage {
  row: number;
  text: string;
}

export interface MadeVector {
  row: number;
  vector: Float32Array;
}

interface ModelRow {
  number: number;
  floor: number | null;
  done: number;
  stamp: number;
}

export interface StoredVector {
  row: number;
  scale: number;
  codes: Uint8Array;
}

/** The vectors that one model made of passages, and how far it has come with them. */
export class Vectors {
  readonly #database: Database;
  readonly #model: string;
  readonly #version: string;
  readonly #dimensions: number;
  readonly #process = JSON.stringify([hostname(), process.pid, randomId('process')]);
  /** None has the number 0. */
  #number = 0;

  constructor(database: Database, { model, version, dimensions }: Embedder) {
    this.#database = database;
    this.#model = model;
    this.#version = `${version}.${WRITTEN}.${memoryProjection.version}`;
    this.#dimensions = dimensions;
  }

  /** Makes the tables and the model's row where they are missing. Fails while another process writes. */
  prepare(): void {
    this.#write(() => {
      this.#database.exec(TABLES);
      this.#database.run(
        'INSERT OR IGNORE INTO cache_memory_model VALUES (NULL, ?, ?, ?, NULL, 0, 0)',
        this.#model,
        this.#version,
        this.#dimensions,
      );
    });
    this.#row();
  }

  /** Undefined where nothing was made by this model yet. */
  #row(): ModelRow | undefined {
    if (!this.#database.hasTable('cache_memory_model')) return undefined;
    const row = this.#database.get<ModelRow>(
      'SELECT number, floor, done, stamp FROM cache_memory_model WHERE model = ? AND version = ? AND dimensions = ?',
      this.#model,
      this.#version,
      this.#dimensions,
    );
    this.#number = row?.number ?? 0;
    return row;
  }

  /** Changes with every write. */
  stamp(): string | undefined {
    const row = this.#row();
    return row && `${row.number}.${row.stamp}`;
  }

  /** How similar unrelated sentences are to this model. */
  get floor(): number | undefined {
    return this.#row()?.floor ?? undefined;
  }

  setFloor(floor: number): void {
    this.#write(() =>
      this.#database.run('UPDATE cache_memory_model SET floor = ? WHERE number = ?', floor, this.#number),
    );
  }

  /** Every passage that an entry up to this position brought has been seen to. */
  get done(): number {
    return this.#row()?.done ?? 0;
  }

  /** Unless something has come back meanwhile that stands before it. */
  setDone(seq: number, from: number): void {
    this.#write(() =>
      this.#database.run(
        'UPDATE cache_memory_model SET done = ? WHERE number = ? AND done = ?',
        seq,
        this.#number,
        from,
      ),
    );
  }

  partitions(): number[] {
    return this.#database
      .all<{ number: number }>('SELECT number FROM memory_partition WHERE passages > 0 ORDER BY number')
      .map(({ number }) => number);
  }

  /**
   * Passages of a partition after this row, and after the entry at this position, that have no vector yet, in order; a few are
   * looked at, and `last` is where the next look begins.
   */
  missing(
    partition: number,
    after: { row: number; seq: number },
    most: number,
  ): { passages: UnvectoredPassage[]; last: number | undefined } {
    const base = partition * PARTITION_SIZE;
    const rows = this.#database.all<{ row: number; has: number }>(
      `SELECT row, EXISTS (SELECT 1 FROM cache_memory_vector AS made
         WHERE made.row = memory_passage.row AND made.model = ?4) AS has
       FROM memory_passage WHERE row > ?1 AND row < ?2 ORDER BY row LIMIT ?3`,
      Math.max(after.row, base + (after.seq + 1) * ENTRY_ROWS - 1),
      base + PARTITION_SIZE,
      most,
      this.#number,
    );
    const wanted = rows.filter(({ has }) => has === 0).map(({ row }) => row);
    return { passages: this.#texts(wanted), last: rows.at(-1)?.row };
  }

  #texts(rows: readonly number[]): UnvectoredPassage[] {
    if (rows.length === 0) return [];
    return this.#database
      .all<{ row: number; title: string | null; content: string; begins: number; ends: number }>(
        `SELECT memory_passage.row, title, content, begins, ends
         FROM memory_passage JOIN memory_item ON memory_item.row = memory_passage.item
         WHERE memory_passage.row IN (SELECT value FROM json_each(?)) ORDER BY memory_passage.row`,
        JSON.stringify(rows),
      )
      .map(({ row, title, content, begins, ends }) => {
        const said = content.slice(begins, ends);
        return { row, text: title === null ? said : `${title}\n${said}` };
      });
  }

  /** Keeps vectors of passages that are still there. */
  add(made: readonly MadeVector[]): void {
    this.#write(() => {
      for (const { row, vector } of made) {
        const codes = new Int8Array(vector.length);
        const scale = toCodes(vector, codes);
        this.#database.run(
          `INSERT OR REPLACE INTO cache_memory_vector
           SELECT row, ?2, ?3, ?4 FROM memory_passage WHERE row = ?1`,
          row,
          this.#number,
          scale,
          new Uint8Array(codes.buffer),
        );
      }
      this.#database.run('UPDATE cache_memory_model SET stamp = stamp + 1 WHERE number = ?', this.#number);
    });
  }

  /** Vectors of a partition after this row, in order. */
  after(partition: number, row: number, most: number): StoredVector[] {
    return this.#database.all<StoredVector>(
      'SELECT row, scale, codes FROM cache_memory_vector WHERE row > ? AND row < ? AND model = ? ORDER BY row LIMIT ?',
      Math.max(row, partition * PARTITION_SIZE - 1),
      (partition + 1) * PARTITION_SIZE,
      this.#number,
      most,
    );
  }

  at(rows: readonly number[]): StoredVector[] {
    return this.#database.all<StoredVector>(
      `SELECT row, scale, codes FROM cache_memory_vector
       WHERE row IN (SELECT value FROM json_each(?)) AND model = ?`,
      JSON.stringify(rows),
      this.#number,
    );
  }

  count(): { vectors: number; passages: number } {
    const { passages } = this.#database.get<{ passages: number }>(
      'SELECT coalesce(sum(passages), 0) AS passages FROM memory_partition',
    )!;
    if (!this.#row()) return { vectors: 0, passages };
    const { vectors } = this.#database.get<{ vectors: number }>(
      'SELECT count(*) AS vectors FROM cache_memory_vector WHERE model = ?',
      this.#number,
    )!;
    return { vectors, passages };
  }

  /** Takes away some of what other models made; answers whether there may be more. */
  dropOthers(): boolean {
    const { models } = this.#database.get<{ models: number }>(
      'SELECT count(*) AS models FROM cache_memory_model',
    )!;
    if (models < 2) return false;
    return this.#write(() => {
      const dropped = this.#database.run(
        `DELETE FROM cache_memory_vector WHERE row IN (
           SELECT row FROM cache_memory_vector WHERE model <> ? LIMIT ${DROPPED_AT_ONCE})`,
        this.#number,
      );
      if (dropped === 0) this.#database.run('DELETE FROM cache_memory_model WHERE number <> ?', this.#number);
      return dropped > 0;
    });
  }

  /** Whether this process is the one, of those that share the folder, which makes vectors for now. */
  lease(now: number): boolean {
    const holder = this.#database.get<{ process: string; until: number }>(
      'SELECT process, until FROM cache_memory_maker WHERE one = 1',
    );
    const isOurs = holder?.process === this.#process;
    // A time too far ahead was written by a clock that was wrong.
    const isHeld = holder !== undefined && holder.until > now && holder.until <= now + 2 * LEASE;
    if (isHeld && (!isOurs || holder.until > now + RENEWED_BELOW)) return isOurs;
    return this.#write(() => {
      const changed = this.#database.run(
        `INSERT INTO cache_memory_maker VALUES (1, ?1, ?2)
         ON CONFLICT (one) DO UPDATE SET process = ?1, until = ?2 WHERE process = ?3`,
        this.#process,
        now + LEASE,
        holder?.process ?? this.#process,
      );
      return changed > 0;
    });
  }

  release(): void {
    try {
      this.#write(() =>
        this.#database.run('DELETE FROM cache_memory_maker WHERE process = ?', this.#process),
      );
    } catch {
      // It runs out by itself.
    }
  }

  /** All of it or nothing. What a node of a cluster holds open is ended first: a transaction cannot begin in another. */
  #write<Answer>(work: () => Answer): Answer {
    const database = this.#database;
    database.settle();
    database.exec('BEGIN IMMEDIATE');
    try {
      const answer = work();
      database.exec('COMMIT');
      return answer;
    } catch (error) {
      database.rollBack();
      throw error;
    }
  }
}
