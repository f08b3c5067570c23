import type { HostName } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../identity/caller.ts';

/**
 * When the MCP client of each host was last seen to have our tools: for `infold doctor`, and for hooks, which hand the model
 * nothing that it needs a tool for without one. A cache beside the journal: it is no part of what happened, and each process
 * that a host starts knows only itself.
 */
const GRAIN = 60_000;
const noted = new WeakMap<Database, Map<string, number>>();

const TABLE = `CREATE TABLE IF NOT EXISTS cache_client_seen (
  org TEXT NOT NULL, principal TEXT NOT NULL, host TEXT NOT NULL, can_expand INTEGER NOT NULL, last_at INTEGER NOT NULL,
  PRIMARY KEY (org, principal, host, can_expand)) STRICT, WITHOUT ROWID`;

export interface ClientUse {
  owner: Pick<Caller, 'org' | 'principal'>;
  host: HostName;
  /** Whether `context_expand` is one of the tools that it was offered. */
  canExpand: boolean;
}

export function noteClientUse(
  database: Database,
  { owner: { org, principal }, host, canExpand }: ClientUse,
  now: number,
): void {
  const known = noted.get(database) ?? new Map<string, number>();
  noted.set(database, known);
  const key = JSON.stringify([org, principal, host, canExpand]);
  if (now - (known.get(key) ?? 0) < GRAIN) return;
  known.set(key, now);
  try {
    database.exec(TABLE);
    database.run(
      'INSERT OR REPLACE INTO cache_client_seen VALUES (?, ?, ?, ?, ?)',
      org,
      principal,
      host,
      Number(canExpand),
      now,
    );
  } catch {
    // Another process is writing, or the disk is full: nobody is refused because of that.
    known.delete(key);
  }
}

export function clientUses(database: Database): Map<string, number> {
  if (!database.hasTable('cache_client_seen')) return new Map();
  const rows = database.all<{ host: string; last_at: number }>(
    'SELECT host, max(last_at) AS last_at FROM cache_client_seen GROUP BY host',
  );
  return new Map(rows.map((row) => [row.host, row.last_at]));
}

/** When a client of this host that belongs to the same caller was last seen with `context_expand`. */
export function expandedWithAt(
  database: Database,
  { org, principal }: ClientUse['owner'],
  host: HostName,
): number | undefined {
  if (!database.hasTable('cache_client_seen')) return undefined;
  return database.get<{ last_at: number }>(
    'SELECT last_at FROM cache_client_seen WHERE org = ? AND principal = ? AND host = ? AND can_expand = 1',
    org,
    principal,
    host,
  )?.last_at;
}
