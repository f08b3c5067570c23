import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { memoryStream } from '../../trust/streams.ts';
import { auditMemory } from '../audit/audit.ts';
import { findDoubles } from '../audit/doubles.ts';
import { relateItems } from '../commands.ts';
import {
  type ItemRow,
  itemsByRow,
  type Partition,
  placeOf,
  readablePartitions,
  relationsOf,
} from '../queries.ts';
import { readerFor } from '../read-access.ts';

export const audit = defineAction(memoryApi.auditMemory, {
  async run({ kind, days, limit, ...whose }, context) {
    const { database, caller, giveWay } = context;
    const partitions = readablePartitions(database, readerFor(context, whose));
    const request = { caller, partitions, kind, days, limit, now: context.clock(), giveWay };
    return { structured: await auditMemory(database, request) };
  },
});

/** Sets of doubles that one entry settles. */
const AT_ONCE = 50;

/** Only what is the same word for word: whatever differs is for people to judge. */
export const mergeDoubles = defineAction(memoryApi.mergeDoubles, {
  identifiers: ['ids.*'],
  async run({ ids, ...whose }, context) {
    const { database, caller, journal, giveWay } = context;
    const partitions = readablePartitions(database, readerFor(context, whose));
    const { exact } = await findDoubles(database, partitions, giveWay);
    const wanted = ids && new Set(ids);
    const merged: { kept: string; superseded: string[] }[] = [];
    for (let from = 0; from < exact.length; from += AT_ONCE) {
      const { answer } = await journal.commit({
        stream: memoryStream(caller.org),
        actor: caller.actor,
        decide: (state) => {
          const decided = exact
            .slice(from, from + AT_ONCE)
            .map((rows) => standing(state, rows))
            .filter((items) => items.length > 1 && (!wanted || items.some(({ id }) => wanted.has(id))))
            .map((items) => mergeOne(state, caller.org, partitions, items));
          return {
            events: decided.flatMap(({ events }) => events),
            answer: decided.map((each) => each.answer),
          };
        },
      });
      merged.push(...answer);
    }
    return { structured: { merged } };
  },
});

/** They may have been superseded or forgotten since they were found. */
function standing(database: Database, rows: readonly number[]): ItemRow[] {
  return itemsByRow(database, rows).filter(({ superseded_by }) => superseded_by === null);
}

/** The one with the most relations stays, as others name it; of those, the newest. */
function mergeOne(
  database: Database,
  org: string,
  partitions: readonly Partition[],
  items: readonly ItemRow[],
) {
  const relations = new Map(items.map(({ row }) => [row, relationsOf(database, row).length]));
  const [kept, ...others] = [...items].sort(
    (one, other) => relations.get(other.row)! - relations.get(one.row)! || other.row - one.row,
  );
  const place = placeOf(partitions.find(({ number }) => number === kept!.partition)!);
  const events = others.flatMap(
    (item) =>
      relateItems({
        ...{ org, place, item: kept!, known: false, supersededByTarget: [] },
        target: { type: 'supersedes', id: item.id, item: { ...item, place } },
      }).events,
  );
  return { events, answer: { kept: kept!.id, superseded: others.map(({ id }) => id) } };
}
