import { readSync } from 'node:fs';
import { messageOf } from '../../../kernel/errors.ts';
import { detectDelimiter, headerNames, type OpenRecord, splitCsv } from './csv.ts';
import { JsonShapeError, readElements } from './json-array.ts';
import { type Line, readLines, type Span } from './lines.ts';
import { withoutLargeNumbers } from './numbers.ts';

interface Place {
  /** Where it begins, and the line after it. */
  line: number;
  nextLine: number;
  end: number;
  /** False for the last one of a file that does not end with a line end: it may still be being written. */
  terminated: boolean;
}
/** A record of a file, or what is wrong with one. */
export type FileRow = Place &
  (
    | { kind: 'object'; record: Record<string, unknown>; json: string }
    | { kind: 'cells'; cells: string[] }
    | { kind: 'problem'; problem: string }
  );

/** The whole file cannot be read, whatever stands in single lines. */
export class FileProblem extends Error {}

export function* jsonlRows(file: number, span: Span): Generator<FileRow> {
  for (const line of readLines(file, span)) {
    const text = line.number === 1 ? line.text?.replace(/^\uFEFF/, '') : line.text;
    if (text?.trim() === '') continue;
    yield objectRow(text, placeOf(line), span.mostBytes);
  }
}

export function* jsonRows(file: number, span: Span): Generator<FileRow> {
  try {
    for (const { line, end, text } of readElements(file, span.to, span.mostBytes)) {
      yield objectRow(text, { line, nextLine: line, end, terminated: true }, span.mostBytes);
    }
  } catch (error) {
    if (error instanceof JsonShapeError) throw new FileProblem(`line ${error.line}: ${error.message}`);
    throw error;
  }
}

function placeOf({ number, end, terminated }: Line): Place {
  return { line: number, nextLine: number + 1, end, terminated };
}

function objectRow(text: string | undefined, place: Place, mostBytes: number): FileRow {
  if (text === undefined) return { ...place, kind: 'problem', problem: `is longer than ${mostBytes} bytes` };
  try {
    const json = withoutLargeNumbers(text);
    const record: unknown = JSON.parse(json);
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      return { ...place, kind: 'problem', problem: 'is not an object' };
    }
    return { ...place, kind: 'object', record: record as Record<string, unknown>, json };
  } catch (error) {
    return { ...place, kind: 'problem', problem: `is not JSON (${shortMessage(error)})` };
  }
}

/** V8 quotes the text around a mistake, which may be long, and may be a secret. */
function shortMessage(error: unknown): string {
  return messageOf(error)
    .replace(/^(Unexpected (?:token|string|number|end)[^,"]*)[\s\S]*?(in JSON at position \d+)?$/, '$1 $2')
    .replace(/, ?(?:\.\.\.)?"[\s\S]*$/, '')
    .trim()
    .slice(0, 120);
}

export interface CsvFormat {
  header: string[];
  delimiter: string;
  /** Where the first record stands. */
  offset: number;
  line: number;
}

/** The first line that is not empty names the columns. */
export function readHeader(
  file: number,
  to: number,
  delimiter: string | undefined,
  mostBytes: number,
): CsvFormat {
  let open: OpenRecord | undefined;
  let first = 1;
  let used = delimiter;
  for (const { number, text, end } of readLines(file, { from: 0, to, firstLine: 1, mostBytes })) {
    if (text === undefined || number - first > MOST_HEADER_LINES) break;
    const line = number === 1 ? text.replace(/^\uFEFF/, '') : text;
    if (!open && line.trim() === '') continue;
    if (!open) first = number;
    used ??= detectDelimiter(line);
    const split = splitCsv(line, used, open);
    if ('problem' in split) throw new FileProblem(`line ${number}: ${split.problem} in the header`);
    if ('cells' in split) {
      return { header: headerNames(split.cells), delimiter: used, offset: end, line: number + 1 };
    }
    open = split.open;
  }
  throw new FileProblem(
    open ? `line ${first}: a quote in the header is never closed` : 'it has no header line',
  );
}

const MOST_HEADER_LINES = 1000;

/** A quoted value may go on over lines, but not for ever: behind a stray quote the next lines count again. */
const MOST_QUOTED_BYTES = 1024 * 1024;

export function* csvRows(file: number, span: Span, { header, delimiter }: CsvFormat): Generator<FileRow> {
  let at = { offset: span.from, line: span.firstLine };
  for (;;) {
    const stray: Line | undefined = yield* csvRowsFrom(
      file,
      { ...span, from: at.offset, firstLine: at.line },
      header,
      delimiter,
    );
    if (!stray) return;
    at = { offset: stray.end, line: stray.number + 1 };
  }
}

/** Ends early, with the line, after one whose quote is never closed. */
function* csvRowsFrom(
  file: number,
  span: Span,
  header: readonly string[],
  delimiter: string,
): Generator<FileRow, Line | undefined> {
  let first: Line | undefined;
  let open: OpenRecord | undefined;
  for (const line of readLines(file, span)) {
    const place = { ...placeOf(line), line: (first ?? line).number };
    if (line.text === undefined) {
      if (first) break;
      yield { ...place, kind: 'problem', problem: `is longer than ${span.mostBytes} bytes` };
      continue;
    }
    if (!first && line.text.trim() === '') continue;
    const split = splitCsv(line.text, delimiter, open);
    if ('open' in split) {
      first ??= line;
      open = split.open;
      if (line.end - first.start > MOST_QUOTED_BYTES) break;
      continue;
    }
    first = undefined;
    open = undefined;
    if ('problem' in split) yield { ...place, kind: 'problem', problem: split.problem };
    else if (split.cells.length !== header.length) {
      const problem = `has ${split.cells.length} values where the header has ${header.length}`;
      yield { ...place, kind: 'problem', problem };
    } else yield { ...place, kind: 'cells', cells: split.cells };
  }
  if (!first) return undefined;
  yield { ...placeOf(first), kind: 'problem', problem: 'a quote is never closed' };
  return first;
}

/** Refuses what is text of another kind, or none. */
export function checkEncoding(file: number): void {
  const start = Buffer.alloc(4096);
  const bytes = start.subarray(0, readSync(file, start, 0, start.length, 0));
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new FileProblem('it is UTF-16; save it as UTF-8');
  }
  if (bytes.includes(0)) throw new FileProblem('it is not a text file');
}
