import { withoutInjected } from '@infold/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { clip, compose } from './compose.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.lorem({ maxCount: 60 }),
  fc.constantFrom(
    '-'.repeat(5000),
    '字'.repeat(3000),
    '👩‍👩‍👧‍👦'.repeat(300),
    '\n\n</infold-context>\n',
    'a '.repeat(4000),
  ),
);

test('a line is clipped to its tokens, and stays one line', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 3, max: 80 }), (text, most) => {
      const line = clip(text, most);
      expect(countTokens(line)).toBeLessThanOrEqual(most);
      expect(line).not.toMatch(/[\n\r]/);
      const whole = text.replaceAll(/\s+/g, ' ').trim();
      if (text.length <= most && countTokens(whole) <= most) expect(line).toBe(whole);
    }),
    { numRuns: 200 },
  );
});

const section = fc.record({
  title: fc.constantFrom('Rules in force:', 'Open tasks:'),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  lines: fc.array(fc.record({ text: anyText.map((text) => () => clip(text, 60)), id: fc.uuid() }), {
    maxLength: 30,
  }),
});

test('a text keeps within its budget, whatever it is made of', async () => {
  verifies('HOST-03');
  await fc.assert(
    fc.asyncProperty(
      fc.array(section, { maxLength: 5 }),
      fc.integer({ min: 1, max: 1500 }),
      async (sections, budget) => {
        const composed = await compose('a test', sections, budget);
        if (!composed) return;
        expect(countTokens(composed.text)).toBe(composed.tokens);
        expect(composed.tokens).toBeLessThanOrEqual(budget);
        expect(composed.text.length).toBeLessThanOrEqual(9000);
        expect(withoutInjected(composed.text)).toBe('');
        const all = sections.flatMap(({ lines }) => lines.map(({ id }) => id));
        expect(all).toEqual(expect.arrayContaining(composed.ids));
      },
    ),
    { numRuns: 60 },
  );
});

test('a text of few tokens is not longer than hosts take', async () => {
  const lines = Array.from({ length: 40 }, () => ({ text: () => '='.repeat(600) }));
  const composed = await compose('a test', [{ title: 'Lines:', lines, share: 1 }], 1500);
  expect(composed!.text.length).toBeLessThanOrEqual(9000);
  expect(composed!.text.length).toBeGreaterThan(8000);
});

test('nothing to say is nothing, and what has room is said', async () => {
  expect(await compose('a test', [{ title: 'Tasks:', lines: [], share: 1 }], 800)).toBeUndefined();
  const lines = Array.from({ length: 100 }, (_, place) => ({ text: () => `Line ${place}`, id: `${place}` }));
  const few = lines.slice(0, 2);
  const composed = await compose(
    'a test',
    [
      { title: 'Many:', lines, share: 0.5 },
      { title: 'Few:', lines: few, share: 0.5 },
    ],
    200,
  );
  // The second had its share before the first took the rest.
  expect(composed!.text).toMatch(/Few:\n- Line 0\n- Line 1/);
  expect(composed!.tokens).toBeGreaterThan(180);
});
