import { FORGOTTEN, type JournalEvent } from '../../journal/journal.ts';
import type { Projection } from '../../journal/projections/projector.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { sessionOfStream } from '../../trust/sessions/queries.ts';
import { mentions } from './mentions.ts';

/** Where an event stands in the journal, and when it was written. */
interface Moment {
  seq: number;
  at: number;
}

/**
 * Facts, not counts: which pack showed a session which item, and when it used one. What they come to is worked out when a pack
 * is compiled, so that what is forgotten of one event changes nothing that was written for another.
 */
const TABLES = `
CREATE TABLE memory_shown (
  item TEXT NOT NULL,
  project TEXT NOT NULL,
  seq INTEGER NOT NULL,
  session TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (item, project, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_shown_session ON memory_shown (session, item, seq);
CREATE TABLE memory_used (
  session TEXT NOT NULL,
  item TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session, item, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_used_seq ON memory_used (seq);
`;

export const useProjection: Projection = {
  name: 'memory_use',
  version: 1,
  tables: TABLES,
  on: {
    'pack.compiled': (database, { tool, project_id, ids }, { entry }) => {
      const session = tool === 'context' ? sessionOfStream(database, entry.stream) : undefined;
      if (!session) return;
      for (const id of ids) {
        database.run(
          'INSERT OR IGNORE INTO memory_shown (item, project, seq, session, at) VALUES (?, ?, ?, ?, ?)',
          id,
          project_id ?? session.project_id,
          entry.seq,
          session.id,
          entry.at,
        );
      }
    },
    'memory.used': (database, { session_id, ids }, { entry }) =>
      note(database, { session_id, names: (item) => ids.includes(item) }, entry),
    'branch.folded': (database, { session_id, summary }, { entry }) =>
      note(database, { session_id, names: namedIn([summary]) }, entry),
    'branch.returned_late': (database, { session_id, summary }, { entry }) =>
      note(database, { session_id, names: namedIn([summary]) }, entry),
    'attest.agent_report': (database, { session_id, summary }, { entry }) =>
      note(database, { session_id, names: namedIn([summary]) }, entry),
    'attest.refer': (database, { session_id, refs }, { entry }) =>
      note(database, { session_id, names: namedIn(refs.map(({ reason }) => reason)) }, entry),

    // What a text said that is gone was not used by it.
    [FORGOTTEN]: (database, { entries }) => {
      for (const { seq, events } of entries) {
        const known = database.get<{ at: number }>('SELECT at FROM memory_used WHERE seq = ? LIMIT 1', seq);
        if (!known) continue;
        database.run('DELETE FROM memory_used WHERE seq = ?', seq);
        for (const event of events) {
          const use = leftOf(event);
          if (use) note(database, use, { seq, at: known.at });
        }
      }
    },
  },
};

/** What a session used, as an event tells it. */
interface Use {
  session_id: string;
  names(item: string): boolean;
}

function namedIn(texts: readonly (string | null)[]): Use['names'] {
  return (item) => texts.some((text) => text !== null && mentions(text, item));
}

/** Items count as used where a pack had shown them before. */
function note(database: Database, { session_id, names }: Use, { seq, at }: Moment): void {
  const shown = database.all<{ item: string }>(
    'SELECT DISTINCT item FROM memory_shown WHERE session = ? AND seq < ?',
    session_id,
    seq,
  );
  for (const { item } of shown.filter((each) => names(each.item))) {
    database.run(
      'INSERT OR IGNORE INTO memory_used (session, item, seq, at) VALUES (?, ?, ?, ?)',
      session_id,
      item,
      seq,
      at,
    );
  }
}

/** What an event still tells after some of its entry was forgotten. */
function leftOf({ type, data }: JournalEvent): Use | undefined {
  switch (type) {
    case 'memory.used':
      return { session_id: data.session_id, names: (item) => data.ids.includes(item) };
    case 'branch.folded':
    case 'branch.returned_late':
    case 'attest.agent_report':
      return { session_id: data.session_id, names: namedIn([data.summary]) };
    case 'attest.refer':
      return { session_id: data.session_id, names: namedIn(data.refs.map(({ reason }) => reason)) };
    default:
      return undefined;
  }
}
