import { count, cutMiddle, gap } from './text.ts';

/** How much a line matters: 3 is what went wrong and what it came to, 0 is what nobody misses. */
export type Weight = 0 | 1 | 2 | 3;

/** Characters that lines of a weight may take, and which share of the text is not passed for their sake. */
const BUDGETS = {
  3: { most: 12_000, share: 1 },
  2: { most: 8_000, share: 0.5 },
  1: { most: 3_000, share: 0.4 },
} as const;
const LINE_CHARACTERS = 500;

/** The lines of a text, each judged. A label is what a line is counted as when it is left out: `with errors`. */
export class Selection {
  private readonly lines: readonly string[];
  private readonly weights: Uint8Array;
  private readonly labels: (string | undefined)[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
    this.weights = new Uint8Array(lines.length);
    this.labels = new Array(lines.length);
  }

  mark(index: number, weight: Weight, label?: string): void {
    this.weights[index] = weight;
    this.labels[index] = label;
  }

  /** A line that belongs to one that matters matters as much. */
  raise(index: number, weight: Weight): void {
    if (this.weights[index]! < weight) this.weights[index] = weight;
  }

  /** Head, tail, and what matters most as far as it fits; a gap for the rest. */
  text(head: number, tail: number): string {
    const { lines, weights } = this;
    const isKept = new Uint8Array(lines.length).fill(1, 0, head);
    isKept.fill(1, Math.max(0, lines.length - tail));
    const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
    let taken = lines.reduce((sum, line, index) => (isKept[index] ? sum + line.length + 1 : sum), 0);
    for (const weight of [3, 2, 1] as const) {
      const { most, share } = BUDGETS[weight];
      let budget = Math.min(most, length * share - taken);
      for (let index = 0; index < lines.length; index++) {
        if (weights[index] !== weight || isKept[index]) continue;
        const size = Math.min(lines[index]!.length, LINE_CHARACTERS) + 1;
        if (size > budget) break;
        budget -= size;
        taken += size;
        isKept[index] = 1;
      }
    }
    const kept: string[] = [];
    for (let index = 0; index < lines.length; index++) {
      if (isKept[index]) {
        kept.push(cutMiddle(lines[index]!, LINE_CHARACTERS));
        continue;
      }
      const from = index;
      let length = 0;
      for (; index < lines.length && !isKept[index]; index++) length += lines[index]!.length + 1;
      const mark = gap(this.gapOf(from, index));
      if (mark.length < length) kept.push(mark);
      else kept.push(...lines.slice(from, index));
      index--;
    }
    return kept.join('\n');
  }

  private gapOf(from: number, to: number): string {
    const counts = new Map<string, number>();
    for (let index = from; index < to; index++) {
      const label = this.labels[index];
      if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    const whole = count(to - from, 'line');
    if (counts.size === 0) return whole;
    const [[label, number]] = [...counts] as [[string, number]];
    if (number === to - from) return `${whole} ${label}`;
    return `${whole}, ${Array.from(counts, ([name, times]) => `${times} ${name}`).join(', ')},`;
  }
}
