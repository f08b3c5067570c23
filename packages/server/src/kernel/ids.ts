import { createHash, randomFillSync } from 'node:crypto';
import type { EntryId } from '@infold/protocol';

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** `prefix_` and 20 random characters of 5 bits each: unguessable, and without look-alikes when read aloud. */
export function randomId(prefix: string): string {
  let id = `${prefix}_`;
  for (const byte of randomBytesOf(20)) id += ALPHABET[byte & 31];
  return id;
}

/** The first `length` hex digits of the sha256 of the parts, written so that no other parts give the same. */
export function digestHex(length: number, ...parts: string[]): string {
  const text = parts.length === 1 ? parts[0]! : JSON.stringify(parts);
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

let lastMillisecond = 0;
let sequence = 0;

/** RFC 9562 UUIDv7: sorts by time, and by order of making within one millisecond of one process. */
export function uuidV7(now: number = Date.now()): EntryId {
  if (now > lastMillisecond) {
    lastMillisecond = now;
    sequence = randomBytesOf(2).readUInt16BE() & 0x7ff;
  } else if (++sequence > 0xfff) {
    lastMillisecond++;
    sequence = 0;
  }
  const bytes = randomBytesOf(16);
  bytes.writeUIntBE(lastMillisecond, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidText(bytes.toString('hex'));
}

/** The id of the entry that a caller's idempotency key stands for: the same key gives the same entry. */
export function entryIdForKey(...parts: string[]): EntryId {
  const hex = digestHex(32, ...parts);
  return uuidText(`${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17)}`);
}

/** Whether an entry's id stands for an idempotency key. */
export function isIdForKey(id: string): boolean {
  return id[14] === '8';
}

function uuidText(hex: string): EntryId {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as EntryId;
}

const POOL = 4096;
const pool = Buffer.alloc(POOL);
let used = POOL;

/** Random bytes, drawn from the system in larger portions: each draw costs as much as a small query. */
export function randomBytesOf(length: number): Buffer {
  if (used + length > POOL) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + length));
  // What was given out is not kept here.
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
}
