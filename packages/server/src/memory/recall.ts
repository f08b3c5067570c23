import type { GiveWay } from '../kernel/give-way.ts';
import type { Database } from '../kernel/sqlite.ts';
import { ARCHIVED, facetOf } from './pack/facets.ts';
import { contradictionsOf, packItemOf } from './pack/items.ts';
import { itemsByRow, type Reader, readablePartitions } from './queries.ts';
import { shownTo } from './redact-origin.ts';
import { type Ranked, type Ranking, rank } from './retrieval/rank.ts';

export interface RecallRequest {
  text: string;
  reader: Reader;
  now: number;
  /** Only what was there before this time. */
  before: number;
  giveWay?: GiveWay;
}

export interface Recalled {
  id: string;
  kind: string;
  at: number;
  text: string;
}

const CANDIDATES = 20;
const MOST_CHARACTERS = 500;

/** What is so near to what somebody said that it is worth saying unasked. Nothing is the usual answer. */
export async function recall(
  database: Database,
  { text, reader, now, before, giveWay }: RecallRequest,
): Promise<Recalled[]> {
  const partitions = readablePartitions(database, reader);
  const ranking = await rank(database, partitions, {
    ...{ goal: text, domain: null, now, layer: 'wake', count: CANDIDATES, giveWay },
  });
  const near = ranking.ranked.filter((each) => isNear(ranking, each));
  const byNumber = new Map(partitions.map((partition) => [partition.number, partition]));
  const readable = new Set(byNumber.keys());
  const passages = new Map(near.map(({ item, passage }) => [item, passage.row]));
  const terms = new Set(ranking.goal.concepts.flatMap(({ forms, synonyms }) => [...forms, ...synonyms]));
  return itemsByRow(
    database,
    near.map(({ item }) => item),
  )
    .filter(
      ({ row, status, created_at }) =>
        created_at < before &&
        (status === null || !ARCHIVED.has(status)) &&
        contradictionsOf(database, readable, row).length === 0,
    )
    .map((item) => {
      const partition = byNumber.get(item.partition)!;
      const view = {
        item: shownTo(database, reader.caller, item, partition),
        ...{ partition, passage: passages.get(item.row), facet: facetOf(item, 'general') },
        ...{ score: 0, reason: '', related: [], contradictedBy: [] },
      };
      const { body } = packItemOf(database, view, terms);
      const said = body.text(MOST_CHARACTERS);
      return {
        id: item.id,
        kind: item.kind,
        at: item.at ?? item.created_at,
        text: item.title === null ? said : `${item.title}: ${said}`,
      };
    });
}

/** The more words an item shares with what was said, the less of the whole they need to be: a long text names many things. */
const LEAST = [
  { words: 2, coverage: 0.5 },
  { words: 3, coverage: 0.35 },
  { words: 4, coverage: 0.3 },
];

/**
 * Scores compare items with each other, and the best of a bad lot has a high one. What counts here is how much of what was
 * said the item itself speaks of: by rarity, since words that everything holds say nothing.
 */
function isNear({ goal, concepts }: Ranking, { words, lanes }: Ranked): boolean {
  const matched = concepts.filter(({ word }) => words.includes(word));
  if ((lanes.identifier ?? 0) > 0 && goal.identifiers.length > 0 && matched.length > 0) return true;
  const sum = (some: readonly { rarity: number }[]) => some.reduce((all, { rarity }) => all + rarity, 0);
  const coverage = sum(matched) / sum(concepts);
  return LEAST.some((least) => matched.length >= least.words && coverage >= least.coverage);
}
