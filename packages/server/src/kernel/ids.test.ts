import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { digestHex, entryIdForKey, randomId, uuidV7 } from './ids.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{12}$/;

describe('uuidV7', () => {
  test('has the form of version 7 and the time in front', async () => {
    // Of its own: where files share their modules, another's clock may have been ahead.
    vi.resetModules();
    const fresh = await import('./ids.ts');
    const now = Date.now() + 3_600_000;
    const id = fresh.uuidV7(now);
    const [, version, variant] = UUID.exec(id)!;
    expect(version).toBe('7');
    expect('89ab').toContain(variant);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
  });

  test('grows with every call, also within a millisecond and when the clock goes back', () => {
    const base = Date.now() + 7_200_000;
    const times = fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 1, max: 3000 })), {
      minLength: 1,
      maxLength: 6,
    });
    let last = '';
    fc.assert(
      fc.property(times, (steps) => {
        for (const [offset, repeat] of steps) {
          for (let index = 0; index < repeat; index++) {
            const id = uuidV7(base + offset);
            if (!(id > last && UUID.test(id))) throw new Error(`${id} does not follow ${last}`);
            last = id;
          }
        }
      }),
      { numRuns: 20 },
    );
    expect(last).not.toBe('');
  });
});

describe('entryIdForKey', () => {
  const part = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  const parts = fc.array(part, { minLength: 1, maxLength: 4 });

  test('gives the same key the same id and another key another', () => {
    verifies('KERN-05');
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(entryIdForKey(...one) === entryIdForKey(...other)).toBe(same);
        expect(entryIdForKey(...one)).toBe(entryIdForKey(...one));
      }),
    );
    expect(entryIdForKey('ab', 'c')).not.toBe(entryIdForKey('a', 'bc'));
  });

  test('has the form of a custom UUID, so that no random one can be equal to it', () => {
    fc.assert(
      fc.property(parts, (key) => {
        const [, version, variant] = UUID.exec(entryIdForKey(...key))!;
        expect([version, variant]).toEqual(['8', 'a']);
      }),
    );
  });
});

test('digestHex is the start of a plain sha256 for one part', () => {
  expect(digestHex(16, 'abc')).toBe('ba7816bf8f01cfea');
  expect(digestHex(64, 'abc')).toHaveLength(64);
});

test('randomId has its prefix, a readable alphabet and no repetition', () => {
  const ids = Array.from({ length: 2000 }, () => randomId('branch'));
  for (const id of ids) expect(id).toMatch(/^branch_[a-km-np-z2-9]{20}$/);
  expect(new Set(ids).size).toBe(ids.length);
  // Every character occurs: none of the alphabet's 32 is out of reach.
  expect(new Set(ids.join('').replaceAll('branch_', '')).size).toBe(32);
});
