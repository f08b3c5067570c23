import type { Limits } from '@infold/protocol';
import { readRequestBody } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { InfoldError } from '../kernel/errors.ts';
import { parseJson } from '../kernel/json.ts';

/** The JSON body of a request, within the size limit. */
export async function readJson(context: Context, limits: Limits): Promise<unknown> {
  return parseJson(await readText(context, limits.requestBytes), limits);
}

/** The body of a request as text, within the size limit. */
export async function readText(context: Context, limit: number): Promise<string> {
  const body = await readRequestBody(context.req.raw, limit);
  if (body.tooLarge)
    throw new InfoldError('too_large', `The request body is over the limit of ${limit} bytes`);
  return body.text;
}

/** `?limit=`, clamped to what is served at once. */
export function pageLimit(context: Context, usual: number, most: number): number {
  const wanted = Number.parseInt(context.req.query('limit') ?? '', 10);
  return Number.isNaN(wanted) ? usual : Math.min(most, Math.max(1, wanted));
}
