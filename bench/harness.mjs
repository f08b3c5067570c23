/**
 * A benchmark is a file `bench/DOOR/NAME.bench.mjs` that exports one object as its default:
 *
 *     export default benchmark({ target: '…', run: async ({ quick }) => [row, …] });
 *
 * A single figure says more about the machine than about the program, so each row sets ours against a floor or a
 * peer that ran in turns with it: both meet the same noise.
 *
 * @typedef {object} Limit
 * @property {number} [ratioAtMost] ours divided by the floor, at most this
 * @property {number} [ratioAtLeast] ours divided by the floor, at least this (rates)
 * @property {number} [atMost] ours by itself, at most this, in the row's unit
 * @property {number} [atLeast] ours by itself, at least this, in the row's unit
 *
 * @typedef {object} Row
 * @property {string} what what was measured, as the table says it
 * @property {string} unit
 * @property {string} against what the floor is
 * @property {number[]} ours one sample for each round
 * @property {number[]} floor one sample for each round, in the same order
 * @property {Limit} [limit] none for a row that only informs
 *
 * @typedef {object} Benchmark
 * @property {string} target the target in words, for the page
 * @property {(options: { quick: boolean }) => Promise<Row[]>} run
 */

/**
 * @param {Benchmark} definition
 * @returns {Benchmark}
 */
export function benchmark(definition) {
  return definition;
}

/**
 * Ours, floor, ours, floor, …: what slows the machine for a while slows both. Who goes first alternates, because
 * the first of a pair may pay for what the last one left behind.
 *
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} [options.warmup] rounds that are run and forgotten
 * @param {() => Promise<number> | number} options.ours
 * @param {() => Promise<number> | number} options.floor
 * @returns {Promise<{ ours: number[], floor: number[] }>}
 */
export async function interleave({ rounds, warmup = 1, ours, floor }) {
  const samples = { ours: /** @type {number[]} */ ([]), floor: /** @type {number[]} */ ([]) };
  for (let round = -warmup; round < rounds; round++) {
    const pair = { ours: 0, floor: 0 };
    if (round % 2 === 0) {
      pair.ours = await ours();
      pair.floor = await floor();
    } else {
      pair.floor = await floor();
      pair.ours = await ours();
    }
    if (round < 0) continue;
    samples.ours.push(pair.ours);
    samples.floor.push(pair.floor);
  }
  return samples;
}

/**
 * How long something takes, in milliseconds.
 *
 * @param {() => unknown} work
 */
export async function time(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
