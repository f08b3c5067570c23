import type { LimitName, Limits } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { isHeldTo } from './rate.ts';

type Who = { org: string; principal: string };

/** What there is a number of, and the rows of the limits table that say how many one principal and one organisation get. */
const SHARED = {
  streams: ['streamsPerPrincipal', 'streamsPerOrganisation'],
  sockets: ['socketsPerPrincipal', 'socketsPerOrganisation'],
  pods: ['podsPerPrincipal', 'podsPerOrganisation'],
} as const satisfies Record<string, readonly [LimitName, LimitName]>;

const NAMES: Record<keyof typeof SHARED, string> = {
  streams: 'open streams',
  sockets: 'open WebSockets',
  pods: 'open pods',
};
const RETRY_AFTER = 10;

/** Counts what principals hold open. Nobody gets more than its share, so that nobody can take what others need. */
export class Shares {
  readonly #what: keyof typeof SHARED;
  readonly #limits: Limits;
  readonly #held = new Map<string, number>();

  constructor(what: keyof typeof SHARED, limits: Limits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** Takes one, or refuses; returns the way to give it back. */
  take(who: Who): () => void {
    const [ofPrincipal, ofOrganisation] = SHARED[this.#what];
    const keys: string[] = [];
    for (const [limit, key, whose] of [
      [ofPrincipal, `${who.org}\n${who.principal}`, 'a principal'],
      [ofOrganisation, who.org, 'an organisation'],
    ] as const) {
      if (!isHeldTo(this.#limits, who, limit)) continue;
      const most = this.#limits[limit];
      if ((this.#held.get(key) ?? 0) >= most) {
        const message = `${whose} may have ${most} ${NAMES[this.#what]}; close one, or try again in ${RETRY_AFTER} s`;
        throw new InfoldError('rate_limited', `Over the limit: ${message}`, {
          retryable: true,
          retryAfter: RETRY_AFTER,
        });
      }
      keys.push(key);
    }
    for (const key of keys) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return () => {
      for (const key of keys.splice(0)) {
        const left = (this.#held.get(key) ?? 0) - 1;
        if (left > 0) this.#held.set(key, left);
        else this.#held.delete(key);
      }
    };
  }
}
