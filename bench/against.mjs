import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBenchmarks, listBenchmarks } from './list.mjs';
import { figure, spread } from './report.mjs';
import { summarise } from './statistics.mjs';

/** @typedef {import('./harness.mjs').Row} Row */

/** Compares by itself, call by call, which is finer than run by run. */
const BY_ITSELF = 'server-versions';

/**
 * Each benchmark in this checkout and in another one, in turns: what slows the machine for a while slows both. Each
 * measures its own build with its own benchmark files, because files move between versions; a row is compared where both
 * say that they measured the same.
 *
 * @param {string} folder the other checkout, built
 * @param {Map<string, string>} chosen names and addresses of this checkout's benchmarks
 * @param {{ quick: boolean, rounds: number }} options
 * @returns {Promise<string>} a table
 */
export async function compareWith(folder, chosen, { quick, rounds }) {
  const other = resolve(folder);
  if (!existsSync(join(other, 'packages/server/dist')))
    throw new Error(`${other} is no checkout that is built: run npm ci && npm run build there`);
  const theirs = listBenchmarks(join(other, 'bench'));
  const lines = [];
  const alone = [];
  for (const [name, address] of chosen) {
    if (name === BY_ITSELF) {
      process.stderr.write(`${name} …\n`);
      const rows = await run(address, quick, { BENCH_OLD: other });
      lines.push(...rows.map((row) => lineOf(row, row.floor, row.ours)));
      continue;
    }
    const [before] = findBenchmarks([...theirs.keys()], name, { orFormerName: true });
    if (!before) {
      alone.push(name);
      continue;
    }
    /** @type {Map<string, { row: Row, old: number[], now: number[] }>} */
    const found = new Map();
    for (let round = 0; round < rounds; round++) {
      process.stderr.write(`${name}, round ${round + 1} of ${rounds} …\n`);
      const pair = [
        { side: /** @type {const} */ ('old'), address: /** @type {string} */ (theirs.get(before)) },
        { side: /** @type {const} */ ('now'), address },
      ];
      for (const { side, address } of round % 2 === 0 ? pair : pair.reverse()) {
        for (const row of await run(address, quick)) {
          const key = `${row.what} against ${row.against} in ${row.unit}`;
          const samples = found.get(key) ?? { row, old: [], now: [] };
          samples[side].push(summarise(row.ours).median);
          found.set(key, samples);
        }
      }
    }
    for (const { row, old, now } of found.values()) {
      if (old.length === now.length) lines.push(lineOf(row, old, now));
      else alone.push(row.what);
    }
  }
  const left = alone.length > 0 ? `\nOnly one of the two measures: ${alone.join('; ')}\n` : '';
  return `| what | old | new | new ÷ old | better is |\n|---|---|---|---|---|\n${lines.join('\n')}\n${left}`;
}

/**
 * @param {Row} row
 * @param {readonly number[]} old
 * @param {readonly number[]} now
 */
function lineOf({ what, unit, limit }, old, now) {
  const ratio = summarise(now.map((sample, round) => sample / /** @type {number} */ (old[round])));
  const isRate = limit?.atLeast !== undefined || limit?.ratioAtLeast !== undefined || unit.endsWith('/s');
  const cells = [
    what,
    `${spread(summarise(old))} ${unit}`,
    `${spread(summarise(now))} ${unit}`,
    `**${figure(ratio.median)}** (${figure(ratio.low)}–${figure(ratio.high)})`,
    isRate ? 'more' : 'less',
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * @param {string} address
 * @param {boolean} quick
 * @param {Record<string, string>} [environment]
 * @returns {Promise<Row[]>}
 */
function run(address, quick, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = fork(
      fileURLToPath(new URL('./run-one.mjs', import.meta.url)),
      [address, ...(quick ? ['--quick'] : [])],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, ...environment } },
    );
    child.once('message', (rows) => resolve(/** @type {Row[]} */ (rows)));
    child.once('exit', (code) => reject(new Error(`${address} ended with ${code} and gave no rows`)));
  });
}
