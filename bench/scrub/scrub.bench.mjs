import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createScrubber } from '@infold/scrub';
import { benchmark, interleave } from '../harness.mjs';

const MEGABYTE = 2 ** 20;
const PIECE = 2 ** 16;
const STREAMED = 8;

/** What it costs to look for secrets. `speed.mjs` beside it has the speed of attacks, and of a peer. */
export default benchmark({
  target: 'clean text at 80 MB/s, 2 KB in 0.03 ms, the worst text at 5 MB/s',
  async run({ quick }) {
    const scrubber = createScrubber();
    const clean = sources(MEGABYTE);
    const dense = `export TOKEN=${fakeToken(36)}\n`.repeat(Math.ceil(MEGABYTE / 60)).slice(0, MEGABYTE);
    const message = clean.slice(5000, 7048);
    const records = clean.split('\n').map((text, line) => ({ line, text, author: { name: 'someone' } }));
    const recordBytes = JSON.stringify(records).length;
    const pieces = Array.from({ length: (STREAMED * MEGABYTE) / PIECE }, (_, index) => {
      const from = (index * PIECE) % MEGABYTE;
      return clean.slice(from, from + PIECE);
    });
    const speed =
      (/** @type {() => unknown} */ work, bytes = MEGABYTE) =>
      async () => {
        const started = performance.now();
        await work();
        return bytes / MEGABYTE / ((performance.now() - started) / 1000);
      };
    const milliseconds = (/** @type {() => unknown} */ work, /** @type {number} */ times) => () => {
      const started = performance.now();
      for (let count = 0; count < times; count++) work();
      return (performance.now() - started) / times;
    };
    const words = /\b[A-Za-z]{4,}\b/g;
    const floor = (/** @type {string} */ text) => text.match(words)?.length;
    const options = { rounds: quick ? 5 : 20, warmup: quick ? 2 : 5 };
    const cleanSpeed = await interleave({
      ...options,
      ours: speed(() => scrubber.scrub(clean)),
      floor: speed(() => floor(clean)),
    });
    const denseSpeed = await interleave({
      ...options,
      ours: speed(() => scrubber.scrub(dense)),
      floor: speed(() => floor(dense)),
    });
    const small = await interleave({
      ...options,
      ours: milliseconds(() => scrubber.scrub(message), 500),
      floor: milliseconds(() => floor(message), 500),
    });
    const streamed = await interleave({
      ...options,
      ours: speed(() => drain(Readable.from(pieces).pipe(scrubber.createStream())), STREAMED * MEGABYTE),
      floor: speed(() => pieces.map((piece) => scrubber.scrub(piece)), STREAMED * MEGABYTE),
    });
    const structured = await interleave({
      ...options,
      ours: speed(() => scrubber.scrubValue(records), recordBytes),
      floor: speed(() => JSON.stringify(records), recordBytes),
    });
    const against = 'one regular expression that finds words';
    return [
      { what: 'scrubbing clean text, 1 MB', unit: 'MB/s', against, ...cleanSpeed, limit: { atLeast: 80 } },
      {
        what: 'scrubbing text full of secrets, 1 MB',
        unit: 'MB/s',
        against,
        ...denseSpeed,
        limit: { atLeast: 5 },
      },
      { what: 'scrubbing a message of 2 KB', unit: 'ms', against, ...small, limit: { atMost: 0.03 } },
      {
        what: 'scrubbing a stream of 8 MB, in pieces of 64 KB',
        unit: 'MB/s',
        against: 'scrubbing each piece by itself',
        ...streamed,
      },
      {
        what: 'scrubbing a JSON value, a record for each line of 1 MB',
        unit: 'MB/s',
        against: '`JSON.stringify` of the same value',
        ...structured,
      },
    ];
  },
});

/** @param {NodeJS.ReadableStream} stream */
async function drain(stream) {
  for await (const part of stream) void part;
}

/** @param {number} length */
function fakeToken(length) {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
  let state = 7;
  let text = ['gh', 'p_'].join('');
  for (let count = 0; count < length; count++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    text += alphabet[(state >> 16) % alphabet.length];
  }
  return text;
}

/** Real sources: what this program itself is made of, and what it depends on. @param {number} length */
function sources(length) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'node_modules', 'zod');
  let text = '';
  for (const item of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!item.isFile() || !/\.(js|d\.ts|md)$/.test(item.name)) continue;
    text += readFileSync(join(item.parentPath ?? item.path, item.name), 'utf8');
    if (text.length >= length) break;
  }
  return text.slice(0, length);
}
