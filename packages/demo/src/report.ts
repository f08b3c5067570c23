import { grouped, type Series } from './chart.ts';

/** Every turn, then what it comes to: absolutely, and against the first series. */
export function figuresTable(series: readonly Series[]): string {
  const turns = Math.max(...series.map(({ prompts }) => prompts.length));
  const cells = (cell: (prompts: readonly number[], index: number) => string) =>
    series.map(({ prompts }, index) => cell(prompts, index));
  const rows = Array.from({ length: turns }, (_, turn) => [
    String(turn + 1),
    ...cells((prompts) => {
      const tokens = prompts[turn];
      return tokens === undefined ? '' : grouped(tokens);
    }),
  ]);
  const first = series[0]!.prompts;
  const base = { last: lastOf(first), sum: sumOf(first), peak: Math.max(...first) };
  rows.push(
    ['', ...series.map(() => '')],
    ['last turn', ...cells((prompts) => grouped(lastOf(prompts)))],
    ['', ...cells((prompts, index) => ratioText(lastOf(prompts), base.last, index))],
    ['largest', ...cells((prompts) => grouped(Math.max(...prompts)))],
    ['', ...cells((prompts, index) => ratioText(Math.max(...prompts), base.peak, index))],
    ['all turns', ...cells((prompts) => grouped(sumOf(prompts)))],
    ['', ...cells((prompts, index) => ratioText(sumOf(prompts), base.sum, index))],
  );
  const header = ['turn', ...series.map(({ label }) => label)];
  // Numbers are read from their right end.
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]!.length)),
  );
  const aligned = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)));
  return [header, ...rows].map((row) => aligned(row).join('  ').trimEnd()).join('\n');
}

function ratioText(value: number, base: number, index: number): string {
  return index === 0 ? '' : `× ${ratio(value, base).toFixed(3)}`;
}

export const ratio = (value: number, base: number) => Math.round((value / base) * 1000) / 1000;
export const sumOf = (prompts: readonly number[]) => prompts.reduce((sum, tokens) => sum + tokens, 0);
export const lastOf = (prompts: readonly number[]) => prompts.at(-1) ?? 0;
