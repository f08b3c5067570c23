import { type Entry, FORGOTTEN, type JournalEvent } from '../../journal/journal.ts';
import type { Projection } from '../../journal/projections/projector.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { ATTESTATION_TABLES } from './tables.ts';

interface SessionRow {
  session_id: string;
  workspace_id: string;
  org: string;
  project_id: string;
  principal: string;
  agent: string;
  turn: number;
  is_open: number;
}

interface Place {
  turn: number;
  agent: string;
  day: string;
}

export function agentOf({ actor }: Entry): string {
  return actor.agent ?? actor.principal;
}

export const attestationProjection: Projection = {
  name: 'attestation',
  version: 3,
  tables: ATTESTATION_TABLES,
  on: {
    [FORGOTTEN]: (database, { entries }) => {
      for (const { seq, events } of entries) {
        for (const event of events) forgetEvent(database, event, seq);
      }
    },

    'attest.setup': (database, setup, { entry }) => {
      database.run(
        `INSERT INTO library_session
           (session_id, workspace_id, project_id, org, principal, agent, mpf_hash, drafts, told_seq, turn, is_open,
            setup_at, model)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, 0, ?10, ?11)
         ON CONFLICT (session_id) DO UPDATE SET mpf_hash = ?7, drafts = ?8, told_seq = ?9, model = coalesce(?11, model)`,
        setup.session_id,
        setup.workspace_id,
        setup.project_id,
        entry.actor.org,
        entry.actor.principal,
        agentOf(entry),
        setup.mpf_hash,
        setup.drafts ? 1 : 0,
        entry.seq,
        entry.at,
        setup.model ?? null,
      );
      openTurn(database, setup.session_id, entry);
    },

    'attest.discover': (database, discover, { entry }) => {
      const { turn } = openTurn(database, discover.session_id, entry);
      database.run(
        'UPDATE library_session SET told_seq = ? WHERE session_id = ?',
        entry.seq,
        discover.session_id,
      );
      database.run(
        `INSERT INTO library_discovery (session_id, turn, seq, kind, file_group, query, result_count)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        discover.session_id,
        turn,
        entry.seq,
        discover.kind,
        discover.group,
        discover.query,
        discover.result_count,
      );
    },

    'attest.load': (database, { session_id, workspace_id, items }, { entry }) => {
      const { turn, agent, day } = openTurn(database, session_id, entry);
      for (const [position, item] of items.entries()) {
        database.run(
          `INSERT INTO library_load (session_id, turn, seq, position, workspace_id, file_id, path, hash, changed,
             is_draft, agent, day, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          session_id,
          turn,
          entry.seq,
          position,
          workspace_id,
          item.id,
          item.path,
          item.hash,
          item.changed ? 1 : 0,
          item.draft ? 1 : 0,
          agent,
          day,
          entry.at,
        );
      }
    },

    'attest.instructions': (database, loaded, { entry, index }) => {
      const session = database.get<{ turn: number }>(
        'SELECT turn FROM library_session WHERE session_id = ?',
        loaded.session_id,
      );
      database.run(
        `INSERT INTO library_instruction (session_id, seq, position, turn, workspace_id, file, hash, file_id, path, agent,
           at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        loaded.session_id,
        entry.seq,
        index,
        session?.turn ?? 0,
        loaded.workspace_id,
        loaded.file,
        loaded.hash,
        loaded.rule_id,
        loaded.path,
        agentOf(entry),
        entry.at,
      );
    },

    'attest.refer': (database, { session_id, workspace_id, refs }, { entry }) => {
      const { turn, agent, day } = openTurn(database, session_id, entry);
      for (const [position, ref] of refs.entries()) {
        database.run(
          `INSERT INTO library_refer (session_id, turn, seq, position, workspace_id, file_id, path, rule_hash,
             constraint_id, reason, is_loaded, is_stale, agent, day, at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          session_id,
          turn,
          entry.seq,
          position,
          workspace_id,
          ref.rule_id,
          ref.path,
          ref.rule_hash,
          ref.constraint_id,
          ref.reason,
          ref.loaded ? 1 : 0,
          ref.stale ? 1 : 0,
          agent,
          day,
          entry.at,
        );
      }
    },

    'attest.agent_report': (database, { session_id, summary }, { entry }) => {
      openTurn(database, session_id, entry);
      closeTurn(database, session_id, 'submitted', summary, entry);
    },
    'attest.reject': (database, { session_id, reason }, { entry }) => {
      openTurn(database, session_id, entry);
      closeTurn(database, session_id, 'rejected', reason, entry);
    },

    'library.evidence_expired': (database, { before }) => forgetTurns(database, Date.parse(before)),

    'draft.staged': (database, draft, { entry, index }) => {
      draftAction(
        database,
        draft.session_id,
        draft.draft_id,
        draft.op,
        draft.new_path ?? draft.path,
        entry,
        index,
      );
    },
    'draft.submitted': (database, { draft_id, session_id, path }, { entry, index }) => {
      draftAction(database, session_id, draft_id, 'submit', path, entry, index);
    },
    'draft.discarded': (database, draft, { entry, index }) => {
      draftAction(database, draft.session_id, draft.draft_id, draft.action, draft.path, entry, index);
    },
  },
};

