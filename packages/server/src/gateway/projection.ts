import { FORGOTTEN } from '../journal/journal.ts';
import type { Projection } from '../journal/projections/projector.ts';
import type { Database } from '../kernel/sqlite.ts';
import { beginningOf, updateContexts } from './contexts/projection.ts';
import type { ExpiredMessage } from './events.ts';
import { podIdOf, textRow } from './queries.ts';
import { searchText, summaryText } from './wire/payload-text.ts';

/** What is left of a payload that retention took out. */
export const EXPIRED_TEXT = '[expired]';

export const gatewayProjection: Projection = {
  name: 'gateway',
  version: 1,
  tables: `
CREATE TABLE gateway_pod (
  id INTEGER PRIMARY KEY,
  org TEXT NOT NULL,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- The life of the pod in which its newest message got its position.
  epoch TEXT,
  trimmed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (org, name)
) STRICT;
-- Pointers into the journal, with what is asked for most.
CREATE TABLE gateway_envelope (
  pod INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  sender TEXT NOT NULL,
  kind TEXT NOT NULL,
  context TEXT,
  type TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (pod, seq)
) STRICT, WITHOUT ROWID;
-- An id stands once among the newest messages.
CREATE INDEX gateway_envelope_id ON gateway_envelope (pod, id);
CREATE INDEX gateway_envelope_context ON gateway_envelope (pod, context, seq) WHERE context IS NOT NULL;
-- SUB-10: an action names a context or a message by its id, in whichever pod of the organisation.
CREATE TABLE gateway_correlation (
  org TEXT NOT NULL,
  target TEXT NOT NULL,
  pod INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (org, target, pod, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE gateway_context (
  pod INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT,
  parent TEXT,
  state TEXT NOT NULL,
  creator TEXT NOT NULL,
  messages INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  summary TEXT,
  summary_seq INTEGER NOT NULL,
  has_conclusion INTEGER NOT NULL,
  -- The position of the message that began it, whose metadata it has.
  begun_seq INTEGER NOT NULL,
  metadata TEXT,
  -- The newest conclusion that says something of the context.
  conclusion_seq INTEGER NOT NULL,
  conclusion_metadata TEXT,
  -- The entry of the conclusion that its summary is from, if it is from one.
  concluded_by INTEGER,
  PRIMARY KEY (pod, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gateway_context_open ON gateway_context (pod, creator) WHERE state <> 'concluded';
-- SUB-10: the same id in other pods.
CREATE INDEX gateway_context_id ON gateway_context (id);
CREATE TABLE gateway_conclusion (
  entry INTEGER NOT NULL,
  place INTEGER NOT NULL,
  pod INTEGER NOT NULL,
  context TEXT NOT NULL,
  last_source INTEGER NOT NULL,
  principals TEXT NOT NULL,
  session_id TEXT,
  remembered INTEGER NOT NULL,
  PRIMARY KEY (entry, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX gateway_conclusion_context ON gateway_conclusion (pod, context);
-- SUB-13: how far a session's branches were told in the pod.
CREATE TABLE gateway_mirrored (
  session_id TEXT PRIMARY KEY,
  through INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE gateway_submitted (
  entry INTEGER NOT NULL,
  place INTEGER NOT NULL,
  org TEXT NOT NULL,
  pod TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The position that it was given; 0 when it was refused.
  seq INTEGER,
  PRIMARY KEY (entry, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX gateway_submitted_id ON gateway_submitted (org, pod, id);
CREATE INDEX gateway_submitted_waiting ON gateway_submitted (org, pod, entry) WHERE seq IS NULL;
CREATE VIRTUAL TABLE gateway_text USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
`,
  on: {
    'envelope.accepted': (database, accepted, { entry, index }) => {
      const { envelope, seq } = accepted;
      const pod = positionTaken(database, accepted);
      const context = envelope.context?.id ?? null;
      database.run(
        'INSERT OR REPLACE INTO gateway_envelope VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        pod,
        seq,
        entry.seq,
        index,
        envelope.id,
        envelope.from,
        envelope.kind,
        context,
        accepted.type,
        accepted.at,
      );
      if (envelope.correlation_id !== undefined) {
        database.run(
          'INSERT OR REPLACE INTO gateway_correlation VALUES (?, ?, ?, ?)',
          accepted.org,
          envelope.correlation_id,
          pod,
          seq,
        );
      }
      const text = searchText(envelope.payload);
      if (text !== '') {
        database.run(
          'INSERT OR REPLACE INTO gateway_text (rowid, text) VALUES (?, ?)',
          textRow(pod, seq),
          text,
        );
      }
      if (entry.cause !== null && !accepted.mirrors) {
        settleSubmission(database, accepted.org, accepted.pod, envelope.id, seq);
      }
    },

    'envelope.expired': (database, { accepted }) => {
      if (accepted) positionTaken(database, accepted);
    },

    'envelope.submitted': (database, { org, pod, envelope }, { entry, index }) => {
      const { id } = envelope;
      database.run(
        'INSERT INTO gateway_submitted VALUES (?, ?, ?, ?, ?, NULL)',
        entry.seq,
        index,
        org,
        pod,
        id,
      );
    },

    'envelope.refused': (database, { org, pod, id }) => {
      settleSubmission(database, org, pod, id, 0);
    },

    'pod.taken': (database, { org, pod: name, epoch, at }) => {
      const pod = podIdOf(database, org, name);
      if (pod !== undefined) database.run('UPDATE gateway_pod SET epoch = ? WHERE id = ?', epoch, pod);
      else positionTaken(database, { org, pod: name, seq: 0, epoch, at });
    },

    'context.concluded': (database, concluded, { entry, index }) => {
      const { org, id, sources } = concluded;
      const pod = podIdOf(database, org, concluded.pod);
      if (pod === undefined) return;
      database.run(
        'INSERT INTO gateway_conclusion VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        entry.seq,
        index,
        pod,
        id,
        sources.at(-1) ?? 0,
        JSON.stringify(concluded.principals),
        concluded.session_id ?? null,
        concluded.remember ? 1 : 0,
      );
    },

    'history.trimmed': (database, { org, pod: name, through }) => {
      const pod = podIdOf(database, org, name);
      if (pod === undefined) return;
      database.run(
        'UPDATE gateway_pod SET seq = max(seq, ?1), trimmed = max(trimmed, ?1) WHERE id = ?2',
        through,
        pod,
      );
      database.run(
        'DELETE FROM gateway_text WHERE rowid BETWEEN ? AND ?',
        textRow(pod, 0),
        textRow(pod, through),
      );
      database.run(
        'DELETE FROM gateway_correlation WHERE org = ? AND pod = ? AND seq <= ?',
        org,
        pod,
        through,
      );
      database.run('DELETE FROM gateway_envelope WHERE pod = ? AND seq <= ?', pod, through);
      database.run(
        'DELETE FROM gateway_submitted WHERE org = ? AND pod = ? AND seq <= ?',
        org,
        name,
        through,
      );
      database.run(
        `UPDATE gateway_context SET summary = ? WHERE pod = ? AND summary_seq <= ? AND summary IS NOT NULL
           AND concluded_by IS NULL`,
        EXPIRED_TEXT,
        pod,
        through,
      );
      database.run(
        'DELETE FROM gateway_conclusion WHERE pod = ? AND last_source <= ? AND remembered = 0',
        pod,
        through,
      );
    },

    // What a rebuild makes of the erased entries, done to the tables as they are.
    [FORGOTTEN]: (database, { entries }) => {
      for (const { type, data, entry } of entries.flatMap(({ seq, events }) =>
        events.map((event) => ({ ...event, entry: seq })),
      )) {
        if (type === 'context.concluded') {
          database.run(
            'UPDATE gateway_context SET summary = ? WHERE pod = ? AND id = ? AND concluded_by = ?',
            data.summary,
            podIdOf(database, data.org, data.pod) ?? -1,
            data.id,
            entry,
          );
          continue;
        }
        if (type !== 'envelope.accepted') continue;
        const pod = podIdOf(database, data.org, data.pod);
        if (pod === undefined) continue;
        const text = searchText(data.envelope.payload);
        const row = textRow(pod, data.seq);
        database.run('DELETE FROM gateway_text WHERE rowid = ?', row);
        const kept = database.get('SELECT 1 FROM gateway_envelope WHERE pod = ? AND seq = ?', pod, data.seq);
        if (kept && text !== '')
          database.run('INSERT INTO gateway_text (rowid, text) VALUES (?, ?)', row, text);
        const id = data.envelope.context?.id;
        if (id === undefined) continue;
        database.run(
          `UPDATE gateway_context SET summary = ? WHERE pod = ? AND id = ? AND summary_seq = ?
             AND concluded_by IS NULL`,
          summaryText(data.envelope.payload),
          pod,
          id,
          data.seq,
        );
        database.run(
          'UPDATE gateway_context SET metadata = ? WHERE pod = ? AND id = ? AND begun_seq = ?',
          beginningOf(data),
          pod,
          id,
          data.seq,
        );
        database.run(
          'UPDATE gateway_context SET conclusion_metadata = ? WHERE pod = ? AND id = ? AND conclusion_seq = ?',
          JSON.stringify(data.envelope.context?.metadata ?? {}),
          pod,
          id,
          data.seq,
        );
      }
    },
  },
  each: { streams: 'pod.', apply: updateContexts },
};

