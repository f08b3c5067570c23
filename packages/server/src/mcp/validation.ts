import type { z } from 'zod';
import { InfoldError } from '../kernel/errors.ts';

/** Parses a call's arguments; the error names each bad field, what it must be and what it was. */
export function parseArguments(
  tool: { name: string; input: z.ZodObject },
  input: unknown,
): Record<string, unknown> {
  const parsed = tool.input.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 5).map(describeIssue);
  throw new InfoldError('invalid_arguments', `Invalid arguments for ${tool.name}: ${problems.join('; ')}`, {
    details: { problems },
  });
}

export function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'arguments' : issue.path.join('.');
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `${field} is required (${issue.expected})`;
  }
  return `${field}: ${issue.message}`;
}

const MOST_UNKNOWN = 10;

/** Names that the schema does not know, cut to what is worth telling. They are ignored, and the caller is told. */
export function unknownArguments(tool: { input: z.ZodObject }, input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.keys(input)
    .filter((key) => !Object.hasOwn(tool.input.shape, key))
    .slice(0, MOST_UNKNOWN)
    .map((key) => key.slice(0, 80));
}
