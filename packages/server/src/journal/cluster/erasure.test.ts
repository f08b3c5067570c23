import { describe, expect, test } from 'vitest';
import { Erasure, voidKey } from './erasure.ts';
import type { Stores } from './stores.ts';

const LEFT = { by: 7, events: [] };

/** A bucket of which one server has an old copy, and another leads. */
function erasureOf(replicas: number, answers: (key: string, asked: number) => unknown, leader?: unknown) {
  let asked = 0;
  const get = async (key: string) => {
    const value = answers(key, ++asked);
    return value === undefined ? null : { operation: 'PUT', json: () => value };
  };
  const stores = { replicas, bucket: async () => ({ get }), askLeader: async () => leader };
  const nothing = () => {};
  return new Erasure(stores as unknown as Stores, undefined as never, () => false, nothing);
}

describe('a body that is missing', () => {
  test('was erased, where a server says so that had said otherwise before', async () => {
    const erasure = erasureOf(3, (key, asked) => (key === 'digest' && asked > 4 ? LEFT : undefined));
    await erasure.learn('digest');
    expect(erasure.left('digest')).toBeUndefined();
    expect(erasure.isMissing('digest')).toBe(false);
    await erasure.makeSure('digest');
    expect(erasure.left('digest')).toEqual(LEFT);
  });

  test('was erased, where only the leader knows it', async () => {
    const erasure = erasureOf(3, () => undefined, LEFT);
    await erasure.makeSure('digest');
    expect(erasure.left('digest')).toEqual(LEFT);
    expect(erasure.isMissing('digest')).toBe(false);
  });

  test('was not, where nobody knows of it, and at once where it is known to belong to no entry', async () => {
    const nobody = erasureOf(3, () => undefined);
    await nobody.makeSure('digest');
    expect(nobody.isMissing('digest')).toBe(true);
    const began = performance.now();
    const discarded = erasureOf(3, (key) => (key === voidKey('digest') ? '' : undefined));
    await discarded.makeSure('digest');
    expect(discarded.isMissing('digest')).toBe(true);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
