import type { HostName } from '@infold/protocol';
import type { Database } from '../kernel/sqlite.ts';

/**
 * When the MCP client of each host last asked for our tools, for `infold doctor`. A cache beside the journal: it is no
 * part of what happened, and each process that a host starts knows only itself.
 */
const GRAIN = 60_000;
const noted = new WeakMap<Database, Map<HostName, number>>();

const TABLE = `CREATE TABLE IF NOT EXISTS cache_client_use (
  host TEXT PRIMARY KEY, last_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`;

export function noteClientUse(database: Database, host: HostName, now: number): void {
  const known = noted.get(database) ?? new Map<HostName, number>();
  noted.set(database, known);
  if (now - (known.get(host) ?? 0) < GRAIN) return;
  known.set(host, now);
  try {
    database.exec(TABLE);
    database.run('INSERT OR REPLACE INTO cache_client_use VALUES (?, ?)', host, now);
  } catch {
    // Another process is writing, or the disk is full: nobody is refused because of that.
    known.delete(host);
  }
}

export function clientUses(database: Database): Map<string, number> {
  const there = database.get(`SELECT 1 FROM sqlite_schema WHERE name = 'cache_client_use'`);
  if (!there) return new Map();
  const rows = database.all<{ host: string; last_at: number }>('SELECT * FROM cache_client_use');
  return new Map(rows.map((row) => [row.host, row.last_at]));
}
