import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { withCacheBreakpoint } from '../../../packages/client/src/formats/anthropic.ts';
import {
  type Collapser,
  cacheAware,
  createCollapser,
  eager,
  type Policy,
} from '../../../packages/client/src/index.ts';
import { verifies } from '../../requirements.ts';

interface Simulation {
  script(ahead?: number): unknown[][];
  runLoop(options: {
    turns: unknown[][];
    collapser?: Collapser;
    prepare?: (messages: MessageParam[]) => MessageParam[];
    onTurn?: (left: number) => void;
  }): { history: MessageParam[]; prompts: MessageParam[][] };
  promptTokens(messages: MessageParam[]): number;
  breakpointAtEnd(messages: MessageParam[]): MessageParam[];
  cachedCost(prompts: MessageParam[][], prices: { read: number; write: number }): number;
}

const address = new URL('../../../bench/client/reclassify-loop.mjs', import.meta.url).href;
const { script, runLoop, promptTokens, breakpointAtEnd, cachedCost } = (await import(address)) as Simulation;
const PRICES = { read: 0.1, write: 1.25 };

function run(turns: unknown[][], policyFor?: (left: () => number) => Policy, ownBreakpoint = false) {
  if (!policyFor) return { ...runLoop({ turns, prepare: breakpointAtEnd }), collapser: undefined };
  let left = turns.length;
  const collapser = createCollapser({ policy: policyFor(() => left), countTokens });
  const prepare = (messages: MessageParam[]) =>
    ownBreakpoint ? withCacheBreakpoint(collapser, messages) : breakpointAtEnd(messages);
  const onTurn = (turnsLeft: number) => {
    left = turnsLeft;
  };
  return { ...runLoop({ turns, collapser, prepare, onTurn }), collapser };
}

describe('the reclassify loop: 132 activities, 9 pages of 15', () => {
  const turns = script();
  const none = run(turns);
  const collapsed = run(turns, eager);
  const sum = (prompts: MessageParam[][]) =>
    prompts.reduce((total, prompt) => total + promptTokens(prompt), 0);

  test('ends with nine summaries and the findings', () => {
    verifies('TCP-17');
    const last = JSON.stringify(collapsed.prompts.at(-1));
    const summaries = [...last.matchAll(/(\d+) activity records \(page (\d)\/9, IDs: (\d+), /g)].map(
      (match) => match.slice(1),
    );
    expect(summaries).toEqual(
      Array.from({ length: 9 }, (_, index) => [
        index === 8 ? '12' : '15',
        String(index + 1),
        String(72 + index * 15),
      ]),
    );
    expect(last.match(/Stored 1 analysis finding/g)).toHaveLength(9);
    expect(last).not.toContain('started_at');
    expect(JSON.stringify(collapsed.history)).toBe(JSON.stringify(none.history));
  });

  test('takes at most 0.15 of the tokens in the last prompt and 0.35 in all prompts', () => {
    verifies('TCP-17');
    expect(promptTokens(collapsed.prompts.at(-1)!) / promptTokens(none.prompts.at(-1)!)).toBeLessThan(0.15);
    expect(sum(collapsed.prompts) / sum(none.prompts)).toBeLessThan(0.35);
  });

  test.each([1, 2, 3, 9])('costs least with cache-aware collapse, %i pages fetched at once', (ahead) => {
    verifies('TCP-19');
    const pages = script(ahead);
    const cost = ({ prompts }: { prompts: MessageParam[][] }) => cachedCost(prompts, PRICES);
    const aware = run(pages, (left) => cacheAware({ ...PRICES, remainingTurns: left }), true);
    const others = [cost(run(pages)), cost(run(pages, eager))];
    expect(cost(aware)).toBeLessThan(Math.min(...others));
  });

  test('and tells it, about as it was', () => {
    verifies('TCP-19');
    const aware = run(turns, (left) => cacheAware({ ...PRICES, remainingTurns: left }));
    const real = cachedCost(none.prompts, PRICES) - cachedCost(aware.prompts, PRICES);
    const { net } = aware.collapser!.stats().cost!;
    expect(net / real).toBeGreaterThan(0.8);
    expect(net / real).toBeLessThan(1.2);
  });
});
