// Our CSV and JSON parsers and our lock between processes, beside libraries for the same.
// Usage: npm install --prefix FOLDER csv-parse stream-json proper-lockfile && node bench/transient/libraries.mjs FOLDER
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { withLock } from '../../packages/server/dist/cli/install/lock.js';
import { csvRows, jsonRows, readHeader } from '../../packages/server/dist/transient/records/files/rows.js';
import { interleave } from '../harness.mjs';
import { summarise } from '../statistics.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { activityRow } from './activities.mjs';

const libraries = process.argv[2];
if (libraries === undefined) throw new Error('Name the folder in which the libraries are installed');
const require = createRequire(join(resolve(libraries), 'package.json'));
const load = (/** @type {string} */ name) => import(pathToFileURL(require.resolve(name)).href);

const RECORDS = 60_000;
const ROUNDS = 7;
const MOST_BYTES = 10_000_000;
const folder = temporaryFolder();

/** @param {string} what @param {string} unit @param {{ ours: number[], floor: number[] }} samples */
function report(what, unit, { ours, floor }) {
  const show = (/** @type {number[]} */ samples) => {
    const { median, low, high } = summarise(samples);
    return `${median.toPrecision(3)} (${low.toPrecision(3)}–${high.toPrecision(3)})`;
  };
  const ratio = show(floor.map((sample, index) => sample / (ours[index] ?? Number.NaN)));
  console.log(
    `${what}: ours ${show(ours)} ${unit}, the library ${show(floor)} ${unit}, library / ours ${ratio}`,
  );
}

/** Processor time in milliseconds; the work must see every record. @param {() => Promise<number> | number} work */
function costOf(work) {
  return async () => {
    const begin = process.cpuUsage();
    const seen = await work();
    if (seen !== RECORDS) throw new Error(`${seen} records were seen, not ${RECORDS}`);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  };
}

/** @param {Iterable<unknown>} rows */
function count(rows) {
  let seen = 0;
  for (const row of rows) if (row) seen++;
  return seen;
}

/** @param {string} path @param {(file: number, to: number) => number} read */
function withFile(path, read) {
  const file = openSync(path, 'r');
  try {
    return read(file, statSync(path).size);
  } finally {
    closeSync(file);
  }
}

const records = Array.from({ length: RECORDS }, (_, index) => ({ ...activityRow(index), tags: 'a;b' }));
const names = Object.keys(records[0] ?? {});

const quote = (/** @type {unknown} */ value) => {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = join(folder, 'records.csv');
const lines = records.map((record) => Object.values(record).map(quote).join(','));
writeFileSync(csv, `${names.join(',')}\n${lines.join('\n')}\n`);

const oursCsv = costOf(() =>
  withFile(csv, (file, to) => {
    const format = readHeader(file, to, undefined, MOST_BYTES);
    const span = { from: format.offset, to, firstLine: format.line, mostBytes: MOST_BYTES };
    return count(csvRows(file, span, format));
  }),
);
const { parse } = await load('csv-parse');
for (const info of [false, true]) {
  const streamed = costOf(async () => {
    let seen = 0;
    const parser = createReadStream(csv, { highWaterMark: 2 ** 20 }).pipe(parse({ from_line: 2, info }));
    parser.on('readable', () => {
      while (parser.read() !== null) seen++;
    });
    await once(parser, 'end');
    return seen;
  });
  report(
    `CSV, ${RECORDS} records of ${(statSync(csv).size / 1e6).toFixed(0)} MB, csv-parse${info ? ' with positions' : ''}`,
    'ms',
    await interleave({ rounds: ROUNDS, ours: oursCsv, floor: streamed }),
  );
}
const { parse: parseSync } = await load('csv-parse/sync');
report(
  'CSV, csv-parse/sync with the whole file in memory',
  'ms',
  await interleave({
    rounds: ROUNDS,
    ours: oursCsv,
    floor: costOf(() => parseSync(readFileSync(csv), { from_line: 2 }).length),
  }),
);

const json = join(folder, 'records.json');
writeFileSync(json, JSON.stringify(records));
const oursJson = costOf(() =>
  withFile(json, (file, to) => count(jsonRows(file, { from: 0, to, firstLine: 1, mostBytes: MOST_BYTES }))),
);
const { default: streamArray } = await load('stream-json/streamers/stream-array.js');
const { parseFile } = await load('stream-json/file/parser.js');
const { pipe } = await load('stream-chain/utils/pipe.js');
const { drain } = await load('stream-chain/utils/drain.js');
const theirsJson = costOf(async () => {
  let seen = 0;
  const see = () => {
    seen++;
  };
  await drain(pipe(parseFile({ readBlockSize: 2 ** 20 }), streamArray(), see)(json));
  return seen;
});
report(
  `JSON, a list of ${RECORDS} records of ${(statSync(json).size / 1e6).toFixed(0)} MB, stream-json`,
  'ms',
  await interleave({ rounds: 5, ours: oursJson, floor: theirsJson }),
);

const lockfile = await load('proper-lockfile').then((module) => module.default);
const place = join(folder, 'theirs');
writeFileSync(place, '');
const elapsed = (/** @type {() => Promise<unknown>} */ work) => async () => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};
const oursLock = () => withLock(folder, async () => {});
const theirsLock = async () => {
  for (;;) {
    try {
      const release = await lockfile.lock(place);
      return await release();
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'ELOCKED') throw error;
      await sleep(1 + Math.random() * 25);
    }
  }
};
report(
  'lock taken and released, wall time',
  'ms',
  await interleave({ rounds: 100, warmup: 5, ours: elapsed(oursLock), floor: elapsed(theirsLock) }),
);

/** How long the lock of a process that was killed keeps others out. @param {string} hold @param {() => Promise<void>} take */
function afterKill(hold, take) {
  return async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', hold], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // The others wait already when it happens.
    const taken = elapsed(take)();
    await sleep(200);
    child.kill('SIGKILL');
    return (await taken) - 200;
  };
}
const keep = "console.log('held'); await new Promise((done) => setTimeout(done, 60_000));";
const ownLock = new URL('../../packages/server/dist/cli/install/lock.js', import.meta.url).href;
report(
  'waited after the holder was killed',
  'ms',
  await interleave({
    rounds: 3,
    warmup: 0,
    ours: afterKill(
      `import { withLock } from ${JSON.stringify(ownLock)};
       await withLock(${JSON.stringify(folder)}, async () => { ${keep} });`,
      oursLock,
    ),
    floor: afterKill(
      `import lockfile from ${JSON.stringify(pathToFileURL(require.resolve('proper-lockfile')).href)};
       await lockfile.lock(${JSON.stringify(place)}); ${keep}`,
      theirsLock,
    ),
  }),
);
process.exit(0);
