import { describe, expect, test } from 'vitest';
import { filesOfField, readFiles } from './read.ts';
import { batchesOf, type ImportSummary, rowsOf, together } from './report.ts';

const report = (given: Partial<ImportSummary>): ImportSummary => ({ ...together([]), ...given });

describe('an import', () => {
  test('is sent in batches that fit a request, without losing a file', () => {
    const files = Array.from({ length: 1200 }, (_, number) => ({
      path: `${number}.md`,
      content: 'x'.repeat(2000),
    }));
    const batches = batchesOf(files);
    expect(batches.flat()).toEqual(files);
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(500);
    const large = batchesOf([
      { path: 'a.md', content: 'x'.repeat(900_000) },
      { path: 'b.md', content: 'x'.repeat(900_000) },
    ]);
    expect(large.map(({ length }) => length)).toEqual([1, 1]);
    expect(batchesOf([])).toEqual([]);
  });

  test('is reported as one, with what was refused first', () => {
    const all = together([
      report({ created: 1, files: [{ path: 'b.md', result: 'created' }] }),
      report({
        unchanged: 1,
        files: [{ path: 'a.md', result: 'unchanged' }],
        skipped: [{ path: 'x', reason: 'r' }],
      }),
    ]);
    expect(all).toMatchObject({ created: 1, unchanged: 1 });
    expect(rowsOf(all, [{ path: 'y', reason: 's' }]).map(({ path, result }) => [path, result])).toEqual([
      ['x', 'refused'],
      ['y', 'refused'],
      ['b.md', 'created'],
      ['a.md', 'unchanged'],
    ]);
  });

  test('reads Markdown and dotfiles alone, and says what is not text', async () => {
    const file = (path: string, content: string | Uint8Array<ArrayBuffer> = '# A\n') => ({
      path,
      file: new File([content], path),
    });
    const { files, refused, others } = await readFiles([
      file('a.md'),
      file('.cursorrules'),
      file('logo.png'),
      file('node_modules/x/README.md'),
      file('.git/notes.md'),
      file('broken.md', new Uint8Array([0xff, 0xfe, 0x00])),
      file('huge.md', new Uint8Array(2_000_001)),
    ]);
    expect(files).toEqual([
      { path: 'a.md', content: '# A\n' },
      { path: '.cursorrules', content: '# A\n' },
    ]);
    expect(refused.map(({ path }) => path)).toEqual(['broken.md', 'huge.md']);
    expect(others).toBe(3);
  });

  test('takes paths without the folder that was picked', () => {
    const inFolder = Object.assign(new File([], 'a.md'), { webkitRelativePath: 'docs/rules/a.md' });
    const alone = Object.assign(new File([], 'b.md'), { webkitRelativePath: '' });
    const list = [inFolder, alone] as unknown as FileList;
    expect(filesOfField(list).map(({ path }) => path)).toEqual(['rules/a.md', 'b.md']);
  });
});
