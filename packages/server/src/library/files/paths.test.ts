import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { checkPath, isSafePath } from './paths.ts';

const UNSAFE: [string, string][] = [
  ['nothing', ''],
  ['a parent', '../etc/passwd'],
  ['a parent in the middle', 'foo/../bar.md'],
  ['a parent at the end', 'foo/..'],
  ['only a parent', '..'],
  ['itself', '.'],
  ['a dot segment', 'a/./b.md'],
  ['a leading dot segment', './a.md'],
  ['three dots', 'a/.../b.md'],
  ['a dotted folder', '.git/config'],
  ['a dotted folder further down', 'a/.git/config'],
  ['a dotted file', 'a/.env'],
  ['a dotted rule file', '.cursor/rules/ts.mdc'],
  ['a dot by another sign', '\uFF0Egit/config'],
  ['a dot after an invisible sign', '\u200C.git/config'],
  ['the short name of a dotted folder', 'GIT~1/config'],
  ['an absolute path', '/etc/passwd'],
  ['a home folder', '~/notes.md'],
  ['an empty segment', 'a//b.md'],
  ['a slash at the end', 'a/'],
  ['a backslash', 'a\\b.md'],
  ['a parent by backslash', '..\\..\\etc'],
  ['a drive', 'C:/windows/x.md'],
  ['a drive without a slash', 'c:x.md'],
  ['a network path', '\\\\host\\share'],
  ['NUL', 'a\0.md'],
  ['a line end', 'a\n.md'],
  ['an escape sign', 'a\u001b[31m.md'],
  ['a parent with a space', '.. /x.md'],
  ['a space at the end', 'a /b.md'],
  ['a dot at the end', 'a./b.md'],
  ['a fullwidth slash', '..\uFF0Fetc'],
  ['a division slash', '..\u2215etc'],
  ['a fraction slash', 'a\u2044b.md'],
  ['a big solidus', 'a\u29F8b.md'],
  ['a set minus', 'a\u2216b.md'],
  ['a fullwidth backslash', 'a\uFF3Cb.md'],
  ['a small backslash', 'a\uFE68b.md'],
  ['fullwidth dots', '\uFF0E\uFF0E/x.md'],
  ['one-dot leaders', '\u2024\u2024/x.md'],
  ['a two-dot leader', '\u2025/x.md'],
  ['an ellipsis as a segment', '\u2026/x.md'],
  ['a zero-width space', '.\u200B./x.md'],
  ['a direction override', 'a\u202Edm.exe'],
  ['an escaped slash', '..%2fetc'],
  ['an escaped dot', '%2e%2e/etc'],
  ['a doubly escaped slash', 'a%252f..'],
  ['an overlong escaped slash', 'a%c0%af..'],
  ['a device of Windows', 'a/NUL'],
  ['a device with an extension', 'con.md'],
  ['half of a surrogate pair', 'a\ud800.md'],
  ['more than 512 bytes', `${'a/'.repeat(300)}b.md`],
  ['more than 32 segments', `${'a/'.repeat(33)}b.md`],
  ['a segment of more than 200 bytes', `${'ä'.repeat(101)}.md`],
];

describe('a path of the library', () => {
  test.each(UNSAFE)('that holds %s is unsafe', (_what, path) => {
    verifies('LIB-15', 'LIB-10');
    expect(isSafePath(path)).toBe(false);
    expect(() => checkPath(path)).toThrow('unsafe path');
  });

  test.each([
    'META_PROMPT.md',
    'spec/new-context.md',
    'workflow/CODING.md',
    'cursor/rules/ts.mdc',
    'a~b/c~.md',
    'Über uns/Größe.md',
    '規則/命名.md',
    'a..b/c...d.md',
    'a-b_c (1).md',
    'console/nullable.md',
    '100%.md',
  ])('%s is safe', (path) => {
    expect(isSafePath(path)).toBe(true);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '\0',
      '%2e',
      '%2f',
      'a',
      'b.md',
      '.git',
      'git~1',
      ' ',
      '~',
      'C:',
      '\uFF0F',
      '\uFF0E',
      '\u2215',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const anyPath = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

  test('that is safe stays below its folder, on every system, however it is normalised or decoded', () => {
    verifies('LIB-15');
    fc.assert(
      fc.property(anyPath, (path) => {
        fc.pre(isSafePath(path));
        const forms = [
          path,
          path.normalize('NFC'),
          path.normalize('NFD'),
          path.normalize('NFKC'),
          decoded(path),
        ];
        for (const form of forms) {
          expect(form.split('/').filter((segment) => segment.startsWith('.'))).toEqual([]);
          expect(posix.resolve('/root/library', form)).toBe(`/root/library/${form}`);
          expect(win32.resolve('C:\\library', form).startsWith('C:\\library\\')).toBe(true);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  test('made of plain words is safe', () => {
    const word = fc
      .stringMatching(/^[a-z][a-z0-9_-]{0,20}$/)
      .filter((text) => !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 10 }), (words) => {
        expect(isSafePath(`${words.join('/')}.md`)).toBe(true);
      }),
    );
  });
});

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
