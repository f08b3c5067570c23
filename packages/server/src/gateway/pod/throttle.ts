import type { Limits } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { isHeldTo, type RateLimiter } from '../../trust/limits/rate.ts';
import { TokenBuckets } from '../../trust/limits/token-bucket.ts';
import { Refusal } from '../errors.ts';

/**
 * SUB-08: what one principal may send in a minute, and what in one context: a context that runs away stops only
 * itself, and who opens contexts by the thousand is stopped before memory is full.
 */
export class Throttle {
  readonly #limiter: RateLimiter;
  readonly #limits: Limits;
  readonly #inContext: TokenBuckets;
  readonly #contexts: TokenBuckets;
  readonly #now: () => number;

  constructor(limiter: RateLimiter, limits: Limits, now: () => number = () => performance.now()) {
    this.#limiter = limiter;
    this.#limits = limits;
    this.#now = now;
    this.#inContext = new TokenBuckets(limits.contextEnvelopesPerMinute);
    this.#contexts = new TokenBuckets(limits.contextsPerMinute);
  }

  /** What is to be said when the message is too much; said later, when its id is known. */
  take(caller: Caller, bytes: number): { message: string; details: Record<string, unknown> } | undefined {
    try {
      this.#limiter.spend(caller, 'envelopes');
      this.#limiter.spend(caller, 'bytes', bytes);
      return undefined;
    } catch (error) {
      if (!InfoldError.isInstance(error)) throw error;
      return { message: error.message, details: { retry_after: error.retryAfter } };
    }
  }

  takeInContext(
    caller: Pick<Caller, 'org' | 'principal'>,
    pod: { org: string; name: string },
    context: string,
    begins: boolean,
    id: string,
  ): void {
    const who = `${caller.org}\n${caller.principal}`;
    if (begins && isHeldTo(this.#limits, caller, 'contextsPerMinute')) {
      const wait = this.#contexts.take(who, this.#now());
      if (wait > 0)
        throw tooMuch(`Over the limit of ${this.#limits.contextsPerMinute} new contexts a minute`, wait, id);
    }
    if (!isHeldTo(this.#limits, caller, 'contextEnvelopesPerMinute')) return;
    const wait = this.#inContext.take(`${who}\n${pod.name}\n${context}`, this.#now());
    if (wait > 0) {
      const most = this.#limits.contextEnvelopesPerMinute;
      throw tooMuch(`Over the limit of ${most} messages a minute in one context`, wait, id);
    }
  }
}

function tooMuch(message: string, wait: number, id: string): Refusal {
  return new Refusal('rate_limit', `${message}; try again in ${wait} s`, id, { retry_after: wait });
}
