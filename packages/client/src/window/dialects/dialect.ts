import type { JsonEdit } from '../json.ts';
import type { Message, Part, Path, ResultPart } from '../types.ts';
import type { Data } from './values.ts';

/** How one API writes a conversation. */
export interface DialectFormat {
  /** The messages, or an `UnknownShape`. */
  read(body: Data): Message[];
  /** What stands before them. */
  before(body: Data): { model?: string; system: unknown; tools: readonly Data[] };
  /** The result with another text. */
  replace(body: Data, result: ResultPart, text: string): JsonEdit;
  /** Where messages hold their parts, for dialects whose people and models speak by turns: there, what stays of a message moves. */
  partsOf?: (message: Message) => Path;
  /** As an element of those. */
  movedPart?: (body: Data, part: Part) => string;
  /** Whether it marks what the provider's cache shall hold. */
  marks?: true;
}

/** The value that stands at a path. */
export function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body);
}
