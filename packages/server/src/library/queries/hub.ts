import type { Database } from '../../kernel/sqlite.ts';
import type { ChainPosition, HubHeld, HubRevision } from '../events.ts';
import { NO_FILES } from '../files/digest.ts';
import { type LibraryFile, workspaceById } from './files.ts';

/** The hub that a data folder is an edge of. */
export interface Joined {
  edge_id: string;
  url: string;
  hub_id: string;
  org: string;
  principal: string;
  from_seq: number;
  from_hash: string;
  joined_seq: number;
}

export function joinedHub(database: Database): Joined | undefined {
  return database.get<Joined>(
    'SELECT * FROM library_joined WHERE left_at IS NULL ORDER BY joined_seq DESC LIMIT 1',
  );
}

/** The newest time that this folder was an edge of the hub, also one that it has left. */
export function everJoined(database: Database, hubId: string): Joined | undefined {
  return database.get<Joined>(
    'SELECT * FROM library_joined WHERE hub_id = ? ORDER BY joined_seq DESC LIMIT 1',
    hubId,
  );
}

/** A project whose library is that of a project at the hub. */
export interface HubLink {
  workspace_id: string;
  org: string;
  project_id: string;
  hub_id: string;
  hub_url: string;
  hub_project_id: string;
  hub_project: string;
}

export function hubLinks(database: Database): HubLink[] {
  return database.all<HubLink>('SELECT * FROM library_link ORDER BY hub_project, project_id');
}

export function linkOfWorkspace(database: Database, workspaceId: string): HubLink | undefined {
  return database.get<HubLink>('SELECT * FROM library_link WHERE workspace_id = ? LIMIT 1', workspaceId);
}

/** Evidence or memory of a project that goes apart from the rest since the hub did not take it. */
export interface HeldPart {
  edge_id: string;
  what: HubHeld['what'];
  /** Of the hub. */
  project_id: string;
  from_seq: number;
  from_hash: string;
}

export function heldParts(database: Database, edgeId: string): HeldPart[] {
  return database.all<HeldPart>(
    'SELECT * FROM library_held WHERE edge_id = ? ORDER BY from_seq, project_id, what',
    edgeId,
  );
}

/** Undefined before the whole library has arrived once. */
export function mirroredRevision(database: Database, workspaceId: string): HubRevision | undefined {
  return database.get<HubRevision>(
    'SELECT revision, digest FROM library_mirror WHERE workspace_id = ?',
    workspaceId,
  );
}

export interface SentDraft {
  draft_id: string;
  hub_draft_id: string;
  state: 'submitted' | 'withdrawn';
  staged: number;
}

/** A draft of a linked workspace that was submitted, as far as its way to the hub is concerned. */
export interface TravellingDraft {
  id: string;
  /** Where its file is to be. */
  path: string;
  workspace_id: string;
  status: string;
  live: number;
  staged_seq: number;
  hub_draft_id: string | null;
  state: SentDraft['state'] | null;
  staged: number | null;
}

/** Those that the hub should know of, and those of which it should say what became of them. */
export function travellingDrafts(database: Database, workspaceId: string): TravellingDraft[] {
  return database.all<TravellingDraft>(
    `SELECT draft.id, coalesce(draft.new_path, draft.path) AS path, draft.workspace_id, draft.status, draft.live, draft.staged_seq, sent.hub_draft_id, sent.state,
       sent.staged
     FROM library_draft AS draft LEFT JOIN library_sent_draft AS sent ON sent.draft_id = draft.id
     WHERE draft.workspace_id = ? AND (
       draft.status IN ('in_review', 'approved')
       OR (draft.status IN ('draft', 'discarded') AND sent.state = 'submitted'))
     ORDER BY draft.staged_seq`,
    workspaceId,
  );
}

/** An edge, as its hub knows it. */
export interface EdgeRow extends ChainPosition {
  org: string;
  id: string;
  principal: string;
  entries: number;
  events: number;
  skew: number;
  first_at: number;
  last_at: number;
  refused_reason: string | null;
  refused_seq: number | null;
  refused_hash: string | null;
  refused_at: number | null;
}

export function edgeById(database: Database, org: string, id: string): EdgeRow | undefined {
  return database.get<EdgeRow>('SELECT * FROM library_edge WHERE org = ? AND id = ?', org, id);
}

/** Of one principal, or of all. */
export function edgesOf(database: Database, org: string, principal: string | null): EdgeRow[] {
  return database.all<EdgeRow>(
    'SELECT * FROM library_edge WHERE org = ?1 AND (?2 IS NULL OR principal = ?2) ORDER BY last_at DESC, id',
    org,
    principal,
  );
}

