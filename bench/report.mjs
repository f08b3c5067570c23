import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @typedef {import('./statistics.mjs').Result} Result */

const page = new URL('../docs/benchmarks.md', import.meta.url);
const data = new URL('../docs/benchmarks.json', import.meta.url);
const START = '<!-- figures: written by `npm run bench`, do not edit -->';
const END = '<!-- end of figures -->';
const FIRST = '<!-- what matters: written by `npm run bench`, do not edit -->';
const LAST = '<!-- end of what matters -->';

/** The rows that say most, by their benchmark and the beginning of what they measure. */
const HEADLINES = [
  ['window-cost', 'billed cost of 61 traces'],
  ['window-cost', 'billed cost after any turn of 600 random conversations'],
  ['client-reclassify', 'reclassify loop, last prompt'],
  ['memory-pack-tokens', 'a default pack in recall'],
  ['window-proxy', 'added to the first byte of an answer by `/model/anthropic`, request of 200 kB'],
  ['server-status-http', '`infold_status` over HTTP'],
  ['server-stdio-cold-start', 'stdio cold start'],
  ['fold-cycle', 'durable fold cycles'],
  ['gateway-broadcast', 'server CPU per delivery, 100 receivers, durable history'],
  ['memory-peer', 'search over stdio'],
];

/**
 * Ten rows of the table, and how many targets are met in all.
 *
 * @param {readonly Result[]} results
 */
export function headlines(results) {
  const rows = HEADLINES.flatMap(([benchmark, what]) => {
    const row = results.find((one) => one.benchmark === benchmark && one.what.startsWith(what ?? ''));
    return row ? [`| ${headline(row).join(' | ')} |`] : [];
  });
  const judged = results.filter(({ met }) => met !== undefined);
  const missed = judged.filter(({ met }) => met === false);
  const sum = `Of ${judged.length} targets ${judged.length - missed.length} are met.`;
  const which = missed.length > 0 ? ` Missed: ${missed.map(({ what }) => what).join('; ')}.` : '';
  const head = '| what | figure | target | | repeat with |\n|---|---|---|---|---|\n';
  return `${head}${rows.join('\n')}\n\n${sum}${which}`;
}

/** @param {Result} result */
function headline({ benchmark, what, unit, against, ours, ratio, limit, met }) {
  const isRatio = limit?.ratioAtMost !== undefined || limit?.ratioAtLeast !== undefined;
  const value = `${figure(ours.median)} ${unit}`;
  return [
    what,
    isRatio
      ? `${unit === '×' ? '' : `${value}, `}**${ratio.median.toFixed(2)} ×** ${against}`
      : `**${value}**`,
    targetText(limit, unit),
    met === false ? '**missed**' : 'met',
    `\`npm run bench -- ${benchmark}\``,
  ];
}

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
  const loads = all.map((result) => result.load);
  const measured = [
    `Node ${machine.node}, ${machine.cpus} × ${machine.model}. Median, and first to third quartile in brackets.`,
    `Load average of the machine when the benchmarks began: ${Math.min(...loads)} to ${Math.max(...loads)}.`,
  ].join('\n');
  const text = replaced(readFileSync(page, 'utf8'), FIRST, LAST, headlines(all));
  writeFileSync(page, replaced(text, START, END, `${table(all)}\n\n${measured}`));
}

/**
 * @param {string} text
 * @param {string} start
 * @param {string} end
 * @param {string} figures
 */
function replaced(text, start, end, figures) {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error('docs/benchmarks.md has lost the markers of its figures');
  return `${text.slice(0, from + start.length)}\n${figures}\n${text.slice(to)}`;
}

/** @returns {Result[]} */
function earlier() {
  return existsSync(data) ? JSON.parse(readFileSync(data, 'utf8')).results : [];
}
