import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shorten } from './index.ts';

const issues = Array.from({ length: 200 }, (_, number) => ({
  number,
  title: `Issue ${number}`,
  state: 'open',
  labels: ['one', 'two'],
  ...(number === 77 ? { error: 'the webhook was refused' } : {}),
  ...(number === 90 ? { delivery: { status: 502 } } : {}),
}));

test('an array of like objects keeps the first, the last and what went wrong, and counts the rest', () => {
  const text = JSON.stringify({ total_count: 200, items: issues });
  const short = shorten(undefined, 'mcp__tracker__list_issues', text);
  expect(short?.kind).toBe('JSON');
  const { total_count, items } = JSON.parse(short!.text);
  expect(total_count).toBe(200);
  const kept: number[] = items
    .filter((item: unknown) => typeof item !== 'string')
    .map((item: { number: number }) => item.number);
  const first = kept.indexOf(77);
  expect(kept).toEqual([...Array(first).keys(), 77, 90, 199]);
  expect(items[first]).toBe(`… ${77 - first} more items left out …`);
  // As many come first as a model reads at a glance.
  expect(JSON.stringify(issues.slice(0, first)).length).toBeLessThan(2_600);
  expect(JSON.stringify(issues.slice(0, first + 1)).length).toBeGreaterThan(2_500);
  expect(short!.text.length).toBeLessThan(text.length * 0.3);
});

test('an indented text stays indented, long strings lose their middle, messages do not', () => {
  const message = 'why it went wrong '.repeat(60);
  const text = JSON.stringify({ page: '<p>x</p>'.repeat(1000), message }, null, 2);
  const short = JSON.parse(shorten(undefined, 'mcp__web__get', text)!.text);
  expect(short.message).toBe(message);
  expect(short.page).toMatch(/^<p>x.*… 7,6\d\d characters left out ….*<\/p>$/);
  expect(shorten(undefined, 'mcp__web__get', text)!.text).toMatch(/^\{\n {2}"page"/);
});

test('a large map keeps its first keys and the ones that went wrong', () => {
  const map = Object.fromEntries(
    Array.from({ length: 300 }, (_, number) => [
      `package-${number}`,
      number === 200 ? { error: 'is gone' } : { version: '1.0.0' },
    ]),
  );
  const short = JSON.parse(shorten(undefined, 'mcp__x__y', JSON.stringify(map))!.text);
  expect(short['package-200']).toEqual({ error: 'is gone' });
  expect(short['…']).toBe('… 278 more keys left out …');
});

test('numbers that would not survive, and what is no JSON as a whole, stay', () => {
  const rows = JSON.stringify(issues);
  expect(shorten(undefined, 'x', rows.replace('77', '12345678901234567890'))).toBeUndefined();
  expect(shorten(undefined, 'x', `${rows}\nand a word`)).toBeUndefined();
  expect(shorten(undefined, 'mcp__infold__context_expand', rows)).toBeUndefined();
  expect(shorten({ kind: 'show' }, 'Bash', rows)).toBeUndefined();
  expect(shorten({ kind: 'read', file: 'a.json', from: 1, to: 9 }, 'Read', rows)).toBeUndefined();
});

test('a key that names a prototype is a key like others', () => {
  const short = shorten(undefined, 'x', `{"__proto__":{"a":1},"items":${JSON.stringify(issues)}}`);
  expect(short!.text).toContain('{"__proto__":{"a":1},');
});

test('nesting without end ends', () => {
  const text = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect(JSON.parse(shorten(undefined, 'x', text)!.text)).toBeDefined();
});

test('whatever the JSON, the outcome is JSON, not longer, and stays as it is; faults survive or are counted', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          id: fc.nat(),
          text: fc.string({ unit: 'grapheme' }),
          status: fc.constantFrom(200, 204, 500),
        }),
        {
          minLength: 40,
          maxLength: 120,
        },
      ),
      (rows) => {
        const text = JSON.stringify(rows);
        const short = shorten(undefined, 'x', text);
        if (!short) return;
        expect(short.text.length).toBeLessThanOrEqual(text.length * 0.6);
        expect(shorten(undefined, 'x', short.text)).toBeUndefined();
        const kept: unknown[] = JSON.parse(short.text);
        const gone = [...short.text.matchAll(/(\d+) of them with errors/g)].reduce(
          (sum, [, n]) => sum + Number(n),
          0,
        );
        const faults = kept.filter((row) => (row as { status?: number }).status === 500).length;
        expect(faults + gone).toBe(rows.filter((row) => row.status === 500).length);
        expect(() => encodeURIComponent(short.text)).not.toThrow();
      },
    ),
  );
});
