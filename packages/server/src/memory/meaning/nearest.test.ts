import { beforeEach, describe, expect, test } from 'vitest';
import { goOn } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { openTestJournal } from '../../testing/fixtures.suite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import { similarity, toCodes } from './codes.ts';
import { normalise } from './embedder.ts';
import { NearestVectors } from './nearest.ts';
import { Vectors } from './vectors.ts';

const DIMENSIONS = 100;
const embedder = {
  ...{ model: 'made', version: '1', dimensions: DIMENSIONS, readsSentences: false, batch: 1 },
  embed: async () => [],
};
const LATER = Number.POSITIVE_INFINITY;

/** Numbers between -1 and 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Vectors around a few directions, as texts about a few subjects have them. */
function vectorsAround(count: number, subjects: number): Float32Array[] {
  const next = numbers(7);
  const directions = Array.from({ length: subjects }, () => Float32Array.from({ length: DIMENSIONS }, next));
  return Array.from({ length: count }, (_, index) =>
    normalise(directions[index % subjects]!.map((number) => number + 0.8 * next())),
  );
}

let database: Database;
let vectors: Vectors;
beforeEach(async () => {
  ({ database } = await openTestJournal());
  vectors = new Vectors(database, embedder);
  vectors.prepare();
});

function store(partition: number, made: readonly Float32Array[], first = 0): void {
  const rows = made.map((vector, index) => ({ row: partition * PARTITION_SIZE + first + index, vector }));
  database.exec('BEGIN');
  for (const { row } of rows) {
    database.run(
      `INSERT OR IGNORE INTO memory_passage (row, item, place, begins, ends, flags, heading, terms)
       VALUES (?, ?, 0, 0, 0, 0, '', '')`,
      row,
      row,
    );
  }
  database.exec('COMMIT');
  vectors.add(rows);
}

const rowsOf = (rows: readonly { row: number }[]) => rows.map(({ row }) => row);

describe('the nearest of many vectors', () => {
  test('are those that comparing all of them finds', async () => {
    const made = vectorsAround(4000, 40);
    store(1, made);
    const nearest = new NearestVectors(vectors, DIMENSIONS);
    let found = 0;
    for (const goal of vectorsAround(10, 10)) {
      const codes = new Int8Array(DIMENSIONS);
      const all = made
        .map((vector, index) => ({
          row: PARTITION_SIZE + index,
          near: similarity(goal, codes, toCodes(vector, codes)),
        }))
        .sort((one, other) => other.near - one.near)
        .slice(0, 20);
      const { rows, compared, isCut } = await nearest.find(goal, [1], 256, LATER, goOn);
      expect([compared, isCut, rows.length]).toEqual([4000, true, 256]);
      expect(rows[0]!.similarity).toBeCloseTo(all[0]!.near, 5);
      const known = new Set(rowsOf(rows));
      found += all.filter(({ row }) => known.has(row)).length;
    }
    expect(found / 200).toBeGreaterThan(0.98);
  });

  test('are in the partitions that were asked for', async () => {
    const made = vectorsAround(60, 3);
    store(1, made);
    store(2, made);
    const nearest = new NearestVectors(vectors, DIMENSIONS);
    const { rows, compared } = await nearest.find(made[0]!, [2], 10, LATER, goOn);
    expect(compared).toBe(60);
    expect(rowsOf(rows)[0]).toBe(2 * PARTITION_SIZE);
    expect(rowsOf(rows).every((row) => row >= 2 * PARTITION_SIZE)).toBe(true);
  });

  test('are among those that came since', async () => {
    const made = vectorsAround(200, 200);
    store(1, made.slice(0, 100));
    const nearest = new NearestVectors(vectors, DIMENSIONS);
    expect((await nearest.find(made[150]!, [1], 5, LATER, goOn)).compared).toBe(100);
    store(1, made.slice(100), 100);
    const { rows, compared } = await nearest.find(made[150]!, [1], 5, LATER, goOn);
    expect(compared).toBe(200);
    expect(rowsOf(rows)[0]).toBe(PARTITION_SIZE + 150);
  });

  test('are not among those that went since', async () => {
    const made = vectorsAround(300, 3);
    store(1, made);
    const nearest = new NearestVectors(vectors, DIMENSIONS);
    await nearest.find(made[0]!, [1], 100, LATER, goOn);
    database.run('DELETE FROM cache_memory_vector WHERE row % 3 = ?', PARTITION_SIZE % 3);
    const { rows } = await nearest.find(made[0]!, [1], 100, LATER, goOn);
    expect(rows.filter(({ row }) => row % 3 === PARTITION_SIZE % 3)).toEqual([]);
    // So many are gone that what is left is read anew.
    expect((await nearest.find(made[0]!, [1], 100, LATER, goOn)).compared).toBe(200);
  });

  test('of what could be read in time are answered, and the rest the next time', async () => {
    const made = vectorsAround(3000, 30);
    store(1, made);
    const nearest = new NearestVectors(vectors, DIMENSIONS);
    const late = performance.now() - 1;
    expect((await nearest.find(made[0]!, [1], 10, late, goOn)).compared).toBe(0);
    expect((await nearest.find(made[0]!, [1], 10, LATER, goOn)).compared).toBe(3000);
  });

  test('are found once, however many look for them at the same time', async () => {
    const made = vectorsAround(2000, 20);
    store(1, made);
    const nearest = new NearestVectors(vectors, DIMENSIONS);
    const later = () => new Promise<void>((resolve) => setImmediate(resolve));
    const answers = await Promise.all(
      made.slice(0, 5).map((goal) => nearest.find(goal, [1], 50, LATER, later)),
    );
    expect(answers.map(({ compared }) => compared)).toEqual([2000, 2000, 2000, 2000, 2000]);
    for (const { rows } of answers) expect(new Set(rowsOf(rows)).size).toBe(rows.length);
  });
});

test('vectors of another model are not there', async () => {
  const made = vectorsAround(10, 2);
  store(1, made);
  const others = new Vectors(database, { ...embedder, version: '2' });
  expect(others.stamp()).toBeUndefined();
  const nearest = new NearestVectors(others, DIMENSIONS);
  expect(await nearest.find(made[0]!, [1], 5, LATER, goOn)).toEqual({ rows: [], compared: 0, isCut: false });
});
