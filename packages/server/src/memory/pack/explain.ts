import type { ContextExplanation, ExplainedItem, LeftOut } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { contentOf, type ItemRow, itemsByRow } from '../queries.ts';
import type { Ranked } from '../retrieval/rank.ts';
import { useInWords } from '../use/order.ts';
import { type Chosen, floorOf, isArchived, isAside } from './choose.ts';
import { type Compiled, type Considered, reasonIn } from './compile.ts';
import { nameOf, type PackItem } from './items.ts';
import { readPassage } from './passage.ts';
import { isRelevant } from './relevance.ts';

/** How many of those that were left out are told. */
const MOST_LEFT_OUT = 10;
const PASSAGE_CHARACTERS = 400;

interface Absent {
  chosen: Chosen;
  why: LeftOut;
  detail: string;
}

/** How every item of a pack came to its place, and why the best of the others did not. */
export function explainPack(
  database: Database,
  selection: Compiled,
  withoutRoom: readonly PackItem[],
): ContextExplanation {
  const { considered } = selection;
  const squeezed = new Set(withoutRoom.map(({ row }) => row));
  const present = considered.selected.filter(({ item }) => !squeezed.has(item.row));
  const absent = absentFrom(database, selection, squeezed).slice(0, MOST_LEFT_OUT);
  const explain = explainer(database, considered, [...present, ...absent.map(({ chosen }) => chosen)]);
  return {
    considered: considered.judged.length,
    items: present.flatMap(explain),
    left_out: absent.flatMap(({ chosen, why, detail }) =>
      explain(chosen).map((item) => ({ ...item, why, detail })),
    ),
  };
}

/** All that was found and is not in the pack, the best first. */
function absentFrom(database: Database, selection: Compiled, squeezed: ReadonlySet<number>): Absent[] {
  const { judged, selected } = selection.considered;
  const inPack = new Map(selected.map((chosen) => [chosen.item.row, chosen]));
  const reasonOf = whyNot(database, selection);
  const budget: Absent[] = selected
    .filter(({ item }) => squeezed.has(item.row))
    .map((chosen) => ({ chosen, why: 'budget', detail: 'the token budget had no room for it' }));
  const others = judged
    .filter(({ item }) => !inPack.has(item.row))
    .map((chosen) => ({ chosen, ...reasonOf(chosen) }));
  return [...budget, ...others].sort((one, other) => other.chosen.score - one.chosen.score);
}

function whyNot(
  database: Database,
  { considered: { judged, ranking, repeated }, layer, limit }: Compiled,
): (each: Chosen) => Omit<Absent, 'chosen'> {
  const candidates = judged.filter(({ item }) => !isArchived(item));
  const top = candidates[0]?.score ?? 0;
  const floor = floorOf(layer, top);
  const standsOut = isRelevant(candidates, ranking.passages);
  return (each) => {
    const { item, score } = each;
    if (isArchived(item)) return { why: 'archived', detail: `its status is ${item.status}` };
    const better = repeated.get(item.row)?.item;
    if (better) {
      const isSame = contentOf(database, better.row) === contentOf(database, item.row);
      const nearly = isSame ? '' : ' nearly';
      return { why: 'repeated', detail: `${better.id} says${nearly} the same` };
    }
    if (score < floor) {
      return {
        why: 'floor',
        detail: `below ${rounded(floor)}, the least for ${layer} beside ${rounded(top)}`,
      };
    }
    if (!standsOut(each)) {
      return { why: 'floor', detail: 'it does not stand out from what anything gets that shares a word' };
    }
    if (isAside(each)) return { why: 'floor', detail: 'it is not about the goal' };
    return { why: 'limit', detail: `the pack holds ${limit}` };
  };
}

/** Reads all of the items at once. One that was removed since is left out. */
function explainer(
  database: Database,
  considered: Considered,
  all: readonly Chosen[],
): (each: Chosen) => ExplainedItem[] {
  const { goal } = considered.ranking;
  const terms = new Set(goal.concepts.flatMap(({ term, synonyms }) => [term, ...synonyms]));
  const rows = new Map(
    itemsByRow(
      database,
      all.map(({ item }) => item.row),
    ).map((item): [number, ItemRow] => [item.row, item]),
  );
  const ids = new Map(considered.judged.map(({ item }) => [item.row, item.id]));
  return (each) => {
    const item = rows.get(each.item.row);
    if (!item) return [];
    const { ranked, facet, score, pinned } = each;
    const via = ranked.via === undefined ? undefined : ids.get(ranked.via);
    return [
      {
        id: item.id,
        type: item.kind,
        name: nameOf(item),
        facet,
        score: rounded(score),
        pinned,
        lanes: figures(ranked.lanes, 0),
        factors: figures({ thread: spreadOf(ranked), ...each.factors }, 1),
        words: [...ranked.words],
        ...(via === undefined ? {} : { via }),
        passage: readPassage(database, item, ranked.passage.row, terms, PASSAGE_CHARACTERS),
        reason: reasonIn(considered, each) + useInWords(ranked),
      },
    ];
  };
}

/** What an item keeps of its sum beside better ones of the same thread. */
function spreadOf({ score, lanes }: Ranked): number {
  const sum = Object.values(lanes).reduce((all, amount) => all + amount, 0);
  return sum === 0 ? 1 : score / sum;
}

/** Figures to four places, without those that change nothing. */
function figures(all: Record<string, number>, nothing: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(all)
      .map(([name, figure]): [string, number] => [name, rounded(figure)])
      .filter(([, figure]) => figure !== nothing),
  );
}

function rounded(figure: number): number {
  return Math.round(figure * 10_000) / 10_000;
}
