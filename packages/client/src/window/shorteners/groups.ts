import { count, cutMiddle, gap, tailOf } from './text.ts';

/** Lines that belong together: the names in a folder, the matches in a file. */
export interface Group {
  /** What it is called in a gap; empty when it has no name. */
  name: string;
  /** A line of its own before the others. */
  header?: string;
  lines: string[];
  /** How many of its lines count; context of a search does not. */
  size: number;
}

/** Characters of what is shown, and of the lines that only count what a group has; lines of all groups together. */
const SHOWN_CHARACTERS = 4_000;
const COUNTED_CHARACTERS = 1_500;
const SHOWN_LINES = 60;
const LINE_CHARACTERS = 240;
const COMPLAINTS = 10;

/** `grep: secret: Permission denied` */
export function isComplaint(line: string): boolean {
  return /^(?:\S{1,100}[/\\])?(?:[ef]?grep|rg|ag|ack|find|fd|ls|tree|du|git|npm (?:error|ERR!)): ?\S/.test(
    line.slice(0, 300),
  );
}

/**
 * What was said besides, then of each group its first lines and the last one; what does not fit is counted:
 * `… 31 more matches in src/a.ts left out …`.
 */
export function groupsText(
  besides: readonly string[],
  groups: readonly Group[],
  noun: string,
  container: string,
): string {
  const each = Math.min(40, Math.max(2, Math.floor(SHOWN_LINES / Math.max(1, groups.length))));
  const kept = besides.slice(0, COMPLAINTS).map((line) => cutMiddle(line, LINE_CHARACTERS));
  if (besides.length > COMPLAINTS) kept.push(gap(count(besides.length - COMPLAINTS, 'more message')));
  let shown = SHOWN_CHARACTERS;
  let counted = COUNTED_CHARACTERS;
  let groupsLeft = 0;
  let sizeLeft = 0;
  for (const group of groups) {
    const part = groupLines(group, each, noun);
    const length = part.reduce((sum, line) => sum + line.length + 1, 0);
    if (length <= shown) {
      shown -= length;
      kept.push(...part);
      continue;
    }
    // From here on only counts: what is shown has no holes.
    shown = 0;
    const mark = gapOf(group, group.size, noun);
    counted -= mark.length + 1;
    if (group.name !== '' && counted >= 0) {
      kept.push(mark);
    } else {
      groupsLeft++;
      sizeLeft += group.size;
    }
  }
  if (groupsLeft > 0) {
    const last = groups.at(-1)!.lines.at(-1);
    const names = container === '' ? '' : ` in ${count(groupsLeft, `more ${container}`)}`;
    kept.push(gap(`${count(sizeLeft - (last === undefined ? 0 : 1), `more ${noun}`)}${names}`));
    if (last !== undefined) kept.push(cutMiddle(last, LINE_CHARACTERS));
  }
  return kept.join('\n');
}

function groupLines(group: Group, each: number, noun: string): string[] {
  const { header, lines } = group;
  const shown = lines.length <= each + 2 ? lines : [...lines.slice(0, each), lines.at(-1)!];
  const part = shown.map((line) => cutMiddle(line, LINE_CHARACTERS));
  if (shown !== lines) part.splice(each, 0, gapOf(group, group.size - shown.length, noun));
  if (header !== undefined) part.unshift(cutMiddle(header, LINE_CHARACTERS));
  return part;
}

function gapOf({ name }: Group, size: number, noun: string): string {
  return gap(`${count(size, `more ${noun}`)}${name === '' ? '' : ` in ${tailOf(name, LINE_CHARACTERS)}`}`);
}