/** Of every organisation. */
export function allEdges(database: Database): EdgeRow[] {
  return database.all<EdgeRow>('SELECT * FROM library_edge ORDER BY org, id');
}

/** The hashes of those of these entries that are here already. */
export function receivedHashes(
  database: Database,
  { org, principal }: { org: string; principal: string },
  ids: readonly string[],
): Map<string, string> {
  const rows = database.all<{ id: string; hash: string }>(
    `SELECT id, hash FROM library_received
     WHERE org = ? AND principal = ? AND id IN (SELECT value FROM json_each(?))`,
    org,
    principal,
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

/** Of all files that are published in a workspace. */
export function libraryDigest(database: Database, workspaceId: string): Uint8Array {
  return workspaceById(database, workspaceId)?.digest ?? NO_FILES;
}

export type ChangedFile = Pick<
  LibraryFile,
  'ordinal' | 'revision' | 'id' | 'path' | 'kind' | 'hash' | 'deleted'
>;

/** Files that changed after a revision, those that went included; all there are after revision 0. */
export function filesSince(
  database: Database,
  workspaceId: string,
  page: { since: number; after: { revision: number; ordinal: number }; limit: number },
): ChangedFile[] {
  const { since, after, limit } = page;
  return database.all<ChangedFile>(
    `SELECT ordinal, revision, id, path, kind, hash, deleted FROM library_file
     WHERE workspace_id = ?1 AND revision >= ?3 AND (revision, ordinal) > (?3, ?4) AND (?2 > 0 OR deleted = 0)
     ORDER BY revision, ordinal LIMIT ?5`,
    ...[workspaceId, since, after.revision, after.ordinal, limit],
  );
}

/** Texts that some revision of the workspace has or had. */
export function publishedTexts(
  database: Database,
  workspaceId: string,
  hashes: readonly string[],
): { hash: string; text: string }[] {
  return database.all<{ hash: string; text: string }>(
    `SELECT hash, text FROM library_text WHERE hash IN (SELECT value FROM json_each(?2)) AND EXISTS (
       SELECT 1 FROM library_revision AS revision WHERE revision.hash = library_text.hash AND workspace_id = ?1)`,
    workspaceId,
    JSON.stringify(hashes),
  );
}

/** A text, if some revision of the workspace has or had it. */
export function publishedText(database: Database, workspaceId: string, hash: string): string | undefined {
  return publishedTexts(database, workspaceId, [hash])[0]?.text;
}

/** When something was last decided or said about a draft of this principal, as a position of the journal. */
export function newestNews(database: Database, workspaceId: string, principal: string): number {
  return (
    database.get<{ seq: number | null }>(
      `SELECT max(news_seq) AS seq FROM library_draft
       WHERE workspace_id = ? AND principal = ? AND news_seq IS NOT NULL`,
      workspaceId,
      principal,
    )?.seq ?? 0
  );
}

export function countFiles(database: Database, workspaceId: string): number {
  return database.get<{ count: number }>(
    'SELECT count(*) AS count FROM library_file WHERE workspace_id = ? AND deleted = 0',
    workspaceId,
  )!.count;
}

/** Bytes of all published files but these. */
export function bytesBeside(database: Database, workspaceId: string, ids: readonly string[]): number {
  return database.get<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(text)), 0) AS bytes FROM library_file JOIN library_text USING (hash)
     WHERE workspace_id = ? AND deleted = 0 AND id NOT IN (SELECT value FROM json_each(?))`,
    workspaceId,
    JSON.stringify(ids),
  )!.bytes;
}

/** Published files with these ids, and those that went. */
export function filesByIds(
  database: Database,
  workspaceId: string,
  ids: readonly string[],
): Map<string, LibraryFile> {
  const rows = database.all<LibraryFile>(
    'SELECT * FROM library_file WHERE workspace_id = ? AND id IN (SELECT value FROM json_each(?))',
    workspaceId,
    JSON.stringify(ids),
  );
  return new Map(rows.map((file) => [file.id, file]));
}

/** Which of these texts are here. */
export function knownTexts(database: Database, hashes: readonly string[]): Set<string> {
  const rows = database.all<{ hash: string }>(
    'SELECT hash FROM library_text WHERE hash IN (SELECT value FROM json_each(?))',
    JSON.stringify(hashes),
  );
  return new Set(rows.map(({ hash }) => hash));
}
