import { expect, test } from 'vitest';
import { countedTime, growthByTurn } from '../testing/turns.suite.ts';
import { oneByOne } from './background.ts';

test('long work takes some milliseconds of a turn, much of it at once no more than one', async () => {
  countedTime();
  let done = 0;
  const work = () =>
    oneByOne(Array.from({ length: 500 }), () => {
      done++;
      return false;
    });
  const alone = await growthByTurn(() => done, work);
  expect(alone.most).toBeLessThanOrEqual(15);
  const together = await growthByTurn(
    () => done,
    () => Promise.all([work(), work(), work()]),
  );
  expect(done).toBe(2000);
  // In the first turn each goes one step before it sees that the time is over. Three times as much would be 30.
  expect(together.most).toBeLessThanOrEqual(20);
});

test('work ends early when it says so', async () => {
  expect(await oneByOne([1, 2, 3], (item) => item === 2)).toBe(true);
  expect(await oneByOne([1, 2, 3], async () => false)).toBe(false);
});
