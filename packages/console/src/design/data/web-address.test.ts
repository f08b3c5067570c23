import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { webAddress } from './web-address.ts';

describe('an address in somebody else’s text', () => {
  test('is a link where it is of the web', () => {
    expect(webAddress('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
    expect(webAddress('HTTP://example.org')).toBe('HTTP://example.org');
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    '/settings',
    '//example.org',
    '#view',
    '',
    undefined,
  ])('is none for %j', (address) => {
    expect(webAddress(address)).toBeUndefined();
  });

  test('never leads anywhere but to the web, whatever stands before the colon', () => {
    fc.assert(
      fc.property(fc.string(), fc.webUrl(), (before, rest) => {
        const given = webAddress(`${before}:${rest}`);
        expect(given === undefined || /^https?:$/.test(new URL(given).protocol)).toBe(true);
      }),
    );
  });
});
