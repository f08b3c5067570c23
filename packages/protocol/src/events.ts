import type { AccessEvents } from './events/access.ts';
import type { AttestationEvents } from './events/attestation.ts';
import type { FoldEvents } from './events/fold.ts';
import type { GatewayEvents } from './events/gateway.ts';
import type { HubEvents } from './events/hub.ts';
import type { LibraryEvents } from './events/library.ts';
import type { MemoryEvents } from './events/memory.ts';
import type { SessionEvents } from './events/session.ts';
import type { TransientEvents } from './events/transient.ts';
import type { WebhookEvents } from './events/webhook.ts';
import type { WindowEvents } from './events/window.ts';

export * from './events/access.ts';
export * from './events/attestation.ts';
export * from './events/fold.ts';
export * from './events/gateway.ts';
export * from './events/hub.ts';
export * from './events/library.ts';
export * from './events/memory.ts';
export * from './events/session.ts';
export * from './events/transient.ts';
export * from './events/webhook.ts';
export * from './events/window.ts';

/** What was forgotten, and what is left of each erased entry. */
export interface Forgotten {
  target: { kind: string; id: string };
  entries: { seq: number; events: EventOf<EventType>[] }[];
}

/** The catalogue: every event that a journal can hold, by type. */
export interface EventMap
  extends AccessEvents,
    AttestationEvents,
    FoldEvents,
    GatewayEvents,
    HubEvents,
    LibraryEvents,
    MemoryEvents,
    SessionEvents,
    TransientEvents,
    WebhookEvents,
    WindowEvents {
  'data.forgotten': Forgotten;
}

export type EventType = keyof EventMap;

/** An event of one of these types. */
export type EventOf<Type extends EventType> = {
  [Each in Type]: { type: Each; data: EventMap[Each] };
}[Type];

/**
 * The version of each type that is written today. Raise it when a change would leave readers of old events with something
 * missing, and add an upcast from the version before to the journal.
 */
export const EVENT_VERSIONS: Readonly<Record<EventType, number>> = {
  'branch.created': 2,
  'branch.folded': 1,
  'branch.returned_late': 1,
  'branch.rolled_back': 1,
  'operation.completed': 1,
  'operation.recounted': 1,
  'operation.collapsed': 1,
  'library.published': 1,
  'library.selected': 1,
  'library.protected': 1,
  'library.evidence_expired': 1,
  'draft.staged': 1,
  'draft.discarded': 1,
  'draft.submitted': 2,
  'draft.commented': 1,
  'draft.approved': 1,
  'draft.declined': 1,
  'draft.rebased': 1,
  'hub.joined': 1,
  'hub.left': 1,
  'hub.draft_sent': 1,
  'hub.held': 1,
  'hub.received': 1,
  'hub.refused': 1,
  'webhook.configured': 1,
  'webhook.removed': 1,
  'webhook.delivered': 1,
  'webhook.failed': 1,
  'webhook.retried': 1,
  'attest.setup': 2,
  'attest.discover': 1,
  'attest.load': 1,
  'attest.instructions': 1,
  'attest.refer': 1,
  'attest.agent_report': 1,
  'attest.reject': 1,
  'memory.remembered': 1,
  'memory.imported': 1,
  'memory.related': 1,
  'memory.unrelated': 1,
  'memory.used': 1,
  'pack.compiled': 1,
  'finding.stored': 1,
  'finding.cleared': 1,
  'envelope.accepted': 1,
  'envelope.submitted': 1,
  'envelope.refused': 2,
  'envelope.expired': 2,
  'context.concluded': 1,
  'history.trimmed': 1,
  'pod.taken': 1,
  'token.created': 1,
  'token.revoked': 1,
  'project.added': 1,
  'project.configured': 2,
  'project.linked': 1,
  'access.denied': 1,
  'key.rotated': 1,
  'session.started': 1,
  'session.named': 1,
  'session.expired': 1,
  'session.bound': 1,
  'session.told': 1,
  'session.left': 1,
  'session.compacting': 1,
  'data.forgotten': 1,
  'window.opened': 1,
  'window.asked': 1,
  'window.collapsed': 1,
  'window.answered': 1,
  'window.switched': 1,
};
