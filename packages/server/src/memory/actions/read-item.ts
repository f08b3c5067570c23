import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { readerFor } from '../read-access.ts';
import { relatedTo, showItem } from '../search.ts';

export const readItem = defineAction(memoryApi.readMemoryItem, {
  run: ({ id, ...whose }, context) => ({
    structured: showItem(context.database, readerFor(context, whose), id),
  }),
});

export const listRelated = defineAction(memoryApi.listRelatedItems, {
  run: ({ id, ...whose }, context) => ({
    structured: { related: relatedTo(context.database, readerFor(context, whose), id), next: null },
  }),
});
