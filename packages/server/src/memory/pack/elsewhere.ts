import { ALL_PROJECTS } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { projectById } from '../../trust/identity/queries.ts';
import { briefsByRow, type Partition, readablePartitions } from '../queries.ts';
import { type Ranked, rank } from '../retrieval/rank.ts';
import { WEIGHTS } from '../retrieval/weights.ts';
import { isArchived } from './choose.ts';
import { isRelevant } from './relevance.ts';
import type { PackRequest } from './request.ts';

type Question = Pick<PackRequest, 'goal' | 'domain' | 'reader' | 'now' | 'giveWay'>;

/** A project that was not searched, and how many of its items match. */
export interface Elsewhere {
  id: string;
  name: string;
  items: number;
}

const MOST_PLACES = 50;
const MOST_ITEMS = 50;
const MOST_NAMED = 3;
/** What a person wants always and what is only related says nothing about where the goal is known. */
const BY_WORDS = { ...WEIGHTS, wish: 0, relation: 0, expansion: 0 };
/** An item matches that holds this share of the goal's rarity. */
const LEAST_COVERAGE = 0.4;

/** Which other projects that the caller may read have items for a goal, the most first. One short search over all of them. */
export async function foundElsewhere(
  database: Database,
  { goal, domain, reader, now, giveWay }: Question,
): Promise<Elsewhere[]> {
  const places = readablePartitions(database, { ...reader, projectId: null })
    .filter(({ project_id, passages }) => isElsewhere(project_id, reader.projectId) && passages > 0)
    .sort((one, other) => other.passages - one.passages)
    .slice(0, MOST_PLACES);
  if (places.length === 0) return [];
  const { ranked, passages } = await rank(database, places, {
    ...{ goal, domain: domain ?? null, now, layer: 'wake', count: MOST_ITEMS, weights: BY_WORDS, giveWay },
  });
  const matching = ranked.map((each) => ({ ranked: each, score: each.score }));
  const standsOut = isRelevant(matching, passages);
  const rows = matching
    .filter((each) => isMatch(each.ranked) && standsOut(each))
    .map(({ ranked: { item } }) => item);
  return countByProject(database, reader.caller.org, places, rows);
}

function isElsewhere(project: string, own: string | null): boolean {
  return project !== '' && project !== own;
}

function isMatch({ lanes, words, coverage }: Ranked): boolean {
  return (lanes.identifier ?? 0) > 0 || (words.length > 0 && coverage >= LEAST_COVERAGE);
}

function countByProject(
  database: Database,
  org: string,
  places: readonly Partition[],
  rows: readonly number[],
): Elsewhere[] {
  const projects = new Map(places.map(({ number, project_id }) => [number, project_id]));
  const counts = new Map<string, number>();
  for (const item of briefsByRow(database, rows)) {
    if (isArchived(item)) continue;
    const project = projects.get(item.partition)!;
    counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return [...counts]
    .map(([id, items]) => ({ id, items, name: projectById(database, org, id)?.name ?? id }))
    .sort((one, other) => other.items - one.items || (one.name < other.name ? -1 : 1));
}

/** What to ask for next; nothing where no other project has anything. */
export function elsewhereNotices(elsewhere: readonly Elsewhere[]): string[] {
  if (elsewhere.length === 0) return [];
  const named = elsewhere.slice(0, MOST_NAMED).map(({ name, items }) => `${name} (${items})`);
  const more = elsewhere.length - named.length;
  const all = more > 0 ? [...named, `${more} more`] : named;
  const way = `ask with project "${elsewhere[0]!.name}", or "${ALL_PROJECTS}" for all`;
  return [`Other projects have items that match: ${all.join(', ')}; ${way}`];
}
