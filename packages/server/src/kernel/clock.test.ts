import { describe, expect, test } from 'vitest';
import { pauseAfter, steadyClock } from './clock.ts';

const HOUR = 3_600_000;

function movable() {
  let wall = 1_000_000;
  let tick = 0;
  const clock = steadyClock({ wall: () => wall, monotonic: () => tick, settle: 10 * 60_000 });
  return {
    clock,
    pass: (milliseconds: number) => {
      wall += milliseconds;
      tick += milliseconds;
    },
    jump: (milliseconds: number) => {
      wall += milliseconds;
    },
  };
}

describe('the steady clock', () => {
  test('follows the wall clock and its small corrections', () => {
    const { clock, pass, jump } = movable();
    pass(5000);
    jump(800);
    expect(clock()).toBe(1_005_800);
    jump(-300);
    expect(clock()).toBe(1_005_500);
  });

  test('does not follow a jump that goes back', () => {
    const { clock, pass, jump } = movable();
    for (const leap of [48 * HOUR, -90 * HOUR, 42 * HOUR]) {
      jump(leap);
      pass(1000);
      expect(Math.abs(clock() - 1_000_000)).toBeLessThan(10_000);
    }
    expect(clock()).toBe(1_003_000);
  });

  test('believes a jump once the new time has run evenly for a while', () => {
    const { clock, pass, jump } = movable();
    jump(48 * HOUR);
    clock();
    pass(9 * 60_000);
    expect(clock()).toBe(1_000_000 + 9 * 60_000);
    pass(2 * 60_000);
    expect(clock()).toBe(1_000_000 + 48 * HOUR + 11 * 60_000);
  });

  test('starts over when a jumped clock jumps again', () => {
    const { clock, pass, jump } = movable();
    jump(48 * HOUR);
    clock();
    pass(9 * 60_000);
    jump(5 * HOUR);
    clock();
    pass(9 * 60_000);
    expect(clock()).toBe(1_000_000 + 18 * 60_000);
  });
});

describe('a pause after failures', () => {
  const minute = 60_000;
  const usual = { every: minute, longest: 15 * minute, chance: 0.5 };

  test('becomes longer with every failure, up to a limit', () => {
    const minutes = [0, 1, 2, 3, 4, 100].map((failures) => pauseAfter(failures, usual) / minute);
    expect(minutes).toEqual([1, 2, 4, 8, 15, 15]);
    // Who asks less often anyway is not made to ask more often.
    expect(pauseAfter(3, { ...usual, every: 60 * minute })).toBe(60 * minute);
  });

  test('is not the same for all who failed together', () => {
    expect(pauseAfter(0, { ...usual, chance: 0 })).toBe(0.8 * minute);
    expect(pauseAfter(0, { ...usual, chance: 1 })).toBe(1.2 * minute);
  });
});
