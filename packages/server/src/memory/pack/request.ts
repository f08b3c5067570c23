import type { ContextInput } from '@infold/protocol';
import type { GiveWay } from '../../kernel/give-way.ts';
import type { Reader } from '../queries.ts';
import type { FindByMeaning } from '../retrieval/meaning-lane.ts';
import type { Weights } from '../retrieval/weights.ts';

export interface PackRequest
  extends Omit<
    ContextInput,
    'project' | 'agent_id' | 'include_related' | 'token_budget' | 'format' | 'explain'
  > {
  include_related?: boolean | undefined;
  reader: Reader;
  now: number;
  /** The project that the caller works in, where the call itself names none. */
  favouredProject?: string | undefined;
  /** Where a project has fewer items than this, other projects that have some are named. */
  enough?: number;
  /** Whether work that is going on comes first, as it does in packs. */
  pins?: boolean;
  /** The project whose use of items counts; none does where it is absent. */
  usedIn?: string | undefined;
  weights?: Weights;
  giveWay?: GiveWay | undefined;
  findByMeaning?: FindByMeaning | undefined;
}

export function clampLimit(limit: number, least: number, most: number): number {
  return Number.isFinite(limit) ? Math.min(most, Math.max(least, Math.round(limit))) : most;
}
