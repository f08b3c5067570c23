import type { Limits } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { Context, MiddlewareHandler } from 'hono';
import { unknownName } from '../call/arguments.ts';
import { MIN_SEQ } from '../call/min-seq.ts';
import { InfoldError } from '../kernel/errors.ts';
import { parseJson } from '../kernel/formats/json.ts';
import { identifiersOf } from '../trust/secrets/identifiers.ts';

/** The JSON body of a request, within the size limit. */
export async function readJson(context: Context, limits: Limits): Promise<unknown> {
  return parseJson(await readText(context, limits.requestBytes), limits);
}

/** The body of a request as text, within the size limit. */
export async function readText(context: Context, limit: number): Promise<string> {
  const text = await (context.get('readBody') as () => Promise<string | undefined>)();
  if (text === undefined)
    throw new InfoldError('too_large', `The request body is over the limit of ${limit} bytes`);
  return text;
}

/** Refuses parameters that the route does not know: one that is misspelt would seem to have been heeded. */
export function accepts(...known: string[]): MiddlewareHandler {
  return async (context, next) => {
    const given = context.req.queries();
    for (const [name, values] of Object.entries(given)) {
      if (name !== MIN_SEQ && !known.includes(name)) throw unknownName('parameter', name, known);
      if (values.length > 1) throw badParameter(name, 'is given more than once');
    }
    await next();
  };
}

/** What may hold a secret without naming anything: words to search for, and positions that we made ourselves. */
const NO_NAMES = ['q', 'cursor'];

/** KERN-12: an address names sessions, projects and items, and its first use may put those on record. */
export function withoutSecretNames(scrubber: Scrubber): MiddlewareHandler {
  return async ({ req }, next) => {
    const identifiers = identifiersOf(scrubber);
    for (const segment of req.path.split('/')) identifiers.check('The address', decoded(segment));
    for (const [name, value] of Object.entries(req.query())) {
      if (!NO_NAMES.includes(name)) identifiers.check(name, value);
    }
    await next();
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function badParameter(name: string, problem: string): InfoldError {
  return new InfoldError('invalid_arguments', `${name} ${problem}`, { details: { parameter: name } });
}
