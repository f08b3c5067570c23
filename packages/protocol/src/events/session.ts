export interface SessionStarted {
  session_id: string;
  org: string;
  principal: string;
  project_id: string;
  /** The host's own id of its session or thread, where it gave one: another name of the same session. */
  host_id: string | null;
}

export interface SessionEvents {
  'session.started': SessionStarted;
  'session.named': { session_id: string; host_id: string };
  'session.expired': { session_id: string };
}
