import { SEARCH_TABLE } from './search-index.ts';

export const LIBRARY_TABLES = `
CREATE TABLE library_workspace (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Of all files that are published.
  digest BLOB NOT NULL,
  published_at INTEGER NOT NULL
) STRICT;
-- Content by its hash, whoever published or drafted it. Constraints are filled in when it is first loaded.
CREATE TABLE library_text (
  hash TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  constraints TEXT
) STRICT;
CREATE TABLE library_file (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  file_group TEXT,
  description TEXT,
  origin TEXT,
  -- What its front matter says about where it applies; null for most. The revision of the organisation's library that it was
  -- selected from; null for the workspace's own.
  traits TEXT,
  organisation INTEGER,
  revision INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX library_file_id ON library_file (workspace_id, id);
CREATE UNIQUE INDEX library_file_path ON library_file (workspace_id, path) WHERE deleted = 0;
CREATE INDEX library_file_revision ON library_file (workspace_id, revision);
CREATE INDEX library_file_traits ON library_file (workspace_id, path) WHERE traits IS NOT NULL AND deleted = 0;
CREATE INDEX library_file_gone ON library_file (workspace_id, path, revision) WHERE deleted = 1;
CREATE TABLE library_revision (
  workspace_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  op TEXT NOT NULL,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  previous_path TEXT,
  hash TEXT NOT NULL,
  source TEXT NOT NULL,
  note TEXT,
  origin TEXT,
  organisation INTEGER,
  at INTEGER NOT NULL,
  -- Who published it, who wrote it, and who approved it where it was reviewed.
  principal TEXT NOT NULL,
  author TEXT NOT NULL,
  reviewer TEXT,
  PRIMARY KEY (workspace_id, file_id, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_revision_path ON library_revision (workspace_id, path, revision);
CREATE INDEX library_revision_hash ON library_revision (hash);
CREATE TABLE library_draft (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  resource TEXT NOT NULL,
  op TEXT NOT NULL,
  status TEXT NOT NULL,
  live INTEGER NOT NULL,
  file_id TEXT,
  path TEXT NOT NULL,
  new_path TEXT,
  base_hash TEXT,
  hash TEXT,
  kind TEXT NOT NULL,
  file_group TEXT,
  file_description TEXT,
  description TEXT,
  origin TEXT,
  -- The session in which an agent staged it last; null for a person's.
  session_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  decided_by TEXT,
  decided_at INTEGER,
  note TEXT,
  staged_seq INTEGER NOT NULL,
  decided_seq INTEGER,
  -- When something was last decided or said about it that its drafter should hear of.
  news_seq INTEGER,
  news_at INTEGER
) STRICT;
CREATE INDEX library_draft_news ON library_draft (workspace_id, principal, news_seq) WHERE news_seq IS NOT NULL;
CREATE INDEX library_draft_file ON library_draft (workspace_id, principal, file_id) WHERE live = 1;
CREATE INDEX library_draft_path ON library_draft (workspace_id, principal, path) WHERE live = 1;
CREATE INDEX library_draft_hash ON library_draft (hash);
CREATE INDEX library_draft_base ON library_draft (base_hash);
CREATE INDEX library_draft_status ON library_draft (workspace_id, status, ordinal);
CREATE TABLE library_comment (
  draft_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  principal TEXT NOT NULL,
  text TEXT NOT NULL,
  -- The line that it is about, of which side of the diff, and the content that the line was in.
  line INTEGER,
  side TEXT,
  hash TEXT,
  PRIMARY KEY (draft_id, seq)
) STRICT, WITHOUT ROWID;
${SEARCH_TABLE}`;

export const ATTESTATION_TABLES = `
CREATE TABLE library_session (
  session_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  agent TEXT NOT NULL,
  mpf_hash TEXT,
  -- Whether it opted in to the principal's drafts of other sessions.
  drafts INTEGER NOT NULL,
  -- Up to where in the journal it has been told of reviews.
  told_seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  setup_at INTEGER NOT NULL,
  model TEXT
) STRICT;
CREATE TABLE library_turn (
  session_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  agent TEXT NOT NULL,
  outcome TEXT NOT NULL,
  note TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  seq INTEGER NOT NULL,
  ended_seq INTEGER,
  PRIMARY KEY (session_id, turn)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_turn_recent ON library_turn (workspace_id, seq);
CREATE INDEX library_turn_own ON library_turn (workspace_id, principal, seq);
CREATE TABLE library_discovery (
  session_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT,
  file_group TEXT,
  query TEXT,
  result_count INTEGER NOT NULL,
  PRIMARY KEY (session_id, turn, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE library_load (
  session_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  changed INTEGER NOT NULL,
  is_draft INTEGER NOT NULL,
  agent TEXT NOT NULL,
  day TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, turn, seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_load_file ON library_load (workspace_id, file_id, at);
CREATE INDEX library_load_session ON library_load (session_id, file_id, seq);
-- What hosts loaded themselves. The turn is the session's when it was loaded, 0 before its first.
CREATE TABLE library_instruction (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  file TEXT NOT NULL,
  hash TEXT NOT NULL,
  file_id TEXT,
  path TEXT,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_instruction_file ON library_instruction (workspace_id, file_id, at);
CREATE TABLE library_refer (
  session_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  path TEXT NOT NULL,
  rule_hash TEXT NOT NULL,
  constraint_id TEXT NOT NULL,
  reason TEXT,
  is_loaded INTEGER NOT NULL,
  is_stale INTEGER NOT NULL,
  agent TEXT NOT NULL,
  day TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, turn, seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_refer_file ON library_refer (workspace_id, file_id, constraint_id, at);
CREATE TABLE library_draft_action (
  session_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  draft_id TEXT NOT NULL,
  action TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (session_id, turn, seq)
) STRICT, WITHOUT ROWID;
`;
