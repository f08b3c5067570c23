import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DigestedFile, NO_FILES, toggleFile } from './digest.ts';

const file = fc.record({
  id: fc.stringMatching(/^p-[a-z]{1,4}$/),
  path: fc.stringMatching(/^[a-z]{1,4}\.md$/),
  kind: fc.constantFrom('rule' as const, 'context' as const),
  hash: fc.stringMatching(/^sha256:[0-9a-f]{4}$/),
});
const files = fc.uniqueArray(file, { selector: ({ id }) => id, maxLength: 20 });
const digestOf = (all: readonly DigestedFile[]) =>
  Buffer.from(all.reduce(toggleFile, NO_FILES)).toString('hex');

test('a digest is that of its files, in whatever order they came and whatever has gone since', () => {
  fc.assert(
    fc.property(files, files, (kept, gone) => {
      const there = digestOf(kept);
      expect(digestOf([...kept].reverse())).toBe(there);
      expect(digestOf([...gone, ...kept, ...gone])).toBe(there);
    }),
  );
});

test('any other file, path, kind or content gives another digest', () => {
  const one = { id: 'p-1', path: 'a.md', kind: 'rule' as const, hash: 'sha256:1' };
  const others = [{}, { id: 'p-2' }, { path: 'b.md' }, { kind: 'workflow' as const }, { hash: 'sha256:2' }];
  const digests = others.map((other) => digestOf([{ ...one, ...other }]));
  expect(new Set([...digests, digestOf([])]).size).toBe(others.length + 1);
});
