import { Cache } from '../../kernel/cache.ts';
import type { Database } from '../../kernel/sqlite.ts';

/**
 * When each token was last used, for `infold token list`. A cache beside the journal: it is no part of what
 * happened, and a write for every request would cost more than the request.
 */
const GRAIN = 60_000;
const KEPT = 1024 * 1024;
const noted = new WeakMap<Database, Cache<number>>();

const TABLE = `CREATE TABLE IF NOT EXISTS cache_token_use (
  token_id TEXT PRIMARY KEY, last_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`;

export function noteTokenUse(database: Database, tokenId: string, now: number): void {
  const known = noted.get(database) ?? new Cache<number>(KEPT);
  noted.set(database, known);
  if (now - (known.get(tokenId) ?? 0) < GRAIN) return;
  known.set(tokenId, now);
  try {
    if (known.size === 1) database.exec(TABLE);
    database.run('INSERT OR REPLACE INTO cache_token_use VALUES (?, ?)', tokenId, now);
  } catch {
    // Another process is writing, or the disk is full: a call is not refused because its time was not noted.
    known.delete(tokenId);
  }
}

export function tokenUses(database: Database): Map<string, number> {
  if (!database.hasTable('cache_token_use')) return new Map();
  const rows = database.all<{ token_id: string; last_at: number }>('SELECT * FROM cache_token_use');
  return new Map(rows.map((row) => [row.token_id, row.last_at]));
}
