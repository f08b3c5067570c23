// Recall per rule on the shared tuning data, how much of each secret is left, and how many clean rows are flagged.
// Usage: node bench/scrub/recall.mjs COMPILED_INDEX_JS SECRETS_JSONL_GZ [--misses]
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { loadScrubber } from './load.mjs';

const positional = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const showMisses = process.argv.includes('--misses');
const scrubber = await loadScrubber(positional[0]);
const data = positional[1];
if (!data)
  throw new Error('Name the data: one JSON record a line, {rule, kind: "secret" | "clean", text}, gzipped');
const rows = gunzipSync(readFileSync(data))
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The longest run that could be a credential stands for the row's secret. */
function likelySecret(text) {
  const runs = text.match(/[A-Za-z0-9+/_.~-]{8,}/g) ?? [];
  const random = runs.filter((run) => !run.includes('//') && /\d/.test(run) && /[A-Za-z]/.test(run));
  return random.sort((one, other) => other.length - one.length)[0] ?? '';
}

function remains(secret, output) {
  const visible = output.replace(/\[REDACTED:[a-z0-9-]+\]/g, '\u0000');
  // The provider's own prefix (`rubygems_`) may stand in the name beside it.
  for (let index = /^(?:[A-Za-z]{2,10}[_-])?/.exec(secret)[0].length; index + 8 <= secret.length; index++) {
    if (visible.includes(secret.slice(index, index + 8))) return true;
  }
  return false;
}

const rules = new Map();
const clean = { total: 0, flagged: 0 };
const gone = { total: 0, left: 0 };
let wrapped = '';
for (const row of rows) {
  const result = scrubber.scrub(row.text);
  if (row.kind === 'clean') {
    clean.total += 1;
    if (result.count > 0) {
      clean.flagged += 1;
      if (showMisses)
        console.log('flagged', row.rule, JSON.stringify(row.text).slice(0, 160), result.kinds.join());
    }
    continue;
  }
  const key = `${row.source}/${row.rule}`;
  const tally = rules.get(key) ?? { found: 0, total: 0 };
  rules.set(key, tally);
  tally.total += 1;
  if (result.count > 0) tally.found += 1;
  else if (showMisses) console.log('missed', row.rule, JSON.stringify(row.text).slice(0, 200));
  wrapped = /^[\w-]*Token="(.*)"$/.exec(row.text)?.[1] ?? wrapped;
  const secret = wrapped !== '' && row.text.includes(wrapped) ? wrapped : likelySecret(row.text);
  if (result.count === 0 || secret.length < 8) continue;
  gone.total += 1;
  if (remains(secret, result.text)) {
    gone.left += 1;
    if (showMisses) console.log('left', row.rule, JSON.stringify(result.text).slice(0, 260));
  }
}

let macro = 0;
const below = [];
for (const [rule, { found, total }] of rules) {
  macro += found / total;
  if (found < total) below.push(`${rule} ${found}/${total}`);
}
const percent = (part, whole) => `${((100 * part) / whole).toFixed(2)}%`;
console.log(`recall per rule, averaged over ${rules.size} rules: ${percent(macro, rules.size)}`);
console.log(`rules below 100%: ${below.join(', ') || 'none'}`);
console.log(
  `clean rows flagged: ${clean.flagged} of ${clean.total} (${percent(clean.flagged, clean.total)})`,
);
console.log(
  `secret gone (no 8 characters left): ${percent(gone.total - gone.left, gone.total)} of ${gone.total} flagged rows`,
);
