import { type ImportLine, importLine, LIMITS } from '@infold/protocol';
import type { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';

const KNOWN = new Set(Object.keys(importLine.shape));

export type ParsedLine = { line: ImportLine } | { problem: string };

/** One line of JSONL. Empty and null fields count as absent; fields that are not ours are kept as metadata. */
export function parseLine(text: string): ParsedLine {
  if (Buffer.byteLength(text) > LIMITS.importLineBytes) {
    return { problem: `the line is longer than ${LIMITS.importLineBytes} bytes` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `not valid JSON (${messageOf(error)})` };
  }
  return readLine(value);
}

export function readLine(value: unknown): ParsedLine {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'not a JSON object' };
  }
  const known: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === null || field === '') continue;
    if (KNOWN.has(key)) known[key] = field;
    else extra[key] = field;
  }
  if (Object.keys(extra).length > 0) {
    const given = typeof known.metadata === 'object' ? known.metadata : {};
    known.metadata = { ...extra, ...given };
  }
  const parsed = importLine.safeParse(known);
  if (parsed.success) return { line: parsed.data };
  return { problem: parsed.error.issues.slice(0, 3).map(describe).join('; ') };
}

function describe(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.') || 'line';
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `${field} is required`;
  return `${field}: ${issue.message}`;
}
