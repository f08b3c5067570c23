import type { FileKind } from '@infold/protocol';
import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { nameOf } from '../files/describe.ts';

/**
 * Published files and drafts share one full-text index. Whose they are, their kind and their groups are words of
 * a column of their own, so that a search reads only what it may show.
 */
export interface SearchScope {
  workspaceId: string;
  /** What is published, the drafts of a principal, or those that lie over what is published in a session. */
  whose: 'published' | `draft:${string}` | `session:${string}`;
}

export interface SearchDocument {
  path: string;
  kind: FileKind;
  group: string | null;
  description: string | null;
  headings: string;
}

export const fileRow = (ordinal: number) => ordinal * 2;
export const draftRow = (ordinal: number) => ordinal * 2 + 1;

export function scopeWord({ workspaceId, whose }: SearchScope): string {
  return `s${digestHex(24, workspaceId, whose)}`;
}

export const kindWord = (scope: SearchScope, kind: FileKind) => `${scopeWord(scope)}k${kind}`;
export const groupWord = (scope: SearchScope, group: string) => `${scopeWord(scope)}g${digestHex(12, group)}`;

function scopeText(scope: SearchScope, document: SearchDocument): string {
  const folders = document.path.split('/').slice(0, -1);
  const groups = folders.map((_, index) => folders.slice(0, index + 1).join('/'));
  if (document.group !== null) groups.push(document.group);
  return [
    scopeWord(scope),
    kindWord(scope, document.kind),
    ...groups.map((group) => groupWord(scope, group)),
  ].join(' ');
}

/** "CodingStyle" is found by "style" too. */
function words(text: string): string {
  const split = text.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2');
  return split === text ? text : `${text} ${split}`;
}

export function indexDocument(
  database: Database,
  row: number,
  scopes: readonly SearchScope[],
  document: SearchDocument,
): void {
  database.run(
    'INSERT INTO library_search (rowid, scope, path, name, description, headings) VALUES (?, ?, ?, ?, ?, ?)',
    row,
    scopes.map((scope) => scopeText(scope, document)).join(' '),
    document.path,
    words(nameOf(document.path)),
    document.description ?? '',
    document.headings,
  );
}

export function unindexDocument(database: Database, row: number): void {
  database.run('DELETE FROM library_search WHERE rowid = ?', row);
}

export const SEARCH_TABLE = `
CREATE VIRTUAL TABLE library_search USING fts5 (
  scope, path, name, description, headings, tokenize = 'porter unicode61', prefix = '2 3'
);
`;
