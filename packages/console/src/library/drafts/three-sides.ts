import { diff } from '@codemirror/merge';

/** Who changed what the draft began from: `both` did the same, `conflict` means that they did not. */
export type MergeKind = 'same' | 'published' | 'draft' | 'both' | 'conflict';

/** A stretch of three versions of one text, in lines. */
export interface MergeSection {
  kind: MergeKind;
  base: string[];
  published: string[];
  draft: string[];
}

/** Lines of the base that became lines of another version. */
interface Hunk {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
}

const DIFF = { scanLimit: 1000, timeout: 300 };
/** Of characters that stand for themselves: the first half of a pair would be taken together with what follows it. */
const MOST_LETTERS = 0xd800;

/** Compares letters that stand for whole lines: chunks of characters forget an empty line that was put in before others. */
function hunksOf(base: readonly string[], other: readonly string[]): Hunk[] {
  const letters = new Map<string, string>();
  const spell = (lines: readonly string[]) => {
    for (const line of lines)
      if (!letters.has(line)) letters.set(line, String.fromCharCode(letters.size % MOST_LETTERS));
    return lines.map((line) => letters.get(line)).join('');
  };
  const words = [spell(base), spell(other)] as const;
  if (letters.size > MOST_LETTERS) {
    const whole = { from: 0, to: base.length, otherFrom: 0, otherTo: other.length };
    return sameLines(base, other) ? [] : [whole];
  }
  return diff(...words, DIFF).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    otherFrom: fromB,
    otherTo: toB,
  }));
}

/** What lies side by side in the three versions, from the beginning to the end. */
export function sectionsOf(base: string, published: string, draft: string): MergeSection[] {
  const [lines, theirs, mine] = [base, published, draft].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ];
  const changes = [
    ...hunksOf(lines, theirs).map((hunk) => ({ ...hunk, by: 'published' as const })),
    ...hunksOf(lines, mine).map((hunk) => ({ ...hunk, by: 'draft' as const })),
  ].sort((one, other) => one.from - other.from || one.to - other.to);
  const sections: MergeSection[] = [];
  /** How far each version has been told. */
  const at = { base: 0, published: 0, draft: 0 };
  const tell = (kind: MergeKind, to: typeof at) => {
    const section = {
      base: lines.slice(at.base, to.base),
      published: theirs.slice(at.published, to.published),
      draft: mine.slice(at.draft, to.draft),
    };
    Object.assign(at, to);
    if (section.base.length + section.published.length + section.draft.length === 0) return;
    const isAgreed = kind === 'conflict' && sameLines(section.published, section.draft);
    sections.push({ kind: isAgreed ? 'both' : kind, ...section });
  };
  for (let place = 0; place < changes.length; ) {
    const first = changes[place]!;
    let end = first.to;
    const group = [first];
    // What touches belongs together: nobody can tell which of two neighbours should come first.
    while (++place < changes.length && changes[place]!.from <= end) {
      end = Math.max(end, changes[place]!.to);
      group.push(changes[place]!);
    }
    const skipped = first.from - at.base;
    tell('same', {
      base: first.from,
      published: at.published + skipped,
      draft: at.draft + skipped,
    });
    const length = (by: 'published' | 'draft') =>
      group
        .filter((hunk) => hunk.by === by)
        .reduce(
          (sum, hunk) => sum + (hunk.otherTo - hunk.otherFrom) - (hunk.to - hunk.from),
          end - first.from,
        );
    const by = new Set(group.map((hunk) => hunk.by));
    tell(by.size === 2 ? 'conflict' : first.by, {
      base: end,
      published: at.published + length('published'),
      draft: at.draft + length('draft'),
    });
  }
  tell('same', { base: lines.length, published: theirs.length, draft: mine.length });
  return sections;
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, place) => line === other[place]);
}

export type Taking = 'published' | 'draft' | 'both' | 'base';

/** What is taken of a section unless somebody chooses; undefined where somebody has to. */
export function usualChoice({ kind }: MergeSection): Taking | undefined {
  if (kind === 'conflict') return undefined;
  return kind === 'published' ? 'published' : 'draft';
}

/** The text that comes of it; undefined as long as a choice is missing. */
export function resolved(
  sections: readonly MergeSection[],
  choices: ReadonlyMap<number, Taking>,
): string | undefined {
  const lines: string[] = [];
  for (const [place, section] of sections.entries()) {
    const choice = choices.get(place) ?? usualChoice(section);
    if (choice === undefined) return undefined;
    if (choice === 'both') lines.push(...section.published, ...section.draft);
    else lines.push(...section[choice]);
  }
  return lines.join('\n');
}
