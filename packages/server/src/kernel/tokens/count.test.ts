import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { countTokens as encoderCount } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test, vi } from 'vitest';
import { countedTime, growthByTurn } from '../../testing/turns.suite.ts';
import { countTokens, countTokensOf, mayHaveLongRun } from './count.ts';

describe('counting tokens', () => {
  test('gives the counts of the o200k vocabulary', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('hello world')).toBe(2);
    expect(countTokens('a'.repeat(1000))).toBe(125);
    expect(countTokens('Tokens are real, not length divided by four.')).toBe(10);
  });

  test('takes any text, special tokens and broken surrogates included', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(countTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });

  test('is exact on ordinary text, however long', () => {
    const prose =
      'The quick brown fox jumps over the lazy dog, 42 times.\n\n```ts\nconst x = { y: 1 };\n```\n';
    expect(countTokens(prose.repeat(200))).toBe(encoderCount(prose.repeat(200)));
  });

  test('is exact wherever accents, signs and spaces stand', () => {
    const plain = fc.constantFrom(
      ...[' word', ' Word', ' ', '  ', '\n', '\n\n', ' \n ', '\t', '.', ', ', '/', ".'s", "don't", " I'LL"],
      ...['ABCd', '12345', '_', ' `a`', '"', ' b(c)'],
    );
    const other = fc.constantFrom(' ·', 'é', ' naïve', '漢字', '😀', '\u00a0', '\u2003x', '…');
    const stretch = fc.oneof(
      fc.array(plain, { minLength: 80, maxLength: 160 }),
      fc.array(other, { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 6 }), (stretches) => {
        const text = stretches.flat().join('');
        expect(countTokens(text)).toBe(encoderCount(text));
      }),
    );
  });

  test.each([
    ['letters', 'a'],
    ['spaces', ' '],
    ['signs', '='],
    ['ideographs', '漢字仮名'],
    ['line ends', '\n'],
  ])('a long run of %s takes time in proportion to its length', (_what, unit) => {
    const timeOf = (length: number) => {
      const text = unit.repeat(length / unit.length);
      countTokens(text);
      // Of the processor, since others may be using it.
      const started = process.cpuUsage();
      for (let round = 0; round < 3; round++) countTokens(text);
      return process.cpuUsage(started).user / 3000;
    };
    // Ten times the text in quadratic time would take a hundred times as long.
    expect(timeOf(200_000)).toBeLessThan(40 * Math.max(1, timeOf(20_000)));
  });

  test('no long run is overlooked, wherever it stands', () => {
    const longRun = /[\p{L}\p{M}]{128}|\s{128}|[^\s\p{L}\p{N}]{128}/u;
    const part = fc.oneof(
      fc.string({ maxLength: 4, unit: fc.constantFrom('a', ' ', '=', '7') }),
      fc.tuple(
        fc.constantFrom('a', ' ', '\n', '=', '漢', 'é', '\u2003', '1'),
        fc.integer({ min: 126, max: 129 }),
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.map((one) => (typeof one === 'string' ? one : one[0].repeat(one[1]))).join('');
        if (longRun.test(text)) expect(mayHaveLongRun(text)).toBe(true);
      }),
    );
    expect(mayHaveLongRun('The quick brown fox jumps over the lazy dog. '.repeat(100))).toBe(false);
  });

  test('gives the same counts as the encoder that the vocabulary comes from', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.lorem({ maxCount: 40 }),
      fc.json(),
    );
    const nothing = { disallowedSpecial: new Set<string>() };
    fc.assert(
      fc.property(text, (one) => {
        expect(countTokens(one)).toBe(encoderCount(one, nothing));
      }),
    );
  });

  test('the vocabulary is loaded bit by bit, once for all who wait', async () => {
    countedTime();
    vi.resetModules();
    const fresh = await import('./count.ts');
    let looked = 0;
    const { turns } = await growthByTurn(
      () => looked++,
      () => Promise.all(Array.from({ length: 20 }, () => fresh.countTokensOf('hello world'))),
    );
    // Two hundred steps, ten a turn.
    expect(turns).toBeGreaterThanOrEqual(20);
    expect(turns).toBeLessThan(60);
  });

  test('who cannot wait gets its count while others load', async () => {
    vi.resetModules();
    const fresh = await import('./count.ts');
    const waiting = fresh.countTokensOf('hello world');
    expect(fresh.countTokens('hello world')).toBe(2);
    expect(await waiting).toBe(2);
  });

  test('a long text is counted in another thread, to the same number', async () => {
    const text = randomBytes(60_000).toString('base64');
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const counted = await countTokensOf(text);
    clearInterval(timer);
    expect(counted).toBe(countTokens(text));
    expect(turns).toBeGreaterThan(0);
  });
});
