import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { toolUseOf } from '../known-tools.ts';
import { shorten } from './index.ts';
import { afterCommand, counted, many } from './samples.suite.ts';

const packages = fileURLToPath(new URL('../../../../', import.meta.url));
const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, { cwd: packages, encoding: 'utf8', maxBuffer: 1e9 });

test('what find lists: every name is shown or counted, by its folder', () => {
  const text = run('find', 'server/src', 'client/src', '-name', '*.ts');
  const short = afterCommand('find server/src client/src -name "*.ts"', text)!;
  expect(short.kind).toBe('listing');
  const shown = short.text.split('\n').filter((line) => line !== '' && !line.startsWith('…'));
  const names = new Set(text.split('\n'));
  expect(shown.filter((line) => !names.has(line))).toEqual([]);
  expect(shown.length + counted(short.text, 'more names?')).toBe(text.trimEnd().split('\n').length);
  expect(short.text).toMatch(/… \d+ more names in \S+\/src\S* left out …/);
});

test('what ls -R lists: every folder is named as far as it fits, with its first names', () => {
  const text = run('ls', '-R', 'server/src');
  const short = afterCommand('ls -R server/src', text)!;
  expect(short.kind).toBe('listing');
  const [first] = text.split('\n');
  expect(short.text.startsWith(first!)).toBe(true);
  expect(short.text.length).toBeLessThan(text.length * 0.6);
});

test('a tree', () => {
  const tree = [
    '.',
    ...many(20, (index) => [`├── shelf-${index}`, ...many(30, (book) => `│   ├── book-${book}.md`)]).flat(),
    '',
    '20 directories, 600 files',
  ];
  const short = afterCommand('tree', tree.join('\n'))!.text;
  for (let index = 0; index < 20; index++) expect(short).toContain(`├── shelf-${index}\n`);
  expect(short).toContain('20 directories, 600 files');
  expect(short).toMatch(/… \d+ more names left out …/);
});

test('tools that list: a glob of Claude Code, a folder of the filesystem server', () => {
  const paths = many(300, (index) => `/app/src/room-${index % 4}/shelf-${index}.ts`).join('\n');
  expect(shorten(toolUseOf('Glob', { pattern: '**' }), 'Glob', paths)?.kind).toBe('listing');
  const entries = many(300, (index) => `[FILE] shelf-${index}.ts`).join('\n');
  const name = 'mcp__filesystem__list_directory';
  expect(shorten(toolUseOf(name, { path: '/app' }), name, entries)?.kind).toBe('listing');
  expect(shorten(undefined, 'mcp__other__list', entries)).toBeUndefined();
});

test('what a program says of its trouble stays', () => {
  const text = [
    ...many(400, (index) => `./room/shelf-${index}.ts`),
    "find: './secret': Permission denied",
  ].join('\n');
  expect(afterCommand('find .', text)!.text).toContain("find: './secret': Permission denied");
});

test('sentences are no names', () => {
  const text = many(100, (index) => `This is what the shelf number ${index} says: nothing.`).join('\n');
  expect(afterCommand('ls -R', text)).toBeUndefined();
});
