import { hash } from 'node:crypto';

/**
 * Merkle trees as in RFC 9162 (Certificate Transparency): a tree of n leaves is a full tree of the largest power of two
 * below n, and the tree of the rest. What was hashed as a leaf can never pass for an inner node, because each kind
 * begins with a byte of its own.
 */
const SIZE = 32;
/** More leaves than this many bits can count do not come. */
const BITS = 48;
// Hashing is synchronous and in one call, so that one buffer of each kind is enough.
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

/**
 * A tree that grows leaf by leaf and keeps only the roots of its full parts: as many as its size has ones in binary. They
 * stand side by side in one buffer, from the largest part to the smallest, because every commit adds a leaf, and to make a
 * buffer for each hash would cost more than the hashing does.
 */
export class MerkleTree {
  #size = 0;
  /** Where the parts end. */
  #end = 0;
  readonly #parts = Buffer.alloc((BITS + 1) * SIZE);

  get size(): number {
    return this.#size;
  }

  add(content: Uint8Array): void {
    leaf.set(content, 1);
    this.#parts.write(hash('sha256', leaf, 'binary'), this.#end, 'latin1');
    this.#join();
  }

  /** A leaf whose hash is known, or the root of a tree that stands for one. */
  addHash(leafOrRoot: string): void {
    this.#parts.write(leafOrRoot, this.#end, 'hex');
    this.#join();
  }

  /** Two parts of a size become one, as long as there are two. */
  #join(): void {
    let last = this.#end;
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      last -= SIZE;
      this.#parts.copy(node, 1, last, last + 2 * SIZE);
      this.#parts.write(hash('sha256', node, 'binary'), last, 'latin1');
    }
    this.#end = last + SIZE;
    this.#size++;
  }

  root(): string {
    if (this.#end === 0) return EMPTY;
    const parts: string[] = [];
    for (let at = 0; at < this.#end; at += SIZE) parts.push(this.#parts.toString('hex', at, at + SIZE));
    return parts.reduceRight((right, left) => nodeHash(left, right));
  }

  copy(): MerkleTree {
    const copy = new MerkleTree();
    copy.#parts.set(this.#parts);
    copy.#end = this.#end;
    copy.#size = this.#size;
    return copy;
  }

  clear(): void {
    this.#end = 0;
    this.#size = 0;
  }
}

export function rootOf(leaves: readonly string[]): string {
  const tree = new MerkleTree();
  for (const one of leaves) tree.addHash(one);
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

/**
 * What stands beside the ways from several leaves to the root: the roots of all parts of the tree that hold none of them,
 * from left to right. Places are in order.
 */
export function nodesBeside(leaves: readonly string[], places: readonly number[]): string[] {
  if (places.length === 0) return [rootOf(leaves)];
  if (leaves.length <= 1) return [];
  const split = largestPowerBelow(leaves.length);
  const [left, right] = halvesOf(places, split, (place) => place);
  return [
    ...nodesBeside(leaves.slice(0, split), left),
    ...nodesBeside(
      leaves.slice(split),
      right.map((place) => place - split),
    ),
  ];
}

export interface PlacedLeaf {
  place: number;
  hash: string;
}

/**
 * The root that leaves at these places of a tree of this size have with what stands beside them; undefined when that does not
 * fit. Places are in order, each of them once.
 */
export function rootFromMany(
  placed: readonly PlacedLeaf[],
  size: number,
  nodes: readonly string[],
): string | undefined {
  const isOrdered = placed.every(({ place }, index) => place > (placed[index - 1]?.place ?? -1));
  if (placed.length === 0 || !isOrdered || placed.at(-1)!.place >= size) return undefined;
  let used = 0;
  const rootOver = (part: readonly PlacedLeaf[], start: number, count: number): string | undefined => {
    if (part.length === 0) return nodes[used++];
    if (count === 1) return part[0]!.hash;
    const split = largestPowerBelow(count);
    const [left, right] = halvesOf(part, start + split, ({ place }) => place);
    const leftRoot = rootOver(left, start, split);
    const rightRoot = rootOver(right, start + split, count - split);
    return leftRoot && rightRoot && nodeHash(leftRoot, rightRoot);
  };
  const root = rootOver(placed, 0, size);
  return used === nodes.length ? root : undefined;
}

/** Those before a place, and the others. */
function halvesOf<Item>(items: readonly Item[], split: number, placeOf: (item: Item) => number) {
  const found = items.findIndex((item) => placeOf(item) >= split);
  const at = found === -1 ? items.length : found;
  return [items.slice(0, at), items.slice(at)] as const;
}

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}
