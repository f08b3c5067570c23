import fc from 'fast-check';
import { expect, test } from 'vitest';
import { injected, withoutInjected } from './injected.ts';

const plain = fc.string({ unit: 'grapheme' }).filter((text) => !/<infold/i.test(text));
const hostile = fc.oneof(
  plain,
  fc.constantFrom('</infold-context>', '<infold-context about="x">', '</INFOLD-context', '<'),
);
const text = fc.array(hostile).map((parts) => parts.join(''));

test('what was put into a text is taken out again, whatever it says', () => {
  fc.assert(
    fc.property(plain, text, plain, (before, said, after) => {
      fc.pre(!before.endsWith('<'));
      const whole = `${before}${injected('a prompt', said)}\n${after}`;
      expect(withoutInjected(whole)).toBe(before + after);
    }),
  );
});

test('what was cut off takes nothing along that stands before it', () => {
  fc.assert(
    fc.property(plain, text, fc.nat(), (before, said, cut) => {
      fc.pre(!before.endsWith('<'));
      const mark = '<infold-context about="a prompt">'.length;
      const told = injected('a prompt', said);
      const end = before.length + mark + (cut % (told.length - mark));
      expect(withoutInjected((before + told).slice(0, end))).toBe(before);
    }),
  );
});
