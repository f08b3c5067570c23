import { createScrubber } from '@infold/scrub';
import { describe, expect, test } from 'vitest';
import { checkNames, identifiersOf, withNames } from './identifiers.ts';

/** Put together here, so that nothing in this file looks like one. */
const secret = ['ghp', 'x7Qm2Kd9Lw4Rt6Yp1Zs8Vb3Nc5Hf0JgTaUeQ'].join('_');
const scrubber = createScrubber();

describe('a name', () => {
  test('of a session or a call, as hosts make them, is none that is refused', () => {
    const names = [
      'session_011CUTxWvPqRsTuVwXyZaBcDeF',
      'ses_4ff0e8ab1ffeXyzAbCdEfGhIjK',
      '0199a213-81a4-7800-8aa0-5c8c2f5d6e7f',
      'toolu_01A09q90qw90lq917835lq9',
      'call_abcDEF123ghiJKL456mnoPQR',
      'thread_abc123DEF456ghi789',
      'msg_01XFDUDYJgAACzvnptvVoYEL',
      'rs_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e77',
    ];
    expect(names.filter((name) => !identifiersOf(scrubber).isClean(name))).toEqual([]);
  });

  test('with a secret in it is refused by its field alone, at any depth', () => {
    const value = {
      context: { id: 'c' },
      parts: [{ name: 'one' }, { name: `two-${secret}` }],
      to: ['a', secret],
    };
    expect(() => checkNames(scrubber, value, ['context.id', 'parts.*.other', 'absent.*.name'])).not.toThrow();
    for (const field of ['parts.*.name', 'to']) {
      expect(() => checkNames(scrubber, value, [field])).toThrow(`${field} contains a secret`);
    }
  });

  test('is what it was after everything else was scrubbed', () => {
    const given = {
      id: 'a',
      note: 'x',
      op: { create: { path: 'p', body: 'x' } },
      list: [
        { n: 'a', t: 'x' },
        { n: 'b', t: 'y' },
      ],
    };
    const scrubbed = {
      id: '-',
      note: '-',
      op: { create: { path: '-', body: '-' } },
      list: [
        { n: '-', t: '-' },
        { n: '-', t: '-' },
      ],
    };
    expect(withNames(scrubbed, given, ['id', 'op.*.path', 'list.*.n', 'absent', 'op.update.id'])).toEqual({
      id: 'a',
      note: '-',
      op: { create: { path: 'p', body: '-' } },
      list: [
        { n: 'a', t: '-' },
        { n: 'b', t: '-' },
      ],
    });
  });

  test('that cannot be looked through is refused', () => {
    const broken = {
      ...createScrubber(),
      scrub: () => {
        throw new Error('no');
      },
    };
    expect(identifiersOf(broken).isClean('a')).toBe(false);
  });
});
