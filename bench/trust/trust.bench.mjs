import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScrubber } from '@infold/scrub';
import { decide } from '../../packages/server/dist/trust/access/rule.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { benchmark, interleave } from '../harness.mjs';

const MEGABYTE = 2 ** 20;

/** What it costs to look for secrets and to decide access. */
export default benchmark({
  target: 'clean text at 80 MB/s, 2 KB in 0.03 ms, the worst text at 5 MB/s, an access decision in 20 µs',
  async run({ quick }) {
    const rounds = quick ? 5 : 20;
    const scrubber = createScrubber();
    const clean = sources(MEGABYTE);
    const dense = `export TOKEN=${fakeToken(36)}\n`.repeat(Math.ceil(MEGABYTE / 60)).slice(0, MEGABYTE);
    const message = clean.slice(5000, 7048);
    const speed =
      (/** @type {() => unknown} */ work, bytes = MEGABYTE) =>
      () => {
        const started = performance.now();
        work();
        return bytes / MEGABYTE / ((performance.now() - started) / 1000);
      };
    const each =
      (/** @type {() => unknown} */ work, /** @type {number} */ times, scale = 1) =>
      () => {
        const started = performance.now();
        for (let count = 0; count < times; count++) work();
        return ((performance.now() - started) / times) * scale;
      };
    const words = /\b[A-Za-z]{4,}\b/g;
    const floor = (/** @type {string} */ text) => text.match(words)?.length;
    const options = { rounds, warmup: 5 };
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
      ours: each(() => scrubber.scrub(message), 500),
      floor: each(() => floor(message), 500),
    });
    const caller = { ...localOwner, projects: ['proj_a', 'proj_b'] };
    const resource = /** @type {const} */ ({ kind: 'project', id: 'proj_b' });
    const access = await interleave({
      ...options,
      ours: each(() => decide(caller, 'write', resource), 20_000, 1000),
      floor: each(() => caller.projects.includes(resource.id), 20_000, 1000),
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
        what: 'access decision',
        unit: 'µs',
        against: 'looking up the project alone',
        ...access,
        limit: { atMost: 20 },
      },
    ];
  },
});

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