/** Counts a message in its pod, whatever is left of it; answers the pod. */
function positionTaken(
  database: Database,
  { org, pod: name, seq, epoch, at, mirrors }: ExpiredMessage,
): number {
  const pod = podIdOf(database, org, name);
  if (pod === undefined) {
    database.run(
      `INSERT INTO gateway_pod (org, name, seq, epoch, trimmed, created_at, last_at)
       VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5)`,
      org,
      name,
      seq,
      epoch,
      at,
    );
  } else {
    database.run(
      'UPDATE gateway_pod SET seq = max(seq, ?), epoch = ?, last_at = ? WHERE id = ?',
      seq,
      epoch,
      at,
      pod,
    );
  }
  if (mirrors) {
    database.run(
      'INSERT INTO gateway_mirrored VALUES (?1, ?2) ON CONFLICT DO UPDATE SET through = max(through, ?2)',
      mirrors.session_id,
      mirrors.through,
    );
  }
  return pod ?? podIdOf(database, org, name)!;
}

function settleSubmission(database: Database, org: string, pod: string, id: string, seq: number): void {
  database.run(
    'UPDATE gateway_submitted SET seq = ? WHERE org = ? AND pod = ? AND id = ? AND seq IS NULL',
    seq,
    org,
    pod,
    id,
  );
}
