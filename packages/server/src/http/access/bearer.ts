import { InfoldError } from '../../kernel/errors.ts';

/** The token of an `Authorization` header. */
export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^Bearer +([^\s]+)$/i.exec(header);
  if (!match) throw new InfoldError('unauthenticated', 'The Authorization header must be "Bearer <token>"');
  return match[1];
}
