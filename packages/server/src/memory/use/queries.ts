import type { Database } from '../../kernel/sqlite.ts';
import { sessionById } from '../../trust/sessions/queries.ts';

/** Older packs than these do not count, however many there were: reading them must not cost more with every pack. */
const MOST_PACKS = 32;

/** A pack that showed an item, and whether its session used it before the next one. */
export interface Exposure {
  at: number;
  used: boolean;
}

/** The latest first. Packs of one session between two uses are one: being shown again is no second chance that was missed. */
export function exposuresOf(database: Database, project: string, item: string): Exposure[] {
  return database
    .all<{ at: number; used: number | null }>(
      `SELECT max(at) AS at, used FROM (
         SELECT session, seq, at, (
           SELECT min(seq) FROM memory_used AS use
           WHERE use.session = shown.session AND use.item = ?1 AND use.seq > shown.seq) AS used
         FROM memory_shown AS shown WHERE item = ?1 AND project = ?2 ORDER BY seq DESC LIMIT ?3)
       GROUP BY session, used ORDER BY max(seq) DESC`,
      item,
      project,
      MOST_PACKS,
    )
    .map(({ at, used }) => ({ at, used: used !== null }));
}

/** Which of these the session was shown and has not used since. */
export function unusedIn(database: Database, session: string, ids: readonly string[]): string[] {
  return ids.filter((id) => {
    const { shown, used } = database.get<{ shown: number | null; used: number | null }>(
      `SELECT (SELECT max(seq) FROM memory_shown WHERE session = ?1 AND item = ?2) AS shown,
         (SELECT max(seq) FROM memory_used WHERE session = ?1 AND item = ?2) AS used`,
      session,
      id,
    )!;
    return shown !== null && (used === null || used < shown);
  });
}

/** The principal's session that was shown an item last, if that was after `since`. */
export function sessionShown(
  database: Database,
  { org, principal }: { org: string; principal: string },
  item: string,
  since: number,
): string | undefined {
  return database
    .all<{ session: string }>(
      'SELECT session FROM memory_shown WHERE item = ? AND at > ? ORDER BY seq DESC LIMIT ?',
      item,
      since,
      MOST_PACKS,
    )
    .map(({ session }) => sessionById(database, session))
    .find((session) => session?.org === org && session.principal === principal)?.id;
}
