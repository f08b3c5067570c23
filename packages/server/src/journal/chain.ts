import { hash } from 'node:crypto';
import type { Actor } from './journal.ts';

/** What an entry's hash covers, besides the hash before it. */
export interface ChainedHeader {
  seq: number;
  id: string;
  stream: string;
  rev: number;
  at: number;
  actor: string;
  cause: string | null;
  digest: Uint8Array;
}

export const GENESIS = new Uint8Array(32);

/**
 * The digest stands for the data in the chain, so that data can be erased and the chain still verifies. It is
 * salted, and the salt is erased with the data: short data cannot be guessed from its digest afterwards.
 */
export function dataDigest(salt: Uint8Array, data: string): Uint8Array {
  return sha256(salt, Buffer.from(data));
}

export function entryHash(previous: Uint8Array, header: ChainedHeader): Uint8Array {
  const text = JSON.stringify([
    header.seq,
    header.id,
    header.stream,
    header.rev,
    header.at,
    header.actor,
    header.cause,
  ]);
  return sha256(previous, header.digest, Buffer.from(text));
}

/** In one call: for short parts, putting them together costs less than a hash object does. */
function sha256(...parts: Uint8Array[]): Uint8Array {
  return hash('sha256', Buffer.concat(parts), 'buffer');
}

export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
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
