import { type Entry, FORGOTTEN, type JournalEvent } from '../../journal/journal.ts';
import type { Projection } from '../../journal/projections/projector.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { DraftStaged, FileChange, LibraryPublished } from '../events.ts';
import { constraintsOf } from '../files/constraints.ts';
import { headingsOf } from '../files/describe.ts';
import { type DigestedFile, NO_FILES, toggleFile } from '../files/digest.ts';
import { traitsOf } from '../files/traits.ts';
import { draftRow, fileRow, indexDocument, type SearchScope, unindexDocument } from './search-index.ts';
import { LIBRARY_TABLES } from './tables.ts';

function keepText(database: Database, hash: string | null, text: string | undefined): void {
  if (hash === null || text === undefined) return;
  database.run('INSERT OR IGNORE INTO library_text (hash, text) VALUES (?, ?)', hash, text);
}

function textOf(database: Database, hash: string): string {
  return database.get<{ text: string }>('SELECT text FROM library_text WHERE hash = ?', hash)?.text ?? '';
}

export const libraryProjection: Projection = {
  name: 'library',
  version: 3,
  tables: LIBRARY_TABLES,
  on: {
    'library.published': (database, published, { entry }) => {
      let digest = digestBefore(database, published.workspace_id);
      const toggle: Toggle = (file) => {
        digest = toggleFile(digest, file);
      };
      // Paths are given up before they are taken: two files may swap places in one publication.
      for (const change of published.changes) {
        if (change.op === 'rename' || change.op === 'delete') retire(database, published, change, toggle);
      }
      for (const [index, change] of published.changes.entries()) {
        const draft = draftRowOf(database, published.draft_ids[index] ?? '');
        keepText(database, change.hash, change.text);
        applyChange(database, published, change, entry.at, toggle);
        database.run(
          `INSERT INTO library_revision
             (workspace_id, file_id, revision, op, kind, path, previous_path, hash, source, note, origin, organisation, at,
              principal, author, reviewer)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          published.workspace_id,
          change.file_id,
          published.revision,
          change.op,
          change.kind,
          change.path,
          change.previous_path,
          change.hash,
          change.organisation === undefined ? published.source : 'organisation',
          published.note,
          change.origin ?? null,
          change.organisation ?? null,
          entry.at,
          entry.actor.principal,
          draft?.principal ?? entry.actor.principal,
          draft?.decided_by ?? null,
        );
      }
      database.run(
        `INSERT INTO library_workspace (id, org, project_id, revision, digest, published_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET revision = ?4, digest = ?5, published_at = ?6`,
        published.workspace_id,
        published.org,
        published.project_id,
        published.revision,
        digest,
        entry.at,
      );
      for (const id of published.draft_ids) {
        closeDraft(database, id, 'published', entry.at);
        noteNews(database, id, entry);
      }
    },

    [FORGOTTEN]: (database, { entries }) => {
      for (const { seq, events } of entries) {
        for (const event of events) forgetEvent(database, event, seq);
      }
    },

    'draft.staged': (database, draft, { entry }) => stage(database, draft, entry),
    // A rebase is no new proposal: the draft stays with the session that it came from.
    'draft.rebased': (database, draft, { entry }) => {
      const session_id = draftRowOf(database, draft.draft_id)?.session_id ?? null;
      stage(database, { ...draft, session_id }, entry);
    },
    'draft.discarded': (database, { draft_id }, { entry }) => {
      closeDraft(database, draft_id, 'discarded', entry.at);
    },
    'draft.submitted': (database, { draft_id }, { entry }) => {
      database.run(
        `UPDATE library_draft SET status = 'in_review', updated_at = ? WHERE id = ?`,
        entry.at,
        draft_id,
      );
    },
    'draft.commented': (database, { draft_id, text, on }, { entry }) => {
      database.run(
        `INSERT INTO library_comment (draft_id, seq, at, principal, text, line, side, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        draft_id,
        entry.seq,
        entry.at,
        entry.actor.principal,
        text,
        on?.line ?? null,
        on?.side ?? null,
        on?.hash ?? null,
      );
      noteNews(database, draft_id, entry);
    },
    'draft.approved': (database, { draft_id, note }, { entry }) => {
      decide(database, draft_id, 'approved', note, entry);
    },
    'draft.declined': (database, { draft_id, note }, { entry }) => {
      decide(database, draft_id, 'declined', note, entry);
      closeDraft(database, draft_id, 'declined', entry.at);
    },

    'attest.load': (database, { items }) => {
      for (const { kind, hash } of items) if (kind !== 'context') keepConstraints(database, hash);
    },
  },
};

function stage(database: Database, draft: DraftStaged, { at, seq }: Entry): void {
  keepText(database, draft.hash, draft.text);
  const earlier = draftRowOf(database, draft.draft_id);
  if (earlier) unindexDocument(database, draftRow(earlier.ordinal));
  // Whatever was reviewed before, this is a new proposal.
  database.run(
    `INSERT INTO library_draft (id, workspace_id, org, project_id, principal, resource, op, status, live, file_id,
       path, new_path, base_hash, hash, kind, file_group, file_description, description, created_at, updated_at,
       staged_seq, origin, session_id)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'draft', 1, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, ?18, ?19,
       ?20)
     ON CONFLICT (id) DO UPDATE SET op = ?7, status = 'draft', file_id = ?8, path = ?9, new_path = ?10, base_hash = ?11,
       hash = ?12, kind = ?13, file_group = ?14, file_description = ?15, description = ?16, updated_at = ?17,
       staged_seq = ?18, origin = coalesce(?19, origin), session_id = ?20, decided_by = NULL, decided_at = NULL,
       note = NULL, decided_seq = NULL, news_seq = NULL, news_at = NULL`,
    draft.draft_id,
    draft.workspace_id,
    draft.org,
    draft.project_id,
    draft.principal,
    draft.resource,
    draft.op,
    draft.file_id,
    draft.path,
    draft.new_path,
    draft.base_hash,
    draft.hash,
    draft.kind,
    draft.group,
    draft.file_description,
    draft.description,
    at,
    seq,
    draft.origin ?? null,
    draft.session_id ?? null,
  );
  indexDraft(database, draft);
  if (earlier) for (const hash of [earlier.hash, earlier.base_hash]) dropUnused(database, hash);
}

/** Follows what becomes of the files. */
type Toggle = (file: DigestedFile) => void;

function digestBefore(database: Database, workspaceId: string): Uint8Array {
  const sql = 'SELECT digest FROM library_workspace WHERE id = ?';
  return database.get<{ digest: Uint8Array }>(sql, workspaceId)?.digest ?? NO_FILES;
}

function retire(
  database: Database,
  { workspace_id }: LibraryPublished,
  change: FileChange,
  toggle: Toggle,
): void {
  const file = database.get<DigestedFile & { ordinal: number }>(
    `UPDATE library_file SET deleted = 1 WHERE workspace_id = ? AND id = ? AND deleted = 0
     RETURNING ordinal, id, path, kind, hash`,
    workspace_id,
    change.file_id,
  );
  if (!file) return;
  toggle(file);
  unindexDocument(database, fileRow(file.ordinal));
}

function applyChange(
  database: Database,
  { workspace_id, revision }: LibraryPublished,
  change: FileChange,
  at: number,
  toggle: Toggle,
): void {
  const deleted = change.op === 'delete' ? 1 : 0;
  const known = database.get<DigestedFile & { ordinal: number; deleted: number }>(
    'SELECT ordinal, id, path, kind, hash, deleted FROM library_file WHERE workspace_id = ? AND id = ?',
    workspace_id,
    change.file_id,
  );
  if (known) unindexDocument(database, fileRow(known.ordinal));
  if (known?.deleted === 0) toggle(known);
  if (deleted === 0) toggle({ ...change, id: change.file_id });
  const text = deleted ? '' : (change.text ?? textOf(database, change.hash));
  const traits = change.file_id === change.path ? null : traitsOf(text);
  const { ordinal } = database.get<{ ordinal: number }>(
    `INSERT INTO library_file
       (ordinal, id, workspace_id, kind, path, hash, file_group, description, revision, deleted, updated_at, origin, traits,
        organisation)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
     ON CONFLICT (ordinal) DO UPDATE SET kind = ?4, path = ?5, hash = ?6, file_group = ?7, description = ?8,
       revision = ?9, deleted = ?10, updated_at = ?11, origin = coalesce(?12, origin), traits = ?13,
       organisation = ?14
     RETURNING ordinal`,
    known?.ordinal ?? null,
    change.file_id,
    workspace_id,
    change.kind,
    change.path,
    change.hash,
    change.group,
    change.description,
    revision,
    deleted,
    at,
    change.origin ?? null,
    traits && JSON.stringify(traits),
    change.organisation ?? null,
  )!;
  if (deleted || change.file_id === change.path) return;
  indexDocument(database, fileRow(ordinal), [{ workspaceId: workspace_id, whose: 'published' }], {
    ...change,
    headings: headingsOf(text),
  });
}

interface DraftRow {
  ordinal: number;
  session_id: string | null;
  principal: string;
  decided_by: string | null;
  hash: string | null;
  base_hash: string | null;
  staged_seq: number;
}

function draftRowOf(database: Database, draftId: string): DraftRow | undefined {
  return database.get<DraftRow>(
    `SELECT ordinal, session_id, principal, decided_by, hash, base_hash, staged_seq FROM library_draft WHERE id = ?`,
    draftId,
  );
}

/** A text stays as long as a revision or a draft names it. */
function dropUnused(database: Database, hash: string | null): void {
  if (hash === null) return;
  database.run(
    `DELETE FROM library_text WHERE hash = ?1
       AND NOT EXISTS (SELECT 1 FROM library_revision WHERE hash = ?1)
       AND NOT EXISTS (SELECT 1 FROM library_draft WHERE hash = ?1)
       AND NOT EXISTS (SELECT 1 FROM library_draft WHERE base_hash = ?1)`,
    hash,
  );
}

/** Applies what a forgetting left of an event to what was made of the event before. */
function forgetEvent(database: Database, event: JournalEvent, seq: number): void {
  switch (event.type) {
    case 'draft.staged':
    case 'draft.rebased': {
      const draft = event.data;
      const row = draftRowOf(database, draft.draft_id);
      if (row?.staged_seq !== seq) return;
      keepText(database, draft.hash, draft.text);
      database.run(
        'UPDATE library_draft SET hash = ?, description = ?, file_description = ? WHERE id = ?',
        draft.hash,
        draft.description,
        draft.file_description,
        draft.draft_id,
      );
      const { live } = database.get<{ live: number }>(
        'SELECT live FROM library_draft WHERE id = ?',
        draft.draft_id,
      )!;
      unindexDocument(database, draftRow(row.ordinal));
      if (live === 1) indexDraft(database, { ...draft, session_id: row.session_id });
      dropUnused(database, row.hash);
      return;
    }
    case 'draft.commented':
      database.run(
        'UPDATE library_comment SET text = ? WHERE draft_id = ? AND seq = ?',
        event.data.text,
        event.data.draft_id,
        seq,
      );
      return;
    case 'draft.approved':
    case 'draft.declined':
      database.run(
        'UPDATE library_draft SET note = ? WHERE id = ? AND decided_seq = ?',
        event.data.note,
        event.data.draft_id,
        seq,
      );
  }
}

function ordinalOf(database: Database, draftId: string): number | undefined {
  return database.get<{ ordinal: number }>('SELECT ordinal FROM library_draft WHERE id = ?', draftId)
    ?.ordinal;
}

function indexDraft(database: Database, draft: DraftStaged): void {
  if (draft.hash === null || draft.resource === 'mpf') return;
  const workspaceId = draft.workspace_id;
  const scopes: SearchScope[] = [{ workspaceId, whose: `draft:${draft.principal}` }];
  if (draft.session_id) scopes.push({ workspaceId, whose: `session:${draft.session_id}` });
  indexDocument(database, draftRow(ordinalOf(database, draft.draft_id)!), scopes, {
    path: draft.new_path ?? draft.path,
    kind: draft.kind,
    group: draft.group,
    description: draft.file_description,
    headings: headingsOf(draft.text ?? textOf(database, draft.hash)),
  });
}

/** Its drafter should hear of it. */
function noteNews(database: Database, draftId: string, { seq, at }: Entry): void {
  database.run('UPDATE library_draft SET news_seq = ?, news_at = ? WHERE id = ?', seq, at, draftId);
}

function decide(
  database: Database,
  draftId: string,
  status: string,
  note: string | null,
  entry: Entry,
): void {
  const { actor, at, seq } = entry;
  noteNews(database, draftId, entry);
  database.run(
    `UPDATE library_draft SET status = ?, note = ?, decided_by = ?, decided_at = ?, updated_at = ?, decided_seq = ? WHERE id = ?`,
    status,
    note,
    actor.principal,
    at,
    at,
    seq,
    draftId,
  );
}

/** A closed draft no longer lies over what is published. */
function closeDraft(database: Database, draftId: string, status: string, at: number): void {
  const ordinal = ordinalOf(database, draftId);
  if (ordinal === undefined) return;
  database.run(
    'UPDATE library_draft SET status = ?, live = 0, updated_at = ? WHERE id = ?',
    status,
    at,
    draftId,
  );
  unindexDocument(database, draftRow(ordinal));
}

/** Parsing is left until somebody loads a file: most files of a large library are never loaded. */
function keepConstraints(database: Database, hash: string): void {
  const row = database.get<{ text: string }>(
    'SELECT text FROM library_text WHERE hash = ? AND constraints IS NULL',
    hash,
  );
  if (!row) return;
  database.run(
    'UPDATE library_text SET constraints = ? WHERE hash = ?',
    JSON.stringify(constraintsOf(hash, row.text)),
    hash,
  );
}
