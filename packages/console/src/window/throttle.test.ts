import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Throttle } from './throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first is done at once, what follows once a second', () => {
  const run = vi.fn();
  const throttle = new Throttle(run, 1000);
  throttle.ask();
  expect(run).toHaveBeenCalledTimes(1);
  for (let time = 0; time < 50; time++) {
    throttle.ask();
    vi.advanceTimersByTime(100);
  }
  expect(run).toHaveBeenCalledTimes(6);
  vi.advanceTimersByTime(10_000);
  expect(run).toHaveBeenCalledTimes(6);
  throttle.ask();
  expect(run).toHaveBeenCalledTimes(7);
});

test('one that was stopped does nothing more', () => {
  const run = vi.fn();
  const throttle = new Throttle(run, 1000);
  throttle.ask();
  throttle.ask();
  throttle.stop();
  vi.advanceTimersByTime(10_000);
  expect(run).toHaveBeenCalledTimes(1);
});
