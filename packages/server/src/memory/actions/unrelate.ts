import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { memoryStream } from '../../trust/streams.ts';
import { unrelateItems } from '../commands.ts';
import { notRelated } from '../errors.ts';
import { type ItemRow, itemsByRow, type Partition, placeOf, relationsOf } from '../queries.ts';
import { readerFor } from '../read-access.ts';
import { findItem } from '../search.ts';

/** Takes relations between items back. */
export const unrelate = defineAction(memoryApi.unrelateItems, {
  identifiers: ['item', 'id'],
  async run({ item: from, type, id, withdraw, ...whose }, context) {
    const { journal, caller } = context;
    const reader = readerFor(context, whose);
    const { answer } = await journal.commit({
      stream: memoryStream(caller.org),
      actor: caller.actor,
      decide: (database) => {
        const { item, partition, partitions } = findItem(database, reader, from);
        const places = new Map(partitions.map((each) => [each.number, each]));
        const targets = relatedBy(database, item, type, places).filter(
          (target) => id === undefined || target.id === id,
        );
        if (targets.length === 0) throw notRelated(from, type, id);
        return unrelateItems({
          ...{ org: caller.org, place: placeOf(partition), item, type },
          withdraw: withdraw && type === 'supersedes',
          targets,
        });
      },
    });
    return { structured: answer };
  },
});

function relatedBy(
  database: Database,
  { row }: ItemRow,
  wanted: string,
  places: ReadonlyMap<number, Partition>,
) {
  const rows = relationsOf(database, row)
    .filter(({ type, direction }) => type === wanted && direction === 'outgoing')
    .map(({ other }) => other);
  return itemsByRow(database, rows).flatMap((item) => {
    const place = places.get(item.partition);
    return place ? [{ ...item, place: placeOf(place) }] : [];
  });
}
