import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFile } from '../../kernel/private-files.ts';
import { type Database, openDatabase } from '../../kernel/sqlite.ts';
import type { BlobStore } from '../blobs.ts';
import type { Progress, TablesReport } from '../journal.ts';
import type { Projector } from './projector.ts';
import { rebuildProjections } from './rebuild.ts';

const TURN = 15;

/**
 * Compares the tables with what the journal makes of them. Works on a copy, as of one moment: others go on writing,
 * and a folder that cannot be written can be checked too.
 */
export async function verifyTables(
  database: Database,
  projector: Projector,
  blobs: BlobStore,
  progress?: Progress,
): Promise<TablesReport> {
  const folder = mkdtempSync(join(tmpdir(), 'infold-verify-'));
  try {
    const path = join(folder, 'copy.db');
    makePrivateFile(path);
    database.settle();
    database.sql('VACUUM INTO ?').run(path);
    const copy = await openDatabase(path);
    try {
      // The copy is thrown away: nothing of it needs to survive anything.
      copy.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF');
      const found = await digestsOf(copy, projector);
      await rebuildProjections(copy, projector, blobs, progress);
      const expected = await digestsOf(copy, projector);
      const names = [...new Set([...found.keys(), ...expected.keys()])].sort();
      const different = names.filter((name) => found.get(name) !== expected.get(name));
      return { ok: different.length === 0, tables: names.length, different };
    } finally {
      copy.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each table holds, and how it was declared, as one digest. */
export async function digestsOf(database: Database, projector: Projector): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  let turn = performance.now();
  for (const name of projector.tableNames(database)) {
    const digest = createHash('sha256');
    for (const { sql } of database.all<{ sql: string }>(
      'SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY name',
      name,
    )) {
      digest.update(`${sql}\n`);
    }
    for (const row of rowsOf(database, name)) {
      digest.update(JSON.stringify(Object.values(row), showBytes));
      if (performance.now() - turn < TURN) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      turn = performance.now();
    }
    digests.set(name, digest.digest('hex'));
  }
  return digests;
}

/** In an order that follows from the rows. Of a full-text index, the words that it would find, with their places. */
function rowsOf(database: Database, name: string): Iterable<object> {
  const { kind, bare } = database.get<{ kind: string; bare: number }>(
    `SELECT type AS kind, wr AS bare FROM pragma_table_list WHERE schema = 'main' AND name = ?`,
    name,
  )!;
  if (kind === 'virtual') {
    const words = `temp.words_of_${name}`;
    database.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${words} USING fts5vocab(main, '${name}', 'instance')`);
    return database.iterate(`SELECT * FROM ${words}`);
  }
  return database.iterate(
    bare === 1 ? `SELECT * FROM "${name}"` : `SELECT rowid AS place, * FROM "${name}" ORDER BY rowid`,
  );
}

function showBytes(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'bigint' ? String(value) : value;
}
