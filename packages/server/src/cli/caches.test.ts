import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createScrubber } from '@infold/scrub';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../kernel/sqlite.ts';
import { constraintsOf } from '../library/files/constraints.ts';
import { stem } from '../memory/text/stem.ts';
import { describeProject } from '../trust/identity/commands.ts';
import { Identifiers } from '../trust/secrets/identifiers.ts';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

const MEGABYTE = 1024 * 1024;
/** A text that nobody has seen before, and that is kept whole by who keeps it. */
const unlike = (index: number, characters: number, unit = 'word ') =>
  Buffer.from(`${index} ${unit.repeat(characters / unit.length)}`).toString();

/** What is left in memory of some calls, in megabytes. */
function leftBy(calls: number, call: (index: number) => unknown): number {
  call(0);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 1; index <= calls; index++) call(index);
  collect();
  return (process.memoryUsage().heapUsed - before) / MEGABYTE;
}

/** Whatever is put into them, however long and however often. */
describe('what is kept to be faster next time is bounded in bytes', () => {
  const scrubber = createScrubber();
  const identifiers = new Identifiers(scrubber);

  test.each<[string, number, (index: number) => unknown]>([
    [
      'constraints of rules',
      32,
      (index) => constraintsOf(String(index), `## Section ${index}\n\n- ${unlike(index, 500_000)}\n`),
    ],
    ['names that were looked through', 8, (index) => identifiers.isClean(unlike(index, 200_000, 'ab/'))],
    ['projects that nobody registered', 4, (index) => describeProject('acme', 'p', unlike(index, 400_000))],
    ['stems of words', 4, (index) => stem(unlike(index, 200_000, 'letters'))],
  ])('%s', (_, megabytes, call) => {
    expect(leftBy(150, call)).toBeLessThan(megabytes);
  });

  test('prepared statements', async () => {
    const database = await openDatabase(':memory:');
    const left = leftBy(3000, (index) => database.get(`SELECT ${index}, '${unlike(index, 20_000)}'`));
    expect(left).toBeLessThan(40);
    database.close();
  });
});
