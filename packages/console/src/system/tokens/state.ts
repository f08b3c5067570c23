import type { Token } from '../queries.ts';

export type TokenState = 'in force' | 'expired' | 'revoked';

export function stateOf({ revoked_at, expires_at }: Token, now: number): TokenState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'in force';
}

/** Whether nobody could administer anything with a token any more. */
export function isLastAdmin(token: Token, tokens: readonly Token[], now: number): boolean {
  const administers = (one: Token) => one.scopes.includes('admin') && stateOf(one, now) === 'in force';
  return administers(token) && !tokens.some((one) => one.id !== token.id && administers(one));
}

/** Those that open something first, then the newest. */
export function ordered(tokens: readonly Token[], now: number): Token[] {
  return tokens.toSorted((one, other) => {
    const spent = Number(stateOf(one, now) !== 'in force') - Number(stateOf(other, now) !== 'in force');
    return spent || other.created_at.localeCompare(one.created_at);
  });
}
