import { createHash } from 'node:crypto';

/** Bare hex, as `mpf.hash` and `textHash` have it. */
export function bareHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** `sha256:` and hex, as everything else has it. */
export function contentHash(text: string): string {
  return `sha256:${bareHash(text)}`;
}

export function withoutPrefix(hash: string): string {
  return hash.startsWith('sha256:') ? hash.slice('sha256:'.length) : hash;
}

/** Callers may remember a hash in either form. */
export function isSameHash(one: string, other: string): boolean {
  return withoutPrefix(one) === withoutPrefix(other);
}
