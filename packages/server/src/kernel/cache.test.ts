import { expect, test } from 'vitest';
import { Cache } from './cache.ts';

const text = (bytes: number, letter = 'x') => letter.repeat(bytes);

test('what was used least recently goes first when there are too many bytes', () => {
  const cache = new Cache<number>(3000);
  cache.set('one', 1, 1000);
  cache.set('two', 2, 1000);
  expect(cache.get('one')).toBe(1);
  cache.set('three', 3, 1000);
  expect([cache.get('one'), cache.get('two'), cache.get('three')]).toEqual([1, undefined, 3]);
});

test('keys count too, so that long ones bound themselves', () => {
  const cache = new Cache<boolean>(100_000);
  for (let index = 0; index < 1000; index++) cache.set(text(10_000) + index, true);
  expect(cache.bytes).toBeLessThanOrEqual(100_000);
  expect(cache.size).toBeLessThan(10);
  expect(cache.get(`${text(10_000)}999`)).toBe(true);
});

test('what is larger than the whole is not kept, and empties nothing', () => {
  const cache = new Cache<number>(1000);
  cache.set('small', 1, 10);
  cache.set('large', 2, 5000);
  expect([cache.get('small'), cache.get('large')]).toEqual([1, undefined]);
});

test('a value that is set again counts once', () => {
  const cache = new Cache<number>(1000);
  for (let index = 0; index < 100; index++) cache.set('same', index, 100);
  expect([cache.get('same'), cache.size]).toEqual([99, 1]);
  cache.delete('same');
  expect([cache.get('same'), cache.bytes]).toEqual([undefined, 0]);
});
