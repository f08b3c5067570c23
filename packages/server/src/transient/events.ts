import type { EventOf, TransientEvents } from '@infold/protocol/events';

export type { FindingSource, FindingsCleared, FindingsStored, StoredFinding } from '@infold/protocol/events';

export type TransientEvent = EventOf<keyof TransientEvents>;
