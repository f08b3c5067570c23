import type { Condition, Order } from './filters.ts';
import type { Column, Shape, SourceDescription } from './shape.ts';
import type { Source } from './sources.ts';

export interface Query {
  conditions: readonly Condition[];
  order: readonly Order[];
  fields: readonly Column[];
  offset: number;
  limit: number;
  /** Counting can cost more than the page. */
  count: boolean;
}

export type RecordValues = Record<string, unknown>;

export interface Found {
  records: RecordValues[];
  /** Undefined where it was not asked for, or took too long. */
  total: number | undefined;
}

export interface Opening {
  progress: (done: number, total: number, message?: string) => void;
  signal: AbortSignal;
}

/** A source as it stands now. */
export interface OpenTable {
  shape: Shape;
  /** What a reader should know: lines that could not be read, say. */
  notices: string[];
  /** Of rows that are kept: what they are known by. */
  kept?: { ref: string };
  find(query: Query): Promise<Found>;
}

/** The port that each kind of source implements. */
export interface RecordTable {
  readonly source: Source;
  /** Throws `source_unavailable`, `source_invalid` or `source_indexing`. */
  open(opening: Opening): Promise<OpenTable>;
  /** For lists: never throws, never waits long, starts no indexing. */
  describe(): Promise<SourceDescription>;
  close(): Promise<void>;
}
