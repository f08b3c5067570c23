import type { DraftResource, FileKind } from '@infold/protocol';

/** What one publication does to one file. `text` is absent where the content stays or goes. */
export interface FileChange {
  op: 'create' | 'update' | 'rename' | 'delete';
  file_id: string;
  kind: FileKind;
  path: string;
  previous_path: string | null;
  hash: string;
  group: string | null;
  description: string | null;
  /** Where an import found it, if that is another path than its own. */
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
  /** Drafts that this publishes. */
  draft_ids: string[];
  note: string | null;
}

export type DraftKind = 'create' | 'update' | 'rename' | 'delete';

/** A draft as it stands after the event. `null` as a file means one that does not exist yet, or the meta prompt. */
export interface DraftState {
  draft_id: string;
  workspace_id: string;
  org: string;
  project_id: string;
  principal: string;
  resource: DraftResource;
  op: DraftKind;
  file_id: string | null;
  /** Where the published file is, or where the new one is to be. */
  path: string;
  /** Where a rename moves it. */
  new_path: string | null;
  /** The published content that the draft was made from; null for a new file. */
  base_hash: string | null;
  /** The draft's content; null for a deletion. */
  hash: string | null;
  kind: FileKind;
  group: string | null;
  file_description: string | null;
  /** What the drafter says about the change. */
  description: string | null;
  /** Where an import found the file, if that is another path than its own. */
  origin?: string;
}

interface OnDraft {
  draft_id: string;
  workspace_id: string;
}

export interface DraftStaged extends DraftState {
  text?: string;
  /** The session in which an agent did it; null for a person at the command line or in the console. */
  session_id: string | null;
  secrets: number;
}

export interface DraftDiscarded extends OnDraft {
  action: 'discard' | 'delete';
  path: string;
  session_id: string | null;
}

export type LibraryEvent =
  | { type: 'library.published'; data: LibraryPublished }
  | { type: 'draft.staged'; data: DraftStaged }
  | { type: 'draft.discarded'; data: DraftDiscarded }
  /** Earlier versions did not say where, nor for which path. */
  | { type: 'draft.submitted'; data: OnDraft & { session_id?: string | null; path?: string } }
  | { type: 'draft.commented'; data: OnDraft & { text: string } }
  | { type: 'draft.approved'; data: OnDraft & { note: string | null } }
  | { type: 'draft.declined'; data: OnDraft & { note: string | null } }
  /** The same draft on what is published now. */
  | { type: 'draft.rebased'; data: DraftStaged };

interface InSession {
  session_id: string;
  workspace_id: string;
}

export interface LoadEvidence {
  id: string;
  kind: FileKind;
  path: string;
  hash: string;
  changed: boolean;
  draft: boolean;
}

export interface ReferEvidence {
  rule_id: string;
  path: string;
  /** The content's hash when the claim was made. */
  rule_hash: string;
  /** What the agent said it was, if it did. */
  claimed_hash: string | null;
  constraint_id: string;
  constraint_name: string;
  constraint_text: string;
  reason: string | null;
  /** Whether this session loaded the rule before it claimed to have applied it. */
  loaded: boolean;
  /** Whether the agent worked with other content than the current one. */
  stale: boolean;
}

/** LIB-13: what agents did, with its evidence. They stand in the session's own stream. */
export type AttestationEvent =
  | {
      type: 'attest.setup';
      data: InSession & {
        project_id: string;
        mpf_hash: string | null;
        mpf_changed: boolean;
        /** Whether the session opted in to drafts that it did not stage itself; earlier versions had no such thing. */
        drafts?: boolean;
      };
    }
  | {
      type: 'attest.discover';
      data: InSession & {
        kind: FileKind | null;
        group: string | null;
        query: string | null;
        result_count: number;
        /** The first names, then how many more there were. */
        result_names: string[];
      };
    }
  | { type: 'attest.load'; data: InSession & { items: LoadEvidence[] } }
  | { type: 'attest.refer'; data: InSession & { refs: ReferEvidence[] } }
  | { type: 'attest.agent_report'; data: InSession & { summary: string } }
  | { type: 'attest.reject'; data: InSession & { reason: string | null } };

/** The id under which what was reported at the end of a turn is remembered. */
export function reportItemId(seq: number, index: number): string {
  return `turn_${seq}_${index}`;
}
