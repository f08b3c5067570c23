import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { headlines } from '../bench/report.mjs';

const read = (path: string) => readFileSync(new URL(`../docs/${path}`, import.meta.url), 'utf8');

test('the page of benchmarks begins with the ten figures that matter, as they were measured', () => {
  const { results } = JSON.parse(read('benchmarks.json')) as { results: Parameters<typeof headlines>[0] };
  const lines = headlines(results);
  expect(lines.match(/npm run bench -- /g)).toHaveLength(10);
  expect(read('benchmarks.md')).toContain(`do not edit -->\n${lines}\n<!-- end of what matters -->`);
});
