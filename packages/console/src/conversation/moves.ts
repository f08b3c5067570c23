import { CATEGORY_NAMES, categoryFor } from '@infold/client/demo';

/** An activity that belongs elsewhere, by what its title says. */
export interface Move {
  id: number;
  from: string;
  to: string;
}

/** As the scripted agent reads a page of records. */
export function movesIn(records: readonly { id: number; title: string; category: string }[]): Move[] {
  return records.flatMap(({ id, title, category: from }) => {
    const to = categoryFor(title);
    return to === undefined || to === from ? [] : [{ id, from, to }];
  });
}

export interface MovesTo {
  to: string;
  moves: readonly Move[];
}

/** By where they go, in the order of the categories. */
export function byTarget(moves: readonly Move[]): MovesTo[] {
  return CATEGORY_NAMES.map((to) => ({ to, moves: moves.filter((move) => move.to === to) })).filter(
    (group) => group.moves.length > 0,
  );
}

/** `26 of 132 activities move: 9 to Web Dev, 10 to AI and 7 to Support.` */
export function sentenceOfMoves(moves: readonly Move[], activities: number): string {
  if (moves.length === 0) return `All ${activities} activities are in the right category.`;
  const parts = byTarget(moves).map(({ to, moves: own }) => `${own.length} to ${to}`);
  const verb = moves.length === 1 ? 'moves' : 'move';
  return `${moves.length} of ${activities} activities ${verb}: ${LIST.format(parts)}.`;
}

const LIST = new Intl.ListFormat('en-GB');
