import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @typedef {import('./statistics.mjs').Result} Result */

const page = new URL('../docs/benchmarks.md', import.meta.url);
const data = new URL('../docs/benchmarks.json', import.meta.url);
const START = '<!-- figures: written by `npm run bench`, do not edit -->';
const END = '<!-- end of figures -->';

/** @param {readonly Result[]} results */
export function table(results) {
  const head =
    '| what | Infold | against | floor or peer | ratio | target | |\n|---|---|---|---|---|---|---|\n';
  return head + results.map((result) => `| ${cells(result).join(' | ')} |`).join('\n');
}

/** @param {Result} result */
function cells({ what, unit, against, ours, floor, ratio, limit, met }) {
  return [
    what,
    `${spread(ours)} ${unit}`,
    against,
    `${spread(floor)} ${unit}`,
    `**${ratio.median.toFixed(2)}** (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})`,
    targetText(limit, unit),
    met === undefined ? '' : met ? 'met' : '**missed**',
  ];
}

/** @param {import('./statistics.mjs').Summary} summary */
export function spread({ median, low, high }) {
  return `${figure(median)} (${figure(low)}–${figure(high)})`;
}

/** @param {number} value */
export function figure(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

/**
 * @param {import('./harness.mjs').Limit | undefined} limit
 * @param {string} unit
 */
function targetText(limit, unit) {
  if (limit?.ratioAtMost !== undefined) return `≤ ${limit.ratioAtMost} ×`;
  if (limit?.ratioAtLeast !== undefined) return `≥ ${limit.ratioAtLeast} ×`;
  if (limit?.atMost !== undefined) return `≤ ${figure(limit.atMost)} ${unit}`;
  if (limit?.atLeast !== undefined) return `≥ ${figure(limit.atLeast)} ${unit}`;
  return '–';
}

/**
 * Only the rows of the benchmarks that were run are replaced; the others keep what was measured before.
 *
 * @param {readonly Result[]} results
 * @param {readonly string[]} order names of all benchmarks
 */
export function write(results, order) {
  const ran = new Set(results.map((result) => result.benchmark));
  const kept = earlier().filter((result) => !ran.has(result.benchmark) && order.includes(result.benchmark));
  const all = [...kept, ...results].sort(
    (one, other) => order.indexOf(one.benchmark) - order.indexOf(other.benchmark),
  );
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? 'unknown' };
  writeFileSync(data, `${JSON.stringify({ machine, results: all }, null, 2)}\n`);
  const text = readFileSync(page, 'utf8');
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start === -1 || end < start) throw new Error('docs/benchmarks.md has lost the markers of its figures');
  const loads = all.map((result) => result.load);
  const measured = [
    `Node ${machine.node}, ${machine.cpus} × ${machine.model}. Median, and first to third quartile in brackets.`,
    `Load average of the machine when the benchmarks began: ${Math.min(...loads)} to ${Math.max(...loads)}.`,
  ].join('\n');
  const figures = `${START}\n${table(all)}\n\n${measured}\n`;
  writeFileSync(page, text.slice(0, start) + figures + text.slice(end));
}

/** @returns {Result[]} */
function earlier() {
  return existsSync(data) ? JSON.parse(readFileSync(data, 'utf8')).results : [];
}
