import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/support/runs.ts';
import { leafHash, MerkleTree, nodesBeside, pathOf, rootFrom, rootFromMany, rootOf } from './merkle.ts';

const contentOf = (index: number) => createHash('sha256').update(`content ${index}`).digest();
const LEAVES = Array.from({ length: 2500 }, (_, index) => leafHash(contentOf(index)));

const sizes = fc.integer({ min: 0, max: LEAVES.length });
const places = fc
  .integer({ min: 1, max: LEAVES.length })
  .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1) }));

function flipped(hex: string, bit: number): string {
  const copy = Buffer.from(hex, 'hex');
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy.toString('hex');
}

/** The definition of RFC 9162, 2.1.1, word for word. */
function rootByDefinition(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest();
  if (leaves.length === 1) return Buffer.from(leaves[0]!, 'hex');
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return createHash('sha256')
    .update(Uint8Array.of(1))
    .update(rootByDefinition(leaves.slice(0, split)))
    .update(rootByDefinition(leaves.slice(split)))
    .digest();
}

describe('a Merkle tree', () => {
  /** Checkpoints were signed with these roots: a change here makes every proof that was handed out fail. */
  test('has pinned roots', () => {
    const roots = [0, 1, 2, 3, 1000, 2500].map((size) => rootOf(LEAVES.slice(0, size)).slice(0, 16));
    expect(roots).toMatchInlineSnapshot(`
      [
        "e3b0c44298fc1c14",
        "adb42a4061d741b1",
        "c1ddfe69bd1a40bd",
        "251bc8b8b489a411",
        "256df58f8749eccf",
        "0512879ab9f3f561",
      ]
    `);
    expect(LEAVES[0]).toBe(createHash('sha256').update(Uint8Array.of(0)).update(contentOf(0)).digest('hex'));
  });

  test('of any size has the root that its definition gives, however it grew', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const leaves = LEAVES.slice(0, size);
        expect(rootOf(leaves)).toBe(rootByDefinition(leaves).toString('hex'));
      }),
      { numRuns: 60 },
    );
    const growing = new MerkleTree();
    for (let size = 0; size <= LEAVES.length; size++) {
      expect(growing.size).toBe(size);
      if (size % 97 === 0) expect(growing.copy().root()).toEqual(rootOf(LEAVES.slice(0, size)));
      if (size < LEAVES.length) growing.add(contentOf(size));
    }
  });

  test('every leaf has a path to the root, no longer than the tree is high', () => {
    const check = (size: number, index: number) => {
      const leaves = LEAVES.slice(0, size);
      const path = pathOf(leaves, index);
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
      expect(rootFrom(leaves[index]!, index, size, path)).toEqual(rootOf(leaves));
    };
    for (let size = 1; size <= 40; size++) for (let index = 0; index < size; index++) check(size, index);
    fc.assert(
      fc.property(places, ({ size, index }) => check(size, index)),
      { numRuns: runs(150) },
    );
  });

  test('a flipped bit of the leaf or of the path gives another root', () => {
    fc.assert(
      fc.property(places, fc.nat(255), fc.nat(), ({ size, index }, bit, choice) => {
        const leaves = LEAVES.slice(0, size);
        const path = pathOf(leaves, index);
        const root = rootOf(leaves);
        expect(rootFrom(flipped(leaves[index]!, bit), index, size, path)).not.toEqual(root);
        if (path.length === 0) return;
        const at = choice % path.length;
        const changed = path.map((one, place) => (place === at ? flipped(one, bit) : one));
        expect(rootFrom(leaves[index]!, index, size, changed)).not.toEqual(root);
      }),
      { numRuns: runs(150) },
    );
  });

  test('a path does not lead to the root from another place, in another size, shortened or lengthened', () => {
    fc.assert(
      fc.property(places, places, ({ size, index }, other) => {
        const leaves = LEAVES.slice(0, size);
        const path = pathOf(leaves, index);
        const root = rootOf(leaves);
        const leaf = leaves[index]!;
        if (other.index !== index) expect(rootFrom(leaf, other.index, size, path)).not.toEqual(root);
        expect(rootFrom(leaf, index, size, path.slice(1))).not.toEqual(size === 1 ? undefined : root);
        expect(rootFrom(leaf, index, size, [...path, LEAVES[0]!])).toBeUndefined();
        expect(rootFrom(leaf, size, size, path)).toBeUndefined();
        expect(rootFrom(leaf, -1, size, path)).toBeUndefined();
      }),
      { numRuns: runs(150) },
    );
  });

  test('several leaves have what stands beside them once, and lead to the root with nothing else', () => {
    const many = fc.integer({ min: 1, max: 600 }).chain((size) =>
      fc.record({
        size: fc.constant(size),
        places: fc
          .uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 60 })
          .map((places) => places.sort((one, other) => one - other)),
      }),
    );
    fc.assert(
      fc.property(many, fc.nat(), fc.nat(255), ({ size, places }, choice, bit) => {
        const leaves = LEAVES.slice(0, size);
        const placed = places.map((place) => ({ place, hash: leaves[place]! }));
        const nodes = nodesBeside(leaves, places);
        const alone = places.reduce((count, place) => count + pathOf(leaves, place).length, 0);
        expect(nodes.length).toBeLessThanOrEqual(alone);
        const root = rootOf(leaves);
        expect(rootFromMany(placed, size, nodes)).toBe(root);
        expect(rootFromMany(placed, size, [...nodes, LEAVES[0]!])).toBeUndefined();
        expect(rootFromMany(placed.slice(1), size, nodes)).not.toBe(root);
        expect(rootFromMany([...placed, placed.at(-1)!], size, nodes)).toBeUndefined();
        expect(rootFromMany(placed, places.at(-1)!, nodes)).not.toBe(root);
        const wrong = placed.map((one, index) =>
          index === choice % placed.length ? { ...one, hash: flipped(one.hash, bit) } : one,
        );
        expect(rootFromMany(wrong, size, nodes)).not.toBe(root);
        if (nodes.length === 0) return;
        const at = choice % nodes.length;
        const other = nodes.map((one, index) => (index === at ? flipped(one, bit) : one));
        expect(rootFromMany(placed, size, other)).not.toBe(root);
        expect(rootFromMany(placed, size, nodes.slice(1))).toBeUndefined();
      }),
      { numRuns: runs(150) },
    );
  });

  test('an inner node does not pass for a leaf', () => {
    // Without a byte of its own, a leaf of two hashes would have the hash of the node above them.
    const both = Buffer.from(`${LEAVES[0]}${LEAVES[1]}`, 'hex');
    const asLeaf = createHash('sha256').update(Uint8Array.of(0)).update(both).digest('hex');
    expect(rootOf(LEAVES.slice(0, 2))).not.toBe(asLeaf);
  });
});
