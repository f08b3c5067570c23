import { type DiscoverItem, libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { discoverView, type ItemFilter, listItems } from '../queries/items.ts';
import { reviewNews } from '../queries/reviews.ts';
import { searchItems } from '../queries/search.ts';
import { librarySession } from '../queries/sessions.ts';
import { attest, inSession, type LibraryPlace, libraryPlace, NEWS_AGE, noticeOverlay } from '../session.ts';

const NAMES_KEPT = 20;

export const discover = defineAction(libraryApi.memoryDiscover, {
  async run(input, context) {
    const place = libraryPlace(context);
    const { kind, group } = input;
    const query = input.query?.trim() || undefined;
    const { discoverItems, discoverMatches } = context.config.limits;
    // Found in order of fitness, the first few serve; a list by path has no such order.
    const limit = query === undefined ? discoverItems : Math.min(discoverItems, discoverMatches);
    const found =
      query === undefined
        ? listItems(context.database, place, { kind, group }, limit).map(discoverView)
        : search(context, place, query, { kind, group }, limit);
    const items = found.slice(0, limit);
    if (found.length > limit) {
      context.notices.push(`Only the first ${limit} are shown; narrow it by kind, group or query`);
    }
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

function search(
  context: CallContext,
  place: LibraryPlace,
  query: string,
  filter: ItemFilter,
  limit: number,
): DiscoverItem[] {
  const { matches, missing } = searchItems(context.database, place, query, filter, limit);
  if (missing.length > 0) context.notices.push(`No file contains: ${missing.join(', ')}`);
  return matches.map(({ item, share, words }) => ({
    ...discoverView(item),
    match: share,
    matched: words,
  }));
}

function namesOf(items: readonly DiscoverItem[]): string[] {
  const names = items.slice(0, NAMES_KEPT).map(({ name }) => name);
  return items.length > NAMES_KEPT ? [...names, `... (+${items.length - NAMES_KEPT} more)`] : names;
}
