import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { WindowUsage } from '../events.ts';
import { moneyOf, moneyOfTurn, priceOf, relativePrices } from './prices.ts';

const usage = (more: Partial<WindowUsage> = {}): WindowUsage => ({
  ...{ input: 0, cache_read: 0, cache_write: 0, cache_write_long: 0, output: 0 },
  ...more,
});

describe('a price', () => {
  test.each([
    ['claude-sonnet-4-5', 3],
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-sonnet-4.5', 3],
    ['anthropic/claude-opus-5', 5],
    ['claude-opus-5-5', 4],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 1],
    ['claude-3-5-haiku-latest', 0.8],
    ['gpt-5', 1.25],
    ['gpt-5-mini-2025-08-07', 0.25],
    ['gpt-5.1-codex-max', 1.25],
    ['GPT-4o', 2.5],
    ['models/gemini-2.5-pro', 1.25],
    ['gemini-3-pro-preview', 2],
    ['gemini-2.5-flash-preview-09-2025', 0.3],
    ['gemini-2.0-flash-001', 0.1],
  ])('of %s is known', (model, input) => {
    expect(priceOf(model)?.input).toBe(input);
  });

  test.each([
    'claude-opus-9',
    'claude-sonnet-4-5-fast',
    'gpt-5-pro',
    'gpt-6-sol-fast',
    'gpt-55',
    'my-claude-sonnet-4-5',
    'qwen3-coder',
    '',
  ])('of "%s" is not made up', (model) => {
    expect(priceOf(model)).toBeNull();
    expect(priceOf(null)).toBeNull();
  });

  test('is what the configuration says, by the pattern that says most', () => {
    const overrides = {
      '*': { input: 9, output: 9 },
      'claude-*': { input: 4, output: 8 },
      'claude-sonnet-4-5': { input: 5, output: 10, cacheRead: 1 },
    };
    expect(priceOf('claude-sonnet-4-5-20250929', overrides)).toMatchObject({
      ...{ input: 5, output: 10, cacheRead: 1, cacheWrite: 6.25, cacheWriteLong: 10 },
    });
    expect(priceOf('claude-opus-9', overrides)).toMatchObject({ input: 4, cacheRead: 0.4, cacheWrite: 5 });
    expect(priceOf('qwen3-coder', overrides)).toMatchObject({ input: 9, cacheRead: 9, cacheWrite: 9 });
  });
});

describe('money', () => {
  test('is reckoned by what was read from the cache, written to it, and neither', () => {
    verifies('WIN-06');
    const price = priceOf('claude-sonnet-4-5')!;
    const million = 1_000_000;
    const each = usage({ input: 10_000, cache_read: 20_000, cache_write: 30_000, cache_write_long: 10_000 });
    expect(moneyOf({ ...each, output: 5000 }, price) * million).toBeCloseTo(
      10_000 * 3 + 20_000 * 0.3 + 20_000 * 3.75 + 10_000 * 6 + 5000 * 15,
    );
  });

  test('of a long prompt is more for the whole of it', () => {
    const price = priceOf('gemini-2.5-pro')!;
    const short = moneyOf(usage({ input: 200_000, output: 1000 }), price);
    const long = moneyOf(usage({ input: 100_001, cache_read: 100_000, output: 1000 }), price);
    expect(short).toBeCloseTo(0.25 + 0.01);
    expect(long).toBeCloseTo((100_001 * 2.5 + 100_000 * 0.25 + 1000 * 15) / 1_000_000);
  });

  test('that was not spent is set right by what the provider counted', () => {
    verifies('WIN-06');
    const price = priceOf('claude-sonnet-4-5')!;
    const asked = { tokens: { asked: 2000, sent: 1000 }, cost: { asked: 2000, sent: 1000 } };
    const { actual, untouched } = moneyOfTurn(asked, usage({ input: 1200 }), price);
    expect(actual).toBeCloseTo(0.0036);
    expect(untouched).toBeCloseTo(0.0036 * 2);
    // A request that cost more than it would have says so.
    const dearer = { tokens: { asked: 1000, sent: 900 }, cost: { asked: 100, sent: 1000 } };
    const lost = moneyOfTurn(dearer, usage({ input: 900 }), price);
    expect(lost.untouched).toBeLessThan(lost.actual);
    const nothing = { tokens: { asked: 0, sent: 0 }, cost: { asked: 0, sent: 0 } };
    expect(moneyOfTurn(nothing, usage({ input: 10 }), price)).toEqual({
      actual: 0.00003,
      untouched: 0.00003,
    });
  });
});

test('the cache as multiples of input', () => {
  const close = (model: string | null, dialect: string) => {
    const { read, write, writeLong, contextWindow } = relativePrices(model, dialect);
    return [read, write, writeLong].map((one) => Number(one.toFixed(6))).concat(contextWindow ?? -1);
  };
  expect(close('claude-sonnet-4-5', 'anthropic')).toEqual([0.1, 1.25, 2, 200_000]);
  expect(close('claude-opus-5-5', 'anthropic')).toEqual([0.05, 1.25, 2, 1_000_000]);
  expect(close('gpt-4.1', 'openai-chat')).toEqual([0.25, 1, 1, 1_047_576]);
  expect(close('gpt-6-sol', 'openai-responses')).toEqual([0.1, 1.25, 1.25, 1_050_000]);
  expect(close('gemini-2.5-pro', 'gemini')).toEqual([0.1, 1, 1, 1_048_576]);
  expect(close('unknown', 'anthropic')).toEqual([0.1, 1.25, 2, -1]);
  expect(close(null, 'openai-chat')).toEqual([0.1, 1.25, 1.25, -1]);
  expect(close('unknown', 'gemini')).toEqual([0.1, 1, 1, -1]);
});
