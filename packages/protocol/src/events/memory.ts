import type { MemoryScope, RelationType } from '../memory.ts';

/** Where items are kept, which decides who can read them. Fields that the scope does not need are empty. */
export interface MemoryPlace {
  scope: MemoryScope;
  project_id: string;
  principal: string;
  agent_id: string;
}

export interface StoredRelation {
  type: RelationType;
  id: string;
  /** The place of the other item, if it differs. */
  place?: MemoryPlace;
}

/** An item as it was written; fields that were not given are absent. Times are milliseconds since 1970. */
export interface StoredItem {
  id: string;
  content: string;
  kind: string;
  title?: string;
  domain?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  source?: string;
  url?: string;
  /** Where it came from: `remember`, `import`, or a door. */
  origin: string;
  author?: string;
  /** Who speaks, in a conversation with an assistant. */
  role?: string;
  thread?: string;
  ordinal?: number;
  at?: number;
  valid_at?: number;
  relations?: StoredRelation[];
  /**
   * Of a forgotten item only its day, what it superseded (which stays superseded) and its number of rows are left. The
   * number keeps the rows of items in the same batch where they are.
   */
  forgotten?: { rows: number };
}

/** Items of one place: one for `remember`, many for a batch of an import. */
export interface ItemsStored {
  org: string;
  place: MemoryPlace;
  items: StoredItem[];
}

export interface ItemsRelated {
  org: string;
  place: MemoryPlace;
  id: string;
  relation: StoredRelation;
}

/** A relation that was taken back. What was superseded by it alone stands again. */
export type ItemsUnrelated = ItemsRelated;

/** PACK-09: what was compiled and for whom, without the goal's text. */
export interface PackCompiled {
  tool: 'context' | 'synthesis_plan';
  goal_length: number;
  intent: string;
  layer: string;
  domain: string | null;
  project_id: string | null;
  agent_id: string | null;
  limit: number;
  related_limit: number;
  include_related: boolean;
  result_count: number;
  section_count: number;
  accessible_project_count: number | null;
  ids: string[];
  milliseconds: number;
}

/** What a session did with items that a pack had shown it, where nothing else in the journal says so. */
export interface ItemsUsed {
  session_id: string;
  ids: string[];
  /** Read whole, expanded, or named by a relation. */
  by: 'read' | 'expand' | 'relation';
}

export interface MemoryEvents {
  'memory.remembered': ItemsStored;
  'memory.imported': ItemsStored;
  'memory.related': ItemsRelated;
  'memory.unrelated': ItemsUnrelated;
  'memory.used': ItemsUsed;
  'pack.compiled': PackCompiled;
}
