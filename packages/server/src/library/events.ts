import type {
  AttestationEvents,
  EventOf,
  HubEvents,
  LibraryEvents,
  WebhookEvents,
} from '@infold/protocol/events';

export type {
  ChainPosition,
  DraftKind,
  DraftStaged,
  DraftState,
  FileChange,
  HubHeld,
  HubReceived,
  HubRevision,
  LibraryPublished,
  LoadEvidence,
  Protection,
  PublicationSource,
  ReceivedEntry,
  ReferEvidence,
  Selection,
  UploadedEvent,
  WebhookProject,
} from '@infold/protocol/events';

export type HubEvent = EventOf<keyof HubEvents>;
export type WebhookEvent = EventOf<keyof WebhookEvents>;
export type LibraryEvent = EventOf<keyof LibraryEvents>;
/** LIB-13: what agents did, with its evidence. */
export type AttestationEvent = EventOf<keyof AttestationEvents>;

/** The id under which what was reported at the end of a turn is remembered. */
export function reportItemId(seq: number, index: number): string {
  return `turn_${seq}_${index}`;
}
