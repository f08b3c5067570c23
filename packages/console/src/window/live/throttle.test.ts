import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Throttle } from './throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first is done at once, what follows once a second', async () => {
  const run = vi.fn();
  const throttle = new Throttle(run, 1000);
  throttle.ask();
  expect(run).toHaveBeenCalledTimes(1);
  for (let time = 0; time < 50; time++) {
    throttle.ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(run).toHaveBeenCalledTimes(6);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(6);
  throttle.ask();
  expect(run).toHaveBeenCalledTimes(7);
});

test('what takes longer than the pause is not begun again before it is done', async () => {
  const run = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 2500)));
  const throttle = new Throttle(run, 1000);
  throttle.ask();
  await vi.advanceTimersByTimeAsync(10);
  throttle.ask();
  await vi.advanceTimersByTimeAsync(2400);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(run).toHaveBeenCalledTimes(2);
});

test('one that was stopped does nothing more', async () => {
  const run = vi.fn();
  const throttle = new Throttle(run, 1000);
  throttle.ask();
  throttle.ask();
  throttle.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(1);
});
