import type { IncomingMessage } from 'node:http';
import { noteDenial } from '../../call/denial.ts';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import { errorFor } from '../../trust/access/hide-paths.ts';
import { requireScope } from '../../trust/access/rule.ts';
import { Authenticator } from '../../trust/identity/authenticator.ts';
import { type Caller, isLocalOwner, localOwner } from '../../trust/identity/caller.ts';
import { parseOauthConfig } from '../../trust/identity/oauth.ts';
import { hashToken } from '../../trust/identity/tokens.ts';
import { rateLimited } from '../../trust/limits/rate.ts';
import { Shares } from '../../trust/limits/shares.ts';
import { HostGuard } from '../access/guard.ts';
import { STRANGER, UnauthenticatedBudget } from '../access/unauthenticated-budget.ts';
import { type HeaderReader, isMarked, TokenCookies } from '../sign-in/cookies.ts';
import { MODEL_PREFIX, type ModelAddress } from './address.ts';

/** Not even worth an answer. */
export class Dropped extends Error {}

const REFUSAL_DELAY = 200;
/** Requests that are passed on at once, of all callers: each holds what is on its way between two connections. */
const MOST_AT_ONCE = 1024;

export interface Admitted {
  caller: Caller;
  /** The request has been prepared and sent: what it took of others' time is over. */
  sent(): void;
  /** The answer has ended. */
  ended(): void;
}

/** Who may have a request passed on: the same rules as for every other address, and none of them looks at the provider's key. */
export class Admission {
  readonly #services: McpServices;
  readonly #guard: HostGuard;
  readonly #authenticator: Authenticator;
  readonly #strangers: UnauthenticatedBudget;
  readonly #streams: Shares;
  readonly #cookies: TokenCookies;
  readonly #ownToken: string | undefined;
  #atOnce = 0;

  constructor(services: McpServices, ownToken: string | undefined) {
    const { config, journal, clock, limiter } = services;
    this.#services = services;
    this.#ownToken = ownToken === undefined ? undefined : hashToken(ownToken);
    this.#guard = new HostGuard(config.host, config.allowedHosts, config.allowedOrigins);
    this.#authenticator = new Authenticator(journal.database, clock, parseOauthConfig(config.oauth));
    this.#strangers = new UnauthenticatedBudget(limiter, config.limits);
    this.#streams = new Shares('streams', config.limits);
    this.#cookies = new TokenCookies(journal.database);
  }

  /** KERN-10, KERN-11: where it comes from, who it is, and whether it is within the limits. */
  async admit({ method = 'GET', headers }: IncomingMessage, address: ModelAddress): Promise<Admitted> {
    const refusal = this.#guard.refusal(headers.host, headers.origin);
    if (refusal) throw await this.#stranger(new InfoldError('forbidden', refusal));
    if (isLoaded(headers)) throw await this.#stranger(new InfoldError('forbidden', NOT_A_PAGE));
    const reader = { get: (name: string) => textOf(headers[name]) };
    const own = address.token ?? reader.get('x-infold-token');
    const forged = own === undefined && this.#cookies.refusal(method, reader);
    if (forged) throw await this.#stranger(new InfoldError('forbidden', forged));
    const caller = await this.#callerOf(method, own ?? this.#tokenInCookie(reader));
    const isChange = !['GET', 'HEAD', 'OPTIONS'].includes(method);
    const page = isChange && isLocalOwner(caller) && this.#guard.changeRefusal(headers.host, headers.origin);
    if (page) throw new InfoldError('forbidden', page);
    try {
      requireScope(caller, 'write');
    } catch (error) {
      throw this.#denied(caller, method, error);
    }
    try {
      return this.#enter(caller);
    } catch (error) {
      // An answer at once would only bring the next request at once.
      await sleep(REFUSAL_DELAY);
      throw this.#denied(caller, method, error);
    }
  }

  #enter(caller: Caller): Admitted {
    const { limiter, turns } = this.#services;
    if (this.#atOnce >= MOST_AT_ONCE)
      throw rateLimited(`Over the limit of ${MOST_AT_ONCE} model requests at once`, 1);
    limiter.spend(caller, 'calls');
    const leave = limiter.enter(caller);
    try {
      const close = this.#streams.take(caller);
      const answered = turns.enter(caller);
      this.#atOnce++;
      const sent = () => {
        leave();
        answered();
      };
      return {
        caller,
        sent,
        ended: () => {
          sent();
          close();
          this.#atOnce--;
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Also what only reads at other addresses costs money here. */
  #tokenInCookie(headers: HeaderReader): string | undefined {
    return isMarked(headers) ? this.#cookies.tokenIn(headers) : undefined;
  }

  async #callerOf(method: string, token: string | undefined): Promise<Caller> {
    if (token !== undefined && this.#ownToken === hashToken(token)) return localOwner;
    try {
      return await this.#authenticator.callerOf(token);
    } catch (error) {
      const known = this.#denied(STRANGER, method, needsToken(token, error));
      throw await this.#stranger(known);
    }
  }

  async #stranger(error: InfoldError): Promise<InfoldError> {
    const beyond = await this.#strangers.beyondBudget();
    if (beyond === 'drop') throw new Dropped();
    return beyond ?? error;
  }

  /** The address is not put on record: a token may stand in it. */
  #denied(who: Caller | typeof STRANGER, method: string, error: unknown): InfoldError {
    const known = errorFor('scopes' in who ? who : undefined, error, this.#services, MODEL_PREFIX);
    noteDenial(this.#services, who, method, MODEL_PREFIX, known);
    return known;
  }
}

const NOT_A_PAGE = 'Models answer programs only: a browser cannot open their answers as pages here';

/** A provider's answer that a browser opened as a page, or took for a script, would be one of ours to it. */
function isLoaded(headers: IncomingMessage['headers']): boolean {
  return ![undefined, 'empty'].includes(textOf(headers['sec-fetch-dest']));
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** The header is the provider's: who follows the usual advice would send our token to it. */
function needsToken(token: string | undefined, error: unknown): unknown {
  if (token !== undefined || !InfoldError.isInstance(error) || error.code !== 'unauthenticated') return error;
  return new InfoldError(
    'unauthenticated',
    'A token of Infold is required, in the address (/model/<upstream>/~inf_…/<path>) or in the header X-Infold-Token. Make one with "infold token create --name NAME"',
  );
}
