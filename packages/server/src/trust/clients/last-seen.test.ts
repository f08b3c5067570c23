import { expect, test } from 'vitest';
import { openDatabase } from '../../kernel/sqlite.ts';
import { localOwner } from '../identity/caller.ts';
import { clientUses, expandedWithAt, noteClientUse } from './last-seen.ts';

const seen = (host: 'codex' | 'gemini', canExpand = true) => ({ owner: localOwner, host, canExpand });

test('is noted by the minute, each host for itself', async () => {
  const database = await openDatabase(':memory:');
  expect(clientUses(database)).toEqual(new Map());
  noteClientUse(database, seen('codex'), 100_000);
  noteClientUse(database, seen('codex'), 100_500);
  noteClientUse(database, seen('gemini'), 100_600);
  expect(clientUses(database)).toEqual(
    new Map([
      ['codex', 100_000],
      ['gemini', 100_600],
    ]),
  );
  noteClientUse(database, seen('codex'), 160_000);
  expect(clientUses(database).get('codex')).toBe(160_000);
  database.close();
});

test('who can expand is known of each caller and host', async () => {
  const database = await openDatabase(':memory:');
  expect(expandedWithAt(database, localOwner, 'codex')).toBeUndefined();
  noteClientUse(database, seen('codex', false), 100_000);
  noteClientUse(database, { ...seen('codex'), owner: { ...localOwner, principal: 'bob' } }, 100_000);
  noteClientUse(database, seen('gemini'), 100_000);
  expect(expandedWithAt(database, localOwner, 'codex')).toBeUndefined();
  noteClientUse(database, seen('codex'), 100_001);
  noteClientUse(database, seen('codex', false), 900_000);
  expect(expandedWithAt(database, localOwner, 'codex')).toBe(100_001);
  expect(clientUses(database).get('codex')).toBe(900_000);
  database.close();
});

test('a folder that cannot be written refuses nobody, and the next one is noted', async () => {
  const database = await openDatabase(':memory:');
  database.exec('PRAGMA query_only = 1');
  noteClientUse(database, seen('codex'), 100_000);
  database.exec('PRAGMA query_only = 0');
  expect(clientUses(database)).toEqual(new Map());
  noteClientUse(database, seen('codex'), 100_001);
  expect(clientUses(database).get('codex')).toBe(100_001);
  database.close();
});
