import type { Envelope, Limits, StoredPayload } from '@infold/protocol';
import type { Actor, Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { Position } from '../commands.ts';
import type { ContextIndex, LiveContext } from '../contexts/context-index.ts';
import type { Refusal } from '../errors.ts';
import type { Recent } from '../history/recent.ts';
import type { HistoryWriter, Pending } from '../history/writer.ts';
import type { SharedPod, SharedPods } from '../nodes/cluster/shared-pods.ts';
import type { Spot } from '../nodes/hand-over.ts';
import type { Positions } from '../nodes/positions.ts';
import type { EnvelopeIdentifiers } from '../wire/identifiers.ts';
import type { Budget } from './budget.ts';
import type { Resolved } from './correlation.ts';
import type { KnownIds } from './known-ids.ts';
import type { Member } from './member.ts';
import type { Receivers } from './receivers.ts';
import type { Throttle } from './throttle.ts';

/** What a pod needs of the gateway. */
export interface PodServices {
  journal: Journal;
  limits: Limits;
  clock: Clock;
  writer: HistoryWriter;
  /** What all pods together keep. */
  budgets: { recent: Budget; contexts: Budget; ids: Budget };
  throttle: Throttle;
  identifiers: EnvelopeIdentifiers;
  positions: Positions;
  /** In a cluster: the pods as its nodes share them. */
  shared: SharedPods | undefined;
  /** Stores a message where another process may give out positions. */
  place(pod: SharedPod & Spot, actor: Actor, envelope: Envelope, bytes: number): Promise<Position>;
  /** A message that was handed in by another process, or that tells of a branch, was not stored after all. */
  released(message: Pending, reason: string): void;
  /** What tells of a session's branch was not stored. */
  untold(sessionId: string): void;
  denied(pod: { readonly name: string }, member: Member): void;
  resolve(caller: Caller, id: string): Promise<Resolved>;
  failed(error: unknown): void;
}

/** A pod as those see it who work for it: sending history, storing, answering questions, concluding contexts. */
export interface LivePod extends Spot, SharedPod {
  readonly services: PodServices;
  readonly contexts: ContextIndex;
  readonly recent: Recent;
  readonly receivers: Receivers;
  readonly members: ReadonlyMap<string, Member>;
  readonly ids: KnownIds;
  /** The life in which this process gives out positions, and the newest position when it began. */
  readonly epoch: string;
  readonly base: number;
  /** Messages up to here are in the journal. */
  durable: number;
  tell(member: Member, kind: string, payload: object, correlation?: string): void;
  tellAll(kind: string, payload: object, correlation?: string): void;
  /** Told to whoever speaks as that participant now. */
  acknowledge(participant: string, payload: StoredPayload): void;
  refuseTo(participant: string, refusal: Refusal): void;
  announce(event: 'created' | 'concluded', context: LiveContext): void;
  leave(member: Member, code?: number, reason?: string): void;
  /** Positions go on from what is stored. */
  restart(): void;
}
