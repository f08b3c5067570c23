import type { Database } from '../../kernel/sqlite.ts';
import { groupWord, kindWord, type SearchScope, scopeWord } from '../projection/search-index.ts';
import { countLiveDrafts, type Draft, type Drafter, liveDraftAtPath, liveDraftOfFile } from './drafts.ts';
import type { LibraryFile } from './files.ts';
import { type Item, type ItemFilter, itemOfDraft, itemOfFile } from './items.ts';

const MOST_WORDS = 16;
/** A word that more files have than this says little about any of them: it finds no file by itself alone. */
const COMMON = 1000;
const WEIGHTS = '0.0, 4.0, 10.0, 5.0, 2.0';
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i in is it my not of on or that the this to use we what when with you'.split(
    ' ',
  ),
);

export interface SearchMatch {
  item: Item;
  /** Which of the words it has, and how many of all: 1 when it has every one. */
  words: string[];
  share: number;
}

export interface SearchResult {
  /** Those that have more of the words first; one more than was asked for when there are more. */
  matches: SearchMatch[];
  /** Words that no file has. */
  missing: string[];
}

/** The words to look for, each as the beginning of a word. */
export function queryWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const unique = [...new Set(words)];
  const telling = unique.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : unique).slice(0, MOST_WORDS);
}

export function searchItems(
  database: Database,
  drafter: Drafter,
  query: string,
  filter: ItemFilter,
  limit: number,
): SearchResult {
  const words = queryWords(query);
  const drafts = countLiveDrafts(database, drafter);
  const search = new Search(database, scopesOf(drafter, drafts > 0), filter, words);
  const matches: SearchMatch[] = [];
  // A draft may hide a file, or two of them.
  for (const [row, found] of search.best(limit + 1 + 2 * drafts)) {
    const item =
      row % 2 === 0 ? fileItem(database, drafter, row / 2, drafts > 0) : draftItem(database, (row - 1) / 2);
    if (item)
      matches.push({ item, words: found, share: Math.round((found.length / words.length) * 100) / 100 });
    if (matches.length > limit) break;
  }
  return { matches, missing: search.missing };
}

function scopesOf({ workspaceId, principal, seenIn }: Drafter, withDrafts: boolean): SearchScope[] {
  const published: SearchScope = { workspaceId, whose: 'published' };
  if (!withDrafts) return [published];
  return [
    published,
    { workspaceId, whose: seenIn === undefined ? `draft:${principal}` : `session:${seenIn}` },
  ];
}

const COLUMNS = '{path name description headings}';
const anyOf = (words: readonly string[]) => words.map((word) => `"${word}" *`).join(' OR ');
const allOf = (words: readonly string[]) => words.map((word) => `"${word}" *`).join(' AND ');

/** Looks up each word by itself, a bounded number of rows each, so that no query takes longer for a larger library. */
class Search {
  readonly #database: Database;
  readonly #within: string;
  /** Words that some files have, and those that so many have that they only say which of the found ones is better. */
  readonly #telling: ReadonlyMap<string, number[]>;
  readonly #common: ReadonlyMap<string, number[]>;
  readonly missing: string[];

  constructor(
    database: Database,
    scopes: readonly SearchScope[],
    filter: ItemFilter,
    words: readonly string[],
  ) {
    this.#database = database;
    this.#within = `scope : (${scopes.map((scope) => `(${scopeMatch(scope, filter)})`).join(' OR ')})`;
    const found = words.map((word) => [word, this.#rows(COLUMNS, anyOf([word]), COMMON + 1)] as const);
    this.missing = found.filter(([, rows]) => rows.length === 0).map(([word]) => word);
    this.#common = new Map(found.filter(([, rows]) => rows.length > COMMON));
    this.#telling = new Map(found.filter(([, rows]) => rows.length > 0 && rows.length <= COMMON));
  }

  /** Rows with the words that they have, the best first. */
  best(limit: number): [number, string[]][] {
    const ranked = this.#ranked().slice(0, limit);
    if (ranked.length === limit || this.#common.size === 0) return ranked;
    const known = new Set(ranked.map(([row]) => row));
    return [...ranked, ...this.#coarse(limit).filter(([row]) => !known.has(row))].slice(0, limit);
  }

  #ranked(): [number, string[]][] {
    const words = [...this.#telling.keys()];
    if (words.length === 0) return [];
    const found = having(this.#telling);
    for (const word of this.#common.keys()) {
      for (const row of this.#rows(COLUMNS, `(${anyOf(words)}) AND ${anyOf([word])}`, found.size)) {
        found.get(row)?.push(word);
      }
    }
    const position = new Map(this.#ordered(words, found.size).map((row, index) => [row, index]));
    const last = position.size;
    return [...found].sort(
      ([one, words], [other, others]) =>
        others.length - words.length ||
        (position.get(one) ?? last) - (position.get(other) ?? last) ||
        one - other,
    );
  }

  /** By BM25 where they are few; else those whose name has a word come first, then those whose path has. */
  #ordered(words: readonly string[], count: number): number[] {
    if (count <= COMMON) {
      return this.#database
        .all<{ rowid: number }>(
          `SELECT rowid FROM library_search WHERE library_search MATCH ?
           ORDER BY bm25(library_search, ${WEIGHTS}), rowid`,
          this.#expression(COLUMNS, anyOf(words)),
        )
        .map(({ rowid }) => rowid);
    }
    return [...new Set(['name', 'path'].flatMap((column) => this.#rows(column, anyOf(words), COMMON)))];
  }

  /** For words that very many have: those with all of them first, by name, by path, then those with some. */
  #coarse(limit: number): [number, string[]][] {
    const words = [...this.#common.keys()];
    const rows = new Map<number, string[]>();
    for (const column of ['name', 'path', COLUMNS]) {
      if (rows.size < limit) for (const row of this.#rows(column, allOf(words), limit)) rows.set(row, words);
    }
    if (rows.size >= limit || words.length === 1) return [...rows];
    // The lists are in order of row and cut off: up to where the first of them ends, they tell who has which words.
    const known = Math.min(...[...this.#common.values()].map((list) => list.at(-1)!));
    const others = [...having(this.#common)].filter(([row]) => row <= known && !rows.has(row));
    return [...rows, ...others.sort(([, one], [, other]) => other.length - one.length)];
  }

  #expression(columns: string, asked: string): string {
    return `${this.#within} AND ${columns} : (${asked})`;
  }

  #rows(columns: string, asked: string, limit: number): number[] {
    return this.#database
      .all<{ rowid: number }>(
        'SELECT rowid FROM library_search WHERE library_search MATCH ? LIMIT ?',
        this.#expression(columns, asked),
        limit,
      )
      .map(({ rowid }) => rowid);
  }
}

/** The other way round: which words each row has. */
function having(lists: ReadonlyMap<string, readonly number[]>): Map<number, string[]> {
  const words = new Map<number, string[]>();
  for (const [word, rows] of lists) {
    for (const row of rows) {
      const known = words.get(row);
      if (known) known.push(word);
      else words.set(row, [word]);
    }
  }
  return words;
}

function scopeMatch(scope: SearchScope, { kind, group }: ItemFilter): string {
  const words = [kind === undefined ? scopeWord(scope) : kindWord(scope, kind)];
  if (group !== undefined) words.push(groupWord(scope, group));
  return words.join(' AND ');
}

/** A file over which a draft lies is shown as that draft, or not at all. */
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
  return draft && itemOfDraft(database, draft);
}
