import { describe, expect, it } from 'vitest';
import { examples } from '../examples/index.suite.ts';
import { documentExamples } from '../examples/place.suite.ts';
import { createScrubber } from '../index.ts';
import { families } from './index.ts';

const scrubber = createScrubber();
const kinds = new Set(
  families.flatMap((family) =>
    [...(family.tokens ?? []), ...(family.contexts ?? [])].map((rule) => rule.kind),
  ),
);

/** No eight characters in a row of the secret are left. */
function leftOf(secret: string, text: string): string {
  const visible = text.replace(/\[REDACTED:[a-z0-9-]+\]/g, '\n');
  for (let index = 0; index + 8 <= secret.length; index++) {
    if (visible.includes(secret.slice(index, index + 8))) return secret.slice(index, index + 8);
  }
  return '';
}

describe('provider rules', () => {
  it('are of at least 170 kinds, each with examples', () => {
    expect(kinds.size).toBeGreaterThanOrEqual(170);
    expect([...kinds].filter((kind) => !examples.has(kind))).toEqual([]);
    const detected = new Set(Object.keys(documentExamples));
    expect([...examples.keys()].filter((kind) => !kinds.has(kind) && !detected.has(kind))).toEqual([]);
  });

  it('have kinds in lower-case words joined by hyphens', () => {
    for (const kind of kinds) expect(kind).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('do not repeat the beginning of their tokens in their kind, which would leave it readable', () => {
    const repeated = families
      .flatMap((family) => family.tokens ?? [])
      .filter(
        (rule) =>
          rule.group === undefined &&
          rule.keywords.some((keyword) => leftOf(keyword.toLowerCase(), rule.kind) !== ''),
      );
    expect(repeated.map((rule) => rule.kind)).toEqual([]);
  });

  describe.each([...examples])('%s', (kind, samples) => {
    it('is found by its format, and none of it is left', () => {
      for (const sample of samples) {
        expect(sample.true.length).toBeGreaterThan(0);
        for (const text of sample.true) {
          const result = scrubber.scrub(text);
          expect(result.count, text).toBeGreaterThan(0);
          expect(leftOf(sample.secret, result.text), text).toBe('');
        }
      }
      const named = samples.flatMap((sample) => sample.true.flatMap((text) => scrubber.scrub(text).kinds));
      expect(named).toContain(kind);
    });

    it('leaves look-alikes alone', () => {
      for (const sample of samples) {
        for (const text of sample.false) expect(scrubber.scrub(text)).toEqual({ text, count: 0, kinds: [] });
      }
    });
  });
});
