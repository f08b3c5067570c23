import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lookAt, removeFile, removeLeftovers, writeFile } from './safe-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('does not overwrite what a host wrote since it was read', () => {
  const path = join(folder, 'settings.json');
  writeFileSync(path, 'before');
  const snapshot = lookAt(path);
  writeFileSync(path, 'by the host');
  expect(() => writeFile(snapshot, 'ours')).toThrow('was changed by another program just now');
  expect(() => removeFile(snapshot)).toThrow('was changed by another program just now');
  expect(readFileSync(path, 'utf8')).toBe('by the host');
  expect(readdirSync(folder)).toEqual(['settings.json']);
});

it('does not overwrite a file that was not there', () => {
  const path = join(folder, 'made.json');
  const snapshot = lookAt(path);
  writeFileSync(path, '');
  expect(() => writeFile(snapshot, 'ours')).toThrow('was changed by another program just now');
});

it('removes what a process left that was killed while it wrote, and nothing else', () => {
  const path = join(folder, 'settings.json');
  for (const name of [
    '.settings.json.infold-0123456789ab',
    '.settings.json.swp',
    '.other.json.infold-0123456789ab',
  ]) {
    writeFileSync(join(folder, name), '');
  }
  removeLeftovers(path);
  expect(readdirSync(folder).sort()).toEqual(['.other.json.infold-0123456789ab', '.settings.json.swp']);
  removeLeftovers(join(folder, 'nowhere', 'settings.json'));
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
});
