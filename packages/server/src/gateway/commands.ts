import type { Decision } from '../journal/journal.ts';
import { Refusal } from './errors.ts';
import type { BranchOfSession, EnvelopeAccepted, EnvelopeSubmitted, GatewayEvent } from './events.ts';
import { fenceOf, newEpoch } from './history/epochs.ts';

type OperationOf = (message: EnvelopeAccepted) => BranchOfSession | undefined;

/** A pod as it is inside the transaction that writes to it. */
export interface PodHead {
  /** The newest message's position, and the life of the pod in which it got that. */
  seq: number;
  epoch: string | null;
}

/** What became of messages that were heard before they were written. */
export type Writing =
  | 'written'
  /** Others of this process stand before them. */
  | 'early'
  /** Another process gave out positions meanwhile: those that were promised mean nothing any more. */
  | 'moved'
  /** Who handed it in has taken it back. */
  | 'withdrawn';

/**
 * Messages that were heard already are written at the positions that they were promised, or not at all: a position that was
 * heard never becomes another one.
 */
export function writePromised(
  messages: readonly EnvelopeAccepted[],
  pod: PodHead & { isOthers: boolean; isWithdrawn: boolean },
  /** The newest position when this life began to give them out, and the one before these. */
  { base, after }: { base: number; after: number },
  operationOf: OperationOf,
): Decision<Writing> {
  const [first] = messages;
  const isLast = pod.epoch === first!.epoch || pod.seq === base;
  if (pod.isOthers || !isLast) return { events: [], answer: 'moved' };
  if (pod.seq < after) return { events: [], answer: 'early' };
  if (pod.isWithdrawn) return { events: [], answer: 'withdrawn' };
  return { events: messages.map((message) => accepted(message, operationOf)), answer: 'written' };
}

/**
 * In a cluster: the positions are this process's to give out from here on. Once this is written, its life of the pod is the
 * newest, and nothing of an earlier one is. Answers the higher fence where there is one already.
 */
export function takePod(
  { org, name, fence, at }: { org: string; name: string; fence: number; at: number },
  pod: PodHead,
): Decision<{ epoch: string } | { higher: number }> {
  const last = fenceOf(pod.epoch);
  if (last >= fence) return { events: [], answer: { higher: last } };
  const epoch = newEpoch(pod.seq, fence);
  return { events: [{ type: 'pod.taken', data: { org, pod: name, epoch, at } }], answer: { epoch } };
}

/** A position and the life of the pod in which it was given out. */
export interface Position {
  seq: number;
  epoch: string;
}

/**
 * A message of a process that gives out no positions: it is put at the end, where nobody else does so, and otherwise
 * handed to who does. No position means that it was handed on.
 */
export function placeMessage(
  message: Omit<EnvelopeAccepted, 'seq'>,
  pod: PodHead & {
    /** Where a message of this id stands; null while it waits for one. */
    earlier: number | null | undefined;
    isServed: boolean;
  },
  operationOf: OperationOf,
): Decision<Position | undefined> {
  const { org, epoch, envelope } = message;
  if (pod.earlier !== undefined) throw duplicate(envelope.id, pod.earlier);
  if (pod.isServed) {
    const data: EnvelopeSubmitted = { org, pod: message.pod, envelope };
    return { events: [{ type: 'envelope.submitted', data }], answer: undefined };
  }
  const seq = pod.seq + 1;
  return { events: [accepted({ ...message, seq }, operationOf)], answer: { seq, epoch } };
}

/** What a branch's agent says in the branch's context is an operation of the branch. */
function accepted(message: EnvelopeAccepted, operationOf: OperationOf): GatewayEvent {
  const operation = message.mirrors ? undefined : operationOf(message);
  return {
    type: 'envelope.accepted',
    data: operation ? { ...message, operation_of: operation } : message,
  };
}

export function duplicate(id: string, seq: number | null): Refusal {
  const where = seq === null ? '' : `; it is at position ${seq}`;
  return new Refusal(
    'duplicate_id',
    `A message with this id was already sent${where}`,
    id,
    seq === null ? {} : { seq },
  );
}
