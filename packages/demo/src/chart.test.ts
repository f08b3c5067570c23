import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawChart } from './chart.ts';
import { figuresTable } from './report.ts';

const series = fc.array(
  fc.record({
    label: fc.string({ maxLength: 20 }),
    prompts: fc.array(fc.nat(2_000_000), { minLength: 1, maxLength: 80 }),
  }),
  { minLength: 1, maxLength: 6 },
);

describe('the chart', () => {
  test('keeps every point inside the picture, whatever the figures', () => {
    fc.assert(
      fc.property(series, (drawn) => {
        const svg = drawChart('Anything', drawn);
        const curves = [...svg.matchAll(/<path class="curve"[^>]* d="M([^"]+)"/g)];
        expect(curves.map((match) => match[1]!.split('L').length)).toEqual(
          drawn.map(({ prompts }) => prompts.length),
        );
        for (const point of curves.flatMap((match) => match[1]!.split('L'))) {
          const [x, y] = point.split(' ').map(Number);
          expect(x).toBeGreaterThanOrEqual(70);
          expect(x).toBeLessThanOrEqual(800);
          expect(y).toBeGreaterThanOrEqual(96);
          expect(y).toBeLessThanOrEqual(350);
        }
      }),
    );
  });

  test('writes names as text', () => {
    const svg = drawChart('a < b & "c"', [{ label: '<script>', prompts: [1, 2] }]);
    expect(svg).toContain('a &lt; b &amp; "c"');
    expect(svg).toContain('&lt;script&gt;');
    expect(svg).not.toContain('<script>');
  });
});

test('the table has a row for each turn, also where some ended earlier, and ratios', () => {
  const table = figuresTable([
    { label: 'one', prompts: [100, 1000, 2000] },
    { label: 'other', prompts: [100, 500] },
  ]);
  expect(table.split('\n')).toEqual([
    'turn         one    other',
    '1            100      100',
    '2          1,000      500',
    '3          2,000',
    '',
    'last turn  2,000      500',
    '                  × 0.250',
    'largest    2,000      500',
    '                  × 0.250',
    'all turns  3,100      600',
    '                  × 0.194',
  ]);
});
