import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WindowUsage } from '@infold/protocol/events';
import { InfoldError } from '../../kernel/errors.ts';
import type { Upstream } from '../../kernel/window-config.ts';
import { hostSessionIn } from '../../mcp/hosts/host-session.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import { errorFor } from '../../trust/access/hide-paths.ts';
import { TokenWatch } from '../../trust/identity/token-watch.ts';
import { HeldBytes } from '../../trust/limits/held-bytes.ts';
import { KeptBytes } from '../../window/costs/usage.ts';
import type { ModelRequest, Prepare } from '../../window/requests/prepare.ts';
import {
  dialectOf,
  leavesUpstream,
  MODEL_PREFIX,
  type ModelAddress,
  parseAddress,
  targetOf,
} from './address.ts';
import { Admission, type Admitted, Dropped } from './admission.ts';
import { deliver, watchUsage } from './answer.ts';
import { HostGone, type ModelBody, readModelBody } from './body.ts';
import { sendError } from './errors.ts';
import { requestHeaders, withoutKeys } from './headers.ts';
import { OutgoingSecrets } from './outgoing-secrets.ts';
import { RequestPreparation } from './preparation.ts';
import { Sender } from './send.ts';

export interface ModelServices extends McpServices {
  prepare: Prepare;
  /** Who sends it is the owner of the data folder. It is on no record, and ends with this process. */
  ownToken?: string | undefined;
  ready: () => boolean;
}

export interface ModelDoor {
  /** True where it answers the request. */
  passOn(request: IncomingMessage, response: ServerResponse): boolean;
  close(): void;
}

