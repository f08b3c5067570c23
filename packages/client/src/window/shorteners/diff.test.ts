import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolUseOf } from '../known-tools.ts';
import { shorten } from './index.ts';

const use = toolUseOf('Bash', { command: 'git diff' });
let folder: string;
const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: folder, encoding: 'utf8', maxBuffer: 1e9 });

const lines = (name: string, number: number) =>
  Array.from({ length: number }, (_, index) => `  ${name} = ${index}; // what this line is for`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diff-'));
  git('init', '-q');
  const code = lines('constant', 300);
  writeFileSync(join(folder, 'code.ts'), code.join('\n'));
  writeFileSync(join(folder, 'package-lock.json'), lines('"lock"', 300).join('\n'));
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@b.example', 'commit', '-qm', 'Begin');
  for (const place of [10, 100, 200]) code[place] = `  changed at ${place}`;
  writeFileSync(join(folder, 'code.ts'), code.join('\n'));
  writeFileSync(join(folder, 'package-lock.json'), lines('"other"', 400).join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('headers and changes stay; context and what programs write goes, counted', () => {
  const text = git('diff');
  const short = shorten(use, 'Bash', text)!;
  expect(short.kind).toBe('diff');
  for (const line of text.split('\n')) {
    if (/^(?:diff|index|---|\+\+\+)/.test(line)) expect(short.text.split('\n')).toContain(line);
  }
  const [code] = text.split('diff --git a/package-lock.json');
  for (const line of code!.split('\n')) if (/^[-+@]/.test(line)) expect(short.text).toContain(line);
  expect(short.text).toContain('… 3 unchanged lines left out …');
  expect(short.text).toContain('… 400 added lines and 300 removed lines left out …');
  expect(shorten(use, 'Bash', short.text)).toBeUndefined();
});

test('a commit that is shown, and a log with changes, are diffs too', () => {
  expect(shorten(use, 'Bash', git('show'))?.text).toContain('    Begin');
  expect(shorten(use, 'Bash', git('log', '-p', '-U40'))?.kind).toBe('diff');
});

test('changes that do not fit are counted', () => {
  writeFileSync(join(folder, 'code.ts'), lines('rewritten', 2_000).join('\n'));
  const text = git('diff', 'code.ts');
  const short = shorten(use, 'Bash', text)!;
  const shown = short.text.split('\n').filter((line) => /^[-+](?![-+])/.test(line)).length;
  const gone = /… ([\d,]+) added lines and ([\d,]+) removed lines left out …/.exec(short.text)!;
  const changed = text.split('\n').filter((line) => /^[-+](?![-+])/.test(line)).length;
  expect(shown + Number(gone[1]!.replace(',', '')) + Number(gone[2]!.replace(',', ''))).toBe(changed);
});

test('what is not a diff as a whole stays', () => {
  const text = git('diff');
  expect(shorten(use, 'Bash', `${text}\nand a word`)).toBeUndefined();
  expect(shorten(use, 'Bash', text.slice(0, 5_000))).toBeUndefined();
});

test('a hunk that holds more than it says is no hunk', () => {
  const hunk = (fresh: number) =>
    `@@ -1,3 +1,${fresh} @@\n${' what did not change on this shelf\n'.repeat(3)}`;
  const hunks = (first: number) => `--- a/shelf\n+++ b/shelf\n${hunk(first)}${hunk(3).repeat(100)}`;
  expect(shorten(use, 'Bash', hunks(3))?.kind).toBe('diff');
  expect(shorten(use, 'Bash', hunks(1))).toBeUndefined();
});
