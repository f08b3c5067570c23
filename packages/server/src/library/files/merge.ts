import type { DiffLine } from '@infold/protocol';
import { diffArrays } from 'diff/lib/diff/array.js';

/** Differences of texts, line by line, and the merge of two changes to one text. */

/** Past this two texts have little in common: one is told as replaced by the other, and nobody waits. */
const LITTLE_IN_COMMON = { maxEditLength: 3000, timeout: 300 };

/** Lines keep their ends, so that joining them gives the text again. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(old, fresh, LITTLE_IN_COMMON) ?? [
    { value: old, removed: true, added: false },
    { value: fresh, removed: false, added: true },
  ];
  return changes.flatMap(({ value, added, removed }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return value.map((text) => ({ kind, text }) as const);
  });
}

/** Where lines of one text stand in the other, as far as they do. */
function positionsOf(before: string, after: string): Map<number, number> {
  const positions = new Map<number, number>();
  let [at, atFresh] = [0, 0];
  for (const { kind } of diffLines(before, after)) {
    if (kind === 'same') positions.set(at, atFresh);
    if (kind !== 'added') at++;
    if (kind !== 'removed') atFresh++;
  }
  return positions;
}

export type Merge = { text: string } | { conflicts: number };

/** Takes both changes where they touch different lines. Lines that both changed differently are a conflict. */
export function mergeTexts(base: string, mine: string, theirs: string): Merge {
  if (mine === theirs || theirs === base) return { text: mine };
  if (mine === base) return { text: theirs };
  const [baseLines, myLines, theirLines] = [linesOf(base), linesOf(mine), linesOf(theirs)];
  const inMine = positionsOf(base, mine);
  const inTheirs = positionsOf(base, theirs);
  const merged: string[] = [];
  let conflicts = 0;
  let [atBase, atMine, atTheirs] = [0, 0, 0];
  const section = (endBase: number, endMine: number, endTheirs: number) => {
    const was = baseLines.slice(atBase, endBase).join('');
    const my = myLines.slice(atMine, endMine).join('');
    const their = theirLines.slice(atTheirs, endTheirs).join('');
    if (my === their || their === was) merged.push(my);
    else if (my === was) merged.push(their);
    else conflicts++;
  };
  for (let line = 0; line < baseLines.length; line++) {
    const [mineAt, theirsAt] = [inMine.get(line), inTheirs.get(line)];
    // Only a line that all three have ends a section.
    if (mineAt === undefined || theirsAt === undefined) continue;
    section(line, mineAt, theirsAt);
    merged.push(baseLines[line]!);
    [atBase, atMine, atTheirs] = [line + 1, mineAt + 1, theirsAt + 1];
  }
  section(baseLines.length, myLines.length, theirLines.length);
  return conflicts > 0 ? { conflicts } : { text: merged.join('') };
}
