import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badArguments, cursorNumber } from '../../call/arguments.ts';
import { briefsOf } from '../brief.ts';
import { itemsNewestFirst, positionOf, readablePartitions } from '../queries.ts';
import { readerFor } from '../read-access.ts';
import { parseMoment } from '../text/moment.ts';

export const listItems = defineAction(memoryApi.listMemoryItems, {
  run({ kind, scope, author, until, superseded, limit, cursor, ...whose }, context) {
    const { database, caller } = context;
    if (scope === 'diary' && whose.agent_id === undefined) {
      const problem = 'scope: "diary" needs agent_id, the agent whose diary it is';
      throw badArguments(memoryApi.listMemoryItems.name, [problem], 'scope');
    }
    const partitions = readablePartitions(database, readerFor(context, whose)).filter(
      (partition) => scope === undefined || partition.scope === scope,
    );
    const found = itemsNewestFirst(database, partitions, {
      before: cursorNumber(memoryApi.listMemoryItems, cursor, Number.MAX_SAFE_INTEGER),
      ...{ kind, author, superseded },
      until: until === undefined ? undefined : parseMoment(until, 'until'),
      limit: limit + 1,
    });
    const shown = found.slice(0, limit);
    const next = found.length > limit ? String(positionOf(shown.at(-1)!)) : null;
    return { structured: { items: briefsOf(database, caller, shown, partitions), next } };
  },
});
