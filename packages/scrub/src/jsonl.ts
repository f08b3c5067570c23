import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Scrubber } from './scrubber.ts';

export interface JsonlOptions {
  /** Scrub only the text in this field. Without it whole records are scrubbed. */
  field?: string;
}

export interface ScrubbedLine {
  /** The line's number, from 1. Empty lines are counted and skipped. */
  line: number;
  /** The scrubbed record, or the scrubbed text of the field. */
  value: unknown;
  count: number;
  kinds: string[];
}

/** A line that cannot be read as asked. Its message names the line and holds nothing of its text. */
export class JsonlError extends Error {
  override name = 'JsonlError';
}

/** Reads one JSON record a line and yields each without its secrets. Stops with a `JsonlError` at a broken line. */
export async function* scrubJsonl(
  input: Readable,
  scrubber: Scrubber,
  { field }: JsonlOptions = {},
): AsyncGenerator<ScrubbedLine> {
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() === '') continue;
    const record = parse(text, line);
    if (field === undefined) {
      yield { line, ...scrubber.scrubValue(record) };
    } else {
      const { text: value, count, kinds } = scrubber.scrub(textIn(record, field, line));
      yield { line, value, count, kinds };
    }
  }
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonlError(`Line ${line} is not JSON`);
  }
}

function textIn(record: unknown, field: string, line: number): string {
  const value = (record as Record<string, unknown> | null)?.[field];
  if (typeof value === 'string') return value;
  throw new JsonlError(`Line ${line} has no text in "${field}"; name it with --field`);
}
