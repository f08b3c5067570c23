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
