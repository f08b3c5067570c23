import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepPrivate, writePrivateFile } from '../../kernel/private-files.ts';

const KEY_BYTES = 32;
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** What stands for a principal in evidence: always the same, and not to be found out by trying names without the key. */
export type Pseudonyms = (principal: string) => string;

const known = new Map<string, Buffer>();

/** The key stands beside the journal, not in it: a copy of the journal alone cannot tell who is who. */
function keyIn(data: string): Buffer {
  const path = join(data, 'evidence.key');
  const kept = known.get(path);
  if (kept) return kept;
  if (!existsSync(path)) {
    try {
      writePrivateFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  keepPrivate(path);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not hold ${KEY_BYTES} bytes in hex`);
  known.set(path, key);
  return key;
}

export function pseudonymsIn(data: string): Pseudonyms {
  return (principal) => {
    const digest = createHmac('sha256', keyIn(data)).update(principal).digest();
    const letters = Array.from(digest.subarray(0, 10), (byte) => LETTERS[byte % LETTERS.length]);
    return `person-${letters.join('')}`;
  };
}
