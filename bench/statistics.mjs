/**
 * @typedef {object} Summary
 * @property {number} median
 * @property {number} low the first quartile
 * @property {number} high the third quartile
 */

/**
 * Quartiles rather than a deviation: on a shared machine a few samples are far off, always to the slow side.
 *
 * @param {readonly number[]} samples
 * @returns {Summary}
 */
export function summarise(samples) {
  const sorted = [...samples].sort((one, other) => one - other);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/**
 * @param {readonly number[]} sorted
 * @param {number} part
 */
function quantile(sorted, part) {
  if (sorted.length === 0) throw new Error('A benchmark gave no samples');
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * @typedef {object} Result
 * @property {string} benchmark
 * @property {string} what
 * @property {string} unit
 * @property {string} against
 * @property {Summary} ours
 * @property {Summary} floor
 * @property {Summary} ratio of the pairs of samples: each round is compared with itself
 * @property {import('./harness.mjs').Limit} [limit]
 * @property {boolean} [met]
 * @property {number} rounds
 * @property {string} measured when, to the minute
 * @property {number} load what else the machine was doing: its load average when the benchmark began
 * @property {boolean} [quick]
 */

/**
 * @param {string} benchmark
 * @param {import('./harness.mjs').Row} row
 * @param {{ measured: string, load: number, quick: boolean }} run
 * @returns {Result}
 */
export function judge(benchmark, row, run) {
  const ours = summarise(row.ours);
  const ratio = summarise(row.ours.map((sample, index) => sample / (row.floor[index] ?? Number.NaN)));
  const { ratioAtMost, ratioAtLeast, atMost, atLeast } = row.limit ?? {};
  return {
    benchmark,
    what: row.what,
    unit: row.unit,
    against: row.against,
    ours,
    floor: summarise(row.floor),
    ratio,
    ...(row.limit && {
      limit: row.limit,
      met:
        (ratioAtMost === undefined || ratio.median <= ratioAtMost) &&
        (ratioAtLeast === undefined || ratio.median >= ratioAtLeast) &&
        (atMost === undefined || ours.median <= atMost) &&
        (atLeast === undefined || ours.median >= atLeast),
    }),
    rounds: row.ours.length,
    measured: run.measured,
    load: run.load,
    ...(run.quick && { quick: true }),
  };
}
