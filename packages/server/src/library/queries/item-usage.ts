import type { ItemUsage } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import type { wordingSums } from './evidence.ts';
import type { Revision } from './files.ts';

const MOST_DAYS = 366;

type Wordings = ReturnType<typeof wordingSums>;

/**
 * What was done with the wording of each revision of a file. One that was published more than once counts by the day for each of
 * these times.
 */
export function revisionUsage(history: readonly Revision[], wordings: Wordings): ItemUsage['revisions'] {
  const dayOf = ({ at }: Revision) => isoTime(at).slice(0, 10);
  return history.map((one, index) => {
    const isFirst = !history.slice(0, index).some(({ hash }) => hash === one.hash);
    const again = history.slice(index + 1).find(({ hash }) => hash === one.hash);
    const own = wordings.filter(
      ({ hash, day }) =>
        hash === one.hash && (isFirst || day >= dayOf(one)) && (again === undefined || day < dayOf(again)),
    );
    const sum = (of: (wording: Wordings[number]) => number) => own.reduce((total, row) => total + of(row), 0);
    const next = history[index + 1];
    return {
      ...{ revision: one.revision, op: one.op, from: isoTime(one.at) },
      until: next === undefined ? null : isoTime(next.at),
      turns: sum(({ turns }) => turns),
      followed_turns: sum(({ followed }) => followed),
      rejected_turns: sum(({ rejected }) => rejected),
      loaded: sum(({ loaded }) => loaded),
      referred: sum(({ referred }) => referred),
      claimed_without_loading: sum(({ claimed }) => claimed),
      stale: sum(({ stale }) => stale),
    };
  });
}

/** The last days on which it was used, oldest first. */
export function itemDays(wordings: Wordings): ItemUsage['days'] {
  const days = new Map<string, { day: string; loaded: number; referred: number }>();
  for (const { day, loaded, referred } of wordings) {
    if (loaded + referred === 0) continue;
    const sum = days.get(day) ?? { day, loaded: 0, referred: 0 };
    days.set(day, { day, loaded: sum.loaded + loaded, referred: sum.referred + referred });
  }
  return [...days.values()].slice(-MOST_DAYS);
}
