import type { Database } from '../../kernel/sqlite.ts';
import type { Ranked } from '../retrieval/rank.ts';
import { exposuresOf } from './queries.ts';
import { standingOf } from './standing.ts';

/** An item that was chosen for a pack. */
interface Weighed {
  item: { id: string };
  ranked: Ranked;
  score: number;
  pinned: boolean;
}

/**
 * Puts what agents of the project used before what they left, where they are about as good. It comes after what is chosen for a
 * pack has been: no item is in a pack or out of it because of how others were used. Pinned work stays where it is.
 */
export function orderByUse<Each extends Weighed>(
  database: Database,
  chosen: readonly Each[],
  { usedIn, now }: { usedIn?: string | undefined; now: number },
): Each[] {
  if (usedIn === undefined) return [...chosen];
  const weighed = chosen.map((each) => (each.pinned ? each : withUse(database, each, usedIn, now)));
  const pinned = weighed.filter((each) => each.pinned);
  const others = weighed.filter((each) => !each.pinned);
  return [...pinned, ...others.sort((one, other) => other.score - one.score)];
}

function withUse<Each extends Weighed>(database: Database, each: Each, project: string, now: number): Each {
  const { change, used, shown } = standingOf(exposuresOf(database, project, each.item.id), now);
  if (change === 0) return each;
  const { ranked } = each;
  const sum = Object.values(ranked.lanes).reduce((all, amount) => all + amount, 0);
  return {
    ...each,
    score: each.score * (1 + change),
    ranked: {
      ...ranked,
      score: ranked.score * (1 + change),
      lanes: { ...ranked.lanes, use: sum * change },
      use: { used, shown },
    },
  };
}

/** What follows a reason where use had a part in it. */
export function useInWords({ use }: Ranked): string {
  if (!use) return '';
  return use.used > 0 ? `; used after ${packs(use.used)}` : `; not used after ${packs(use.shown)}`;
}

function packs(count: number): string {
  return count === 1 ? '1 pack' : `${count} packs`;
}
