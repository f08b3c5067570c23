// Findings per megabyte in text that holds no secrets: what npm installs, by sort of file.
// Usage: node bench/scrub/false-alarms.mjs [compiled index.js] [folder] [--list]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadScrubber } from './load.mjs';

const positional = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const list = process.argv.includes('--list');
const scrubber = await loadScrubber(positional[0]);
const root = positional[1] ?? new URL('../../node_modules', import.meta.url).pathname;

const MINIFIED_LINE = 1000;
function sortOf(name, text) {
  if (/(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml)$/.test(name)) return 'lock files, bundles, images';
  if (/\.(?:md|markdown)$/i.test(name)) return 'prose';
  if (/\.d\.[cm]?ts$/.test(name)) return 'declarations';
  if (/\.[cm]?[jt]sx?$/.test(name)) {
    return /\.min\./.test(name) || text.length / (text.split('\n').length + 1) > MINIFIED_LINE
      ? 'lock files, bundles, images'
      : 'sources';
  }
  return undefined;
}

const tallies = new Map();
const count = (sort, text, name) => {
  const result = scrubber.scrub(text);
  const tally = tallies.get(sort) ?? { bytes: 0, found: 0 };
  tallies.set(sort, tally);
  tally.bytes += text.length;
  tally.found += result.count;
  if (list && result.count > 0) {
    for (const match of result.text.matchAll(/\[REDACTED:[a-z0-9-]+\]/g)) {
      if (text.includes(match[0])) continue;
      console.log(
        sort,
        name.slice(-60),
        '|',
        JSON.stringify(result.text.slice(Math.max(0, match.index - 70), match.index + 60)),
      );
    }
  }
};

function walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (entry.isFile()) {
      if (!/\.(?:md|markdown|[cm]?[jt]sx?|json|ya?ml|lock)$/i.test(entry.name)) continue;
      const text = readFileSync(path, 'utf8');
      const sort = sortOf(entry.name, text);
      if (sort !== undefined) count(sort, text, path);
    }
  }
}
walk(root);
for (const extra of positional.slice(2))
  count('lock files, bundles, images', readFileSync(extra, 'utf8'), extra);
// Images as data addresses: random bytes in base64.
let seed = 1;
const bytes = Buffer.alloc(1 << 20, 0).map(() => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed >> 16;
});
count(
  'lock files, bundles, images',
  `<img src="data:image/png;base64,${bytes.toString('base64')}">`,
  'image',
);

let clean = { bytes: 0, found: 0 };
for (const [sort, { bytes: size, found }] of tallies) {
  console.log(
    `${sort}: ${found} in ${(size / 1e6).toFixed(1)} MB = ${(found / (size / 1e6)).toFixed(3)} per MB`,
  );
  if (sort !== 'lock files, bundles, images')
    clean = { bytes: clean.bytes + size, found: clean.found + found };
}
console.log(
  `sources, declarations and prose together: ${(clean.found / (clean.bytes / 1e6)).toFixed(3)} per MB`,
);
