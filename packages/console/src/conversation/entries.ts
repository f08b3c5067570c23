import type { TrackedResult } from '@infold/client';

/** What a tool answered. */
export interface ToolAnswer {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

/** Something that a person asked for or a model said. */
export interface Said {
  kind: 'said';
  id: string;
  by: 'user' | 'model';
  text: string;
  /** More of it is coming. */
  isOpen: boolean;
}

export interface Called {
  kind: 'called';
  /** The id of the call. */
  id: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** Undefined while it is under way, and where there was none. */
  answer: ToolAnswer | undefined;
  /** Why there is no answer. */
  problem: string | undefined;
  /** What the collapser knows of the result; undefined until it came. */
  tracked: Readonly<TrackedResult> | undefined;
}

export type Entry = Said | Called;

/** The badge of a result, by the words of the protocol. */
export type Hint = 'transient' | 'consumed' | 'collapsed';

/** TCP-18. A result that was used up but still stands in full is collapsed by the next decision: it is still transient. */
export function hintsOf({ tracked }: Called): Hint[] {
  if (!tracked) return [];
  const hints: Hint[] = [];
  if (tracked.phase === 'pending' || tracked.phase === 'consumed') hints.push('transient');
  if (tracked.phase === 'collapsed') hints.push('collapsed');
  if (tracked.consumes && tracked.consumes.length > 0) hints.push('consumed');
  return hints;
}

/** The same entries, with what the collapser knows now; those that did not change stay the same objects. */
export function withTracked(entries: readonly Entry[], results: readonly Readonly<TrackedResult>[]): Entry[] {
  const known = new Map(results.map((result) => [result.callId, result]));
  return entries.map((entry) => {
    if (entry.kind !== 'called') return entry;
    const tracked = known.get(entry.id);
    const isSame =
      tracked?.phase === entry.tracked?.phase &&
      tracked?.consumes?.length === entry.tracked?.consumes?.length;
    return isSame ? entry : { ...entry, tracked };
  });
}

/** The arguments of a call in a few words: `model sample_activities, page 2`. */
export function shortInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name} ${shortValue(value)}`)
    .join(', ');
}

function shortValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value === 'object' && value !== null) return '{…}';
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
