import type { FoundPassage } from '@infold/protocol';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import { projectById } from '../trust/identity/queries.ts';
import { completionsOf } from './complete.ts';
import { isAside } from './pack/choose.ts';
import { reasonIn, selectItems } from './pack/compile.ts';
import { inTime } from './pack/in-time.ts';
import { contradictionsOf } from './pack/items.ts';
import { readPassage } from './pack/passage.ts';
import type { PackRequest } from './pack/request.ts';
import { type ItemRow, itemsByRow } from './queries.ts';
import { shownTo } from './redact-origin.ts';
import { useInWords } from './use/order.ts';

/** A passage is about half as long; only one that cannot be split is not shown whole. */
const MOST_CHARACTERS = 2000;
const MOST_COMPLETED = 24;

export interface PassageQuestion
  extends Pick<
    PackRequest,
    'domain' | 'limit' | 'now' | 'reader' | 'favouredProject' | 'enough' | 'usedIn' | 'giveWay'
  > {
  question: string;
  /** The last word may be the beginning of one. */
  complete?: boolean;
}

/**
 * What is written about a question, best first, or in order of time where the question asks for it: the pipeline of packs, with the
 * passages in place of the items.
 */
export async function passagesAbout(
  database: Database,
  { question, complete = false, ...rest }: PassageQuestion,
) {
  const { considered, partitions, items, change, elsewhere } = await selectItems(database, {
    ...rest,
    goal: question.trim(),
    intent: 'general',
    layer: 'recall',
    related_limit: 0,
    pins: false,
  });
  const { caller } = rest.reader;
  const byNumber = new Map(partitions.map((partition) => [partition.number, partition]));
  const { concepts } = considered.ranking.goal;
  const terms = new Set(concepts.flatMap(({ term, synonyms }) => [term, ...synonyms]));
  // How somebody wants to be answered is no answer.
  const about = considered.selected.filter((each) => !isAside(each));
  const chosenBy = new Map(about.map((each) => [each.item.row, each]));
  const views = new Map(items.map(({ row, view }) => [row, view]));
  const rows = inTime(
    itemsByRow(database, [...chosenBy.keys()]),
    change,
    ({ row, at, created_at, ordinal }) => ({
      ...{ row, ordinal, at: at ?? created_at },
    }),
  );
  const shown = (row: ItemRow, passage: number, wanted: ReadonlySet<string>) => {
    const partition = byNumber.get(row.partition)!;
    const item = shownTo(database, caller, row, partition);
    const projectId = partition.project_id === '' ? null : partition.project_id;
    return {
      ...readPassage(database, item, passage, wanted, MOST_CHARACTERS),
      id: item.id,
      kind: item.kind,
      title: item.title,
      length: item.content.length,
      author: item.author,
      at: isoTime(item.at ?? item.created_at),
      project_id: projectId,
      project: projectId === null ? null : (projectById(database, caller.org, projectId)?.name ?? null),
      source: item.source,
      url: item.url,
    };
  };
  const ranked = rows.map((row) => {
    const each = chosenBy.get(row.row)!;
    return {
      ...shown(row, each.ranked.passage.row, terms),
      contradicted_by: each.contradictedBy,
      ...comparedWith(views.get(row.row)?.metadata),
      score: Math.round(each.score * 10_000) / 10_000,
      reason: reasonIn(considered, each) + useInWords(each.ranked),
    };
  });
  const completion = complete
    ? completionsOf(database, partitions, question, rest.limit ?? MOST_COMPLETED)
    : undefined;
  if (!completion) return { passages: ranked, change, elsewhere };
  const readable = new Set(byNumber.keys());
  const completed = completion.found.map(({ item, passage, begins }) => ({
    ...shown(item, passage, new Set([begins])),
    contradicted_by: contradictionsOf(database, readable, item.row),
    score: 0,
    reason: `has a word that begins with “${begins}”`,
  }));
  // Where the last word is none yet, what was found without it was hardly meant.
  const [first, second] = completion.isWord ? [ranked, completed] : [completed, ranked];
  const known = new Set(first.map(({ id, project_id }) => `${project_id} ${id}`));
  const others = second.filter(({ id, project_id }) => !known.has(`${project_id} ${id}`));
  const passages = [...first, ...others].slice(0, rest.limit ?? MOST_COMPLETED);
  return { passages, change, elsewhere };
}

/** What says the same, and what says otherwise, as packs have it. */
function comparedWith(metadata: Record<string, unknown> = {}): Pick<FoundPassage, 'also' | 'other_values'> {
  const { also, other_values } = metadata as Pick<FoundPassage, 'also' | 'other_values'>;
  return { ...(also ? { also } : {}), ...(other_values ? { other_values } : {}) };
}
