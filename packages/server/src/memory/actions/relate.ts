import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { memoryStream } from '../../trust/streams.ts';
import { relateItems } from '../commands.ts';
import { itemsByRow, partitionAt, relationsOf } from '../queries.ts';
import { readerFor } from '../read-access.ts';
import { findItem } from '../search.ts';
import { noteUse } from '../use/note.ts';
import { findTargets } from '../write.ts';

const MOST_STEPS = 10_000;

/** Adds a relation between two items that are there. */
export const relate = defineAction(memoryApi.relateItems, {
  identifiers: ['item', 'id'],
  async run({ item: from, type, id, ...whose }, context) {
    const { journal, caller } = context;
    const reader = readerFor(context, whose);
    const { answer } = await journal.commit({
      stream: memoryStream(caller.org),
      actor: caller.actor,
      decide: (database) => {
        const { item, partition } = findItem(database, reader, from);
        const own = partitionAt(database, caller.org, partition);
        const target = findTargets(database, caller, partition, own, [{ type, id }])[0]!;
        // Whoever is the current version of what it is to supersede has done so before.
        const isHead = target.insteadOf !== undefined && target.item?.row === item.row;
        const related = relationsOf(database, item.row)
          .filter((relation) => relation.direction === 'outgoing' && relation.type === type)
          .map(({ other }) => other);
        const known =
          isHead || itemsByRow(database, related).some(({ id: to }) => to === id || to === target.id);
        const { scope, project_id, principal, agent_id } = partition;
        return relateItems({
          org: caller.org,
          place: { scope, project_id, principal, agent_id },
          item,
          target,
          known,
          supersededByTarget: target.item ? supersededFrom(database, target.item.row) : [],
        });
      },
    });
    await noteUse(context, [from, id], 'relation');
    return { structured: answer };
  },
});

/** Ids of what an item supersedes, directly and through others. */
function supersededFrom(database: Database, row: number): string[] {
  const rows: number[] = [];
  const open = [row];
  const seen = new Set(open);
  for (let step = 0; step < MOST_STEPS && open.length > 0; step++) {
    for (const { type, other, direction } of relationsOf(database, open.shift()!)) {
      if (type !== 'supersedes' || direction !== 'outgoing' || seen.has(other)) continue;
      seen.add(other);
      rows.push(other);
      open.push(other);
    }
  }
  return itemsByRow(database, rows).map(({ id }) => id);
}
