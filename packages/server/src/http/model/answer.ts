import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Gunzip } from 'node:zlib';
import type { Dialect } from '@infold/client/window';
import type { WindowUsage } from '@infold/protocol/events';
import { type KeptBytes, UsageReader } from '../../window/costs/usage.ts';
import { decoderOf } from './content-encoding.ts';
import { answerHeaders } from './headers.ts';

/** What waits to be decoded; more is not waited for, because the answer does not wait either. */
const MOST_UNDECODED = 4 * 1024 * 1024;

/**
 * Passes an answer on as it comes, and no faster than it is read. Where either side goes away, so does the other: a host must
 * not take a part for the whole. Answers whether all of it was passed on.
 */
export async function deliver(answer: IncomingMessage, response: ServerResponse): Promise<boolean> {
  response.sendDate = false;
  response.writeHead(answer.statusCode!, answer.statusMessage, answerHeaders(answer));
  response.flushHeaders();
  try {
    await pipeline(answer, response);
    return true;
  } catch {
    answer.destroy();
    response.destroy();
    return false;
  }
}

/** Reads the figures of an answer while it passes, also where it is encoded although nobody asked for that. */
export function watchUsage(
  answer: IncomingMessage,
  dialect: Dialect,
  budget: KeptBytes,
): () => Promise<WindowUsage | null> {
  const decoder = decoderOf(answer.headers['content-encoding']);
  if (decoder === null) return async () => null;
  const reader = new UsageReader(dialect, answer.headers['content-type'], budget);
  if (!decoder) {
    answer.on('data', (chunk: Buffer) => reader.write(chunk));
    return async () => reader.end();
  }
  const decoded = decodeBeside(answer, decoder, (chunk) => reader.write(chunk));
  return async () => {
    await decoded();
    return reader.end();
  };
}

function decodeBeside(answer: IncomingMessage, decoder: Gunzip, onChunk: (chunk: Buffer) => void) {
  const closed = new Promise<void>((resolve) => {
    decoder
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
  });
  decoder.on('data', onChunk);
  answer.on('data', (chunk: Buffer) => {
    if (decoder.destroyed) return;
    if (decoder.writableLength > MOST_UNDECODED) decoder.destroy();
    else decoder.write(chunk);
  });
  return () => {
    // Of one that was cut off, what could be decoded is known.
    if (!decoder.destroyed) decoder.end();
    return closed;
  };
}
