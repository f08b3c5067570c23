import { isDigit, isLower, isUpper } from './characters.ts';

/** n·log₂n, the only part of the entropy that depends on a count. */
const WEIGHTS = Float64Array.from({ length: 513 }, (_, count) =>
  count === 0 ? 0 : count * Math.log2(count),
);
const counts = new Uint16Array(128);

export interface Variety {
  /** Shannon entropy in bits a character. */
  bits: number;
  /** How many different characters there are. */
  different: number;
  /** The longest stretch of one character. */
  stretch: number;
}

/** Measures a value of at most 512 characters in one pass; longer ones by their beginning. */
export function variety(value: string): Variety {
  const length = Math.min(value.length, 512);
  let weight = 0;
  let different = 0;
  let stretch = 0;
  let same = 0;
  let previous = -1;
  for (let index = 0; index < length; index++) {
    const code = value.charCodeAt(index);
    // Characters beyond ASCII share the first place: keys are not made of them.
    const place = code < 128 ? code : 0;
    const before = counts[place]!;
    counts[place] = before + 1;
    if (before === 0) different += 1;
    weight += WEIGHTS[before + 1]! - WEIGHTS[before]!;
    same = code === previous ? same + 1 : 1;
    if (same > stretch) stretch = same;
    previous = code;
  }
  for (let index = 0; index < length; index++) {
    const code = value.charCodeAt(index);
    counts[code < 128 ? code : 0] = 0;
  }
  return { bits: length === 0 ? 0 : Math.log2(length) - weight / length, different, stretch };
}

export const entropy = (value: string): number => variety(value).bits;

/** Few different characters for its length: `xxxxxxxx`, `AAAAAAAA`, `1111-1111`. */
export function isMonotonous(value: string, { different, stretch }: Variety = variety(value)): boolean {
  const length = Math.min(value.length, 512);
  if (length < 3) return false;
  if (different <= 2 || (different <= 4 && length >= 16)) return true;
  return stretch >= 6 && different < Math.min(12, length / 3);
}

const HEX = /^(?:0x)?[0-9a-fA-F]+$/;
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const SUBRESOURCE = /^(?:sha|md)\d{1,3}[-:]/i;

export const isHex = (value: string): boolean => HEX.test(value);
export const isUuid = (value: string): boolean => UUID.test(value);
/** A digest as lock files and integrity attributes write it. */
export const isDigest = (value: string): boolean => SUBRESOURCE.test(value);

/** Counts that tell a random string from a word, an identifier or a sentence. */
export interface Shape {
  lower: number;
  upper: number;
  digits: number;
  others: number;
  /** Steps from a letter to a digit or back, and from a small letter to a capital: words have few. */
  turns: number;
  /** Of these, the steps between a letter and a digit. */
  digitTurns: number;
  /** The longest run of letters and digits. */
  longestRun: number;
  /** Steps inside runs that hold letters and digits both. */
  mixedRuns: number;
}

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const TYPES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (isLower(code)) return LOWER;
  if (isUpper(code)) return UPPER;
  return isDigit(code) ? DIGIT : 0;
});

export function shapeOf(value: string): Shape {
  let lower = 0;
  let upper = 0;
  let digits = 0;
  let turns = 0;
  let digitTurns = 0;
  let longestRun = 0;
  let mixedRuns = 0;
  let previous = 0;
  let run = 0;
  let runDigits = 0;
  // One step past the end closes the last run.
  for (let index = 0; index <= value.length; index++) {
    const code = index === value.length ? 128 : value.charCodeAt(index);
    const type = code < 128 ? TYPES[code]! : 0;
    if (type === 0) {
      if (run > longestRun) longestRun = run;
      if (runDigits > 0 && runDigits < run) mixedRuns += run;
      run = runDigits = 0;
    } else {
      run += 1;
      if (type === LOWER) lower += 1;
      else if (type === UPPER) upper += 1;
      else {
        digits += 1;
        runDigits += 1;
      }
      if (previous !== 0 && type !== previous && !(previous === UPPER && type === LOWER)) {
        turns += 1;
        if (type === DIGIT || previous === DIGIT) digitTurns += 1;
      }
    }
    previous = type;
  }
  return {
    lower,
    upper,
    digits,
    others: value.length - lower - upper - digits,
    turns,
    digitTurns,
    longestRun,
    mixedRuns,
  };
}

/** Letters that no words are made of: `gjmvzpdoycrn`, or capitals strewn about. */
function lettersLookRandom(value: string, shape: Shape): boolean {
  if (shape.longestRun < 14) return false;
  if (shape.turns / value.length >= 0.25) return true;
  if (value.length < 20) return false;
  const vowels = value.match(/[aeiouyAEIOUY]/g)?.length ?? 0;
  return shape.others === 0 && vowels / value.length < 0.2 && entropy(value) > 3;
}

/**
 * Whether a value looks drawn at random rather than written by a person.
 * `least` is the shortest length that is believed.
 */
export function looksRandom(value: string, least: number): boolean {
  if (value.length < least) return false;
  const shape = shapeOf(value);
  const letters = shape.lower + shape.upper;
  if (shape.digits === 0) return lettersLookRandom(value, shape);
  if (letters === 0) return false;
  if (shape.others > value.length / 3) return false;
  if (isUuid(value)) return true;
  const bits = entropy(value);
  if (isHex(value)) return value.length >= 12 && bits >= 2.5;
  const needed = value.length < 16 ? 2.6 : value.length < 24 ? 3 : 3.3;
  if (bits < needed) return false;
  // Names with a number at the end (`service-account-2`) have long runs of letters and few turns.
  if (shape.mixedRuns < Math.min(8, least)) return false;
  const turns = shape.turns / value.length;
  return (
    (shape.digitTurns >= (value.length < 20 ? 2 : 3) && turns >= 0.1) ||
    (shape.digitTurns > 0 && turns >= 0.22)
  );
}

const VOWEL = /[aeiouyAEIOUY]/;

/**
 * A looser test for values whose name leaves little doubt: long runs in which too many different characters,
 * or too few vowels, stand for any word to be in them.
 */
export function looksDrawn(value: string): boolean {
  if (value.length < 20 || value.length > 256) return false;
  const shape = shapeOf(value);
  if (shape.digits === 0 || shape.others > value.length / 6) return false;
  const bits = entropy(value);
  if (shape.upper >= 3 && shape.lower >= 3 && shape.longestRun >= 14) {
    const share = bits / Math.log2(Math.min(value.length, 64));
    if (share >= (value.length < 28 ? 0.9 : 0.86) && shape.turns / value.length >= 0.1) return true;
  }
  return bits >= 3.3 && shape.others === 0 && longestWithoutVowel(value) >= 7;
}

/** The longest run of letters without a vowel. */
function longestWithoutVowel(value: string): number {
  let longest = 0;
  let run = 0;
  for (const character of value) {
    run = /[A-Za-z]/.test(character) && !VOWEL.test(character) ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
