import type { FileKind } from '../library.ts';

interface InSession {
  session_id: string;
  workspace_id: string;
}

/** What was published in the workspace at that moment: its revision, and the digest of the list of its files. */
export interface LibraryState {
  revision: number;
  digest: string;
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
  /** The hash that the agent claimed, if any. */
  claimed_hash: string | null;
  constraint_id: string;
  constraint_name: string;
  constraint_text: string;
  reason: string | null;
  /** Whether this session loaded the rule before it claimed to have applied it. */
  loaded: boolean;
  /** Whether the agent worked with outdated content. */
  stale: boolean;
}

export interface AttestedSetup extends InSession {
  project_id: string;
  mpf_hash: string | null;
  mpf_changed: boolean;
  /** Whether the session opted in to drafts that it did not stage itself. */
  drafts: boolean;
  /** Absent in events of earlier versions. */
  library?: LibraryState;
  /** The model that the agent runs on, where the requests that it sends show it or the agent said so. */
  model?: string;
}

export interface AttestedDiscovery extends InSession {
  kind: FileKind | null;
  group: string | null;
  query: string | null;
  result_count: number;
  /** The first names, then the number of further ones. */
  result_names: string[];
}

/** A file of instructions that the host itself gave its model. */
export interface AttestedInstructions extends InSession {
  /** As the host named it; relative to the session's folder if it is inside. */
  file: string;
  hash: string;
  /** Why the host loaded it, in its own word. */
  reason: string | null;
  /** The library item with the same content; null where there is none. */
  rule_id: string | null;
  path: string | null;
}

/** LIB-13: what agents did, with its evidence, in the stream of their session. */
export interface AttestationEvents {
  'attest.setup': AttestedSetup;
  'attest.discover': AttestedDiscovery;
  'attest.load': InSession & { items: LoadEvidence[]; library?: LibraryState };
  'attest.instructions': AttestedInstructions;
  'attest.refer': InSession & { refs: ReferEvidence[] };
  'attest.agent_report': InSession & { summary: string };
  'attest.reject': InSession & { reason: string | null };
}
