import type { Database } from '../../../kernel/sqlite.ts';
import { itemsByRow } from '../../queries.ts';
import { type PlacedWish, wishesOnOneMatter } from '../../retrieval/wishes.ts';
import type { OtherValue } from './conflicts.ts';
import { opposes } from './opposites.ts';

/** So many changes of one mind are told. */
const MOST_TOLD = 3;

/** For items that want something always, or did: what was wanted before or since that is the opposite, newest first. */
export function wishChanges(database: Database, rows: readonly number[]): Map<string, OtherValue[]> {
  const pairs = wishesOnOneMatter(database, rows);
  const items = new Map(
    itemsByRow(database, [...new Set(pairs.flat().map(({ item }) => item))])
      .filter(({ superseded_by }) => superseded_by === null)
      .map((item) => [item.row, item]),
  );
  const found = new Map<string, OtherValue[]>();
  const say = ({ item: row, begins, ends }: PlacedWish) => {
    const item = items.get(row);
    if (!item) return undefined;
    const { id, at, created_at, content } = item;
    return { id, at: at ?? created_at, says: content.slice(begins, ends).trim() };
  };
  const note = (id: string, other: OtherValue) => {
    const known = found.get(id) ?? [];
    if (!known.some((each) => each.id === other.id)) found.set(id, [...known, other]);
  };
  for (const [newer, older] of pairs) {
    const [now, before] = [say(newer), say(older)];
    if (!now || !before || !opposes(now.says, before.says)) continue;
    note(now.id, { ...before, change: 'replaces' });
    note(before.id, { ...now, change: 'replaced_by' });
  }
  for (const [id, others] of found) {
    found.set(id, others.sort((one, other) => other.at - one.at).slice(0, MOST_TOLD));
  }
  return found;
}
