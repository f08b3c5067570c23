import type { EventOf, MemoryEvents } from '@infold/protocol/events';

export type {
  ItemsRelated,
  ItemsStored,
  ItemsUsed,
  MemoryPlace,
  PackCompiled,
  StoredItem,
  StoredRelation,
} from '@infold/protocol/events';

export type MemoryEvent = EventOf<keyof MemoryEvents>;
