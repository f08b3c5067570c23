import type { Decision } from '../journal/journal.ts';
import type { BranchOfSession, EnvelopeAccepted, GatewayEvent } from './events.ts';

/**
 * Messages get their places at the end of the pod: where they were promised, or further on when another process wrote
 * meanwhile. What a branch's agent says in the branch's context is an operation of the branch. Answers how far they
 * were moved.
 */
export function acceptMessages(
  head: number,
  messages: readonly EnvelopeAccepted[],
  operationOf: (message: EnvelopeAccepted) => BranchOfSession | undefined,
): Decision<number> & { events: GatewayEvent[] } {
  const shift = Math.max(0, head + 1 - messages[0]!.seq);
  const events = messages.map((message): GatewayEvent => {
    const operation = message.mirrors ? undefined : operationOf(message);
    const counted = operation ? { operation_of: operation } : {};
    return { type: 'envelope.accepted', data: { ...message, seq: message.seq + shift, ...counted } };
  });
  return { events, answer: shift };
}
