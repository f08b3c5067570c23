import type { AttestationEvents, EventOf, LibraryEvents } from '@infold/protocol/events';

export type {
  DraftKind,
  DraftStaged,
  DraftState,
  FileChange,
  LibraryPublished,
  LoadEvidence,
  PublicationSource,
  ReferEvidence,
} from '@infold/protocol/events';

export type LibraryEvent = EventOf<keyof LibraryEvents>;
/** LIB-13: what agents did, with its evidence. */
export type AttestationEvent = EventOf<keyof AttestationEvents>;

/** The id under which what was reported at the end of a turn is remembered. */
export function reportItemId(seq: number, index: number): string {
  return `turn_${seq}_${index}`;
}
