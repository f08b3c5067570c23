import type { JournalEvent } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import { entriesOfOwner, type ForgetTarget, type Forgetter } from '../trust/forget.ts';
import type { ItemsStored, StoredItem } from './events.ts';
import { splitPassages } from './text/passages.ts';

/** Items go with everything they say; what they had superseded stays superseded. */
export const memoryForgetter: Forgetter = {
  entriesOf(database, target) {
    if (target.kind === 'item') return entriesOfItem(database, target);
    return target.kind === 'principal' ? entriesOfOwner(database, target) : undefined;
  },
  redact(event, target) {
    if (target.kind === 'item') return withoutItem(event, target.id);
    return target.kind === 'principal' ? withoutItems(event) : undefined;
  },
};

/** One id may name an item in several projects: all of them go. */
function entriesOfItem(database: Database, { id, org }: ForgetTarget): number[] | undefined {
  const found = database
    .all<{ seq: number }>(
      `SELECT DISTINCT seq FROM memory_item JOIN memory_partition ON number = partition
       WHERE id = ? AND org = ?`,
      id,
      org,
    )
    .map(({ seq }) => seq);
  return found.length > 0 ? found : undefined;
}

function left(item: StoredItem): StoredItem {
  if (item.forgotten) return item;
  const { id, kind, origin, at, relations = [] } = item;
  const superseding = relations.filter(({ type }) => type === 'supersedes');
  return {
    id,
    kind,
    origin,
    content: '',
    forgotten: { rows: splitPassages(item.content).length },
    ...(at === undefined ? {} : { at }),
    ...(superseding.length > 0 ? { relations: superseding } : {}),
  };
}

function withoutItem(event: JournalEvent, id: string): JournalEvent | undefined {
  switch (event.type) {
    case 'memory.remembered':
    case 'memory.imported': {
      if (!event.data.items.some((item) => item.id === id && !item.forgotten)) return undefined;
      const items = event.data.items.map((item) => (item.id === id ? left(item) : item));
      const data: ItemsStored = { ...event.data, items };
      return { type: event.type, data };
    }
    // A folded branch's summary is an item under the branch's id.
    case 'branch.folded':
      if (event.data.branch_id !== id || event.data.summary === '') return undefined;
      return { type: event.type, data: { ...event.data, summary: '' } };
    default:
      return undefined;
  }
}

function withoutItems(event: JournalEvent): JournalEvent | undefined {
  if (event.type !== 'memory.remembered' && event.type !== 'memory.imported') return undefined;
  return { type: event.type, data: { ...event.data, items: event.data.items.map(left) } };
}
