import type { Config } from '../../kernel/config.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { Turns } from '../../trust/limits/fair-scheduler.ts';
import type { HeldBytes } from '../../trust/limits/held-bytes.ts';
import type { RateLimiter } from '../../trust/limits/rate.ts';

export interface BodyServices {
  config: Config;
  limiter: RateLimiter;
  turns: Turns;
  /** What bodies hold; who answers the request gives it back. */
  held: HeldBytes;
}

/**
 * The text of a body within the size limit, or undefined when it is larger. What was not announced is counted when it was
 * read, and what comes next is the caller's turn: parsing a large body takes as long as many calls.
 */
export async function readBody(
  { config, limiter, turns, held }: BodyServices,
  request: Request,
  caller: Caller,
): Promise<string | undefined> {
  const limit = config.limits.requestBytes;
  if (Number(request.headers.get('content-length')) > limit) return undefined;
  const { text, bytes } = await readWithin(request, limit, (part) => held.take(request, caller, part));
  if (!request.headers.has('content-length')) limiter.charge(caller, 'bytes', bytes);
  await turns.take(caller);
  return text;
}

/** As it comes; what is too large is not read to its end, and has no text. */
export async function readWithin(
  { body }: Request,
  limit: number,
  onPart: (bytes: number) => void,
): Promise<{ text: string | undefined; bytes: number }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      bytes += part.value.byteLength;
      if (bytes > limit) return { text: undefined, bytes: limit };
      onPart(part.value.byteLength);
      text += decoder.decode(part.value, { stream: true });
    }
  } finally {
    reader?.releaseLock();
  }
  return { text: text + decoder.decode(), bytes };
}

/** Whether something comes after the headers. */
export function announcesBody(headers: Headers): boolean {
  return Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');
}