/** Bodies that are held at once, in bodies of the largest size. */
const MOST_BODIES = 2;
/** Of all answers whose figures are being read. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** WIN-01: stands between hosts and the models that they ask. */
export function createModelDoor(services: ModelServices): ModelDoor {
  const { config, parts } = services;
  const { window } = config;
  const admission = new Admission(services, services.ownToken);
  const preparation = new RequestPreparation(services);
  const leaving = new OutgoingSecrets(services);
  const sender = new Sender();
  const held = new HeldBytes(MOST_BODIES * window.bodyBytes);
  const kept = new KeptBytes(MOST_ANSWER_BYTES);
  const tokens = new TokenWatch(services.journal, services.clock);

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrived = performance.now();
    const address = parseAddress(request.url!);
    const upstream = Object.hasOwn(window.upstreams, address.upstream)
      ? window.upstreams[address.upstream]
      : undefined;
    let admitted: Admitted | undefined;
    let forget = () => {};
    try {
      admitted = await admission.admit(request, address);
      check(services, upstream, address);
      const going = new AbortController();
      response.once('close', () => going.abort(new HostGone()));
      forget = tokens.whenEnded(admitted.caller, () => response.destroy());
      await exchange({ request, response, address, upstream, admitted, arrived, going });
    } catch (error) {
      if (error instanceof Dropped || error instanceof HostGone) response.destroy();
      else {
        const known = errorFor(admitted?.caller, error, services, MODEL_PREFIX);
        if (known.code === 'upstream_unreachable') noteUnreachable(address.upstream, known);
        sendError(response, upstream?.dialect, known);
      }
    } finally {
      forget();
      admitted?.ended();
      held.release(request);
    }
  };

  async function exchange(exchanged: Exchange): Promise<void> {
    const { request, response, address, upstream, admitted, arrived, going } = exchanged;
    const { caller } = admitted;
    const method = request.method!;
    const dialect =
      method === 'POST' && window.enabled ? dialectOf(upstream.dialect, address.path) : undefined;
    const body = await readModelBody(request, {
      unread: dialect === undefined ? (window.enabled ? 'address' : 'disabled') : undefined,
      most: window.bodyBytes,
      hold: (bytes) => held.take(request, caller, bytes),
    });
    const read = performance.now();
    if (body.kind === 'unread') countUnread(body);
    await services.turns.take(caller);
    const prepared =
      body.kind === 'read' && dialect
        ? await preparation.prepare(modelRequest(exchanged, dialect, body.decoded))
        : undefined;
    const scrubbed =
      body.kind === 'read'
        ? await leaving.check(caller, address.upstream, prepared?.body ?? body.decoded)
        : undefined;
    if (going.signal.aborted) {
      prepared?.failed('gone');
      throw new HostGone();
    }
    const base = new URL(upstream.url);
    const own = performance.now() - read;
    const changed = scrubbed ?? prepared?.body;
    const bytes = changed
      ? [Buffer.from(changed.buffer, changed.byteOffset, changed.byteLength)]
      : begunOf(body);
    const rest = body.kind === 'unread' ? body.rest : undefined;
    let answer: IncomingMessage;
    try {
      answer = await sender.send({
        ...{ name: address.upstream, base, method, target: targetOf(base, address) },
        headers: requestHeaders(request, {
          host: base.host,
          length: rest
            ? announcedLength(request)
            : body.kind === 'none'
              ? noLength(request)
              : lengthOf(bytes),
          isChanged: changed !== undefined,
          isRead: dialect !== undefined,
        }),
        ...{ begun: bytes, rest, signal: going.signal },
        onSent: () => held.release(request),
      });
    } catch (error) {
      prepared?.failed(going.signal.aborted ? 'gone' : 'unreachable');
      throw going.signal.aborted ? new HostGone() : error;
    } finally {
      admitted.sent();
    }
    const first = performance.now() - arrived;
    const usage = prepared && dialect ? watchUsage(answer, dialect, kept) : noUsage;
    const isComplete = await deliver(answer, response);
    const status = answer.statusCode!;
    parts.traffic.answered(address.upstream, status);
    const all = performance.now() - arrived;
    prepared?.answered({ status, usage: await usage(), milliseconds: { first, all, own }, isComplete });
  }

  function noteUnreachable(upstream: string, { message }: InfoldError): void {
    parts.traffic.answered(upstream, 0);
    services.log.warn({ upstream, why: message }, 'an upstream could not be reached');
  }

  function countUnread({ why, begun, rest }: ModelBody & { kind: 'unread' }): void {
    parts.traffic.unread(why);
    parts.traffic.unreadBytes(why, lengthOf(begun));
    rest?.on('data', (chunk: Buffer) => parts.traffic.unreadBytes(why, chunk.length));
    rest?.pause();
  }

  return {
    passOn(request, response) {
      if (!request.url?.startsWith(MODEL_PREFIX)) return false;
      response.on('error', () => {});
      void serve(request, response);
      return true;
    },
    close: () => sender.close(),
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  address: ModelAddress;
  upstream: Upstream;
  admitted: Admitted;
  arrived: number;
  /** Aborted when nobody waits for the answer any more. */
  going: AbortController;
}

function check(
  { ready, config }: ModelServices,
  upstream: Upstream | undefined,
  { path }: ModelAddress,
): asserts upstream is Upstream {
  if (!ready()) throw new InfoldError('storage_failed', 'The server is stopping', { retryable: true });
  if (!upstream) {
    const names = Object.keys(config.window.upstreams).join(', ');
    throw new InfoldError(
      'not_found',
      `No upstream has this name; there are ${names}. "infold serve --upstream NAME=URL" adds one`,
    );
  }
  if (leavesUpstream(path))
    throw new InfoldError('invalid_arguments', 'A model address must not contain ".."');
}

function modelRequest(
  { request, address, admitted, going }: Exchange,
  dialect: ModelRequest['dialect'],
  body: Buffer,
): ModelRequest {
  const { headers } = request;
  const get = (name: string) => {
    const value = headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  };
  return {
    caller: admitted.caller,
    upstream: address.upstream,
    dialect,
    method: request.method!,
    path: address.path,
    headers: withoutKeys(headers),
    hostSession: hostSessionIn(undefined, { get }).id,
    body,
    signal: going.signal,
  };
}

function begunOf(body: ModelBody): readonly Buffer[] {
  if (body.kind === 'none') return [];
  return body.kind === 'read' ? [body.bytes] : body.begun;
}

function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Who says that nothing follows has it said to the upstream too. */
function noLength({ headers }: IncomingMessage): number | 'none' {
  return headers['content-length'] === undefined ? 'none' : 0;
}

const noUsage = async (): Promise<WindowUsage | null> => null;
