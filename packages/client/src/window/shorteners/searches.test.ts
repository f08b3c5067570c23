import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { toolUseOf } from '../known-tools.ts';
import { shorten } from './index.ts';
import { afterCommand, counted, many } from './samples.suite.ts';

const packages = fileURLToPath(new URL('../../../../', import.meta.url));
const grep = (...words: string[]) =>
  execFileSync('grep', words, { cwd: packages, encoding: 'utf8', maxBuffer: 1e9 });

test.each([
  ['a line number', ['-rn', 'import', 'server/src']],
  ['the name alone', ['-r', 'import', 'server/src']],
])('matches of a real search with %s are shown or counted, file by file', (_what, words) => {
  const text = grep(...words);
  const short = afterCommand(`grep ${words.join(' ')}`, text)!;
  expect(short.kind).toBe('search');
  const shown = short.text.split('\n').filter((line) => !line.startsWith('…'));
  expect(shown.length + counted(short.text, 'more match(?:es)?')).toBe(text.trimEnd().split('\n').length);
  expect(short.text.length).toBeLessThan(13_000);
});

test('context goes, and is counted', () => {
  const text = grep('-rn', '-C2', 'execFileSync', 'client/src', 'server/src');
  const short = afterCommand('grep -rn -C2 execFileSync client/src server/src', text)!.text;
  const shown = short.split('\n').filter((line) => !line.startsWith('…')).length;
  expect(shown + counted(short, 'more match(?:es)?')).toBe(text.match(/^[^:\n]+:\d+:/gm)!.length);
  expect(short).toMatch(/… [\d,]+ lines of context left out …$/);
});

const rooms = many(6, (room) => `/app/room-${room}.ts`);

test.each<[string, string, string]>([
  [
    'Claude Code',
    'Grep',
    rooms.flatMap((room) => many(40, (line) => `${room}:${line}:  a book on the shelf`)).join('\n'),
  ],
  [
    'Gemini CLI',
    'search_file_content',
    `Found 240 matches for pattern "book" in path ".":\n---\n${rooms
      .map(
        (room) => `File: ${room}\n${many(40, (line) => `L${line}:   a book on the shelf`).join('\n')}\n---`,
      )
      .join('\n')}`,
  ],
  [
    'OpenCode',
    'grep',
    `Found 240 matches\n${rooms.map((room) => `${room}:\n${many(40, (line) => `  Line ${line}: a book on the shelf`).join('\n')}\n`).join('\n')}`,
  ],
])('the search of %s', (_host, name, text) => {
  const short = shorten(toolUseOf(name, { pattern: 'book' }), name, text)!;
  expect(short.kind).toBe('search');
  const shown = short.text.split('\n').filter((line) => line.includes('a book on')).length;
  expect(shown + counted(short.text, 'more match(?:es)?')).toBe(240);
  for (const room of rooms) expect(short.text).toContain(room);
  if (text.startsWith('Found')) expect(short.text).toMatch(/^Found 240 matches/);
});

test('a search that gives names of files is a listing', () => {
  const text = `Found 300 files\n${many(300, (index) => `src/room-${index % 5}/shelf-${index}.ts`).join('\n')}`;
  const short = shorten({ kind: 'search' }, 'Grep', text)!;
  expect(short.kind).toBe('listing');
  expect(short.text).toContain('Found 300 files');
});

test('lines without a place, and counts, stay', () => {
  const words = many(300, (index) => `what the line ${index} of a file says`).join('\n');
  expect(afterCommand('grep -h says notes', words)).toBeUndefined();
  expect(
    afterCommand('grep -rc says src', many(300, (index) => `src/shelf-${index}.ts:${index}`).join('\n')),
  ).toBeUndefined();
});

test('a search whose pattern every line matches is a file that is read', () => {
  const text = many(300, (index) => `${index}: const shelf${index} = ${index};`).join('\n');
  expect(afterCommand('grep -n "" shelf.ts', text)).toBeUndefined();
  expect(afterCommand('grep -n const shelf.ts', text)?.kind).toBe('search');
});
