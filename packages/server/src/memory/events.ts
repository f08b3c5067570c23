import type { EventOf, MemoryEvents } from '@infold/protocol/events';

export type {
  ItemsRelated,
  ItemsStored,
  PackCompiled,
  Place,
  StoredItem,
  StoredRelation,
} from '@infold/protocol/events';

export type MemoryEvent = EventOf<keyof MemoryEvents>;
