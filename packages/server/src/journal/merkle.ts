import { hash } from 'node:crypto';

/**
 * Merkle trees as in RFC 9162 (Certificate Transparency): a tree of n leaves is a full tree of the largest power of two
 * below n, and the tree of the rest. What was hashed as a leaf can never pass for an inner node, because each kind
 * begins with a byte of its own.
 */
const SIZE = 32;
// Hashing is synchronous and in one call, so that one buffer of each kind is enough. Hashes are hex: to make a buffer of
// each costs more than the hashing does.
const leaf = Buffer.alloc(1 + SIZE, 0);
const node = Buffer.alloc(1 + 2 * SIZE, 1);

export function leafHash(content: Uint8Array): string {
  leaf.set(content, 1);
  return hash('sha256', leaf, 'hex');
}

function nodeHash(left: string, right: string): string {
  node.write(left, 1, 'hex');
  node.write(right, 1 + SIZE, 'hex');
  return hash('sha256', node, 'hex');
}

const EMPTY = hash('sha256', '', 'hex');

/** A tree that grows leaf by leaf and keeps only the roots of its full parts: as many as its size has ones in binary. */
export class MerkleTree {
  #size = 0;
  /** From the largest part to the smallest. */
  #parts: string[] = [];

  get size(): number {
    return this.#size;
  }

  add(leafOrRoot: string): void {
    let part = leafOrRoot;
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      part = nodeHash(this.#parts.pop()!, part);
    }
    this.#parts.push(part);
    this.#size++;
  }

  root(): string {
    return this.#parts.length === 0 ? EMPTY : this.#parts.reduceRight((right, left) => nodeHash(left, right));
  }

  copy(): MerkleTree {
    const copy = new MerkleTree();
    copy.#parts = [...this.#parts];
    copy.#size = this.#size;
    return copy;
  }
}

export function rootOf(leaves: readonly string[]): string {
  const tree = new MerkleTree();
  for (const one of leaves) tree.add(one);
  return tree.root();
}

/** The roots beside the way from a leaf to the root, from the leaf upwards. */
export function pathOf(leaves: readonly string[], index: number): string[] {
  if (leaves.length <= 1) return [];
  const split = largestPowerBelow(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - split), rootOf(left)];
}

/** The root that a leaf at this place of a tree of this size has with this path; undefined when the path does not fit. */
export function rootFrom(
  leafOrRoot: string,
  index: number,
  size: number,
  path: readonly string[],
): string | undefined {
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
