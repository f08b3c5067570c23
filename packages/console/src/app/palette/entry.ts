import type { LucideIcon } from 'lucide-react';
import { rankNamed } from '../../design/match.ts';

/** Something that can be named: a place, a thing, a command. */
export interface PaletteEntry {
  /** No two have the same. */
  value: string;
  name: string;
  /** What is said beside it, and does not find it. */
  note?: string | undefined;
  /** More words to find it by. */
  keywords?: readonly string[];
  icon: LucideIcon;
  keys?: string;
  /** Where it leads; else `act` is done. */
  href?: string;
  act?: () => void;
  /** The server found it for what is sought: it may have the words elsewhere than in its name. */
  isFound?: boolean;
}

export interface PaletteGroup {
  heading: string;
  entries: readonly PaletteEntry[];
  /** How many are shown before anything is typed. */
  atOnce: number;
  /** How many are shown of those that match. */
  most?: number;
}

const MOST = 5;
/** Below whatever has the words in its name. */
const FOUND = 0.05;

/** What is shown of all groups: the best few of each, and the group with the best match first. */
export function shownOf(groups: readonly PaletteGroup[], sought: string): PaletteGroup[] {
  if (sought.trim() === '') {
    return groups
      .map((group) => ({ ...group, entries: group.entries.slice(0, group.atOnce) }))
      .filter(({ entries }) => entries.length > 0);
  }
  const ranked = groups.flatMap((group) => {
    const scored = group.entries
      .map((entry) => ({ entry, score: scoreOf(entry, sought) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, group.most ?? MOST);
    const [best] = scored;
    return best
      ? [{ score: best.score, group: { ...group, entries: scored.map(({ entry }) => entry) } }]
      : [];
  });
  return ranked.sort((one, other) => other.score - one.score).map(({ group }) => group);
}

function scoreOf({ name, keywords, isFound }: PaletteEntry, sought: string): number {
  return Math.max(rankNamed(name, sought, keywords), isFound ? FOUND : 0);
}

/** The first of each value: what is known and what was found may be the same. */
export function unique<One extends PaletteEntry>(entries: readonly One[]): One[] {
  const seen = new Set<string>();
  return entries.filter(({ value }) => !seen.has(value) && seen.add(value));
}
