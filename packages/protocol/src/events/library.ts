import type { DiffSide, DraftResource, FileKind } from '../library.ts';

/** What one publication does to one file. `text` is absent if the content does not change or is deleted. */
export interface FileChange {
  op: 'create' | 'update' | 'rename' | 'delete';
  file_id: string;
  kind: FileKind;
  path: string;
  previous_path: string | null;
  hash: string;
  group: string | null;
  description: string | null;
  /** The path that an import found it at, if it differs. */
  origin?: string;
  /** The revision of the organisation's library that has it, for what a workspace selects from there. */
  organisation?: number;
  text?: string;
}

export type PublicationSource = 'draft' | 'import' | 'restore' | 'init' | 'hub' | 'organisation';

/** What the library of a hub was when all of it had arrived at an edge. */
export interface HubRevision {
  revision: number;
  /** Over ids, paths, kinds and hashes of all its files, hex. */
  digest: string;
}

export interface LibraryPublished {
  workspace_id: string;
  org: string;
  project_id: string;
  /** Of the workspace: 1, 2, 3, … without gaps. */
  revision: number;
  source: PublicationSource;
  changes: FileChange[];
  /** Drafts that this publication includes. */
  draft_ids: string[];
  note: string | null;
  /** Of a publication that made a workspace what it is at its hub. */
  hub?: HubRevision;
}

/** What a workspace has from the organisation's library. A file must match a path and have a tag, where any are given. */
export interface Selection {
  /** Patterns. */
  paths: string[];
  tags: string[];
  /** The revision that stays, or the latest one. */
  revision: number | 'latest';
}

export interface LibrarySelected {
  workspace_id: string;
  org: string;
  project_id: string;
  /** Null: nothing any more. */
  selection: Selection | null;
}

/** Who must have approved what is published at paths of a pattern. */
export interface Protection {
  pattern: string;
  /** Principals whose approval counts; anybody's who may review, where it is empty. */
  reviewers: string[];
  approvals: number;
}

export interface LibraryProtected extends Protection {
  workspace_id: string;
  org: string;
  project_id: string;
  /** The pattern is not protected any more. */
  lifted?: true;
}

export type DraftKind = 'create' | 'update' | 'rename' | 'delete';

/** A draft after the event. A `null` file is one that does not exist yet, or the meta prompt. */
export interface DraftState {
  draft_id: string;
  workspace_id: string;
  org: string;
  project_id: string;
  principal: string;
  resource: DraftResource;
  op: DraftKind;
  file_id: string | null;
  /** The path of the published file, or of the new one. */
  path: string;
  /** The target of a rename. */
  new_path: string | null;
  /** The published content that the draft was made from; null for a new file. */
  base_hash: string | null;
  /** The draft's content; null for a deletion. */
  hash: string | null;
  kind: FileKind;
  group: string | null;
  file_description: string | null;
  /** The drafter's description of the change. */
  description: string | null;
  /** The path that an import found the file at, if it differs. */
  origin?: string;
}

interface OnDraft {
  draft_id: string;
  workspace_id: string;
}

export interface DraftStaged extends DraftState {
  text?: string;
  /** The agent's session; null for a person at the command line or in the console. */
  session_id: string | null;
  secrets: number;
}

export interface DraftDiscarded extends OnDraft {
  action: 'discard' | 'delete';
  path: string;
  session_id: string | null;
}

export interface DraftSubmitted extends OnDraft {
  session_id: string | null;
  /** Empty in events of version 1. */
  path: string;
}

export interface DraftCommented extends OnDraft {
  text: string;
  /** Absent for a comment on the whole draft. `hash` is of the content that the line is in. */
  on?: { side: DiffSide; line: number; hash: string };
}

export interface DraftDecided extends OnDraft {
  note: string | null;
}

/** Evidence of days before this one (UTC, `2026-05-31`) is no longer counted, nor what arrives of them later. */
export interface EvidenceExpired {
  before: string;
}

export interface LibraryEvents {
  'library.published': LibraryPublished;
  'library.selected': LibrarySelected;
  'library.protected': LibraryProtected;
  'draft.staged': DraftStaged;
  'draft.discarded': DraftDiscarded;
  'draft.submitted': DraftSubmitted;
  'draft.commented': DraftCommented;
  'draft.approved': DraftDecided;
  'draft.declined': DraftDecided;
  /** The same draft, based on what is published now. */
  'draft.rebased': DraftStaged;
  'library.evidence_expired': EvidenceExpired;
}
