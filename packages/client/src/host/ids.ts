import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27);
}

/** As the archive of the server wants them. */
export function newHandle(): string {
  return `win_${[...randomBytes(20)].map((byte) => ALPHABET[byte & 31]).join('')}`;
}
