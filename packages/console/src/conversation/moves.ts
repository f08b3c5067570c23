import { CATEGORY_NAMES, categoryFor } from '@infold/demo/script';

/** An activity that belongs elsewhere, by what its title says. */
export interface CategoryMove {
  id: number;
  from: string;
  to: string;
}

/** As the scripted agent reads a page of records. */
export function movesIn(records: readonly { id: number; title: string; category: string }[]): CategoryMove[] {
  return records.flatMap(({ id, title, category: from }) => {
    const to = categoryFor(title);
    return to === undefined || to === from ? [] : [{ id, from, to }];
  });
}

export interface MovesBetween {
  from: string;
  to: string;
  ids: readonly number[];
}

/** By where they go, in the order of the categories, and where they are. */
export function grouped(moves: readonly CategoryMove[]): MovesBetween[] {
  const groups = new Map<string, MovesBetween & { ids: number[] }>();
  const byTarget = CATEGORY_NAMES.flatMap((to) => moves.filter((move) => move.to === to));
  for (const { id, from, to } of byTarget) {
    const key = JSON.stringify([from, to]);
    const group = groups.get(key) ?? { from, to, ids: [] };
    group.ids.push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `26 of 132 activities move: 12 to Web Dev, 10 to AI and 4 to Support.` */
export function sentenceOfMoves(moves: readonly CategoryMove[], activities: number): string {
  if (moves.length === 0) return `All ${activities} activities are in the right category.`;
  const parts = CATEGORY_NAMES.map((to) => ({ to, many: moves.filter((move) => move.to === to).length }))
    .filter(({ many }) => many > 0)
    .map(({ to, many }) => `${many} to ${to}`);
  const verb = moves.length === 1 ? 'moves' : 'move';
  return `${moves.length} of ${activities} activities ${verb}: ${LIST.format(parts)}.`;
}

const LIST = new Intl.ListFormat('en-GB');
