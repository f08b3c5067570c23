export interface SessionStarted {
  session_id: string;
  org: string;
  principal: string;
  project_id: string;
  /** The host's own id of its session or thread, where it gave one: another name of the same session. */
  host_id: string | null;
}

export type SessionEvent =
  | { type: 'session.started'; data: SessionStarted }
  | { type: 'session.named'; data: { session_id: string; host_id: string } }
  | { type: 'session.expired'; data: { session_id: string } };
