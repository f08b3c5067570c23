import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { shortenAtBirth } from './at-birth.ts';

const HANDLE = 'win_aaaaaaaaaaaaaaaaaaaa';
const listing = Array.from({ length: 400 }, (_, line) => `src/some/folder/file-${line}.ts`).join('\n');

describe('a result that no model has seen', () => {
  test('is left with what matters and the way to the rest', () => {
    const text = shortenAtBirth({ tool: 'Glob', input: { pattern: '**/*.ts' }, text: listing }, HANDLE);
    expect(text).toMatch(
      /\n\[infold shortened: Glob \*\*\/\*\.ts, listing, [\d,]+ of [\d,]+ characters; context_expand \{"handle":"win_a{20}"\} shows it\]$/,
    );
    expect(text!.length).toBeLessThan(listing.length);
  });

  test.each([
    ['Read', { file_path: '/a' }],
    ['Bash', { command: 'cat files.txt' }],
    ['mcp__files__read_file', { path: '/a' }],
    ['mcp__infold__context_expand', { handle: HANDLE }],
    ['mcp__infold__search_records', {}],
  ])('of %s stays as it is', (tool, input) => {
    expect(shortenAtBirth({ tool, input, text: listing }, HANDLE)).toBeUndefined();
  });

  test('never grows, whatever it is, and is not shortened again', () => {
    const tool = fc.constantFrom('Bash', 'Grep', 'Glob', 'shell', 'mcp__x__list', 'Read');
    const input = fc.constantFrom({ command: 'npm test' }, { command: 'ls -R' }, { pattern: 'x' }, 'x', null);
    const line = fc.constantFrom('a/b.ts', 'a/b.ts:3: x', '{"a":1}', 'ERROR x', '✓ passes', '', '+ x');
    const text = fc.array(line, { minLength: 200, maxLength: 600 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(tool, input, text, (name, given, whole) => {
        const short = shortenAtBirth({ tool: name, input: given, text: whole }, HANDLE);
        if (short === undefined) return;
        expect(short.length).toBeLessThan(whole.length);
        expect(shortenAtBirth({ tool: name, input: given, text: short }, HANDLE)).toBeUndefined();
      }),
      { numRuns: runs(60) },
    );
  });
});
