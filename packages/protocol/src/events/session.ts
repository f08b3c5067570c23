import type { HostName } from '../hosts.ts';

export interface SessionStarted {
  session_id: string;
  org: string;
  principal: string;
  project_id: string;
  /** The host's own id of its session or thread, where it gave one: another name of the same session. */
  host_id: string | null;
}

/** Where the host has the session: told by a hook. */
export interface SessionBound {
  session_id: string;
  host: HostName;
  folder: string;
  /** The host's own record of the conversation; null where it told none. */
  transcript: string | null;
  /** Why the host spoke: a window that was cleared knows nothing of what it was told before. */
  source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | null;
}

/** What a hook put before the session's model, so that it is not said twice. */
export interface SessionTold {
  session_id: string;
  occasion: 'wake' | 'prompt' | 'compaction';
  /** Ids of memory items, and of rules with the hash that was in force. */
  ids: string[];
  tokens: number;
}

export interface SessionEvents {
  'session.started': SessionStarted;
  'session.named': { session_id: string; host_id: string };
  'session.expired': { session_id: string };
  'session.bound': SessionBound;
  'session.told': SessionTold;
  /** The host has left it, and may come back. */
  'session.left': { session_id: string };
  /** The host is about to write a summary in place of the conversation. */
  'session.compacting': { session_id: string; trigger: 'auto' | 'manual' };
}
