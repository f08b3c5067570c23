import { z } from 'zod';
import { InfoldError } from '../kernel/errors.ts';
import { unwrapped } from './text-arguments.ts';

interface Named {
  name: string;
  input: z.ZodObject;
}

/** Parses a call's input; the error names each bad field, what it must be and what it was. */
export function parseArguments({ name, input: schema }: Named, input: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const problems = issues.slice(0, MOST_TOLD).map((issue) => describeIssue(schema, issue, input));
  throw badArguments(name, problems, String(issues[0]!.path[0] ?? ''));
}

const MOST_TOLD = 5;

export function badArguments(action: string, problems: string[], parameter: string): InfoldError {
  return new InfoldError('invalid_arguments', `Invalid arguments for ${action}: ${problems.join('; ')}`, {
    details: { problems, ...(parameter === '' ? {} : { parameter }) },
  });
}

/** What is wrong with a field, in a sentence that begins with its name. */
function describeIssue(schema: z.ZodObject, issue: z.core.$ZodIssue, input: unknown): string {
  const { path } = issue;
  const field = path.length === 0 ? 'arguments' : path.join('.');
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null)?.[key], input);
  if (issue.code === 'invalid_type' && value === undefined) {
    return `${field} is required (${issue.expected === 'int' ? 'number' : issue.expected})`;
  }
  const type = path.length === 1 ? unwrapped(schema.shape[path[0] as string] as z.ZodType) : undefined;
  const problem = type instanceof z.ZodNumber ? numberProblem(type) : problemOf(issue);
  if (problem !== undefined) return `${field}: ${problem}${wasIt(value)}`;
  // Some sentences are the seeds' own, and name the field.
  return issue.message.startsWith(`${field} `) ? issue.message : `${field}: ${issue.message}`;
}

function numberProblem(type: z.ZodNumber): string {
  const { minValue, maxValue, format } = type;
  // Tools that are written small say it in their JSON Schema alone.
  const whole = format === 'safeint' || type.meta()?.type === 'integer' ? 'whole ' : '';
  const isBounded = (value: number | null) => value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const least = isBounded(minValue) ? minValue : undefined;
  const most = isBounded(maxValue) ? maxValue : undefined;
  const range =
    least !== undefined && most !== undefined
      ? ` from ${least} to ${most}`
      : least !== undefined
        ? ` of at least ${least}`
        : most !== undefined
          ? ` of at most ${most}`
          : '';
  return `must be a ${whole}number${range}`;
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const UNITS: Record<string, string> = { string: 'characters', array: 'items' };

function problemOf(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return sizeProblem('least', issue.origin, issue.minimum, issue.inclusive);
    case 'too_big':
      return sizeProblem('most', issue.origin, issue.maximum, issue.inclusive);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    default:
      return undefined;
  }
}

function sizeProblem(
  side: 'least' | 'most',
  origin: string,
  limit: number | bigint,
  inclusive = true,
): string {
  const unit = UNITS[origin];
  if (side === 'least' && unit && Number(limit) === 1) return 'must not be empty';
  const bound = inclusive ? `at ${side} ${limit}` : `${side === 'least' ? 'more' : 'less'} than ${limit}`;
  return unit ? `must have ${bound} ${unit}` : `must be ${bound}`;
}

const SHOWN = 50;

/** A short value is told, so that one sees which one it was. */
function wasIt(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return `; it was ${value}`;
  return typeof value === 'string' && value.length <= SHOWN ? `; it was ${JSON.stringify(value)}` : '';
}

const MOST_UNKNOWN = 10;

/** Names that the schema does not know, cut to what is worth telling. They are ignored, and the caller is told. */
export function unknownArguments({ input: schema }: Pick<Named, 'input'>, input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.keys(input)
    .filter((key) => !Object.hasOwn(schema.shape, key))
    .slice(0, MOST_UNKNOWN)
    .map((key) => key.slice(0, 80));
}

/** Looks into objects within the input too, and names a field there with where it stands. */
export function refuseUnknown(
  schema: z.ZodObject,
  input: unknown,
  /** Fields that have another place. */
  elsewhere: readonly string[] = [],
  under = '',
): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return;
  const { catchall } = schema.def;
  if (catchall && !(catchall instanceof z.ZodNever)) return;
  const known = Object.keys(schema.shape).filter((key) => !elsewhere.includes(key));
  for (const [key, value] of Object.entries(input)) {
    if (!known.includes(key)) throw unknownName('field', `${under}${key}`, known);
    const field: unknown = schema.shape[key];
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (inner instanceof z.ZodObject) refuseUnknown(inner, value, [], `${under}${key}.`);
  }
}

export function unknownName(
  what: 'parameter' | 'field',
  name: string,
  known: readonly string[],
): InfoldError {
  const allowed = known.length === 0 ? 'none is allowed here' : `allowed are ${known.join(', ')}`;
  return new InfoldError('invalid_arguments', `Unknown ${what} "${name.slice(0, 80)}"; ${allowed}`, {
    details: { [what]: name.slice(0, 80), allowed: known },
  });
}

export function badCursor({ name }: { name: string }, text: string): InfoldError {
  const problem = `cursor: must be what "next" said; it was "${text.slice(0, SHOWN)}"`;
  return badArguments(name, [problem], 'cursor');
}

/** A cursor that is a position. */
export function cursorNumber(action: { name: string }, text: string | undefined, usual: number): number {
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw badCursor(action, text);
  return text === undefined ? usual : Number(text);
}
