/**
 * Keeps users' own expressions from stalling the server: refuses what can backtrack exponentially and puts a
 * bound on every repetition, so that the rest costs at most a constant factor a character.
 */

/** What `+`, `*` and `{n,}` are cut to. */
export const REPEAT_LIMIT = 2000;
/** A group that repeats at most this often may hold another repetition. */
const NESTED_LIMIT = 10;
/** More open-ended repetitions than this in one expression multiply. */
const OPEN_LIMIT = 3;

interface Level {
  /** A repetition of varying length, or a choice, was seen inside. */
  varies: boolean;
}

export class UnsafePatternError extends Error {}

/** The pattern with every repetition bounded. Throws if it cannot be made safe. */
export function boundPattern(source: string, flags: string): string {
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw new UnsafePatternError(error instanceof Error ? error.message : String(error));
  }
  const levels: Level[] = [{ varies: false }];
  let bounded = '';
  let open = 0;
  let position = 0;
  /** Whether the group that was just closed varies; undefined after anything but a group. */
  let closed: boolean | undefined;
  while (position < source.length) {
    const character = source[position]!;
    const quantifier = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(source.slice(position, position + 24));
    if (quantifier !== null && bounded !== '') {
      const [least, most] = rangeOf(quantifier);
      if (closed === true && most > NESTED_LIMIT) {
        throw new UnsafePatternError(
          'a repeated group that itself repeats or chooses can backtrack without end; bound it or take it apart',
        );
      }
      if (most === Number.POSITIVE_INFINITY) open += 1;
      if (least !== most) levels.at(-1)!.varies = true;
      if (closed === true) levels.at(-1)!.varies = true;
      const lazy = quantifier[0].length > 1 && quantifier[0].endsWith('?') ? '?' : '';
      bounded +=
        most === Number.POSITIVE_INFINITY
          ? `{${least},${Math.max(least, REPEAT_LIMIT)}}${lazy}`
          : quantifier[0];
      position += quantifier[0].length;
      closed = undefined;
      continue;
    }
    closed = undefined;
    let length = 1;
    if (character === '\\') {
      length = 2;
      if (/[1-9k]/.test(source[position + 1] ?? ''))
        throw new UnsafePatternError('back references are not supported');
    } else if (character === '[') length = classLength(source, position);
    else if (character === '(') {
      levels.push({ varies: false });
      length = /^\((?:\?(?:[:=!]|<[=!]|<[A-Za-z_]\w*>))?/.exec(source.slice(position, position + 80))![0]
        .length;
    } else if (character === '|') levels.at(-1)!.varies = true;
    else if (character === ')') {
      closed = levels.pop()?.varies ?? false;
      if (closed && levels.length > 0) levels.at(-1)!.varies = true;
    }
    bounded += source.slice(position, position + length);
    position += length;
  }
  if (open > OPEN_LIMIT)
    throw new UnsafePatternError(
      `more than ${OPEN_LIMIT} unbounded repetitions; give them upper bounds such as {1,64}`,
    );
  return bounded;
}

function rangeOf(quantifier: RegExpExecArray): [number, number] {
  const [sign, least, comma, most] = quantifier;
  if (sign[0] === '*') return [0, Number.POSITIVE_INFINITY];
  if (sign[0] === '+') return [1, Number.POSITIVE_INFINITY];
  if (sign[0] === '?') return [0, 1];
  if (comma === undefined) return [Number(least), Number(least)];
  return [Number(least), most === '' || most === undefined ? Number.POSITIVE_INFINITY : Number(most)];
}

function classLength(source: string, start: number): number {
  let position = start + 1;
  while (position < source.length && source[position] !== ']') position += source[position] === '\\' ? 2 : 1;
  return position - start + 1;
}
