import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as zlib from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { localOwner } from '../../trust/identity/caller.ts';
import { HeldBytes } from '../../trust/limits/held-bytes.ts';
import { type BodyOptions, type ModelBody, readModelBody } from './body.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

interface Received {
  body: ModelBody;
  /** What there was to pass on, all of it. */
  bytes: Buffer;
}

/** Reads a body as it comes over a connection, and then whatever was left of it. */
async function received(
  sent: Buffer,
  headers: Record<string, string>,
  options: Partial<BodyOptions> = {},
): Promise<Received> {
  let resolve: (result: Received) => void;
  const result = new Promise<Received>((settle) => {
    resolve = settle;
  });
  const server = createServer(async (request) => {
    const body = await readModelBody(request, { unread: undefined, most: 1000, hold() {}, ...options });
    resolve({ body, bytes: await whole(body) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const outgoing = httpRequest({ port, method: 'POST', headers, agent: false });
  outgoing.on('error', () => {});
  for (let at = 0; at < sent.length; at += 100) outgoing.write(sent.subarray(at, at + 100));
  outgoing.end();
  return result;
}

async function whole(body: ModelBody): Promise<Buffer> {
  if (body.kind === 'none') return Buffer.alloc(0);
  if (body.kind === 'read') return body.bytes;
  const rest: Buffer[] = [];
  if (body.rest) for await (const chunk of body.rest as IncomingMessage) rest.push(chunk as Buffer);
  return Buffer.concat([...body.begun, ...rest]);
}

const json = Buffer.from(JSON.stringify({ text: 'Grüße'.repeat(50) }));
const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?: (bytes: Buffer) => Buffer };

describe('the body of a request', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['identity', (bytes) => bytes],
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
    ['BR ', zlib.brotliCompressSync],
  ])('is decoded from %s, and kept as it came', async (encoding, encode) => {
    const sent = encode(json);
    const { body } = await received(sent, { ...JSON_TYPE, 'content-encoding': encoding });
    expect(body).toEqual({ kind: 'read', bytes: sent, decoded: json });
  });

  test.runIf(zstdCompressSync)('is decoded from zstd where Node can', async () => {
    const sent = zstdCompressSync!(json);
    const { body } = await received(sent, { ...JSON_TYPE, 'content-encoding': 'zstd' });
    expect(body).toEqual({ kind: 'read', bytes: sent, decoded: json });
  });

  test.skipIf(zstdCompressSync)('passes in zstd where Node cannot', async () => {
    const { body, bytes } = await received(json, { ...JSON_TYPE, 'content-encoding': 'zstd' });
    expect([body, bytes]).toEqual([expect.objectContaining({ kind: 'unread', why: 'encoding' }), json]);
  });

  test('that is larger than may be read passes whole, wherever that was noticed', async () => {
    const large = Buffer.from(JSON.stringify({ text: 'x'.repeat(5000) }));
    const announced = { 'content-length': String(large.length) };
    for (const [headers, begun] of [
      [{ ...JSON_TYPE, ...announced }, 0],
      [JSON_TYPE, 1],
    ] as const) {
      const { body, bytes } = await received(large, headers);
      expect(body).toMatchObject({ kind: 'unread', why: 'size' });
      expect(body.kind === 'unread' && Math.min(body.begun.length, 1)).toBe(begun);
      expect(bytes.equals(large)).toBe(true);
    }
  });

  test('that would become larger than may be read passes as it came', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(1_000_000, ' '));
    const { body, bytes } = await received(
      bomb,
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      { most: 5000 },
    );
    expect(body).toMatchObject({ kind: 'unread', why: 'size', rest: undefined });
    expect(bytes.equals(bomb)).toBe(true);
  });

  test('passes where there is no room for it', async () => {
    const held = new HeldBytes(1000);
    held.take({}, localOwner, 450);
    const request = {};
    const { body, bytes } = await received(json, JSON_TYPE, {
      hold: (more) => held.take(request, localOwner, more),
    });
    expect(body).toMatchObject({ kind: 'unread', why: 'memory' });
    expect(bytes.equals(json)).toBe(true);
  });
});
