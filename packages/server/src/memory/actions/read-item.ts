import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { readerFor } from '../read-access.ts';
import { relatedTo, showItem } from '../search.ts';
import { noteUse } from '../use/note.ts';

export const readItem = defineAction(memoryApi.readMemoryItem, {
  async run({ id, ...whose }, context) {
    const structured = showItem(context.database, readerFor(context, whose), id);
    await noteUse(context, [id], 'read');
    return { structured };
  },
});

export const listRelated = defineAction(memoryApi.listRelatedItems, {
  run: ({ id, superseded, ...whose }, context) => ({
    structured: {
      related: relatedTo(context.database, readerFor(context, whose), id, superseded),
      next: null,
    },
  }),
});
