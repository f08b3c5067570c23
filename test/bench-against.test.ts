import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { compareWith } from '../bench/against.mjs';
import { findBenchmarks, listBenchmarks } from '../bench/list.mjs';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A checkout whose benchmarks give these figures, by file and row. */
function checkout(benchmarks: Record<string, Record<string, number>>, { isBuilt = true } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'infold-against-'));
  folders.push(folder);
  if (isBuilt) mkdirSync(join(folder, 'packages/server/dist'), { recursive: true });
  for (const [file, figures] of Object.entries(benchmarks)) {
    const rows = Object.entries(figures).map(([what, figure]) => ({
      what,
      unit: 'ms',
      against: 'a floor',
      ours: [figure],
      floor: [1],
    }));
    mkdirSync(join(folder, 'bench', file, '..'), { recursive: true });
    writeFileSync(
      join(folder, 'bench', file),
      `export default { target: '', run: async () => ${JSON.stringify(rows)} };`,
    );
  }
  return folder;
}

const compare = (now: string, old: string) =>
  compareWith(old, listBenchmarks(join(now, 'bench')), { quick: true, rounds: 2 });

describe('a comparison with another checkout', () => {
  test('sets each row against the same row there, also where the benchmark had another place', async () => {
    const now = checkout({ 'journal/commit.bench.mjs': { 'one entry': 3, 'ten entries': 8 } });
    const old = checkout({ 'commit.bench.mjs': { 'one entry': 2, 'ten entries': 10 } });
    const table = await compare(now, old);
    expect(table).toContain(
      '| one entry | 2.00 (2.00–2.00) ms | 3.00 (3.00–3.00) ms | **1.50** (1.50–1.50) | less |',
    );
    expect(table).toContain('**0.800**');
  });

  test('tells what only one of the two measures', async () => {
    const now = checkout({ 'fold/cycle.bench.mjs': { cycles: 1, 'a new row': 1 }, 'new.bench.mjs': {} });
    const old = checkout({ 'fold-cycle.bench.mjs': { cycles: 1, 'an old row': 1 } });
    expect(await compare(now, old)).toMatch(/Only one of the two measures: .*a new row.*; new/);
  });

  test('refuses a checkout that is not built', async () => {
    const now = checkout({ 'fold/cycle.bench.mjs': { cycles: 1 } });
    await expect(compare(now, checkout({}, { isBuilt: false }))).rejects.toThrow('npm run build');
  });
});

test('benchmarks are found by name, by the end of a name that is the only such, and by door', () => {
  const names = ['fold-cycle', 'fold-size', 'client-size', 'hooks', 'journal-commit'];
  expect(findBenchmarks(names, 'hooks')).toEqual(['hooks']);
  expect(findBenchmarks(names, 'commit')).toEqual(['journal-commit']);
  expect(findBenchmarks(names, 'size')).toEqual([]);
  expect(findBenchmarks(names, 'fold')).toEqual(['fold-cycle', 'fold-size']);
});
