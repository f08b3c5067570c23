import { describe, expect, it } from 'vitest';
import { alnum } from './examples/sample.suite.ts';
import { createScrubber } from './index.ts';
import { boundPattern } from './regex-guard.ts';

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
    ['(a+)+$', 'backtrack'],
    ['(a|aa)+', 'backtrack'],
    ['(?:x*)*', 'backtrack'],
    ['(\\w+\\s?)*', 'backtrack'],
    ['.*a.*b.*c.*d', 'unbounded'],
    ['(a)\\1', 'back references'],
    ['[', 'Unterminated'],
    ['x*', 'empty text'],
  ])('are refused if they can stall: %s', (pattern, reason) => {
    expect(() => createScrubber({ rules: [{ kind: 'mine', pattern }] })).toThrow(reason);
  });

  it.each(['Mine', 'a b', '', 'x'.repeat(65), 'a_b'])('are refused with the kind %j', (kind) => {
    expect(() => createScrubber({ rules: [{ kind, pattern: 'abc' }] })).toThrow('scrub.rules[0]: kind');
  });

  it('are bounded, so that they stay linear', () => {
    expect(boundPattern('a+b*?c{2,}d{3}', '')).toBe('a{1,2000}b{0,2000}?c{2,2000}d{3}');
    expect(boundPattern('[+*]\\+(?:ab){2,5}', '')).toBe('[+*]\\+(?:ab){2,5}');
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
    expect(() => createScrubber({ allow: ['(a+)+'] })).toThrow('scrub.allow[0]');
  });
});
