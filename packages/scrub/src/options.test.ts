import { describe, expect, it } from 'vitest';
import { alnum } from './examples/sample.suite.ts';
import { createScrubber } from './index.ts';

describe("users' rules", () => {
  it('add kinds of their own', () => {
    const scrubber = createScrubber({
      rules: [{ kind: 'acme-key', pattern: 'ACME-[0-9a-f]+', keywords: ['acme-'] }],
    });
    expect(scrubber.scrub('use ACME-12ab34 now')).toEqual({
      text: 'use [REDACTED:acme-key] now',
      count: 1,
      kinds: ['acme-key'],
    });
    expect(scrubber.scrub('nothing here').count).toBe(0);
  });

  it('need no keyword, and may replace one group only', () => {
    const scrubber = createScrubber({
      rules: [{ kind: 'employee-id', pattern: 'employee (\\d{6})', flags: 'i', group: 1 }],
    });
    expect(scrubber.scrub('Employee 123456 left').text).toBe('Employee [REDACTED:employee-id] left');
  });

  it.each([
    ['(a)\\1', 'back references'],
    ['(?=a)b', 'Look-around'],
    ['((a{100}){100}){100}', 'repeat'],
    ['[', 'missing closing'],
    ['x*', 'empty text'],
  ])('are refused if they cannot be used: %s', (pattern, reason) => {
    expect(() => createScrubber({ rules: [{ kind: 'mine', pattern }] })).toThrow(reason);
  });

  it.each([
    '[A-Za-z]+[A-Za-z0-9]*[A-Za-z0-9_]*-x',
    '(a+)+b',
    '(a|aa)+b',
    '(\\w+\\s?)*-',
    '((a{5}){5}){5}x',
    '.*a.*b.*c.*d',
  ])('cost no more than the text is long, whatever they are: %s', (pattern) => {
    const scrubber = createScrubber({ rules: [{ kind: 'mine', pattern }] });
    const started = performance.now();
    expect(scrubber.scrub('a'.repeat(200_000)).count).toBe(0);
    // With a backtracking engine the first of them takes half a minute, the second for ever.
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('that would search through the text again for each match are given up: nothing counts as checked', () => {
    const scrubber = createScrubber({ rules: [{ kind: 'mine', pattern: 'a.*b|a' }] });
    expect(() => scrubber.scrub('a'.repeat(1_000_000))).toThrow('took longer');
  });

  it('find what stands behind characters of two units', () => {
    const scrubber = createScrubber({ rules: [{ kind: 'mine', pattern: 'x(\\d+)', group: 1 }] });
    expect(scrubber.scrub('😀 x12 😀').text).toBe('😀 x[REDACTED:mine] 😀');
  });

  it.each(['Mine', 'a b', '', 'x'.repeat(65), 'a_b'])('are refused with the kind %j', (kind) => {
    expect(() => createScrubber({ rules: [{ kind, pattern: 'abc' }] })).toThrow('scrub.rules[0]: kind');
  });
});

describe('allow-lists', () => {
  it('leave values alone', () => {
    const known = `gh${'p_'}${alnum(36)}`;
    const scrubber = createScrubber({ allow: [`^${known}$`] });
    expect(scrubber.scrub(`a ${known} b`).count).toBe(0);
    expect(scrubber.scrub(`a gh${'p_'}${alnum(36)} b`).count).toBe(1);
  });

  it('are checked like rules', () => {
    expect(() => createScrubber({ allow: ['(a'] })).toThrow('scrub.allow[0]');
  });
});
