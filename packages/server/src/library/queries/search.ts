import type { Database } from '../../kernel/sqlite.ts';
import { groupWord, kindWord, type Scope, scopeWord } from '../search-index.ts';
import { type Draft, type Drafter, hasLiveDrafts, liveDraftAtPath, liveDraftOfFile } from './drafts.ts';
import type { LibraryFile } from './files.ts';
import { type Item, type ItemFilter, itemOfDraft, itemOfFile } from './items.ts';

const MOST_WORDS = 16;
/** More matches than this are not ranked one by one: words that common say little about any of them. */
const RANKED = 1000;
const WEIGHTS = '0.0, 4.0, 10.0, 5.0, 2.0';
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i in is it my not of on or that the this to use we what when with you'.split(
    ' ',
  ),
);

/** The words to look for: all of them must be found, each as the beginning of a word. */
export function queryWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const unique = [...new Set(words)];
  const telling = unique.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : unique).slice(0, MOST_WORDS);
}

/** Best first; one more than `limit` when there are more. */
export function searchItems(
  database: Database,
  drafter: Drafter,
  query: string,
  filter: ItemFilter,
  limit: number,
): Item[] {
  const words = queryWords(query);
  if (words.length === 0) return [];
  const withDrafts = hasLiveDrafts(database, drafter);
  const scopes: Scope[] = [{ workspaceId: drafter.workspaceId, principal: null }];
  if (withDrafts) scopes.push(drafter);
  const within = `scope : (${scopes.map((scope) => `(${scopeMatch(scope, filter)})`).join(' OR ')})`;
  const asked = words.map((word) => `"${word}" *`).join(' AND ');
  const items: Item[] = [];
  for (const row of matchingRows(database, within, asked, limit + 1)) {
    const item =
      row % 2 === 0 ? fileItem(database, drafter, row / 2, withDrafts) : draftItem(database, (row - 1) / 2);
    if (item) items.push(item);
  }
  return items;
}

function scopeMatch(scope: Scope, { kind, group }: ItemFilter): string {
  const words = [kind === undefined ? scopeWord(scope) : kindWord(scope, kind)];
  if (group !== undefined) words.push(groupWord(scope, group));
  return words.join(' AND ');
}

function matchingRows(database: Database, within: string, asked: string, limit: number): number[] {
  const columns = '{path name description headings}';
  const match = `${within} AND ${columns} : (${asked})`;
  const matches = database.get<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM library_search WHERE library_search MATCH ? LIMIT ${RANKED + 1})`,
    match,
  )!.count;
  if (matches <= RANKED) return rows(database, match, true, limit);
  // So many: those whose name says it, then those whose path does, then the others, each as they come.
  const found = new Set<number>();
  for (const column of ['name', 'path', columns]) {
    if (found.size >= limit) break;
    for (const row of rows(database, `${within} AND ${column} : (${asked})`, false, limit)) found.add(row);
  }
  return [...found].slice(0, limit);
}

function rows(database: Database, match: string, ranked: boolean, limit: number): number[] {
  const found = ranked
    ? database.all<{ rowid: number }>(
        `SELECT rowid FROM library_search WHERE library_search MATCH ?
         ORDER BY bm25(library_search, ${WEIGHTS}), rowid LIMIT ?`,
        match,
        limit,
      )
    : database.all<{ rowid: number }>(
        'SELECT rowid FROM library_search WHERE library_search MATCH ? LIMIT ?',
        match,
        limit,
      );
  return found.map(({ rowid }) => rowid);
}

/** A file that the drafter has a draft of is shown as that draft, or not at all. */
function fileItem(
  database: Database,
  drafter: Drafter,
  ordinal: number,
  withDrafts: boolean,
): Item | undefined {
  const file = database.get<LibraryFile>(
    'SELECT * FROM library_file WHERE ordinal = ? AND deleted = 0',
    ordinal,
  );
  if (!file) return undefined;
  if (
    withDrafts &&
    (liveDraftOfFile(database, drafter, file.id) || liveDraftAtPath(database, drafter, file.path))
  ) {
    return undefined;
  }
  return itemOfFile(file);
}

function draftItem(database: Database, ordinal: number): Item | undefined {
  const draft = database.get<Draft>('SELECT * FROM library_draft WHERE ordinal = ? AND live = 1', ordinal);
  return draft && itemOfDraft(draft);
}
