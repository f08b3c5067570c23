import type { FileSource } from '../sources.ts';

/** Kinds of values that were met in a column, as bits. */
export const KIND = { number: 1, text: 2, boolean: 4, json: 8 } as const;

export interface IndexedColumn {
  name: string;
  /** The column of the index that holds it. */
  slot: string;
  kinds: number;
  /** Characters of its longest text. */
  longest: number;
  indexed: boolean;
}

export interface Stamp {
  size: number;
  modified: number;
  inode: number;
}

export interface UnreadableLine {
  line: number;
  problem: string;
}

/** What is known of an indexed file. Kept beside the index, and replaced as a whole. */
export interface IndexState {
  format: number;
  /** The name of the database file. */
  database: string;
  stamp: Stamp;
  rows: number;
  /** Where reading can go on when the file has only grown; null where it cannot. */
  resume: { offset: number; line: number; rows: number; digest: string } | null;
  bad: { count: number; first: UnreadableLine[] };
  /** The last line was not whole: somebody is writing it. */
  unfinished: boolean;
  columns: IndexedColumn[];
  /** Columns beyond the limit, which can be read but not be asked for. */
  moreColumns: boolean;
  header: string[] | null;
  delimiter: string | null;
  builtAt: number;
  bytes: number;
  milliseconds: number;
}

export const INDEX_FORMAT = 1;
export const MOST_BAD_SHOWN = 20;

export type BuildSource = Pick<FileSource, 'type' | 'path' | 'id' | 'delimiter' | 'index' | 'types'>;

/** What the building thread is told. */
export interface BuildOrder {
  source: BuildSource;
  folder: string;
  /** The name that a new database gets. */
  database: string;
  /** The state to go on from, if any. */
  before: IndexState | null;
  mostBytes: number;
  mostColumns: number;
}

export type BuildMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; state: IndexState }
  | { kind: 'failed'; problem: string; missing: boolean };
