import type { IncomingMessage } from 'node:http';
import { InfoldError } from '../../kernel/errors.ts';
import type { Unread } from '../../window/requests/traffic.ts';
import { canDecode, decode } from './content-encoding.ts';
import { hasBody } from './headers.ts';

/** What came of a request's body. */
export type ModelBody =
  | { kind: 'none' }
  /** All of it: as it came, and what it says. */
  | { kind: 'read'; bytes: Buffer; decoded: Buffer }
  /** Nobody looks at it: what came so far, and the rest if there is one, go to the upstream as they are. */
  | { kind: 'unread'; why: Unread; begun: Buffer[]; rest: IncomingMessage | undefined };

export interface BodyOptions {
  /** Undefined: it is to be read. */
  unread: Unread | undefined;
  most: number;
  /** Counts what is held; throws `rate_limited` where that is too much. */
  hold(bytes: number): void;
}

/** Reads a body that is small enough and can be understood; leaves every other one to be passed on as it comes. */
export async function readModelBody(request: IncomingMessage, options: BodyOptions): Promise<ModelBody> {
  if (!hasBody(request)) return { kind: 'none' };
  const { most } = options;
  const why = options.unread ?? unreadable(request, most);
  if (why) return { kind: 'unread', why, begun: [], rest: request };
  const begun = await collect(request, options);
  if (begun.why) return { kind: 'unread', why: begun.why, begun: begun.chunks, rest: request };
  const bytes = begun.chunks.length === 1 ? begun.chunks[0]! : Buffer.concat(begun.chunks);
  const unread = (reason: Unread): ModelBody => ({
    kind: 'unread',
    why: reason,
    begun: [bytes],
    rest: undefined,
  });
  const encoding = request.headers['content-encoding'];
  let decoded: Buffer;
  try {
    decoded = await decode(encoding, bytes, most);
    if (decoded !== bytes) options.hold(decoded.length);
  } catch (error) {
    return unread(reasonOf(error));
  }
  return isObject(decoded) ? { kind: 'read', bytes, decoded } : unread('not_json');
}

function unreadable({ headers }: IncomingMessage, most: number): Unread | undefined {
  if (!isJson(headers['content-type'])) return 'not_json';
  if (!canDecode(headers['content-encoding'])) return 'encoding';
  return Number(headers['content-length'] ?? 0) > most ? 'size' : undefined;
}

/** Who says nothing of the type is read: the first character tells. */
function isJson(type: string | undefined): boolean {
  return type === undefined || /^\s*application\/([\w.-]+\+)?json\b/i.test(type);
}

/**
 * The chunks of a body until its end, or until they are too many: then the request is paused where it stands, so that the
 * rest can go on from there.
 */
function collect(
  request: IncomingMessage,
  { most, hold }: BodyOptions,
): Promise<{ chunks: Buffer[]; why?: Unread }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (why?: Unread) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (why) request.pause();
      resolve({ chunks, ...(why ? { why } : {}) });
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) return done('size');
      try {
        hold(chunk.length);
      } catch (error) {
        done(reasonOf(error));
      }
    };
    const onEnd = () => done();
    const onClose = () => reject(new HostGone());
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  });
}

/** Nobody waits for an answer any more. */
export class HostGone extends Error {}

function reasonOf(error: unknown): Unread {
  if (InfoldError.isInstance(error)) return 'memory';
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'size' : 'encoding';
}

/** Whether it could be a JSON object: what else it is, who parses it finds out. */
function isObject(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) continue;
    return byte === 0x7b;
  }
  return false;
}
