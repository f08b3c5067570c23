import { hash } from 'node:crypto';
import type { Actor } from '../journal.ts';

/** What the chain covers of an entry: every field, besides the hash of the entry before it. */
export interface EntryHeader {
  seq: number;
  id: string;
  stream: string;
  rev: number;
  at: number;
  /** As `actorText` gives it. */
  actor: string;
  cause: string | null;
  /** Stands for the body. */
  digest: Uint8Array;
}

/** What an entry says. It can be erased, or kept elsewhere: its header, and so the chain, stay the same. */
export interface EntryBody {
  salt: Uint8Array;
  /** JSON of the events, and of the answer where one is kept. */
  data: string;
}

export const GENESIS = new Uint8Array(32);

/** Salted, and the salt is erased with the data: short data cannot be guessed from its digest afterwards. */
export function bodyDigest({ salt, data }: EntryBody): Uint8Array {
  return sha256([salt], data);
}

export function entryHash(previous: Uint8Array, header: EntryHeader): Uint8Array {
  const text = JSON.stringify([
    header.seq,
    header.id,
    header.stream,
    header.rev,
    header.at,
    header.actor,
    header.cause,
  ]);
  return sha256([previous, header.digest], text);
}

/** What is short is put together in one place: to make buffers for it would cost more than the hashing does. */
const place = Buffer.alloc(16 * 1024);
const LONGEST = (place.length - 64) / 3;

function sha256(parts: readonly Uint8Array[], text: string): Uint8Array {
  if (text.length > LONGEST) return hash('sha256', Buffer.concat([...parts, Buffer.from(text)]), 'buffer');
  let end = 0;
  for (const part of parts) {
    place.set(part, end);
    end += part.length;
  }
  end += place.write(text, end);
  return Buffer.from(hash('sha256', place.subarray(0, end), 'binary'), 'latin1');
}

export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Actors repeat from entry to entry; serialising each one once is a third of an append's own time. */
const actorTexts = new WeakMap<Actor, string>();

export function actorText(actor: Actor): string {
  let text = actorTexts.get(actor);
  if (text === undefined) {
    text = JSON.stringify([actor.org, actor.principal, ...(actor.agent === undefined ? [] : [actor.agent])]);
    actorTexts.set(actor, text);
  }
  return text;
}

export function actorOf(text: string): Actor {
  const [org = '', principal = '', agent] = JSON.parse(text) as string[];
  return agent === undefined ? { org, principal } : { org, principal, agent };
}
