import type { MemoryScope, RelationType } from '../memory.ts';

/** Who can read what is kept there. Fields that the scope does not need are empty. */
export interface Place {
  scope: MemoryScope;
  project_id: string;
  principal: string;
  agent_id: string;
}

export interface StoredRelation {
  type: RelationType;
  id: string;
  /** Where the other item is, when it is not in the same place as this one. */
  place?: Place;
}

/** An item as it was written. What is absent was not given. Times are milliseconds since 1970. */
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
  thread?: string;
  ordinal?: number;
  at?: number;
  valid_at?: number;
  relations?: StoredRelation[];
  /**
   * Where an item was forgotten, nothing of it is left but its day, what it had superseded (which stays superseded) and
   * how many rows it had (so that what came with it stays where it is).
   */
  forgotten?: { rows: number };
}

/** Items of one place: one for `remember`, many for a batch of an import. */
export interface ItemsStored {
  org: string;
  place: Place;
  items: StoredItem[];
}

export interface ItemsRelated {
  org: string;
  place: Place;
  id: string;
  relation: StoredRelation;
}

/** PACK-09: what was compiled for whom, without the goal's text. */
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

export interface MemoryEvents {
  'memory.remembered': ItemsStored;
  'memory.imported': ItemsStored;
  'memory.related': ItemsRelated;
  'pack.compiled': PackCompiled;
}
