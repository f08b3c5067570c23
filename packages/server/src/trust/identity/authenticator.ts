import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { authenticate, type Caller } from './caller.ts';
import { createJwtVerifier, type JwtVerifier, looksLikeJwt, type OauthConfig } from './oauth.ts';
import { noteTokenUse } from './token-use.ts';

/** Decides who an HTTP request speaks for: a token of ours, one of the configured issuer, or the local owner. */
export class Authenticator {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #oauth: OauthConfig | undefined;
  #verifier: Promise<JwtVerifier> | undefined;

  constructor(database: Database, clock: Clock, oauth: OauthConfig | undefined) {
    this.#database = database;
    this.#clock = clock;
    this.#oauth = oauth;
  }

  /** True when nobody gets in without a token. */
  get needsToken(): boolean {
    return this.#oauth !== undefined;
  }

  callerOf(bearer: string | undefined): Caller | Promise<Caller> {
    if (bearer !== undefined && this.#oauth && looksLikeJwt(bearer)) return this.#verify(bearer, this.#oauth);
    const caller = authenticate(this.#database, bearer, this.#clock(), this.needsToken);
    if (caller.tokenId !== null) noteTokenUse(this.#database, caller.tokenId, this.#clock());
    return caller;
  }

  async #verify(bearer: string, oauth: OauthConfig): Promise<Caller> {
    this.#verifier ??= createJwtVerifier(oauth);
    return (await this.#verifier)(bearer);
  }
}
