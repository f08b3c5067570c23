/**
 * The terms of a passage as they are stored, apart by spaces, within what was read for many passages at once. Of most passages no
 * more is looked at than whether they hold what a goal looks for, which needs no text of them.
 */
export class StoredTerms {
  readonly #bytes: Buffer;
  readonly #begin: number;
  readonly #end: number;

  constructor(bytes: Buffer, begin: number, end: number) {
    this.#bytes = bytes;
    this.#begin = begin;
    this.#end = end;
  }

  static of(text: string): StoredTerms {
    const bytes = Buffer.from(text);
    return new StoredTerms(bytes, 0, bytes.length);
  }

  get text(): string {
    return this.#bytes.toString('utf8', this.#begin, this.#end);
  }

  get all(): string[] {
    const { text } = this;
    return text === '' ? [] : text.split(' ');
  }

  /** Calls back with each term that is looked for, and its position; answers how many terms there are. */
  find(signs: TermSigns, found: (term: string, position: number) => void): number {
    const [bytes, last] = [this.#bytes, this.#end];
    if (this.#begin === last) return 0;
    let count = 0;
    let begin = this.#begin;
    for (let end = begin; end <= last; end++) {
      if (end < last && bytes[end] !== SPACE) continue;
      if (signs.mayHold(bytes, begin, end)) found(bytes.toString('utf8', begin, end), count);
      begin = end + 1;
      count++;
    }
    return count;
  }
}

const SPACE = 32;
const SIGNS = 2 ** 13;

/**
 * What equal terms share and others seldom do: their first bytes, their last one and how many they are. Most words of a passage are
 * nothing that a goal looks for, and are passed over by that.
 */
export class TermSigns {
  readonly #held = new Uint8Array(SIGNS);

  add(term: string): void {
    const bytes = Buffer.from(term);
    this.#held[signOf(bytes, 0, bytes.length)] = 1;
  }

  mayHold(bytes: Buffer, begin: number, end: number): boolean {
    return this.#held[signOf(bytes, begin, end)] === 1;
  }
}

function signOf(bytes: Buffer, begin: number, end: number): number {
  const last = end - 1;
  if (last < begin) return 0;
  const first = bytes[begin]! * 31 + bytes[Math.min(begin + 1, last)]!;
  const rest = bytes[Math.min(begin + 2, last)]! * 31 + bytes[last]!;
  return (first * 961 + rest * 7 + end - begin) & (SIGNS - 1);
}
