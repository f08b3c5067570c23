import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { findDropped } from './dropped.ts';

const dropped = (text: string, summary = '') => findDropped([text], [], summary).items;

describe('the loss check', () => {
  test.each([
    ['src/net/socket.ts', 'path'],
    ['/etc/nginx/nginx.conf', 'path'],
    ['./scripts/build.mjs', 'path'],
    ['C:\\Users\\dev\\notes.txt', 'path'],
    ['package.json', 'path'],
    ['https://example.org/a/b?c=d', 'url'],
    ['ECONNREFUSED', 'identifier'],
    ['ERR_MODULE_NOT_FOUND', 'identifier'],
    ['PROJ-1234', 'identifier'],
    ['TS2345', 'identifier'],
    ['cus_9s6XKzkNRiz8i3', 'identifier'],
    ['3f2a91bc', 'identifier'],
    ['018f3b2e-7c1d-7a52-9f00-1234567890ab', 'identifier'],
  ])('knows %s as a %s', (text, kind) => {
    verifies('FOLD-18');
    expect(dropped(`I looked at ${text}, and more.`)).toEqual([{ kind, text }]);
    expect(dropped(`I looked at ${text}, and more.`, `It was ${text}.`)).toEqual([]);
  });

  test.each([
    'An ordinary sentence, with commas; and a well-known hyphen.',
    'Version 1.2.3 of 2026-11-15 at 10:30:00 took 4.5 s and/or more.',
    'He/she said e.g. that i.e. is fine, about 50/50.',
    'const total = values.reduce((sum, value) => sum + value, 0);',
  ])('finds nothing in %s', (text) => {
    expect(dropped(text)).toEqual([]);
  });

  test('open tasks count until they are done or told', () => {
    const list =
      '- [ ] write the migration\n* [ ] call the vendor back\n- [x] read the logs\nTODO: remove the flag';
    expect(dropped(list, 'We still have to write the migration.')).toEqual([
      { kind: 'task', text: 'call the vendor back' },
      { kind: 'task', text: 'remove the flag' },
    ]);
    expect(findDropped(['- [ ] write the migration'], ['- [x] write the migration'], '').items).toEqual([]);
  });

  test('what the agent said stands before what tools printed, and the list is short', () => {
    const printed = Array.from({ length: 100 }, (_, index) => `/var/log/app/file${index}.log`).join('\n');
    const { items, more } = findDropped(['see src/main.ts'], [printed], '');
    expect(items[0]).toEqual({ kind: 'path', text: 'src/main.ts' });
    expect(items.length + more).toBe(101);
    expect(items.length).toBeLessThan(30);
  });

  test('never throws, and never lists what the summary says', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.string({ maxLength: 100 }),
        (text, summary) => {
          for (const item of dropped(text, summary)) {
            if (item.kind !== 'task') expect(summary).not.toContain(item.text);
          }
          expect(dropped(text, text).filter(({ kind }) => kind !== 'task')).toEqual([]);
        },
      ),
    );
  });

  test.each(['a/', '/', '-', 'A_', '0', 'a.', 'http://', '- [ ] ', 'TODO '])(
    'takes time in proportion to the text: %s over and over',
    (unit) => {
      const timeOf = (length: number) => {
        const text = unit.repeat(length / unit.length);
        const started = performance.now();
        dropped(text);
        return performance.now() - started;
      };
      timeOf(10_000);
      // The best of some: others use the machine too.
      const best = Math.min(...[1, 2, 3, 4].map(() => timeOf(400_000)));
      expect(best).toBeLessThan(100 * Math.max(2, timeOf(20_000)));
    },
  );
});
