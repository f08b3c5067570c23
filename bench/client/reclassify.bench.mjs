import { batched, cacheAware, createCollapser, eager } from '@infold/client';
import { withCacheBreakpoint } from '@infold/client/anthropic';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { benchmark } from '../harness.mjs';
import { breakpointAtEnd, cachedCost, promptTokens, runLoop, script } from './reclassify-loop.mjs';

const PRICES = { read: 0.1, write: 1.25 };

/** @param {ReturnType<typeof script>} turns */
function variants(turns) {
  const left = { turns: turns.length };
  const run = (
    /** @type {import('@infold/client').Policy} */ policy,
    /** @type {boolean} */ choosesBreakpoint,
  ) => {
    const collapser = createCollapser({ policy, countTokens });
    const prepare = (/** @type {import('./reclassify-loop.mjs').Message[]} */ messages) =>
      choosesBreakpoint ? withCacheBreakpoint(collapser, messages) : breakpointAtEnd(messages);
    const onTurn = (/** @type {number} */ turnsLeft) => {
      left.turns = turnsLeft;
    };
    return { ...runLoop({ turns, collapser, prepare, onTurn }), stats: collapser.stats() };
  };
  const aware = () => cacheAware({ ...PRICES, remainingTurns: () => left.turns });
  return {
    none: runLoop({ turns, prepare: breakpointAtEnd }),
    eager: run(eager(), false),
    batched: run(batched(), false),
    policyOnly: run(aware(), false),
    aware: run(aware(), true),
  };
}

/** Figures that follow from the script alone: the same in every run, so one sample each. */
export default benchmark({
  target: 'last prompt ≤ 0.15, all prompts ≤ 0.35 of uncollapsed; cache-aware cheaper than none and eager',
  async run() {
    const loop = variants(script());
    const ahead = variants(script(3));
    const sum = (/** @type {{ prompts: import('./reclassify-loop.mjs').Message[][] }} */ { prompts }) =>
      prompts.reduce((total, prompt) => total + promptTokens(prompt), 0);
    const last = (/** @type {{ prompts: import('./reclassify-loop.mjs').Message[][] }} */ { prompts }) =>
      promptTokens(prompts.at(-1) ?? []);
    const cost = (/** @type {{ prompts: import('./reclassify-loop.mjs').Message[][] }} */ { prompts }) =>
      cachedCost(prompts, PRICES);
    const row = (
      /** @type {string} */ what,
      /** @type {string} */ against,
      /** @type {number} */ ours,
      /** @type {number} */ floor,
      /** @type {number | undefined} */ ratioAtMost,
    ) => ({
      what,
      unit: 'tokens',
      against,
      ours: [ours],
      floor: [floor],
      ...(ratioAtMost !== undefined && { limit: { ratioAtMost } }),
    });
    const costs = 'reclassify loop, cost at cache prices 0.1/1.25';
    const costsAhead = 'the same, three pages fetched at once';
    return [
      row('reclassify loop, last prompt', 'nothing collapsed', last(loop.eager), last(loop.none), 0.15),
      row('reclassify loop, all prompts', 'nothing collapsed', sum(loop.eager), sum(loop.none), 0.35),
      row(`${costs}, cache-aware`, 'nothing collapsed', cost(loop.aware), cost(loop.none), 0.99),
      row(`${costs}, cache-aware`, 'eager', cost(loop.aware), cost(loop.eager), 0.99),
      row(
        `${costs}, cache-aware without its breakpoint`,
        'eager',
        cost(loop.policyOnly),
        cost(loop.eager),
        undefined,
      ),
      row(`${costs}, batched`, 'eager', cost(loop.batched), cost(loop.eager), undefined),
      row(`${costsAhead}, cache-aware`, 'nothing collapsed', cost(ahead.aware), cost(ahead.none), 0.99),
      row(`${costsAhead}, cache-aware`, 'eager', cost(ahead.aware), cost(ahead.eager), 0.99),
      row(
        `${costsAhead}, cache-aware without its breakpoint`,
        'eager',
        cost(ahead.policyOnly),
        cost(ahead.eager),
        undefined,
      ),
      row(`${costsAhead}, batched`, 'eager', cost(ahead.batched), cost(ahead.eager), undefined),
    ];
  },
});
