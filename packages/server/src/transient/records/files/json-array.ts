import { readSync } from 'node:fs';

const CHUNK = 1024 * 1024;
const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [34, 92, 10, 44];
const BOM = [0xef, 0xbb, 0xbf];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

export interface Element {
  /** The line on which it begins, from 1. */
  line: number;
  /** Where the next one may begin. */
  end: number;
  /** Undefined for one that is longer than anybody wants to hold. */
  text: string | undefined;
}

export class JsonShapeError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/**
 * The elements of the first list of a JSON document, each as its text, in bounded memory: `[…]`, or the list in
 * `{"records": […], …}`. Whether an element itself is JSON is for its reader to find out. Our own:
 * `stream-json` takes 1.2 to 1.5 times as long, and ends at the first mistake (docs/benchmarks.md).
 */
export function* readElements(file: number, to: number, mostBytes: number): Generator<Element> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let position = 0;
  let line = 1;
  /** Nesting outside the list, and within an element of it. */
  let nesting = 0;
  let depth = 0;
  let inList = false;
  let ended = false;
  let inText = false;
  let escaped = false;
  let pieces: Buffer[] = [];
  let size = 0;
  let elementLine = 0;
  const finish = (end: number): Element | undefined => {
    const text = size > mostBytes ? undefined : Buffer.concat(pieces).toString('utf8').trim();
    const empty = text === '';
    pieces = [];
    size = 0;
    return empty ? undefined : { line: elementLine, end, text };
  };
  while (position < to) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK, to - position), position);
    if (read === 0) break;
    let begin = 0;
    const hold = (end: number) => {
      if (end > begin && size <= mostBytes) pieces.push(Buffer.from(chunk.subarray(begin, end)));
      size += end - begin;
    };
    for (let index = 0; index < read; index++) {
      const byte = chunk[index]!;
      if (byte === NEWLINE) line++;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
        continue;
      }
      const blank = byte === 32 || byte === NEWLINE || byte === 13 || byte === 9;
      if (!inList) {
        if (blank || (position + index < 3 && BOM.includes(byte))) continue;
        if (ended) {
          if (nesting > 0) continue;
          throw new JsonShapeError('something follows the end of the list', line);
        }
        if (nesting === 0 && byte !== OPEN_LIST && byte !== OPEN_OBJECT) {
          throw new JsonShapeError('a list of records was expected', line);
        }
        if (byte === QUOTE) inText = true;
        else if (byte === OPEN_OBJECT || (byte === OPEN_LIST && nesting > 1)) nesting++;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) nesting--;
        else if (byte === OPEN_LIST) {
          inList = true;
          begin = index + 1;
        }
        continue;
      }
      if (size === 0 && pieces.length === 0 && blank && begin === index) {
        begin = index + 1;
        continue;
      }
      if (begin === index && size === 0) elementLine = line;
      if (byte === QUOTE) inText = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || (byte === CLOSE_LIST && depth > 0)) depth--;
      else if ((byte === COMMA || byte === CLOSE_LIST) && depth === 0) {
        hold(index);
        const element = finish(position + index + 1);
        if (element) yield element;
        begin = index + 1;
        if (byte === CLOSE_LIST) {
          inList = false;
          ended = true;
        }
      }
    }
    if (inList) hold(read);
    position += read;
  }
  if (!ended)
    throw new JsonShapeError(inList ? 'the list is not closed' : 'there is no list of records', line);
}
