import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'inf_';

export function newToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** What is kept of one. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
