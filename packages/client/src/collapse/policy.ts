/** A consumed result that still stands in full. */
export interface WaitingResult {
  callId: string;
  tokens: number;
  /** Of the summary that would replace it. */
  textTokens: number;
  /** Model calls since it was consumed. */
  waited: number;
  /** Whether a model call has carried it: only then has a provider cached it. */
  sent: boolean;
  /**
   * Tokens after it that a provider has cached and that stay: what must be written again when it collapses. Waiting
   * results after it count as their summaries, because they collapse with it.
   */
  keptAfter: number;
  /** Those of them that are transient and not yet consumed: they may soon go too. */
  pendingAfter: number;
  pendingCount: number;
}

export interface PolicyView {
  /** Oldest first, at least one. */
  waiting: readonly WaitingResult[];
  /** Whether this turn's prompt changes before that place in any case, so that collapsing after it costs nothing. */
  rewritten: (callId: string) => boolean;
}

/** Decides after each observation which consumed results collapse. */
export interface Policy {
  readonly name: string;
  /** Prices relative to an input token, where the policy knows them. */
  readonly prices?: CachePrices;
  /** The call ids of waiting results that collapse now. */
  decide(view: PolicyView): readonly string[];
}

export interface CachePrices {
  /** Reading a cached token, relative to an input token. */
  read: number;
  /** Writing one to the cache. */
  write: number;
}

const idsOf = (waiting: readonly WaitingResult[]) => waiting.map(({ callId }) => callId);

/** Each result collapses as soon as it is consumed: the smallest prompts. */
export function eager(): Policy {
  return { name: 'eager', decide: ({ waiting }) => idsOf(waiting) };
}

export interface BatchedOptions {
  /** Collapse when this many tokens would go (default 4000). */
  minTokens?: number;
  /** … or when this many results wait (default 8). */
  maxPending?: number;
}

/** Consumed results collapse together: fewer rewrites of the prompt. */
export function batched({ minTokens = 4000, maxPending = 8 }: BatchedOptions = {}): Policy {
  requireNumber('minTokens', minTokens, 0);
  requireNumber('maxPending', maxPending, 1);
  return {
    name: 'batched',
    decide({ waiting }) {
      const saved = waiting.reduce((sum, { tokens, textTokens }) => sum + tokens - textTokens, 0);
      return saved >= minTokens || waiting.length >= maxPending ? idsOf(waiting) : [];
    },
  };
}

export interface CacheAwareOptions extends Partial<CachePrices> {
  /** How many model calls are still to come, this one included: a number, or asked before each decision. */
  remainingTurns?: number | (() => number);
}

/**
 * Collapses from the place on where the tokens no longer read, over the remaining turns, outweigh writing to the cache
 * again what stands after it. Default prices are the published ones: read 0.1, write 1.25 of an input token.
 */
export function cacheAware(options: CacheAwareOptions = {}): Policy {
  const { read = 0.1, write = 1.25, remainingTurns = 10 } = options;
  requireNumber('read', read, 0);
  requireNumber('write', write, 0);
  if (typeof remainingTurns !== 'function') requireNumber('remainingTurns', remainingTurns, 0);
  const turnsLeft = () => {
    const turns = typeof remainingTurns === 'function' ? remainingTurns() : remainingTurns;
    return Number.isFinite(turns) && turns > 0 ? turns : 0;
  };
  return {
    name: 'cache-aware',
    prices: { read, write },
    decide({ waiting, rewritten }) {
      const turns = turnsLeft();
      let best = waiting.length;
      let bestGain = 0;
      let full = 0;
      let short = 0;
      for (let place = waiting.length - 1; place >= 0; place--) {
        const result = waiting[place]!;
        full += result.tokens;
        short += result.textTokens;
        const free = !result.sent || rewritten(result.callId);
        const rewrite = free ? 0 : (write - read) * (result.keptAfter + result.textTokens);
        const gain = read * turns * (full - short) - rewrite;
        if (gain <= bestGain || (!free && patience(result, full - short, read, write))) continue;
        best = place;
        bestGain = gain;
      }
      return idsOf(waiting.slice(best));
    },
  };
}

/**
 * Whether to wait for the unconsumed pages after a result: reading it a few turns longer is cheaper than writing them
 * all again just before they go. Not for ever: pages that nobody consumes must not hold up the rest.
 */
function patience(result: WaitingResult, saved: number, read: number, write: number): boolean {
  const { pendingCount, pendingAfter, waited } = result;
  if (pendingCount === 0 || waited > 2 * pendingCount + 2) return false;
  return (write - read) * pendingAfter > read * saved * pendingCount;
}

function requireNumber(name: string, value: unknown, least: number): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return;
  throw new TypeError(`${name} must be a number of at least ${least}; it is ${String(value)}`);
}
