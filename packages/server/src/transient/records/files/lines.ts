import { readSync } from 'node:fs';

const CHUNK = 1024 * 1024;
const NEWLINE = 10;
const RETURN = 13;

export interface Line {
  /** From 1. */
  number: number;
  start: number;
  /** Where the next line begins. */
  end: number;
  /** Undefined for a line that is longer than anybody wants to hold. */
  text: string | undefined;
  /** False for what stands after the last line end: it may still be being written. */
  terminated: boolean;
}

export interface Span {
  from: number;
  to: number;
  firstLine: number;
  mostBytes: number;
}

/** The lines of a part of a file, in bounded memory. Synchronous: it runs in a thread of its own. */
export function* readLines(file: number, { from, to, firstLine, mostBytes }: Span): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let number = firstLine;
  let start = from;
  let position = from;
  /** The beginning of a line whose end has not been read yet. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  const take = (rest: Buffer, end: number, terminated: boolean): Line => {
    const tooLong = heldBytes + rest.length > mostBytes;
    const bytes = held.length === 0 ? rest : Buffer.concat([...held, rest]);
    const line = { number, start, end, text: tooLong ? undefined : textOf(bytes), terminated };
    held = [];
    heldBytes = 0;
    number++;
    start = end;
    return line;
  };
  while (position < to) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK, to - position), position);
    if (read === 0) break;
    let begin = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, begin);
      if (newline < 0 || newline >= read) break;
      yield take(chunk.subarray(begin, newline), position + newline + 1, true);
      begin = newline + 1;
    }
    // What is too long is counted and forgotten.
    if (begin < read) {
      if (heldBytes <= mostBytes) held.push(Buffer.from(chunk.subarray(begin, read)));
      heldBytes += read - begin;
    }
    position += read;
  }
  if (heldBytes > 0) yield take(Buffer.alloc(0), position, false);
}

function textOf(bytes: Buffer): string {
  const end = bytes.length > 0 && bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length;
  return bytes.toString('utf8', 0, end);
}
