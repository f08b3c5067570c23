import type { GiveWay } from '../../kernel/give-way.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import { similarity } from './codes.ts';
import type { Vectors } from './vectors.ts';

/** What a partition's passages are looked through by: a bit for each number of a vector, which says whether it is above zero. */
interface Signs {
  rows: Float64Array;
  words: Int32Array;
  count: number;
  /** Where the next one goes once there is no more room: the oldest makes way. */
  next: number;
  /** Rows up to this one have been read. */
  last: number;
  stamp: string;
}

export interface Nearest {
  rows: { row: number; similarity: number }[];
  /** How many passages were looked through. */
  compared: number;
  /** There was more than was asked for. */
  isCut: boolean;
}

const WORD_BITS = 32;
/** More would hardly choose better. */
const MOST_BITS = 512;
const FIRST_SIZE = 64;
const READ_AT_ONCE = 500;
const SCANNED_AT_ONCE = 4096;
/** About 150 MB at 512 bits; of more, those that came last are compared. */
const MOST_KEPT = 2_000_000;
const LARGEST_SUM = 32_000;
/** So many rows that are gone are worth reading a partition anew. */
const MOST_GONE = 32;

/**
 * Finds the nearest of many vectors. Looking through the signs of all of them costs a twelfth of comparing all of them, and of the
 * few that come out best hardly one is missing; those are compared by their whole vectors.
 */
export class NearestVectors {
  readonly #vectors: Vectors;
  readonly #wordsEach: number;
  readonly #partitions = new Map<number, Signs>();

  constructor(vectors: Vectors, dimensions: number) {
    this.#vectors = vectors;
    this.#wordsEach = Math.ceil(Math.min(dimensions, MOST_BITS) / WORD_BITS);
  }

  /** Forgets what it read; it is read again when somebody asks. */
  clear(): void {
    this.#partitions.clear();
  }

  /** What takes longer than until `deadline` to read is left for the next question. */
  async find(
    vector: Float32Array,
    partitions: readonly number[],
    most: number,
    deadline: number,
    giveWay: GiveWay,
  ): Promise<Nearest> {
    const stamp = this.#vectors.stamp();
    if (stamp === undefined) return { rows: [], compared: 0, isCut: false };
    const sums = this.#tableOf(vector);
    const best = new Best(most);
    let compared = 0;
    for (const number of partitions) {
      const signs = await this.#read(number, stamp, deadline, giveWay);
      if (!signs) continue;
      compared += signs.count;
      for (let from = 0; from < signs.count; from += SCANNED_AT_ONCE) {
        await giveWay();
        this.#scan(signs, sums, from, Math.min(signs.count, from + SCANNED_AT_ONCE), best);
      }
    }
    await giveWay();
    return { rows: this.#compare(vector, best.rows()), compared, isCut: compared > most };
  }

  /** Brings what is known of a partition up to date. Others may do the same between two pieces, and go on from there. */
  async #read(number: number, stamp: string, deadline: number, giveWay: GiveWay): Promise<Signs | undefined> {
    let signs = this.#partitions.get(number);
    if (!signs) {
      this.#makeRoom();
      const [rows, words] = [new Float64Array(0), new Int32Array(0)];
      signs = { rows, words, count: 0, next: 0, last: -1, stamp: '' };
    }
    // Used last, and so dropped last.
    this.#partitions.delete(number);
    this.#partitions.set(number, signs);
    while (signs.stamp !== stamp && performance.now() < deadline) {
      const found = this.#vectors.after(number, signs.last, READ_AT_ONCE);
      for (const { row, codes } of found) this.#add(signs, row, codes);
      if (found.length < READ_AT_ONCE) signs.stamp = stamp;
      await giveWay();
    }
    return signs.count === 0 ? undefined : signs;
  }

  #makeRoom(): void {
    let kept = 0;
    for (const { count } of this.#partitions.values()) kept += count;
    for (const [number, { count }] of this.#partitions) {
      if (kept < MOST_KEPT) return;
      this.#partitions.delete(number);
      kept -= count;
    }
  }

