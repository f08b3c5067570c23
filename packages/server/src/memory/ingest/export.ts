import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { type ItemRow, itemsAfter, itemsByRow, type Partition, relationsOf } from '../queries.ts';

const PAGE = 500;

/** Every item that the reader sees, as import lines, in the order in which they came: an import gives it back. */
export function* exportLines(database: Database, partitions: readonly Partition[]): Generator<object> {
  const readable = new Set(partitions.map(({ number }) => number));
  for (const partition of partitions) {
    for (let after = 0; ; ) {
      const page = itemsAfter(database, partition.number, after, PAGE);
      for (const item of page) yield lineOf(database, item, partition, readable);
      if (page.length < PAGE) break;
      after = page.at(-1)!.row;
    }
  }
}

function lineOf(
  database: Database,
  item: ItemRow,
  partition: Partition,
  readable: ReadonlySet<number>,
): object {
  const outgoing = relationsOf(database, item.row).filter(({ direction }) => direction === 'outgoing');
  const targets = new Map(
    (outgoing.length === 0
      ? []
      : itemsByRow(
          database,
          outgoing.map(({ other }) => other),
        )
    ).map((target) => [target.row, target]),
  );
  const relations = outgoing.flatMap(({ type, other }) => {
    const target = targets.get(other);
    return target && readable.has(target.partition) ? [{ type, id: target.id }] : [];
  });
  return {
    id: item.id,
    ...(item.title === null ? {} : { title: item.title }),
    content: item.content,
    kind: item.kind,
    ...(partition.project_id === '' ? {} : { project: partition.project_id }),
    ...(item.domain === null ? {} : { domain: item.domain }),
    ...(item.tags === null ? {} : { tags: JSON.parse(item.tags) as unknown }),
    ...(item.author === null ? {} : { author: item.author }),
    ...(item.role === null ? {} : { role: item.role }),
    ...(item.thread === null ? {} : { thread: item.thread }),
    ...(item.ordinal === null ? {} : { ordinal: item.ordinal }),
    ...(item.at === null ? {} : { at: isoTime(item.at) }),
    ...(item.valid_at === null ? {} : { valid_at: isoTime(item.valid_at) }),
    ...(item.source === null ? {} : { source: item.source }),
    ...(item.url === null ? {} : { url: item.url }),
    ...(item.metadata === null ? {} : { metadata: JSON.parse(item.metadata) as unknown }),
    ...(relations.length === 0 ? {} : { relations }),
  };
}
