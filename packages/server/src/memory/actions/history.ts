import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { briefsOf } from '../brief.ts';
import { type ItemRow, itemsByRow, positionOf, relationsOf } from '../queries.ts';
import { readerFor } from '../read-access.ts';
import { findItem } from '../search.ts';

const MOST_VERSIONS = 200;

export const readHistory = defineAction(memoryApi.readItemHistory, {
  run({ id, ...whose }, context) {
    const { database, caller } = context;
    const { item, partitions } = findItem(database, readerFor(context, whose), id);
    const readable = new Set(partitions.map(({ number }) => number));
    const { items, supersedes } = versionsOf(database, readable, item);
    const idOf = new Map(items.map((each) => [each.row, each.id]));
    const rows = [...items].sort((one, other) => positionOf(other) - positionOf(one));
    const versions = briefsOf(database, caller, rows, partitions).map((brief, place) => ({
      ...brief,
      supersedes: (supersedes.get(rows[place]!.row) ?? []).flatMap((row) => idOf.get(row) ?? []),
    }));
    return { structured: { versions } };
  },
});

/** Everything that relations of supersession lead to, in both directions: a merge has several beginnings. */
function versionsOf(database: Database, readable: ReadonlySet<number>, start: ItemRow) {
  const items = new Map([[start.row, start]]);
  const supersedes = new Map<number, number[]>();
  const open = [start.row];
  for (let row = open.shift(); row !== undefined && items.size < MOST_VERSIONS; row = open.shift()) {
    const relations = relationsOf(database, row).filter(({ type }) => type === 'supersedes');
    supersedes.set(
      row,
      relations.filter(({ direction }) => direction === 'outgoing').map(({ other }) => other),
    );
    const unknown = relations.map(({ other }) => other).filter((other) => !items.has(other));
    for (const found of itemsByRow(database, unknown)) {
      if (!readable.has(found.partition)) continue;
      items.set(found.row, found);
      open.push(found.row);
    }
  }
  return { items: [...items.values()], supersedes };
}
