import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { readerFor } from '../read-access.ts';
import { searchItems } from '../search.ts';

export const searchMemory = defineAction(memoryApi.searchMemory, {
  async run({ q, domain, limit, ...whose }, context) {
    const items = await searchItems(context.database, {
      query: q.trim(),
      domain: domain ?? null,
      limit,
      now: context.clock(),
      reader: readerFor(context, whose),
      giveWay: context.giveWay,
    });
    return { structured: { items, next: null } };
  },
});
