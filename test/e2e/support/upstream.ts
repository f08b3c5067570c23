import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Answer, openUpstream, type ScriptedUpstream } from './scripted-upstream.ts';

export type { Arrived, ScriptedUpstream } from './scripted-upstream.ts';

/** One that is gone when the test ends. */
export async function startUpstream(answer: Answer): Promise<ScriptedUpstream> {
  const upstream = await openUpstream(answer);
  onTestFinished(() => upstream.close());
  return upstream;
}

export interface RawAnswer {
  status: number;
  message: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** A request to the byte: no client of ours or Node's decodes or follows anything. */
export async function send(
  url: string,
  { method = 'POST', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const outgoing = httpRequest(url, { method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode!,
    message: response.statusMessage!,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    body: Buffer.concat(chunks),
  };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Server-sent events, as the providers write them. */
export function events(...values: [name: string | undefined, value: unknown][]): string {
  return values
    .map(([name, value]) => {
      const data = typeof value === 'string' ? value : JSON.stringify(value);
      return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
    })
    .join('');
}
