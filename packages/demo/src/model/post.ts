import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { DemoError, messageOf } from '../errors.ts';

export interface Endpoint {
  url: string;
  headers: Record<string, string>;
  /** Never shown: some endpoints repeat it in their errors. */
  key: string | undefined;
  /** The variable that a wrong key comes from. */
  keyName: string;
}

const TIMEOUT = 180_000;
const TRIES = 3;
const LONGEST_PAUSE = 30_000;
const SHOWN = 300;

/** Asks a model API, and again when it is busy. Whatever goes wrong is told in one line. */
export async function post<Answer>(
  endpoint: Endpoint,
  body: unknown,
  schema: z.ZodType<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const response = await request(endpoint, body);
    const text = await response.text().catch((error) => {
      throw failed(endpoint, `broke off its answer: ${reasonOf(error)}`, true);
    });
    if (response.ok) return parsed(endpoint, text, schema);
    const busy = response.status === 429 || response.status >= 500;
    if (!busy || attempt === TRIES) throw refused(endpoint, response.status, text, busy);
    await sleep(pauseBefore(response, attempt));
  }
}

async function request({ url, headers, ...endpoint }: Endpoint, body: unknown): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    });
  } catch (error) {
    throw failed({ url, headers, ...endpoint }, `cannot be reached: ${reasonOf(error)}`, true);
  }
}

function parsed<Answer>(endpoint: Endpoint, text: string, schema: z.ZodType<Answer>): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failed(endpoint, `answered something that is not JSON: ${text}`, false);
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0]!;
  throw failed(
    endpoint,
    `answered in a shape that is not this API's: ${issue.path.join('.')}: ${issue.message}`,
    false,
  );
}

function refused(endpoint: Endpoint, status: number, text: string, retryable: boolean): DemoError {
  const advice = status === 401 || status === 403 ? ` (is ${endpoint.keyName} right?)` : '';
  return failed(endpoint, `answered ${status}${advice}: ${apiMessage(text)}`, retryable);
}

/** Both APIs, and most that imitate them, say `{error: {message}}`. */
function apiMessage(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string };
    const message = typeof error === 'object' ? error?.message : error;
    if (typeof message === 'string' && message !== '') return message;
  } catch {
    // Not JSON: its beginning tells more than nothing.
  }
  return text.trim() === '' ? 'no message' : text;
}

function failed({ url, key }: Endpoint, what: string, retryable: boolean): DemoError {
  const line = what.replaceAll(/\s+/g, ' ').slice(0, SHOWN);
  const shown = key === undefined || key === '' ? line : line.replaceAll(key, '…');
  return new DemoError('model_failed', `The model API at ${url} ${shown}`, { retryable });
}

/** What fetch says is "fetch failed"; why, is in its cause. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer in ${TIMEOUT / 1000} seconds`;
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause instanceof Error && cause.message !== '' ? cause : error);
}

function pauseBefore(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds * 1000, LONGEST_PAUSE)
    : 1000 * 2 ** (attempt - 1);
}
