import type { DraftResource, FileKind } from '../library.ts';

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
  text?: string;
}

export type PublicationSource = 'draft' | 'import' | 'restore' | 'init';

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
}

export interface DraftDecided extends OnDraft {
  note: string | null;
}

export interface LibraryEvents {
  'library.published': LibraryPublished;
  'draft.staged': DraftStaged;
  'draft.discarded': DraftDiscarded;
  'draft.submitted': DraftSubmitted;
  'draft.commented': DraftCommented;
  'draft.approved': DraftDecided;
  'draft.declined': DraftDecided;
  /** The same draft, based on what is published now. */
  'draft.rebased': DraftStaged;
}
