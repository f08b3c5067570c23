import { FORGOTTEN, type JournalEvent } from '../journal/journal.ts';
import type { Projection } from '../journal/projections/projector.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { WindowCollapsed } from './events.ts';

/** Decisions that an entry may hold: places follow from the journal, so that a rebuild gives the same ones. */
const ENTRY_ROWS = 65_536;

export const windowProjection: Projection = {
  name: 'window',
  version: 2,
  tables: `
CREATE TABLE window_conversation (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  stream TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  host_session TEXT,
  host TEXT,
  upstream TEXT NOT NULL,
  dialect TEXT NOT NULL,
  forked_from TEXT,
  model TEXT,
  is_enabled INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX window_conversation_key ON window_conversation (org, principal, key, last_seq);
CREATE INDEX window_conversation_session ON window_conversation (host_session);
CREATE INDEX window_conversation_last ON window_conversation (last_seq);
CREATE TABLE window_turn (
  conversation TEXT NOT NULL,
  turn INTEGER NOT NULL,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  parent_conversation TEXT,
  parent_turn INTEGER,
  model TEXT,
  messages INTEGER NOT NULL,
  system_digest TEXT NOT NULL,
  tools_digest TEXT NOT NULL,
  held TEXT NOT NULL,
  gone TEXT NOT NULL,
  asked_tokens INTEGER NOT NULL,
  sent_tokens INTEGER NOT NULL,
  asked_cost REAL NOT NULL,
  sent_cost REAL NOT NULL,
  is_cold INTEGER NOT NULL,
  passed TEXT,
  answered_at INTEGER,
  status INTEGER,
  input INTEGER,
  cache_read INTEGER,
  cache_write INTEGER,
  cache_write_long INTEGER,
  output INTEGER,
  first_ms REAL,
  all_ms REAL,
  own_ms REAL,
  money_actual REAL,
  money_untouched REAL,
  PRIMARY KEY (conversation, turn)
) STRICT, WITHOUT ROWID;
-- What a later request goes on from, in whichever conversation it was.
CREATE INDEX window_turn_digest ON window_turn (org, principal, digest, seq);
CREATE TABLE window_decision (
  place INTEGER PRIMARY KEY,
  handle TEXT NOT NULL,
  conversation TEXT NOT NULL,
  turn INTEGER NOT NULL,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  at INTEGER NOT NULL,
  rule TEXT NOT NULL,
  anchors TEXT NOT NULL,
  effect TEXT NOT NULL,
  tokens_before INTEGER NOT NULL,
  tokens_after INTEGER NOT NULL,
  tool TEXT NOT NULL,
  secrets INTEGER NOT NULL
) STRICT;
CREATE INDEX window_decision_conversation ON window_decision (conversation, place);
CREATE INDEX window_decision_handle ON window_decision (handle);
CREATE TABLE window_anchor (
  call TEXT NOT NULL,
  decision INTEGER NOT NULL,
  PRIMARY KEY (call, decision)
) STRICT, WITHOUT ROWID;
CREATE INDEX window_anchor_decision ON window_anchor (decision);
`,
  on: {
    'window.opened': (database, opened, { entry }) => {
      database.run(
        `INSERT INTO window_conversation (id, org, principal, stream, key, host_session, host, upstream, dialect,
           forked_from, model, is_enabled, turns, opened_at, last_at, first_seq, last_seq)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 1, 0, ?, ?, ?, ?)`,
        opened.conversation,
        entry.actor.org,
        opened.principal,
        entry.stream,
        opened.key,
        opened.host_session,
        opened.host,
        opened.upstream,
        opened.dialect,
        opened.forked_from,
        entry.at,
        entry.at,
        entry.seq,
        entry.seq,
      );
    },
    'window.asked': (database, asked, { entry }) => {
      database.run(
        `INSERT INTO window_turn (conversation, turn, org, principal, seq, at, digest, parent_conversation, parent_turn,
           model, messages, system_digest, tools_digest, held, gone, asked_tokens, sent_tokens, asked_cost, sent_cost,
           is_cold, passed)
         SELECT ?, ?, org, principal, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM window_conversation WHERE id = ?`,
        asked.conversation,
        asked.turn,
        entry.seq,
        entry.at,
        asked.digest,
        asked.parent?.conversation ?? null,
        asked.parent?.turn ?? null,
        asked.model,
        asked.messages,
        asked.system_digest,
        asked.tools_digest,
        JSON.stringify(asked.held),
        JSON.stringify(asked.gone),
        asked.tokens.asked,
        asked.tokens.sent,
        asked.cost.asked,
        asked.cost.sent,
        Number(asked.is_cold),
        asked.passed,
        asked.conversation,
      );
      database.run(
        'UPDATE window_conversation SET turns = ?, model = coalesce(?, model) WHERE id = ?',
        asked.turn,
        asked.model,
        asked.conversation,
      );
    },
    'window.collapsed': (database, collapsed, { entry, index }) => {
      if (isForgotten(collapsed)) return;
      const place = entry.seq * ENTRY_ROWS + index;
      database.run(
        `INSERT INTO window_decision (place, handle, conversation, turn, org, principal, at, rule, anchors, effect,
           tokens_before, tokens_after, tool, secrets)
         SELECT ?, ?, ?, ?, org, principal, ?, ?, ?, ?, ?, ?, ?, ? FROM window_conversation WHERE id = ?`,
        place,
        collapsed.handle,
        collapsed.conversation,
        collapsed.turn,
        entry.at,
        collapsed.rule,
        JSON.stringify(collapsed.anchors),
        JSON.stringify(collapsed.effect),
        collapsed.tokens.before,
        collapsed.tokens.after,
        collapsed.tool,
        collapsed.secrets,
        collapsed.conversation,
      );
      for (const { call } of collapsed.anchors) {
        database.run('INSERT OR IGNORE INTO window_anchor VALUES (?, ?)', call, place);
      }
    },
    'window.answered': (database, { conversation, turn, status, usage, milliseconds, money }, { entry }) => {
      database.run(
        `UPDATE window_turn SET answered_at = ?, status = ?, input = ?, cache_read = ?, cache_write = ?,
           cache_write_long = ?, output = ?, first_ms = ?, all_ms = ?, own_ms = ?, money_actual = ?, money_untouched = ?
         WHERE conversation = ? AND turn = ?`,
        entry.at,
        status,
        usage?.input ?? null,
        usage?.cache_read ?? null,
        usage?.cache_write ?? null,
        usage?.cache_write_long ?? null,
        usage?.output ?? null,
        milliseconds.first,
        milliseconds.all,
        milliseconds.own,
        money?.actual ?? null,
        money?.untouched ?? null,
        conversation,
        turn,
      );
    },
    'window.switched': (database, { conversation, enabled }) => {
      database.run(
        'UPDATE window_conversation SET is_enabled = ? WHERE id = ?',
        Number(enabled),
        conversation,
      );
    },
    [FORGOTTEN]: (database, { entries }) => {
      for (const event of entries.flatMap(({ events }) => events)) forget(database, event);
    },
  },
  each: {
    streams: 'window.',
    apply: (database, { stream, seq, at, events }) => {
      // Whoever turns one off or on does not use it.
      if (events.every(({ type }) => type === 'window.switched')) return;
      database.run(
        'UPDATE window_conversation SET last_seq = ?, last_at = ? WHERE stream = ?',
        seq,
        at,
        stream,
      );
    },
  },
};

