import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { alnum } from './examples/sample.suite.ts';
import { createScrubber } from './index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes that stay. V8 lets go of a long key of an object at the second or third collection. */
function megabytesInUse(): number {
  for (let count = 0; count < 4; count++) collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const scrubber = createScrubber();
const MEGABYTES = 4;

/** Flat, as what came from a file or a network is. */
function long(unit: string): string {
  const times = Math.ceil((MEGABYTES * 2 ** 20) / unit.length);
  return Buffer.from(unit.repeat(times)).toString('latin1');
}

it.each([
  ['a key', (text: string) => scrubber.scrubValue({ [text]: 1 })],
  ['a value', (text: string) => scrubber.scrubValue({ note: text })],
  ['a text', (text: string) => scrubber.scrub(text)],
])('%s of many megabytes is not held once it was scrubbed', (_what, scrub) => {
  const secret = `gh${'p_'}${alnum(36)}`;
  // A function of its own: a frame that is still open holds what it last worked with.
  const scrubLong = () => {
    for (const unit of ['password: ', 'A']) scrub(`${secret} ${long(unit)}`);
  };
  // The first time compiles the rules.
  scrubLong();
  const before = megabytesInUse();
  scrubLong();
  expect(megabytesInUse() - before).toBeLessThan(MEGABYTES / 4);
});
