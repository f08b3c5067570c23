import { readRequestBody } from '@modelcontextprotocol/server';
import type { Config } from '../kernel/config.ts';
import type { Caller } from '../trust/caller.ts';
import type { RateLimiter } from '../trust/rate.ts';
import type { Turns } from '../trust/turns.ts';

export interface BodyServices {
  config: Config;
  limiter: RateLimiter;
  turns: Turns;
}

/**
 * The text of a body within the size limit, or undefined when it is larger. What was not announced is counted when it was
 * read, and what comes next is the caller's turn: parsing a large body takes as long as many calls.
 */
export async function readBody(
  { config, limiter, turns }: BodyServices,
  request: Request,
  caller: Caller,
): Promise<string | undefined> {
  const limit = config.limits.requestBytes;
  const body = await readRequestBody(request, limit);
  if (!request.headers.has('content-length')) {
    limiter.charge(caller, 'bytes', body.tooLarge ? limit : body.text.length);
  }
  await turns.take(caller);
  return body.tooLarge ? undefined : body.text;
}

/** Whether something comes after the headers. */
export function announcesBody(headers: Headers): boolean {
  return Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');
}
