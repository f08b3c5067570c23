/**
 * The version of the journal's own tables; projections have versions of their own. Raise it with any change to them, or when a
 * projection goes. An older file is upgraded when it is opened; a newer one is refused, at opening and at every write.
 */
export const SCHEMA_VERSION = 4;

/** Files before this version do not say which projections they hold: all are made anew. */
export const PROJECTIONS_SINCE = 4;

export const JOURNAL_TABLES = `
CREATE TABLE IF NOT EXISTS journal_entry (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  chosen INTEGER NOT NULL,
  stream TEXT NOT NULL,
  rev INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  cause TEXT,
  salt BLOB,
  data TEXT,
  blob TEXT,
  replaced_by INTEGER,
  digest BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
-- Only ids that callers chose are ever looked up; the others would cost each commit a page for nothing.
CREATE UNIQUE INDEX IF NOT EXISTS journal_entry_chosen ON journal_entry (id) WHERE chosen = 1;
CREATE UNIQUE INDEX IF NOT EXISTS journal_entry_stream ON journal_entry (stream, rev);
CREATE TABLE IF NOT EXISTS journal_head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  schema INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  projections TEXT NOT NULL DEFAULT '[]'
) STRICT;
-- All but key and signature follows from the entries: every node has the same.
CREATE TABLE IF NOT EXISTS journal_checkpoint (
  seq INTEGER PRIMARY KEY,
  interval_root BLOB NOT NULL,
  root BLOB NOT NULL,
  hash BLOB NOT NULL,
  key TEXT NOT NULL,
  signature BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS journal_key (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  public_key BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  endorsed_by TEXT,
  endorsement BLOB
) STRICT;
`;
