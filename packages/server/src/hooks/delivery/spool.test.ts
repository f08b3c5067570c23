import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { readSpool, takeIn } from './spool.ts';

const never = new AbortController().signal;

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'spool'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'spool', name), text);
  return folder;
}

const namesIn = (folder: string) => readdirSync(join(folder, 'spool')).sort();

test('what waits is taken in, the oldest first, and is gone then', async () => {
  verifies('HOST-02');
  const folder = folderWith({ '20-3-b.json': 'two', '10-3-a.json': 'one', '30-4-c.part': 'half' });
  expect(readSpool(folder)).toEqual({ waiting: 2, bytes: 6, isFull: false, dropped: 0 });
  const taken: string[] = [];
  await takeIn(folder, async (line) => taken.push(line) > 0, never);
  expect(taken).toEqual(['one', 'two']);
  expect(namesIn(folder)).toEqual(['30-4-c.part']);
});

test('what could not be kept waits, with all that came after it', async () => {
  verifies('HOST-02');
  const folder = folderWith({ '10-3-a.json': 'one', '20-3-b.json': 'two', '30-3-c.json': 'three' });
  const taken: string[] = [];
  await takeIn(folder, async (line) => line !== 'two' && taken.push(line) > 0, never);
  expect(taken).toEqual(['one']);
  expect(namesIn(folder)).toEqual(['20-3-b.json', '30-3-c.json']);
});

test('a process that ends leaves the rest to the next one', async () => {
  const folder = folderWith({ '10-3-a.json': 'one', '20-3-b.json': 'two' });
  const ending = new AbortController();
  await takeIn(
    folder,
    async () => {
      ending.abort();
      return true;
    },
    ending.signal,
  );
  expect(namesIn(folder)).toEqual(['20-3-b.json']);
});

test('it is told how many were lost, for a week; old halves are removed', async () => {
  verifies('HOST-02');
  const folder = folderWith({ dropped: '...', '10-4-a.part': 'half' });
  expect(readSpool(folder)).toMatchObject({ waiting: 0, dropped: 3, droppedAt: expect.any(Number) });
  await takeIn(folder, async () => true, never);
  expect(namesIn(folder)).toEqual(['10-4-a.part', 'dropped']);
  const old = Date.now() / 1000 - 8 * 86_400;
  for (const name of namesIn(folder)) utimesSync(join(folder, 'spool', name), old, old);
  await takeIn(folder, async () => true, never);
  expect(namesIn(folder)).toEqual([]);
});

test('it is told when there is no room for more', () => {
  expect(readSpool(folderWith({ [`10-${16 * 1024 * 1024}-a.json`]: '' })).isFull).toBe(true);
});

test('without a folder nothing waits', async () => {
  expect(readSpool(join(temporaryFolder(), 'gone'))).toEqual({
    waiting: 0,
    bytes: 0,
    isFull: false,
    dropped: 0,
  });
  await takeIn(join(temporaryFolder(), 'gone'), () => Promise.reject(new Error('Nothing is there')), never);
});
