import { type DiscoverItem, libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { withinFolder } from '../../trust/identity/projects.ts';
import { hostOf } from '../../trust/sessions/queries.ts';
import { isInGroup } from '../files/describe.ts';
import { appliesToAny, isForHost } from '../files/traits.ts';
import { filesWithTraits } from '../queries/files.ts';
import { discoverView, findItem, type Item, type ItemFilter, listItems } from '../queries/items.ts';
import { reviewNews } from '../queries/reviews.ts';
import { searchItems } from '../queries/search.ts';
import { librarySession } from '../queries/sessions.ts';
import {
  attest,
  inSession,
  type LibraryPlace,
  libraryPlace,
  NEWS_AGE,
  noticeAge,
  noticeOverlay,
} from '../session.ts';

const NAMES_KEPT = 20;

export const discover = defineAction(libraryApi.memoryDiscover, {
  async run(input, context) {
    const place = libraryPlace(context);
    const { kind, group } = input;
    const query = input.query?.trim() || undefined;
    const { discoverItems, discoverMatches } = context.config.limits;
    // Found in order of fitness, the first few serve; a list by path has no such order.
    const limit = query === undefined ? discoverItems : Math.min(discoverItems, discoverMatches);
    const found = find(context, place, { query, kind, group, paths: input.paths ?? [], limit });
    const items = found.slice(0, limit);
    if (found.length > limit) {
      context.notices.push(`Only the first ${limit} are shown; narrow it by kind, group or query`);
    }
    noticeAge(context, place);
    noticeOverlay(context, place, items);
    const { reviews } = await attest(context, place, (database) => ({
      events: [
        {
          type: 'attest.discover',
          data: {
            ...inSession(place),
            kind: kind ?? null,
            group: group ?? null,
            query: query ?? null,
            result_count: items.length,
            result_names: namesOf(items),
          },
        },
      ],
      answer: reviewNews(database, place, {
        after: librarySession(database, place.session.id)!.told_seq,
        since: context.clock() - NEWS_AGE,
      }),
    }));
    return { structured: { items, ...(reviews.length === 0 ? {} : { reviews }) } };
  },
});

interface Wanted extends ItemFilter {
  query: string | undefined;
  /** Files that the agent works on. */
  paths: readonly string[];
  limit: number;
}

interface Found {
  item: Item;
  match?: { match: number; matched: string[] };
}

/** What applies to the files in work first, what is deprecated last, what is for other hosts not at all. */
function find(
  context: CallContext,
  place: LibraryPlace,
  { query, paths, limit, ...filter }: Wanted,
): DiscoverItem[] {
  const { database } = context;
  const host = hostOf(database, place.session.id)?.host;
  const folder = place.project.path ?? undefined;
  const inWork = paths.map((path) => withinFolder(folder, path));
  const traited = filesWithTraits(database, place.workspaceId);
  // So many more than are shown: those that go to the end, or are left out.
  const moved = traited.filter(({ traits }) => traits.deprecated || !isForHost(traits, host)).length;
  const applies = ({ item: { traits } }: Found) => appliesToAny(traits, inWork);
  const found: Found[] =
    query === undefined
      ? listItems(database, place, filter, limit + moved).map((item) => ({ item }))
      : search(context, place, query, filter, limit + moved);
  if (query === undefined && inWork.length > 0) {
    const known = new Set(found.map(({ item }) => item.id));
    const others = traited.filter(({ id, traits }) => !known.has(id) && appliesToAny(traits, inWork));
    const beyond = others.flatMap(({ id }) => findItem(database, place, id) ?? []);
    found.push(...beyond.filter((item) => isWanted(item, filter)).map((item) => ({ item })));
  }
  const rank = (each: Found) => (each.item.traits.deprecated ? 2 : applies(each) ? 0 : 1);
  return found
    .filter(({ item }) => isForHost(item.traits, host))
    .sort((one, other) => rank(one) - rank(other))
    .map((each) => ({
      ...discoverView(each.item),
      ...(applies(each) && { applies: true as const }),
      ...each.match,
    }));
}

function isWanted({ kind, path, file_group }: Item, filter: ItemFilter): boolean {
  const isOfKind = filter.kind === undefined || filter.kind === kind;
  return isOfKind && (filter.group === undefined || isInGroup(path, file_group, filter.group));
}

function search(
  context: CallContext,
  place: LibraryPlace,
  query: string,
  filter: ItemFilter,
  limit: number,
): Found[] {
  const { matches, missing } = searchItems(context.database, place, query, filter, limit);
  if (missing.length > 0) context.notices.push(`No file contains: ${missing.join(', ')}`);
  return matches.map(({ item, share, words }) => ({ item, match: { match: share, matched: words } }));
}

function namesOf(items: readonly DiscoverItem[]): string[] {
  const names = items.slice(0, NAMES_KEPT).map(({ name }) => name);
  return items.length > NAMES_KEPT ? [...names, `... (+${items.length - NAMES_KEPT} more)`] : names;
}
