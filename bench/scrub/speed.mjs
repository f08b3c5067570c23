// Throughput on clean text, on a short message and on the worst input known, beside secretlint in the same process.
// Usage: node bench/scrub/speed.mjs [compiled index.js] [folder that holds secretlint's node_modules]
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadScrubber } from './load.mjs';

const scrubber = await loadScrubber(process.argv[2]);
const modules = new URL('../../node_modules', import.meta.url).pathname;

function gather(folder, pattern, wanted) {
  let text = '';
  const walk = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (text.length >= wanted) return;
      const child = join(path, entry.name);
      if (entry.isDirectory()) walk(child);
      else if (pattern.test(entry.name)) text += readFileSync(child, 'utf8').slice(0, 40_000);
    }
  };
  walk(folder);
  return text.slice(0, wanted);
}

const MEGABYTE = 1_000_000;
const filler = (length, salt) => {
  let state = salt * 2654435761 + 1;
  let out = '';
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    out += 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[(state >>> 16) % 62];
  }
  return out;
};
const repeat = (unit) => unit.repeat(Math.ceil(MEGABYTE / unit.length)).slice(0, MEGABYTE);

const inputs = {
  'clean prose (.md)': gather(modules, /\.md$/, MEGABYTE),
  'clean declarations (.d.ts)': gather(modules, /\.d\.ts$/, MEGABYTE),
  'clean sources (.js)': gather(modules, /\.js$/, MEGABYTE),
  'one line without a break': repeat('lorem ipsum dolor sit amet consectetur ').replaceAll('\n', ' '),
  'base64 image': Buffer.from(filler(MEGABYTE * 0.75, 7), 'latin1').toString('base64'),
  'random letters': filler(MEGABYTE, 3),
};
const attacks = {
  'secret-dense': Array.from(
    { length: 12_000 },
    (_, index) => `GITHUB_TOKEN=${'gh'}p_${filler(36, index)}\npassword: "${filler(14, index)}"\n`,
  )
    .join('')
    .slice(0, MEGABYTE),
  'key=key=': repeat('key='),
  'api_key="': repeat('api_key="'),
  'password: ': repeat('password: '),
  'secret=a1': repeat('secret=a1b2c3d4e5&'),
  'token run': repeat('token=x1y2').replaceAll('&', ''),
  'PEM headers': repeat(`-----BEGIN RSA ${'PRIVATE'} KEY-----\n`),
  'PEM header, body, no end': repeat(`-----BEGIN RSA ${'PRIVATE'} KEY-----\n${filler(64, 5)}\n`),
  'long line of base64 after a header': `-----BEGIN ${'PRIVATE'} KEY-----${filler(MEGABYTE - 30, 9)}`,
  eyJ: repeat('eyJhbGciOi.'),
  '-eyJ': repeat('-eyJ'),
  '://a:': repeat('://a:'),
  'x://a:b@': repeat('x://a:b1c2d3@'),
  '%41': repeat('%41'),
  '\\u0041': repeat('\\u0041'),
  'sk-ant-': repeat('sk-ant-api03-'),
  xox: repeat('xoxb-123456789012-'),
  'curl -u': repeat('curl -u a:'),
  'aws : aws :': repeat('aws : algolia : '),
  quotes: repeat('password="\\"'),
  Bearer: repeat('Bearer abcdefgh1'),
  Cookie: repeat('cookie: a=b;'),
  'mysql -p': repeat('mysql -u a -p '),
  'sid=': repeat('sid=a1B2-_'),
  'kind: Secret': repeat('kind: Secret\ndata:\n  a: b1\n'),
  '"kty"': repeat('{"kty":"d":"a1B2'),
  'a:b@tcp(': repeat('a:b1@tcp('),
  AAAA: 'A'.repeat(MEGABYTE),
  redacted: repeat('[REDACTED:github-token] '),
};

function rate(run, text, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const begin = process.hrtime.bigint();
    run(text);
    times.push(Number(process.hrtime.bigint() - begin) / 1e6);
  }
  times.sort((one, other) => one - other);
  return { best: text.length / 1000 / times[0], median: text.length / 1000 / times[rounds >> 1] };
}
const show = (name, { best, median }, extra = '') =>
  console.log(`${name.padEnd(38)} ${median.toFixed(1).padStart(8)} MB/s (best ${best.toFixed(1)})${extra}`);

const cold = process.hrtime.bigint();
scrubber.scrub('first');
console.log(
  `first scrub, compiling included: ${(Number(process.hrtime.bigint() - cold) / 1e6).toFixed(1)} ms`,
);
for (const [name, text] of Object.entries(inputs))
  show(name, rate(scrubber.scrub, text, 15), `, ${scrubber.scrub(text).count} found`);

const message = inputs['clean prose (.md)'].slice(5000, 7048);
const samples = [];
for (let index = 0; index < 3000; index++) {
  const begin = process.hrtime.bigint();
  scrubber.scrub(message);
  samples.push(Number(process.hrtime.bigint() - begin) / 1e6);
}
samples.sort((one, other) => one - other);
console.log(`2 KB message: p50 ${samples[1500].toFixed(4)} ms, p99 ${samples[2970].toFixed(4)} ms`);

console.log('attacks: median MB/s on 1 MB, and the time of 1 MB over that of a quarter (4 is linear)');
for (const [name, text] of Object.entries(attacks)) {
  const whole = rate(scrubber.scrub, text, 5);
  const quarter = rate(scrubber.scrub, text.slice(0, text.length / 4), 5);
  show(name, whole, `, ×${((4 * quarter.median) / whole.median).toFixed(1)}`);
}

if (process.argv[3] !== undefined) {
  const require = createRequire(join(process.argv[3], 'package.json'));
  const { lintSource } = await import(pathToFileURL(require.resolve('@secretlint/core')).href);
  const preset = await import(
    pathToFileURL(require.resolve('@secretlint/secretlint-rule-preset-recommend')).href
  );
  const options = {
    config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: preset.creator }] },
    noPhysicFilePath: true,
  };
  for (const name of ['clean prose (.md)', 'clean declarations (.d.ts)', 'clean sources (.js)']) {
    const text = inputs[name];
    // In turns, so that what disturbs the machine disturbs both.
    const times = { theirs: [], ours: [] };
    for (let round = 0; round < 15; round++) {
      let begin = process.hrtime.bigint();
      await lintSource({
        source: { content: text, filePath: 'x.txt', ext: '.txt', contentType: 'text' },
        options,
      });
      times.theirs.push(Number(process.hrtime.bigint() - begin) / 1e6);
      begin = process.hrtime.bigint();
      scrubber.scrub(text);
      times.ours.push(Number(process.hrtime.bigint() - begin) / 1e6);
    }
    const median = (values) => text.length / 1000 / values.sort((one, other) => one - other)[7];
    const theirs = median(times.theirs);
    const ours = median(times.ours);
    console.log(
      `secretlint on ${name}: ${theirs.toFixed(1)} MB/s; ours ${ours.toFixed(1)} MB/s = ${(ours / theirs).toFixed(2)} times`,
    );
  }
}
