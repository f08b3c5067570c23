import type { ContextConcluded, EventOf, GatewayEvents } from '@infold/protocol/events';
import { digestHex } from '../kernel/ids.ts';

export type {
  BranchOfSession,
  ContextConcluded,
  EnvelopeAccepted,
  EnvelopeRefused,
  EnvelopeSubmitted,
  ExpiredMessage,
  MirroredFrom,
} from '@infold/protocol/events';

export type GatewayEvent = EventOf<keyof GatewayEvents>;

/** The id under which what a context came to is remembered. One of its own: participants choose those of contexts. */
export function contextItemId({ org, pod, id }: Pick<ContextConcluded, 'org' | 'pod' | 'id'>): string {
  return `ctx_${digestHex(32, org, pod, id)}`;
}