/** Nobody knows any more what it was about: it does not apply to anything. */
function isForgotten({ anchors }: WindowCollapsed): boolean {
  return anchors.length === 0;
}

/** Leaves of an event what a rebuild would make of what is left of it. */
function forget(database: Database, { type, data }: JournalEvent): void {
  if (type === 'window.opened') {
    const { key, host_session, conversation } = data;
    database.run(
      'UPDATE window_conversation SET key = ?, host_session = ? WHERE id = ?',
      key,
      host_session,
      conversation,
    );
  }
  if (type === 'window.asked') {
    const { digest, system_digest, tools_digest, conversation, turn } = data;
    database.run(
      'UPDATE window_turn SET digest = ?, system_digest = ?, tools_digest = ? WHERE conversation = ? AND turn = ?',
      digest,
      system_digest,
      tools_digest,
      conversation,
      turn,
    );
  }
  if (type === 'window.collapsed' && isForgotten(data)) {
    for (const { place } of database.all<{ place: number }>(
      'SELECT place FROM window_decision WHERE handle = ? AND conversation = ?',
      data.handle,
      data.conversation,
    )) {
      database.run('DELETE FROM window_anchor WHERE decision = ?', place);
      database.run('DELETE FROM window_decision WHERE place = ?', place);
    }
  }
}
