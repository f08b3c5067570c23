import { randomFillSync } from 'node:crypto';

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
