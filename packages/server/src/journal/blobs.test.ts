import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BlobStore } from './blobs.ts';

let folder: string;
let blobs: BlobStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-blobs-'));
  blobs = new BlobStore(join(folder, 'blobs'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const pathOf = (name: string) => join(blobs.folder, name.slice(0, 2), name);

test('text is kept under the hash of its bytes, and comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const name = blobs.write(text);
      expect(name).toBe(createHash('sha256').update(text).digest('hex'));
      expect(blobs.read(name)).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test('the same text twice is one file, which is not written again', () => {
  const name = blobs.write('twice');
  const before = statSync(pathOf(name));
  expect(blobs.write('twice')).toBe(name);
  expect(statSync(pathOf(name)).ino).toBe(before.ino);
  expect(readdirSync(join(blobs.folder, name.slice(0, 2)))).toEqual([name]);
});

test('a damaged or missing file reads as nothing, and is put right by writing it again', () => {
  const name = blobs.write('whole');
  truncateSync(pathOf(name), 2);
  expect(blobs.read(name)).toBeUndefined();
  expect(blobs.write('whole')).toBe(name);
  expect(blobs.read(name)).toBe('whole');
  blobs.erase(name);
  expect(blobs.read(name)).toBeUndefined();
  expect(() => blobs.erase(name)).not.toThrow();
});

test('a write that fails is a typed error and leaves no file behind', () => {
  const name = createHash('sha256').update('in the way').digest('hex');
  // A folder where the file should go: the rename fails after everything is written.
  mkdirSync(join(pathOf(name), 'occupied'), { recursive: true });
  expect(() => blobs.write('in the way')).toThrow(
    expect.objectContaining({ code: 'storage_failed', retryable: true }),
  );
  expect(readdirSync(join(blobs.folder, name.slice(0, 2)))).toEqual([name]);
});

test('a folder that cannot be made is a typed error too', () => {
  writeFileSync(blobs.folder, 'a file');
  expect(() => blobs.write('text')).toThrow(expect.objectContaining({ code: 'storage_failed' }));
});
