import { describe, expect, test } from 'vitest';
import { TokenBucket, TokenBuckets } from './token-bucket.ts';

describe('a bucket', () => {
  test('begins full, and fills up no further than that', () => {
    const bucket = new TokenBucket({ perMinute: 60, capacity: 10 }, 0);
    expect(bucket.take(10, 0)).toBe(0);
    expect(bucket.take(3, 0)).toBe(3);
    expect(bucket.take(10, 3_600_000)).toBe(0);
    expect(bucket.take(1, 3_600_000)).toBe(1);
  });

  test('takes nothing where it says how long to wait', () => {
    const bucket = new TokenBucket({ perMinute: 60, capacity: 10 }, 0);
    bucket.take(8, 0);
    expect(bucket.take(5, 0)).toBe(3);
    expect(bucket.take(2, 0)).toBe(0);
  });

  test('is emptied by what is larger than it, and by nothing less than full', () => {
    const bucket = new TokenBucket({ perMinute: 60, capacity: 10 }, 0);
    expect(bucket.take(1000, 0)).toBe(0);
    expect(bucket.take(1000, 9000)).toBe(1);
    expect(bucket.take(1000, 10_000)).toBe(0);
  });

  test('a debt is filled up first', () => {
    const bucket = new TokenBucket({ perMinute: 60, capacity: 10 }, 0);
    bucket.charge(20, 0);
    expect(bucket.take(1, 0)).toBe(11);
    expect(bucket.take(1, 11_000)).toBe(0);
  });
});

test('keys have a bucket each, and the oldest of too many is forgotten', () => {
  const buckets = new TokenBuckets(1);
  expect([buckets.take('a', 0), buckets.take('a', 0), buckets.take('b', 0)]).toEqual([0, 60, 0]);
  for (let count = 0; count < 12_000; count++) buckets.take(`key ${count}`, 0);
  expect(buckets.size).toBe(10_000);
  expect(buckets.take('a', 0)).toBe(0);
});
