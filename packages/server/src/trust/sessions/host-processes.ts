import { uptime } from 'node:os';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../identity/caller.ts';

/**
 * Which processes stand above the hooks of a host's session, the host's own among them. A stdio server that the same
 * process started belongs to that session: so hosts that tell their MCP servers nothing have one session with their
 * hooks, and one that goes on with another session in the same process takes its server along. A cache beside the
 * journal: process ids say nothing on another machine or on another day.
 */
const TABLE = `CREATE TABLE IF NOT EXISTS cache_host_process (
  pid INTEGER NOT NULL, org TEXT NOT NULL, principal TEXT NOT NULL, host_session TEXT NOT NULL,
  distance INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (pid, org, principal, host_session)) STRICT, WITHOUT ROWID`;
/** The first process of a machine or a container stands above everything. */
const FIRST = 1;
const MOST = 16;
const KEPT = 2 * 24 * 3_600_000;

type Whose = Pick<Caller, 'org' | 'principal'>;

/** Ancestors are given with the nearest first. A hook is not refused because this could not be noted. */
export function noteHostProcesses(
  database: Database,
  { org, principal }: Whose,
  hostSession: string,
  ancestors: readonly number[],
  now: number,
): void {
  const above = ancestors.slice(0, MOST).filter((pid) => Number.isInteger(pid) && pid > FIRST);
  if (above.length === 0) return;
  try {
    database.exec(TABLE);
    database.run('DELETE FROM cache_host_process WHERE at < ?', now - KEPT);
    // In one statement: each one by itself would wait for the disk.
    database.run(
      `INSERT OR REPLACE INTO cache_host_process (pid, org, principal, host_session, distance, at)
       SELECT value, ?, ?, ?, key, ? FROM json_each(?)`,
      ...[org, principal, hostSession, now, JSON.stringify(above)],
    );
  } catch {
    // Another process is writing: the next hook says it again.
  }
}

/** The host has gone on with another session, or has ended. */
export function dropHostProcesses(database: Database, { org, principal }: Whose, hostSession: string): void {
  if (!database.hasTable('cache_host_process')) return;
  try {
    database.run(
      'DELETE FROM cache_host_process WHERE org = ? AND principal = ? AND host_session = ?',
      ...[org, principal, hostSession],
    );
  } catch {
    // What is left goes with the day.
  }
}

/**
 * The session of the host that is this process, where its hooks told one: the one that goes on, else the only one of those
 * that are nearest to it. Undefined where several could be meant.
 */
export function hostSessionUnder(
  database: Database,
  { org, principal }: Whose,
  pid: number,
  current: string | undefined,
  now: number,
): string | undefined {
  if (pid <= FIRST || !database.hasTable('cache_host_process')) return undefined;
  const rows = database.all<{ host_session: string; distance: number }>(
    `SELECT host_session, distance FROM cache_host_process WHERE pid = ? AND org = ? AND principal = ? AND at >= ?
     ORDER BY distance`,
    ...[pid, org, principal, Math.max(now - KEPT, Date.now() - uptime() * 1000)],
  );
  const nearest = rows.filter(({ distance }) => distance === rows[0]!.distance);
  if (nearest.some(({ host_session }) => host_session === current)) return current;
  return nearest.length === 1 ? nearest[0]!.host_session : undefined;
}