  #add(signs: Signs, row: number, codes: Uint8Array): void {
    const each = this.#wordsEach;
    const place = signs.next;
    if (place === signs.rows.length) grow(signs, each);
    signs.count = Math.max(signs.count, place + 1);
    signs.next = (place + 1) % MOST_KEPT;
    signs.last = row;
    signs.rows[place] = row;
    const bits = Math.min(codes.length, each * WORD_BITS);
    for (let word = 0; word < each; word++) {
      let value = 0;
      const end = Math.min(bits, (word + 1) * WORD_BITS);
      for (let bit = word * WORD_BITS; bit < end; bit++) {
        // The driver gives bytes without a sign: from 128 on they are below zero.
        if (codes[bit]! > 0 && codes[bit]! < 128) value |= 1 << (bit % WORD_BITS);
      }
      signs.words[place * each + word] = value;
    }
  }

  /** For each byte of signs what it adds to the similarity, whichever its bits are: then a vector costs a sum of a few numbers. */
  #tableOf(vector: Float32Array): Int16Array {
    const bytes = this.#wordsEach * 4;
    const sums = new Float32Array(bytes * 256);
    let largest = Number.MIN_VALUE;
    for (let byte = 0; byte < bytes; byte++) {
      const begin = byte * 256;
      for (let bit = 0; bit < 8; bit++) sums[begin]! -= vector[byte * 8 + bit] ?? 0;
      for (let value = 1; value < 256; value++) {
        // As without its lowest bit, less what that one took away and plus what it adds.
        const lowest = 31 - Math.clz32(value & -value);
        sums[begin + value] = sums[begin + (value & (value - 1))]! + 2 * (vector[byte * 8 + lowest] ?? 0);
      }
      for (let value = 0; value < 256; value++) largest = Math.max(largest, sums[begin + value]!);
    }
    const table = new Int16Array(sums.length);
    const factor = LARGEST_SUM / largest;
    for (let index = 0; index < sums.length; index++) table[index] = sums[index]! * factor;
    return table;
  }

  #scan({ rows, words }: Signs, sums: Int16Array, from: number, to: number, best: Best): void {
    const each = this.#wordsEach;
    let least = best.least;
    for (let index = from; index < to; index++) {
      let sum = 0;
      const begin = index * each;
      for (let word = 0; word < each; word++) {
        const bits = words[begin + word]!;
        const table = word << 10;
        sum =
          (sum +
            sums[table | (bits & 255)]! +
            sums[table | 256 | ((bits >>> 8) & 255)]! +
            sums[table | 512 | ((bits >>> 16) & 255)]! +
            sums[table | 768 | (bits >>> 24)]!) |
          0;
      }
      if (sum > least) least = best.add(rows[index]!, sum);
    }
  }

  #compare(vector: Float32Array, rows: readonly number[]): Nearest['rows'] {
    const found = this.#vectors.at(rows).map(({ row, scale, codes }) => ({
      row,
      similarity: similarity(vector, new Int8Array(codes.buffer, codes.byteOffset, codes.length), scale),
    }));
    if (rows.length - found.length > MOST_GONE) this.#dropThoseOf(rows);
    return found.sort((one, other) => other.similarity - one.similarity || other.row - one.row);
  }

  #dropThoseOf(rows: readonly number[]): void {
    for (const row of rows) this.#partitions.delete(Math.floor(row / PARTITION_SIZE));
  }
}

function grow(signs: Signs, wordsEach: number): void {
  const size = Math.min(MOST_KEPT, Math.max(FIRST_SIZE, signs.rows.length * 2));
  const rows = new Float64Array(size);
  const words = new Int32Array(size * wordsEach);
  rows.set(signs.rows);
  words.set(signs.words);
  signs.rows = rows;
  signs.words = words;
}

/** The rows with the highest sums: a heap with the least of them in front. */
class Best {
  readonly #rows: Float64Array;
  readonly #sums: Int32Array;
  #count = 0;

  constructor(most: number) {
    this.#rows = new Float64Array(most);
    this.#sums = new Int32Array(most);
  }

  /** Only what is above gets in. */
  get least(): number {
    return this.#count < this.#sums.length ? Number.NEGATIVE_INFINITY : this.#sums[0]!;
  }

  rows(): number[] {
    return [...this.#rows.subarray(0, this.#count)];
  }

  /** Answers the new least. */
  add(row: number, sum: number): number {
    if (this.#count < this.#sums.length) this.#raise(this.#count++, row, sum);
    else this.#lower(row, sum);
    return this.least;
  }

  #raise(from: number, row: number, sum: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (this.#sums[above]! <= sum) break;
      this.#move(above, place);
      place = above;
    }
    this.#put(place, row, sum);
  }

  #lower(row: number, sum: number): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#count) break;
      if (below + 1 < this.#count && this.#sums[below + 1]! < this.#sums[below]!) below++;
      if (this.#sums[below]! >= sum) break;
      this.#move(below, place);
      place = below;
    }
    this.#put(place, row, sum);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#rows[from]!, this.#sums[from]!);
  }

  #put(place: number, row: number, sum: number): void {
    this.#rows[place] = row;
    this.#sums[place] = sum;
  }
}
