import { isConclusion, openingText, tidySummary } from '../wire/payload-text.ts';

/** What a summary is made of. */
export interface SummarySource {
  seq: number;
  kind: string;
  payload: unknown;
}

export interface Summary {
  text: string;
  /** The positions of the messages that it was taken from. */
  sources: number[];
}

/** Besides the first message. */
const CENTRAL = 2;
const PART_CHARACTERS = 160;
const WORD = /[\p{L}\p{N}_]{3,}/gu;

/**
 * SUB-11: what a context came to: the text of its conclusion, else its first message and the ones that have most in
 * common with all the others, in the order in which they were said.
 */
export function summarise(messages: readonly SummarySource[]): Summary | null {
  const spoken = messages.flatMap(({ seq, kind, payload }) => {
    const text = tidySummary(openingText(payload));
    return text === null ? [] : [{ seq, kind, text }];
  });
  const conclusion = spoken.findLast(({ kind }) => isConclusion(kind));
  if (conclusion) return { text: conclusion.text, sources: [conclusion.seq] };
  const [first, ...rest] = spoken;
  if (!first) return null;
  const said = new Set([first.text]);
  const others = rest.filter(({ text }) => !said.has(text) && said.add(text));
  if (others.length === 0) return { text: first.text, sources: [first.seq] };
  const scores = centralities([first, ...others].map(({ text }) => text)).slice(1);
  const central = others
    .map((message, index) => ({ ...message, score: scores[index]! }))
    .sort((one, other) => other.score - one.score || other.seq - one.seq)
    .slice(0, CENTRAL)
    .sort((one, other) => one.seq - other.seq);
  const parts = [first, ...central];
  return {
    text: tidySummary(parts.map(({ text }) => shortened(text)).join(' … '))!,
    sources: parts.map(({ seq }) => seq),
  };
}

/** How near each text is to what all of them are about: the cosine to the sum of them, rare words counting more. */
function centralities(texts: readonly string[]): number[] {
  const counted = texts.map((text) => new Set((text.match(WORD) ?? []).map((word) => word.toLowerCase())));
  const frequency = new Map<string, number>();
  for (const words of counted) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const weight = (word: string) => Math.log(1 + texts.length / frequency.get(word)!);
  return counted.map((words) => {
    let shared = 0;
    let own = 0;
    for (const word of words) {
      const value = weight(word);
      // The word's part in the sum is its weight for each text that has it; this text itself does not count.
      shared += value * value * (frequency.get(word)! - 1);
      own += value * value;
    }
    return own === 0 ? 0 : shared / Math.sqrt(own);
  });
}

function shortened(text: string): string {
  if (text.length <= PART_CHARACTERS) return text;
  const cut = text.slice(0, PART_CHARACTERS - 1);
  const space = cut.lastIndexOf(' ');
  return `${space > PART_CHARACTERS / 2 ? cut.slice(0, space) : cut}…`;
}
