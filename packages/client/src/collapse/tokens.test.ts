import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateTokens, resultText } from '../index.ts';
import { rows } from './fixtures.suite.ts';

const PROSE = `The client collapses a result once it is used. Nothing is deleted: calls keep their results, identifiers stay,
and the model can get an original back with its handle whenever it needs the details again.`;
const RECORDS = Array.from({ length: 20 }, (_, id) => ({
  id,
  title: `Activity ${id}`,
  started_at: `2026-03-${10 + id}T09:15:00Z`,
  tags: ['billing', 'urgent'],
}));
const CODE = `export function wake(budget: number): Pack {\n  const items = [];\n  for (const item of ranked) {\n    if (item.tokens > budget) break;\n    items.push(item);\n  }\n  return { items };\n}`;

describe('the estimate', () => {
  test.each([
    ['prose', PROSE],
    ['rows', rows(30)],
    ['JSON', JSON.stringify(RECORDS)],
    ['indented JSON', JSON.stringify(RECORDS, null, 2)],
    ['code', CODE],
    [
      'German',
      'Die Ergebnisse werden zusammengefasst, sobald sie nicht mehr gebraucht werden, und bleiben abrufbar.',
    ],
    ['Russian', 'Результаты сворачиваются, как только они использованы, и их можно получить снова.'],
    ['Japanese', '結果は使用されるとすぐに折りたたまれ、いつでも元に戻すことができます。'],
  ])('is within 30 percent of a real vocabulary for %s', (_what, text) => {
    const ratio = estimateTokens(text) / countTokens(text);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.3);
  });

  test('is 0 for nothing, never negative, and grows with the text', () => {
    expect(estimateTokens('')).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, more) => {
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(0);
        expect(estimateTokens(`${text} ${more}`)).toBeGreaterThanOrEqual(estimateTokens(text) - 1);
      }),
    );
  });

  test('of megabytes is made from their beginning', () => {
    const text = rows(20_000);
    const whole = estimateTokens(text);
    expect(whole / countTokens(text.slice(0, 100_000))).toBeCloseTo(text.length / 100_000, 0);
  });
});

describe('a result as text', () => {
  test.each([
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'ab',
    ],
    [{ content: [], structuredContent: { a: 1 } }, '{"a":1}'],
    [{ structuredContent: [1, 2] }, '[1,2]'],
    [{ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, ''],
    [{ content: [{ type: 'resource_link', uri: 'a:b' }] }, '{"type":"resource_link","uri":"a:b"}'],
    [{}, ''],
  ])('%j', (result, text) => {
    expect(resultText(result)).toBe(text);
  });
});
