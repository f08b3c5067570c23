import { hash } from 'node:crypto';

/**
 * Merkle trees as in RFC 9162 (Certificate Transparency): a tree of n leaves is a full tree of the largest power of two
 * below n, and the tree of the rest. What was hashed as a leaf can never pass for an inner node, because each kind
 * begins with a byte of its own.
 */
const SIZE = 32;
// Hashing is synchronous and in one call, so that one buffer of each kind is enough.
const leaf = Buffer.alloc(1 + SIZE, 0);
const node = Buffer.alloc(1 + 2 * SIZE, 1);

export function leafHash(content: Uint8Array): Uint8Array {
  leaf.set(content, 1);
  return hash('sha256', leaf, 'buffer');
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1);
  node.set(right, 1 + SIZE);
  return hash('sha256', node, 'buffer');
}

const EMPTY: Uint8Array = hash('sha256', '', 'buffer');

/** A tree that grows leaf by leaf and keeps only the roots of its full parts: as many as its size has ones in binary. */
export class MerkleTree {
  #size = 0;
  /** From the largest part to the smallest. */
  readonly #parts: Uint8Array[];

  constructor(parts: readonly Uint8Array[] = [], size = 0) {
    this.#parts = [...parts];
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  add(leafOrRoot: Uint8Array): void {
    let part = leafOrRoot;
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      part = nodeHash(this.#parts.pop()!, part);
    }
    this.#parts.push(part);
    this.#size++;
  }

  root(): Uint8Array {
    return this.#parts.length === 0 ? EMPTY : this.#parts.reduceRight((right, left) => nodeHash(left, right));
  }

  copy(): MerkleTree {
    return new MerkleTree(this.#parts, this.#size);
  }
}

export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const tree = new MerkleTree();
  for (const one of leaves) tree.add(one);
  return tree.root();
}

/** The roots beside the way from a leaf to the root, from the leaf upwards. */
export function pathOf(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  if (leaves.length <= 1) return [];
  const split = largestPowerBelow(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - split), rootOf(left)];
}

/** The root that a leaf at this place of a tree of this size has with this path; undefined when the path does not fit. */
export function rootFrom(
  leafOrRoot: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (size <= 1) return size === 1 && index === 0 && path.length === 0 ? leafOrRoot : undefined;
  const beside = path.at(-1);
  if (!beside || index < 0 || index >= size) return undefined;
  const split = largestPowerBelow(size);
  const rest = path.slice(0, -1);
  const below =
    index < split
      ? rootFrom(leafOrRoot, index, split, rest)
      : rootFrom(leafOrRoot, index - split, size - split, rest);
  if (!below) return undefined;
  return index < split ? nodeHash(below, beside) : nodeHash(beside, below);
}

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}
