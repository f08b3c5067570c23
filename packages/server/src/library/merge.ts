/** Differences of texts, line by line, and the merge of two changes to one text. */

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Past this many steps two texts have little in common: the rest is told as replaced. */
const MOST_STEPS = 4000;

/** Lines keep their ends, so that joining them gives the text again. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Pairs of positions of equal lines, in order: the longest that can be found in reasonable time (Myers). */
function commonLines(one: readonly string[], other: readonly string[]): [number, number][] {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (
    end < one.length - start &&
    end < other.length - start &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  ) {
    end++;
  }
  const middle = shortestPath(one.slice(start, one.length - end), other.slice(start, other.length - end));
  return [
    ...Array.from({ length: start }, (_, index): [number, number] => [index, index]),
    ...middle.map(([a, b]): [number, number] => [a + start, b + start]),
    ...Array.from({ length: end }, (_, index): [number, number] => [
      one.length - end + index,
      other.length - end + index,
    ]),
  ];
}

function shortestPath(one: readonly string[], other: readonly string[]): [number, number][] {
  const most = Math.min(one.length + other.length, MOST_STEPS);
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let steps = 0; steps <= most; steps++) {
    trail.push(new Map(furthest));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const down =
        diagonal === -steps ||
        (diagonal !== steps && (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0));
      let x = down ? (furthest.get(diagonal + 1) ?? 0) : (furthest.get(diagonal - 1) ?? 0) + 1;
      let y = x - diagonal;
      while (x < one.length && y < other.length && one[x] === other[y]) {
        x++;
        y++;
      }
      furthest.set(diagonal, x);
      if (x >= one.length && y >= other.length) return walkBack(trail, one.length, other.length);
    }
  }
  return [];
}

function walkBack(
  trail: readonly Map<number, number>[],
  length: number,
  otherLength: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [length, otherLength];
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const furthest = trail[steps]!;
    const diagonal = x - y;
    const down =
      diagonal === -steps ||
      (diagonal !== steps && (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0));
    const before = down ? diagonal + 1 : diagonal - 1;
    const beforeX = furthest.get(before) ?? 0;
    const beforeY = beforeX - before;
    while (x > beforeX && y > beforeY && x > 0 && y > 0) pairs.push([--x, --y]);
    if (steps > 0) [x, y] = [beforeX, beforeY];
  }
  return pairs.reverse();
}

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const result: DiffLine[] = [];
  let [at, atFresh] = [0, 0];
  const upTo = (end: number, endFresh: number) => {
    for (; at < end; at++) result.push({ kind: 'removed', text: old[at]! });
    for (; atFresh < endFresh; atFresh++) result.push({ kind: 'added', text: fresh[atFresh]! });
  };
  for (const [one, other] of commonLines(old, fresh)) {
    upTo(one, other);
    result.push({ kind: 'same', text: old[one]! });
    at = one + 1;
    atFresh = other + 1;
  }
  upTo(old.length, fresh.length);
  return result;
}

export type Merge = { text: string } | { conflicts: number };

/** Takes both changes where they touch different lines. Lines that both changed differently are a conflict. */
export function mergeTexts(base: string, mine: string, theirs: string): Merge {
  if (mine === theirs || theirs === base) return { text: mine };
  if (mine === base) return { text: theirs };
  const [baseLines, myLines, theirLines] = [linesOf(base), linesOf(mine), linesOf(theirs)];
  const inMine = new Map(commonLines(baseLines, myLines));
  const inTheirs = new Map(commonLines(baseLines, theirLines));
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
