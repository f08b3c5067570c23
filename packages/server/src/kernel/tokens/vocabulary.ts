import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Lines of the vocabulary's file that are taken in between two looks at the clock: a millisecond or two. */
const LINES = 1000;
/** Pieces of text that are no tokens themselves, whose counts are kept, twice as many at most. Words of one's own come again. */
const MOST_KEPT = 20_000;

/** Characters that are taken apart at a time: those without accents go faster. */
const PART = 240;

const NEW_LINE = 10;
const SPACE = 32;

/**
 * Byte pair encoding with the o200k vocabulary, as far as counting needs it. The vocabulary is read bit by bit, which the
 * package that it comes from cannot do: its modules take a third of a second to load, in one go. Tokens are bytes, kept as
 * strings of one character a byte.
 */
export class Vocabulary {
  readonly #ranks = new Map<string, number>();
  /** The counts of late, and those before them: taking the oldest out of a map one by one costs more than counting again. */
  #kept = new Map<string, number>();
  #keptBefore = new Map<string, number>();
  readonly #pieces: RegExp;
  readonly #asciiPieces: RegExp;

  private constructor(pieces: RegExp) {
    this.#pieces = pieces;
    this.#asciiPieces = forAscii(pieces);
  }

  /** Gives way after every few lines; what it returns in the end is whole. */
  static *load(): Generator<void, Vocabulary> {
    const require = createRequire(import.meta.url);
    const { O200K_TOKEN_SPLIT_REGEX } = require('gpt-tokenizer/encodingParams/constants') as {
      O200K_TOKEN_SPLIT_REGEX: RegExp;
    };
    const vocabulary = new Vocabulary(O200K_TOKEN_SPLIT_REGEX);
    yield;
    // A token in base64 and its rank in each line, by rank.
    const file = readFileSync(require.resolve('gpt-tokenizer/data/o200k_base.tiktoken'));
    yield;
    for (let from = 0; from < file.length; ) {
      for (let count = 0; count < LINES && from < file.length; count++) {
        const space = file.indexOf(SPACE, from);
        const end = file.indexOf(NEW_LINE, space);
        const token = Buffer.from(file.toString('latin1', from, space), 'base64').toString('latin1');
        vocabulary.#ranks.set(token, vocabulary.#ranks.size);
        from = end === -1 ? file.length : end + 1;
      }
      yield;
    }
    return vocabulary;
  }

  /** Takes quadratic time on a long run of letters, spaces or signs. */
  count(text: string): number {
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      const end = endOfPart(text, from);
      const part = text.slice(from, end);
      const isPlain = isAscii(part);
      for (const piece of part.match(isPlain ? this.#asciiPieces : this.#pieces) ?? [])
        tokens += this.#countPiece(isPlain || isAscii(piece) ? piece : Buffer.from(piece).toString('latin1'));
      from = end;
    }
    return tokens;
  }

  #countPiece(bytes: string): number {
    if (this.#ranks.has(bytes)) return 1;
    const known = this.#kept.get(bytes);
    if (known !== undefined) return known;
    const tokens = this.#keptBefore.get(bytes) ?? this.#merge(bytes);
    if (this.#kept.size >= MOST_KEPT) {
      this.#keptBefore = this.#kept;
      this.#kept = new Map();
    }
    this.#kept.set(bytes, tokens);
    return tokens;
  }

  /** Of all neighbours the pair that is the most common token becomes one, until no pair is a token. */
  #merge(bytes: string): number {
    const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
    const rankAt = (index: number) => {
      const end = starts[index + 2];
      if (end === undefined) return Number.POSITIVE_INFINITY;
      return this.#ranks.get(bytes.slice(starts[index], end)) ?? Number.POSITIVE_INFINITY;
    };
    const ranks = Array.from({ length: bytes.length - 1 }, (_, index) => rankAt(index));
    for (;;) {
      let best = -1;
      let lowest = Number.POSITIVE_INFINITY;
      for (let index = 0; index < ranks.length; index++) {
        if (ranks[index]! >= lowest) continue;
        lowest = ranks[index]!;
        best = index;
      }
      if (best === -1) return starts.length - 1;
      starts.splice(best + 1, 1);
      ranks.splice(best, 1);
      if (best < ranks.length) ranks[best] = rankAt(best);
      if (best > 0) ranks[best - 1] = rankAt(best - 1);
    }
  }
}

/** Before a space between a sign that is seen and a letter: a piece begins there, whatever stands around it. */
function endOfPart(text: string, from: number): number {
  for (let at = text.indexOf(' ', from + PART); at !== -1; at = text.indexOf(' ', at + 1)) {
    if (isSeen(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1))) return at;
  }
  return text.length;
}

const isSeen = (code: number) => code > SPACE && code < 127;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** Takes text without accents apart as the expression does: small classes of characters are found in a quarter of the time. */
function forAscii({ source }: RegExp): RegExp {
  const plain = source
    .replaceAll('\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}', 'A-Z')
    .replaceAll('\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}', 'a-z')
    .replaceAll('\\p{L}', 'A-Za-z')
    .replaceAll('\\p{N}', '\\d');
  return new RegExp(plain, 'g');
}

/** Then its characters are its bytes. */
function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
