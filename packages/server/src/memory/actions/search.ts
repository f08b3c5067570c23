import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { elsewhereNotices, foundElsewhere } from '../pack/elsewhere.ts';
import { enoughIn, searcherFor } from '../read-access.ts';
import { searchItems } from '../search.ts';

export const searchMemory = defineAction(memoryApi.searchMemory, {
  async run({ q, domain, limit, ...whose }, context) {
    const { database, giveWay } = context;
    const reader = searcherFor(context, whose);
    const items = await searchItems(database, {
      query: q.trim(),
      domain: domain ?? null,
      limit,
      now: context.clock(),
      reader,
      giveWay,
      findByMeaning: context.parts.meaning?.find,
    });
    const isLittle = reader.projectId !== null && items.length < enoughIn(whose.project);
    const asked = { goal: q, domain, reader, now: context.clock(), giveWay };
    const notices = isLittle ? elsewhereNotices(await foundElsewhere(database, asked)) : [];
    context.notices.push(...notices);
    return { structured: { items, next: null, ...(notices.length > 0 ? { notices } : {}) } };
  },
});
