import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { WEBHOOK_HEADERS } from '@infold/protocol';
import { isForbiddenAddress } from '../../kernel/forbidden-addresses.ts';
import { VERSION } from '../../kernel/version.ts';
import { type WebhookConfig, webhookSecret } from '../../kernel/webhook-config.ts';
import type { ReceiverAnswer } from '../commands/webhooks.ts';
import { signatureOf } from './signature.ts';

/** From the first byte to the last one of the answer's head. */
const MOST_TIME = 10_000;
/** Of an answer nothing is used but its status; so much is read so that the connection ends well. */
const MOST_ANSWER = 64 * 1024;

export interface Sent {
  id: string;
  event: string;
  payload: object;
}

export interface SendOptions {
  now: number;
  signal: AbortSignal;
  /** Milliseconds. */
  patience?: number;
  /** Who knows the addresses of names. */
  resolver?: typeof lookup;
}

/** Sends one signed request. It never throws: whatever goes wrong is what came of it. */
export function send(
  webhook: WebhookConfig,
  { id, event, payload }: Sent,
  { now, signal, patience = MOST_TIME, resolver = lookup }: SendOptions,
): Promise<ReceiverAnswer> {
  return new Promise((resolve) => {
    const fail = (problem: string) => resolve({ status: null, problem });
    try {
      const body = JSON.stringify(payload);
      const url = new URL(webhook.url);
      const make = url.protocol === 'https:' ? requestSecure : requestPlain;
      const outgoing = make(url, {
        method: 'POST',
        // A connection of its own: none that was kept open and has ended since, and no proxy.
        agent: false,
        lookup: allowedBy(resolver),
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': `infold/${VERSION}`,
          [WEBHOOK_HEADERS.event]: event,
          [WEBHOOK_HEADERS.delivery]: id,
          [WEBHOOK_HEADERS.signature]: signatureOf(webhookSecret(webhook), body, now),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
      });
      outgoing.on('error', (error) => fail(problemOf(error, signal, patience)));
      outgoing.on('response', (answer) => {
        const status = answer.statusCode ?? 0;
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MOST_ANSWER) answer.destroy();
        });
        answer.on('error', () => {});
        resolve(outcomeOf(status, answer.headers['retry-after'], now));
      });
      outgoing.end(body);
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  });
}

function outcomeOf(status: number, retryAfter: string | undefined, now: number): ReceiverAnswer {
  if (status >= 200 && status < 300) return { status, problem: null };
  const wait = milliseconds(retryAfter, now);
  const where = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return {
    status,
    problem: `the receiver answered ${status}${where}`,
    ...(wait !== undefined && { retryAfter: wait }),
  };
}

/** Seconds, or a date. */
function milliseconds(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return wait > 0 ? wait : undefined;
}

/** In words of our own: what an error says can hold the whole address. */
function problemOf(error: Error, signal: AbortSignal, patience: number): string {
  if (signal.aborted) return 'it was interrupted';
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return `no answer within ${patience / 1000} seconds`;
  if (code === FORBIDDEN) return 'its name leads to an address that is not sent to (link-local or metadata)';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its name cannot be resolved (${code})`;
  return `it cannot be reached (${code ?? name})`;
}

const FORBIDDEN = 'ERR_FORBIDDEN_ADDRESS';

type Resolved = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Looked at when it is connected to: a name may lead elsewhere each time. */
function allowedBy(resolver: typeof lookup) {
  return (host: string, options: LookupOptions, callback: Resolved): void => {
    resolver(host, { ...options, all: true }, (error, addresses) => {
      if (error) callback(error, []);
      else if (addresses.some(({ address }) => isForbiddenAddress(address))) {
        callback(Object.assign(new Error('forbidden address'), { code: FORBIDDEN }), []);
      } else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
