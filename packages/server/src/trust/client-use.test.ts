import { expect, test } from 'vitest';
import { openDatabase } from '../kernel/sqlite.ts';
import { clientUses, noteClientUse } from './client-use.ts';

test('is noted by the minute, each host for itself', async () => {
  const database = await openDatabase(':memory:');
  expect(clientUses(database)).toEqual(new Map());
  noteClientUse(database, 'codex', 100_000);
  noteClientUse(database, 'codex', 100_500);
  noteClientUse(database, 'gemini', 100_600);
  expect(clientUses(database)).toEqual(
    new Map([
      ['codex', 100_000],
      ['gemini', 100_600],
    ]),
  );
  noteClientUse(database, 'codex', 160_000);
  expect(clientUses(database).get('codex')).toBe(160_000);
  database.close();
});

test('a folder that cannot be written refuses nobody, and the next one is noted', async () => {
  const database = await openDatabase(':memory:');
  database.exec('PRAGMA query_only = 1');
  noteClientUse(database, 'codex', 100_000);
  database.exec('PRAGMA query_only = 0');
  expect(clientUses(database)).toEqual(new Map());
  noteClientUse(database, 'codex', 100_001);
  expect(clientUses(database).get('codex')).toBe(100_001);
  database.close();
});
