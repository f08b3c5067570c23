import type { Envelope } from '@infold/protocol';

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
}

/** Nobody used it for a while. Its summary is among its messages, and is forgotten with them. */
export interface ContextConcluded {
  org: string;
  pod: string;
  id: string;
}

/** Retention: what is at or before this position went out of history. */
export interface HistoryTrimmed {
  org: string;
  pod: string;
  through: number;
}

export type GatewayEvent =
  | { type: 'envelope.accepted'; data: EnvelopeAccepted }
  | { type: 'envelope.submitted'; data: EnvelopeSubmitted }
  | { type: 'envelope.refused'; data: EnvelopeRefused }
  | { type: 'context.concluded'; data: ContextConcluded }
  | { type: 'history.trimmed'; data: HistoryTrimmed };
