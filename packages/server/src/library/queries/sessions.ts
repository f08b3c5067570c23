import type { Database } from '../../kernel/sqlite.ts';

/** What setup left in a session. */
export interface LibrarySession {
  session_id: string;
  workspace_id: string;
  project_id: string;
  mpf_hash: string | null;
  /** Whether it opted in to drafts that it did not stage itself. */
  drafts: number;
  /** Up to where in the journal it has been told of reviews. */
  told_seq: number;
  model: string | null;
}

export function librarySession(database: Database, sessionId: string): LibrarySession | undefined {
  return database.get<LibrarySession>('SELECT * FROM library_session WHERE session_id = ?', sessionId);
}

/** The hash that this session loaded last, if it loaded the file at all. */
export function loadedHash(database: Database, sessionId: string, fileId: string): string | undefined {
  return database.get<{ hash: string }>(
    'SELECT hash FROM library_load WHERE session_id = ? AND file_id = ? ORDER BY seq DESC LIMIT 1',
    sessionId,
    fileId,
  )?.hash;
}

/** The hash of a file of the library that this session's host loaded last by itself. */
export function instructedHash(database: Database, sessionId: string, fileId: string): string | undefined {
  return database.get<{ hash: string }>(
    'SELECT hash FROM library_instruction WHERE session_id = ? AND file_id = ? ORDER BY seq DESC LIMIT 1',
    sessionId,
    fileId,
  )?.hash;
}

/** Whether it is on record already that a session's host has loaded this. */
export function isInstructed(database: Database, sessionId: string, file: string, hash: string): boolean {
  return (
    database.get(
      'SELECT 1 FROM library_instruction WHERE session_id = ? AND file = ? AND hash = ?',
      ...[sessionId, file, hash],
    ) !== undefined
  );
}

/** The rules and workflows that a session has loaded, as they are published now, the last loaded first. */
export function loadedRules(database: Database, sessionId: string): { path: string; hash: string }[] {
  return database.all<{ path: string; hash: string }>(
    `SELECT file.path, file.hash FROM library_load AS load JOIN library_file AS file
       ON file.workspace_id = load.workspace_id AND file.id = load.file_id
     WHERE load.session_id = ? AND file.deleted = 0 AND file.kind <> 'context'
     GROUP BY file.id ORDER BY max(load.seq) DESC, file.path`,
    sessionId,
  );
}
