import type { TrackedResult } from './ledger.ts';
import type { Policy, PolicyView, WaitingResult } from './policy.ts';
import type { WarningCode } from './warnings.ts';

export interface Stats {
  policy: string;
  /** Model calls that carried something new. */
  turns: number;
  results: number;
  pending: number;
  /** Consumed, but left in full by the policy for now. */
  waiting: number;
  collapsed: number;
  /** Tokens that the next prompt does not carry. */
  tokensSaved: number;
  /** The same, summed over the prompts that were projected. */
  tokensNotSent: number;
  /** Tokens that had to be written to a provider's cache again. */
  rewriteTokens: number;
  /** In input tokens, where the policy knows prices: what not sending saved, what rewriting cost. */
  cost?: { saved: number; rewrite: number; net: number };
  /** Share of consumed results that the very next model call consumed, from 0 to 1. Without experience: 0.89. */
  consumedNextTurn: number;
  warnings: Partial<Record<WarningCode, number>>;
}

export interface Totals {
  turn: number;
  messages: number;
  tokensNotSent: number;
  rewriteTokens: number;
  consumed: number;
  consumedNextTurn: number;
}

type Results = ReadonlyMap<string, TrackedResult>;

/** Turns and tokens: what the policies decide by, and what came of it. */
export class Accounts {
  readonly totals: Totals;
  readonly #policy: Policy;
  readonly #warnings = new Map<WarningCode, number>();
  /** Whether the next prompt has something new. */
  #news = false;
  /** The earliest result that collapsed since the last prompt: everything after it is rewritten anyway. */
  #rewriteFrom: string | undefined;

  constructor(policy: Policy, totals?: Totals) {
    this.#policy = policy;
    this.totals = totals ?? {
      turn: 0,
      messages: 0,
      tokensNotSent: 0,
      rewriteTokens: 0,
      consumed: 0,
      consumedNextTurn: 0,
    };
  }

  get turn(): number {
    return this.totals.turn;
  }

  warned(code: WarningCode): void {
    this.#warnings.set(code, (this.#warnings.get(code) ?? 0) + 1);
  }

  observed(): void {
    this.#news = true;
  }

  consumed(result: TrackedResult): void {
    this.totals.consumed++;
    if (result.turn >= this.turn - 1) this.totals.consumedNextTurn++;
  }

  /** A prompt was made. Making the same one again is not another turn, so that projecting twice changes nothing. */
  projected(messages: number, results: Results): void {
    if (!this.#news && messages === this.totals.messages) return;
    this.#news = false;
    this.#rewriteFrom = undefined;
    this.totals.messages = messages;
    this.totals.turn++;
    this.totals.tokensNotSent += saved(results);
  }

  /** What the policy sees: for each waiting result what stands after it. */
  view(results: Results): PolicyView {
    const waiting: WaitingResult[] = [];
    const order = [...results.values()];
    const after = { kept: 0, pending: 0, count: 0 };
    for (let place = order.length - 1; place >= 0; place--) {
      const { callId, phase, tokens, textTokens = 0, callTokens, turn, consumedTurn } = order[place]!;
      const sent = turn < this.turn;
      if (phase === 'consumed') {
        const waited = this.turn - (consumedTurn ?? this.turn);
        const { kept: keptAfter, pending: pendingAfter, count: pendingCount } = after;
        waiting.push({ callId, tokens, textTokens, waited, sent, keptAfter, pendingAfter, pendingCount });
      }
      if (!sent) continue;
      after.kept += callTokens + (phase === 'consumed' || phase === 'collapsed' ? textTokens : tokens);
      if (phase === 'pending') {
        after.pending += tokens;
        after.count++;
      }
    }
    return { waiting: waiting.reverse(), rewritten: (callId) => this.#isRewritten(results, callId) };
  }

  #isRewritten(results: Results, callId: string): boolean {
    if (this.#rewriteFrom === undefined) return false;
    for (const known of results.keys()) {
      if (known === this.#rewriteFrom) return true;
      if (known === callId) return false;
    }
    return false;
  }

  /** Books what collapsing these results costs; answers the tokens to be rewritten. */
  collapsing(results: Results, collapsed: readonly TrackedResult[]): number {
    const { waiting, rewritten } = this.view(results);
    const ids = new Set(collapsed.map(({ callId }) => callId));
    const first = waiting.find(({ callId }) => ids.has(callId));
    if (!first) return 0;
    const free = !first.sent || rewritten(first.callId);
    if (!rewritten(first.callId)) this.#rewriteFrom = first.callId;
    // Waiting results that stay in full after the first one are rewritten in full.
    const staying = waiting.filter(({ callId, sent }) => sent && !ids.has(callId));
    const behind = staying.filter((result) => waiting.indexOf(result) > waiting.indexOf(first));
    const more = behind.reduce((sum, { tokens, textTokens }) => sum + tokens - textTokens, 0);
    const tokens = free ? 0 : first.keptAfter + first.textTokens + more;
    this.totals.rewriteTokens += tokens;
    return tokens;
  }

  stats(results: Results): Stats {
    const count = { plain: 0, pending: 0, consumed: 0, collapsed: 0 };
    for (const { phase } of results.values()) count[phase]++;
    const { turn, tokensNotSent, rewriteTokens, consumed, consumedNextTurn } = this.totals;
    const prices = this.#policy.prices;
    const savedCost = tokensNotSent * (prices?.read ?? 0);
    const rewriteCost = prices ? rewriteTokens * (prices.write - prices.read) : 0;
    return {
      policy: this.#policy.name,
      turns: turn,
      results: results.size,
      pending: count.pending,
      waiting: count.consumed,
      collapsed: count.collapsed,
      tokensSaved: saved(results),
      tokensNotSent,
      rewriteTokens,
      ...(prices && { cost: { saved: savedCost, rewrite: rewriteCost, net: savedCost - rewriteCost } }),
      // Workflows that register pairs are loops of fetch and store: that is the expectation before any experience.
      consumedNextTurn: (consumedNextTurn + 4) / (consumed + 4.5),
      warnings: Object.fromEntries(this.#warnings),
    };
  }
}

function saved(results: Results): number {
  let sum = 0;
  for (const { phase, tokens, textTokens = 0 } of results.values()) {
    if (phase === 'collapsed') sum += tokens - textTokens;
  }
  return sum;
}
