import { type ImportLine, importLine, type Limits } from '@infold/protocol';
import type { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';

export type ParsedLine = { line: ImportLine } | { problem: string };

/** Reads what is to be imported, line by line. */
export class LineReader {
  readonly limits: Limits;
  readonly #schema: ReturnType<typeof importLine>;

  constructor(limits: Limits) {
    this.limits = limits;
    this.#schema = importLine(limits);
  }

  /** One line of JSONL; undefined where it is blank. */
  parse(text: string): ParsedLine | undefined {
    if (text.trim() === '') return undefined;
    const most = this.limits.importLineBytes;
    if (Buffer.byteLength(text) > most) return { problem: `the line is longer than ${most} bytes` };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return { problem: `not valid JSON (${messageOf(error)})` };
    }
    return this.read(value);
  }

  /** Empty and null fields count as absent; fields that are not ours are kept as metadata. */
  read(value: unknown): ParsedLine {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'not a JSON object' };
    }
    const known: Record<string, unknown> = {};
    const extra: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(value)) {
      if (field === null || field === '') continue;
      if (Object.hasOwn(this.#schema.shape, key)) known[key] = field;
      else extra[key] = field;
    }
    if (Object.keys(extra).length > 0) {
      const given = typeof known.metadata === 'object' ? known.metadata : {};
      known.metadata = { ...extra, ...given };
    }
    const parsed = this.#schema.safeParse(known);
    if (parsed.success) return { line: parsed.data };
    return { problem: parsed.error.issues.slice(0, 3).map(describe).join('; ') };
  }
}

function describe(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.') || 'line';
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `${field} is required`;
  return `${field}: ${issue.message}`;
}
