import type { Limits } from '@infold/protocol';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { LOCAL_ORG } from '../../trust/identity/caller.ts';
import type { RateLimiter } from '../../trust/limits/rate.ts';

/** Refused before it was known who they are. */
export const STRANGER = { org: LOCAL_ORG, principal: 'unknown' };

const DELAY = 1000;

/**
 * Requests that nobody vouches for have a budget of their own. Within it they are answered at once; beyond it they wait,
 * so that who guesses tokens does so slowly; and beyond a number of those their connections are closed without an answer,
 * because waiting takes memory and answering takes time that belongs to others.
 */
export class UnauthenticatedBudget {
  readonly #limiter: RateLimiter;
  readonly #most: number;
  #waiting = 0;

  constructor(limiter: RateLimiter, { strangersWaiting }: Limits) {
    this.#limiter = limiter;
    this.#most = strangersWaiting;
  }

  /** What to answer instead of the refusal: nothing, `rate_limited`, or not even that. */
  async beyondBudget(): Promise<InfoldError | 'drop' | undefined> {
    const over = this.#spend();
    if (!over) return undefined;
    if (this.#waiting >= this.#most) return 'drop';
    this.#waiting++;
    await sleep(DELAY);
    this.#waiting--;
    return over;
  }

  #spend(): InfoldError | undefined {
    try {
      this.#limiter.spend(STRANGER, 'strangers');
      return undefined;
    } catch (error) {
      if (InfoldError.isInstance(error)) return error;
      throw error;
    }
  }
}