/** Applies what a forgetting left of an event to what was made of the event before. */
function forgetEvent(database: Database, event: JournalEvent, seq: number): void {
  switch (event.type) {
    case 'attest.discover':
      database.run(
        'UPDATE library_discovery SET query = ? WHERE session_id = ? AND seq = ?',
        event.data.query,
        event.data.session_id,
        seq,
      );
      return;
    case 'attest.refer':
      for (const [position, { reason }] of event.data.refs.entries()) {
        database.run(
          'UPDATE library_refer SET reason = ? WHERE session_id = ? AND seq = ? AND position = ?',
          reason,
          event.data.session_id,
          seq,
          position,
        );
      }
      return;
    case 'attest.instructions':
      database.run(
        'UPDATE library_instruction SET file = ? WHERE session_id = ? AND seq = ?',
        event.data.file,
        event.data.session_id,
        seq,
      );
      return;
    case 'attest.agent_report':
    case 'attest.reject':
      database.run(
        'UPDATE library_turn SET note = ? WHERE session_id = ? AND ended_seq = ?',
        event.type === 'attest.reject' ? event.data.reason : event.data.summary,
        event.data.session_id,
        seq,
      );
  }
}

/** The turn that an event belongs to: the open one, or the next. */
function openTurn(database: Database, sessionId: string, entry: Entry): Place {
  const session = database.get<SessionRow>('SELECT * FROM library_session WHERE session_id = ?', sessionId)!;
  const place = { agent: agentOf(entry), day: isoTime(entry.at).slice(0, 10) };
  if (session.is_open === 1) return { turn: session.turn, ...place };
  const turn = session.turn + 1;
  database.run('UPDATE library_session SET turn = ?, is_open = 1 WHERE session_id = ?', turn, sessionId);
  database.run(
    `INSERT INTO library_turn (session_id, turn, workspace_id, org, project_id, principal, agent, outcome,
       started_at, seq) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`,
    sessionId,
    turn,
    session.workspace_id,
    session.org,
    session.project_id,
    session.principal,
    place.agent,
    entry.at,
    entry.seq,
  );
  return { turn, ...place };
}

/** A session that goes on keeps all its turns: what it loaded long ago is still loaded. */
function forgetTurns(database: Database, before: number): void {
  const over = database.all<{ session_id: string }>(
    `SELECT session_id FROM library_turn GROUP BY session_id HAVING max(coalesce(ended_at, started_at)) < ?`,
    before,
  );
  const ids = JSON.stringify(over.map(({ session_id }) => session_id));
  for (const table of ['turn', 'discovery', 'load', 'instruction', 'refer', 'draft_action']) {
    database.run(`DELETE FROM library_${table} WHERE session_id IN (SELECT value FROM json_each(?))`, ids);
  }
}

function closeTurn(
  database: Database,
  sessionId: string,
  outcome: 'submitted' | 'rejected',
  note: string | null,
  entry: Entry,
): void {
  const { turn } = database.get<{ turn: number }>(
    'UPDATE library_session SET is_open = 0 WHERE session_id = ? RETURNING turn',
    sessionId,
  )!;
  database.run(
    'UPDATE library_turn SET outcome = ?, note = ?, ended_at = ?, ended_seq = ? WHERE session_id = ? AND turn = ?',
    outcome,
    note,
    entry.at,
    entry.seq,
    sessionId,
    turn,
  );
}

function draftAction(
  database: Database,
  sessionId: string | null,
  draftId: string,
  action: string,
  path: string,
  entry: Entry,
  index: number,
): void {
  if (sessionId === null) return;
  const { turn } = openTurn(database, sessionId, entry);
  database.run(
    `INSERT INTO library_draft_action (session_id, turn, seq, draft_id, action, path) VALUES (?, ?, ?, ?, ?, ?)`,
    sessionId,
    turn,
    entry.seq * 1000 + index,
    draftId,
    action,
    path,
  );
}
