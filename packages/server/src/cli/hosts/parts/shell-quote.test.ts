import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../../test/support/runs.ts';
import { quoted } from './shell-quote.ts';

test.skipIf(process.platform === 'win32')('a shell reads back what was quoted', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  const odd = fc.constantFrom("o'neil", '$HOME', '`id`', 'a b', '"', '\\', '*', '~', '-n', '!x', '#', ';');
  fc.assert(
    fc.property(fc.array(fc.oneof(word, odd), { minLength: 1, maxLength: 5 }), (words) => {
      const line = `for word in ${words.map(quoted).join(' ')}; do printf '%s\\0' "$word"; done`;
      expect(execFileSync('sh', ['-c', line]).toString().split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: runs(25) },
  );
});
