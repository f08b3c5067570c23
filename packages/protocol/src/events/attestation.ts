import type { FileKind } from '../library.ts';

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

export interface AttestedSetup extends InSession {
  project_id: string;
  mpf_hash: string | null;
  mpf_changed: boolean;
  /** Whether the session opted in to drafts that it did not stage itself. */
  drafts: boolean;
}

export interface AttestedDiscovery extends InSession {
  kind: FileKind | null;
  group: string | null;
  query: string | null;
  result_count: number;
  /** The first names, then how many more there were. */
  result_names: string[];
}

/** A file of instructions that the host itself put before its model. */
export interface AttestedInstructions extends InSession {
  /** As the host named it; within the session's folder where it is there. */
  file: string;
  hash: string;
  /** Why the host loaded it, in its own word. */
  reason: string | null;
  /** What of the library has the same content; null where nothing has. */
  rule_id: string | null;
  path: string | null;
}

/** LIB-13: what agents did, with its evidence. They stand in the session's own stream. */
export interface AttestationEvents {
  'attest.setup': AttestedSetup;
  'attest.discover': AttestedDiscovery;
  'attest.load': InSession & { items: LoadEvidence[] };
  'attest.instructions': AttestedInstructions;
  'attest.refer': InSession & { refs: ReferEvidence[] };
  'attest.agent_report': InSession & { summary: string };
  'attest.reject': InSession & { reason: string | null };
}
