/** A finding as it was stored. */
export interface StoredFinding {
  id: string;
  finding: string;
  category: string | null;
  metadata: Record<string, unknown> | null;
}

/** What findings are based on: results by handle, rows by scratch_ref. Scrubbed, because it comes from outside. */
export interface FindingSource {
  ref: string;
  summary: string;
}

/**
 * Findings of one call. Persistent ones are also items of the project's memory, each under its own id.
 * `expires_at` is null for those.
 */
export interface FindingsStored {
  session_id: string;
  org: string;
  principal: string;
  project_id: string;
  analysis_id: string;
  ids: string[];
  findings: StoredFinding[];
  persistent: boolean;
  expires_at: number | null;
  sources: FindingSource[];
  secrets: number;
}

/** Removed findings, persistent ones included. */
export interface FindingsCleared {
  session_id: string;
  org: string;
  principal: string;
  project_id: string;
  analysis_id: string;
  ids: string[];
}

export interface TransientEvents {
  'finding.stored': FindingsStored;
  'finding.cleared': FindingsCleared;
}
