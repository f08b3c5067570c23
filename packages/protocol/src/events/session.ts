import type { HostName } from '../hosts.ts';

export interface SessionStarted {
  session_id: string;
  org: string;
  principal: string;
  project_id: string;
  /** The host's own id of its session or thread, if it gave one: another name of the same session. */
  host_id: string | null;
}

/** The host and folder of a session, as a hook reported them. */
export interface SessionBound {
  session_id: string;
  host: HostName;
  folder: string;
  /** The host's own transcript of the conversation; null if it named none. */
  transcript: string | null;
  /** Why the host reported it. After `clear`, the window no longer holds what was added before. */
  source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | null;
}

/** What a hook added to the model's prompt, so that it is not added twice. */
export interface SessionTold {
  session_id: string;
  occasion: 'wake' | 'prompt' | 'compaction' | 'tool';
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
  /** The host ended it, and may resume it. */
  'session.left': { session_id: string };
  /** The host is about to replace the conversation by a summary. */
  'session.compacting': { session_id: string; trigger: 'auto' | 'manual' };
}
