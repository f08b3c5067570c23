/**
 * A partition is what one set of readers can see. Its number is the upper part of every row number in it, so that a
 * full-text query over a range of rows can only ever find what its caller may read (PACK-06). The lower part is the
 * journal position that brought the row: what was forgotten since does not move what came after it.
 */
export const PARTITION_SIZE = 2 ** 37;
export const ENTRY_ROWS = 2 ** 10;
/** Row numbers stay within what a JavaScript number holds exactly. */
export const MOST_PARTITIONS = 2 ** 16 - 1;

export const TABLES = `
CREATE TABLE memory_partition (
  number INTEGER PRIMARY KEY,
  org TEXT NOT NULL,
  scope TEXT NOT NULL,
  project_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  passages INTEGER NOT NULL,
  words INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  last_day INTEGER,
  UNIQUE (org, scope, project_id, principal, agent_id)
) STRICT;
CREATE TABLE memory_item (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  partition INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT,
  domain TEXT,
  tags TEXT,
  metadata TEXT,
  status TEXT,
  source TEXT,
  url TEXT,
  origin TEXT NOT NULL,
  author TEXT,
  role TEXT,
  thread TEXT,
  ordinal REAL,
  at INTEGER,
  valid_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  superseded_by TEXT,
  passages INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  digest BLOB NOT NULL,
  -- The last of them: what is read of an item besides costs no more if it is long.
  content TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX memory_item_id ON memory_item (id, partition);
CREATE INDEX memory_item_digest ON memory_item (digest);
CREATE INDEX memory_item_title ON memory_item (partition, lower(title)) WHERE title IS NOT NULL AND superseded_by IS NULL;
CREATE INDEX memory_item_file ON memory_item (partition, source) WHERE origin = 'markdown' AND superseded_by IS NULL;
CREATE INDEX memory_item_status ON memory_item (partition, status) WHERE status IS NOT NULL AND superseded_by IS NULL;
CREATE INDEX memory_item_decision ON memory_item (partition) WHERE kind = 'decision' AND superseded_by IS NULL;
-- What ranking reads. An item that was superseded has none.
CREATE TABLE memory_passage (
  row INTEGER PRIMARY KEY,
  item INTEGER NOT NULL,
  place INTEGER NOT NULL,
  begins INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  thread INTEGER,
  position REAL,
  author INTEGER,
  day INTEGER,
  flags INTEGER NOT NULL,
  domain TEXT,
  heading TEXT NOT NULL,
  terms TEXT NOT NULL,
  -- What its words are stemmed by; null for English.
  language TEXT
) STRICT;
-- An item by its first passage, so that what stands around it is found however long it is; with the author, so that who speaks is.
CREATE INDEX memory_passage_thread ON memory_passage (thread, position, row, author) WHERE thread IS NOT NULL AND place = 0;
CREATE INDEX memory_passage_day ON memory_passage (day) WHERE day IS NOT NULL;
CREATE VIRTUAL TABLE memory_text USING fts5 (
  terms, content = '', contentless_delete = 1, detail = none,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
);
-- Threads and authors have numbers that follow from their names.
CREATE TABLE memory_thread (
  row INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL,
  name TEXT NOT NULL,
  items INTEGER NOT NULL
) STRICT;
-- Passages by language, less English: what the words of a goal may be stemmed by.
CREATE TABLE memory_language (
  partition INTEGER NOT NULL,
  language TEXT NOT NULL,
  passages INTEGER NOT NULL,
  PRIMARY KEY (partition, language)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_author (
  row INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL,
  name TEXT NOT NULL,
  items INTEGER NOT NULL
) STRICT;
-- What an author can be called: the whole name and its parts.
CREATE TABLE memory_alias (
  partition INTEGER NOT NULL,
  alias TEXT NOT NULL,
  author INTEGER NOT NULL,
  PRIMARY KEY (partition, alias, author)
) STRICT, WITHOUT ROWID;
-- Days that a passage speaks of, relative expressions resolved by when it was said.
CREATE TABLE memory_moment (
  first_day INTEGER NOT NULL,
  passage INTEGER NOT NULL,
  last_day INTEGER NOT NULL,
  PRIMARY KEY (first_day, passage, last_day)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_moment_passage ON memory_moment (passage);
-- What people want always, sentence by sentence, with the words that say when, those of its matter, and when it was said.
CREATE TABLE memory_wish (
  partition INTEGER NOT NULL,
  at INTEGER NOT NULL,
  item INTEGER NOT NULL,
  begins INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  passage INTEGER NOT NULL,
  kind TEXT NOT NULL,
  condition TEXT NOT NULL,
  terms TEXT NOT NULL,
  general INTEGER NOT NULL,
  PRIMARY KEY (item, begins)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_wish_newest ON memory_wish (partition, at);
CREATE TABLE memory_relation (
  source INTEGER NOT NULL,
  type TEXT NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (source, type, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_relation_target ON memory_relation (target);
`;
