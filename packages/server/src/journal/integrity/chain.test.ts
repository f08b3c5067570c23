import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actorOf, actorText, bodyDigest, type EntryHeader, entryHash, GENESIS, hexOf } from './chain.ts';

const header: EntryHeader = {
  seq: 1,
  id: 'id',
  stream: 'stream',
  rev: 1,
  at: 1_700_000_000_000,
  actor: '["acme","ada"]',
  cause: null,
  digest: bodyDigest({ salt: new Uint8Array(16), data: '{"events":[]}' }),
};

/** Journals on disk were hashed this way: a change here makes every one of them fail to verify. */
test('the hash of an entry is pinned', () => {
  expect(hexOf(header.digest)).toBe('ddca4b26b925fbab9972c94d0644b32b1ecb72dc47786e4dfca5404cf2da2d30');
  expect(hexOf(entryHash(GENESIS, header))).toBe(
    '0ac3945cee5d68ad5bf6aeed2a9e606d492eb7653b2bef5d592dce93dc3da155',
  );
});

test('a text has its digest, however long it is and whatever characters it has', () => {
  const long = fc.integer({ min: 5000, max: 6000 }).map((length) => '€'.repeat(length));
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 32 }),
      fc.oneof(fc.string({ unit: 'binary' }), long),
      (salt, data) => {
        const expected = createHash('sha256').update(salt).update(data).digest('hex');
        expect(hexOf(bodyDigest({ salt, data }))).toBe(expected);
      },
    ),
  );
});

test('every field, and the hash before it, changes the hash of an entry', () => {
  const other: EntryHeader = {
    seq: 2,
    id: 'other',
    stream: 'other',
    rev: 2,
    at: 0,
    actor: '["acme","eve"]',
    cause: 'id',
    digest: bodyDigest({ salt: new Uint8Array(16), data: 'other' }),
  };
  const hashes = Object.keys(header).map((field) =>
    hexOf(entryHash(GENESIS, { ...header, [field]: other[field as keyof EntryHeader] })),
  );
  hashes.push(hexOf(entryHash(GENESIS, header)), hexOf(entryHash(header.digest, header)));
  expect(new Set(hashes).size).toBe(10);
});

test('two different headers never have one text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 5 });
  fc.assert(
    fc.property(text, text, text, text, (id, stream, otherId, otherStream) => {
      const one = hexOf(entryHash(GENESIS, { ...header, id, stream }));
      const other = hexOf(entryHash(GENESIS, { ...header, id: otherId, stream: otherStream }));
      expect(one === other).toBe(id === otherId && stream === otherStream);
    }),
  );
});

test('an actor reads back as it was', () => {
  const name = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(name, name, fc.option(name, { nil: undefined }), (org, principal, agent) => {
      const actor = agent === undefined ? { org, principal } : { org, principal, agent };
      expect(actorOf(actorText(actor))).toEqual(actor);
    }),
  );
});

test('the same data under another salt has another digest', () => {
  const digest = (byte: number) => bodyDigest({ salt: new Uint8Array(16).fill(byte), data: 'yes' });
  expect(digest(1)).not.toEqual(digest(2));
});
