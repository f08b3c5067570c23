import type { Envelope } from '../gateway.ts';

/** A message that everyone in the pod was sent. Secrets are taken out before it is stored. */
export interface EnvelopeAccepted {
  org: string;
  pod: string;
  seq: number;
  /** The life of the pod in which it got its position. */
  epoch: string;
  at: number;
  /** Of its payload; counted for messages in a context only. */
  tokens: number;
  /** The type of its context, also where the message itself leaves it out. */
  type: string | null;
  /** As it was sent, less secrets; `seq` and `epoch` stand beside it. Without payload once it was forgotten. */
  envelope: Envelope;
  secrets: number;
  /** What the template of its type says of a context that begins with this message. */
  defaults?: Record<string, unknown>;
  /** What an agent did in a branch, told in the pod of its project. It is never counted in the branch again. */
  mirrors?: MirroredFrom;
  /** Said by a branch's agent in the branch's context: an operation of the branch. */
  operation_of?: BranchOfSession;
}

export interface BranchOfSession {
  session_id: string;
  branch_id: string;
}

export interface MirroredFrom extends BranchOfSession {
  /** The journal's position up to which the session has been told with this message. */
  through: number;
}

/** A message from a process that does not give out positions in this data folder; the one that does accepts it. */
export interface EnvelopeSubmitted {
  org: string;
  pod: string;
  envelope: Envelope;
}

export interface EnvelopeRefused {
  org: string;
  pod: string;
  id: string;
  from: string;
  error: string;
  message: string;
  /** What helps the sender act. */
  details: Record<string, unknown>;
}

/** Nobody used it for a while, or the branch that it shows was folded. */
export interface ContextConcluded {
  org: string;
  pod: string;
  id: string;
  type: string | null;
  /** Without secrets; null where nothing was said in words. */
  summary: string | null;
  /** Positions of the messages that the summary was taken from, and who said those: it is forgotten with them. */
  sources: number[];
  principals: string[];
  /** Of the branch that the context shows. */
  session_id?: string;
  /** The summary is to be remembered: by this project, or where there is none by the organisation. */
  remember?: { project_id: string | null };
}

/** Retention: what is at or before this position went out of history. */
export interface HistoryTrimmed {
  org: string;
  pod: string;
  through: number;
}

/** In a cluster: another node gives out the pod's positions from here on, and what was promised before is not written any more. */
export interface PodTaken {
  org: string;
  pod: string;
  /** Names the fence, which is higher than those before it, and the newest position. */
  epoch: string;
  at: number;
}

/** What is left of a message without a context: that there was one. */
export interface EnvelopeExpired {
  accepted?: ExpiredMessage;
}

export interface ExpiredMessage extends Pick<EnvelopeAccepted, 'org' | 'pod' | 'seq' | 'at' | 'mirrors'> {
  /** Null in events from before it was kept. */
  epoch: string | null;
}

export interface GatewayEvents {
  'envelope.accepted': EnvelopeAccepted;
  'envelope.submitted': EnvelopeSubmitted;
  'envelope.refused': EnvelopeRefused;
  'envelope.expired': EnvelopeExpired;
  'context.concluded': ContextConcluded;
  'history.trimmed': HistoryTrimmed;
  'pod.taken': PodTaken;
}
