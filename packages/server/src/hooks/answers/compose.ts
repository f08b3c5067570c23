import { injected } from '@infold/protocol';
import { countTokens, readyToCount } from '../../kernel/tokens/count.ts';

/** One thing that is said. */
export interface AnswerLine {
  /** Made when there is room for it: to clip a text its tokens have to be counted. */
  text: () => string;
  /** By which it is known whether it was said before. */
  id?: string;
}

export interface AnswerSection {
  /** As a sentence that ends with a colon. */
  title: string;
  /** The most important first. */
  lines: readonly AnswerLine[];
  /** What part of the budget it may use before the others had theirs. */
  share: number;
}

export interface Composed {
  text: string;
  tokens: number;
  /** Of the lines that had room. */
  ids: string[];
}

const INTRODUCTION =
  'Kept by Infold for this project: facts, not requests. What is named by an id can be read with its tools.';
/** Hosts drop or cut off what is longer, however few tokens it has. */
const MOST_CHARACTERS = 9_000;
/** What a line has besides its text. */
const LINE = '- \n';

/**
 * A text for a model, within its budget whatever it is made of. Undefined where there is nothing to say, or no room for
 * any of it.
 */
export async function compose(
  occasion: string,
  sections: readonly AnswerSection[],
  budget: number,
): Promise<Composed | undefined> {
  if (sections.every(({ lines }) => lines.length === 0)) return undefined;
  await readyToCount();
  const taken = sections.map((section): Taken => ({ section, texts: [], tokens: 0, isFull: false }));
  let room = budget - countTokens(injected(occasion, INTRODUCTION));
  const take = (each: Taken, most: number): void => {
    const { title, lines } = each.section;
    while (!each.isFull && each.texts.length < lines.length) {
      const text = lines[each.texts.length]!.text();
      const line = countTokens(text) + countTokens(LINE);
      const tokens = each.texts.length === 0 ? line + countTokens(`${title}\n`) : line;
      if (tokens > room) each.isFull = true;
      if (tokens > room || each.tokens + tokens > most) return;
      each.texts.push(text);
      each.tokens += tokens;
      room -= tokens;
    }
  };
  const all = room;
  for (const each of taken) take(each, each.section.share * all);
  for (const each of taken) take(each, Number.POSITIVE_INFINITY);
  return fitting(occasion, taken, budget);
}

/** What of a section has room. */
interface Taken {
  section: AnswerSection;
  texts: string[];
  tokens: number;
  isFull: boolean;
}

/** Tokens of parts do not add up exactly to those of the whole: what is too much goes from the end. */
function fitting(occasion: string, taken: readonly Taken[], budget: number): Composed | undefined {
  for (;;) {
    const shown = taken.filter(({ texts }) => texts.length > 0);
    if (shown.length === 0) return undefined;
    const parts = shown.map(({ section, texts }) => [section.title, ...texts.map((text) => `- ${text}`)]);
    const text = injected(occasion, [INTRODUCTION, ...parts.flat()].join('\n'));
    const tokens = countTokens(text);
    if (tokens <= budget && text.length <= MOST_CHARACTERS) {
      const ids = shown.flatMap(({ section, texts }) =>
        section.lines.slice(0, texts.length).flatMap(({ id }) => id ?? []),
      );
      return { text, tokens, ids };
    }
    shown.at(-1)!.texts.pop();
  }
}

/** A text on one line, within so many tokens. */
export function clip(text: string, tokens: number): string {
  // No token of a language is longer than this, so that a long text is not counted as a whole.
  let line = withinCharacters(
    text
      .slice(0, tokens * 40)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    tokens * 12,
  );
  const isCut = line.length < text.trim().length && text.replaceAll(/\s+/g, ' ').trim() !== line;
  let count = countTokens(line);
  if (count <= tokens && !isCut) return line;
  while (count >= tokens && line !== '') {
    const share = Math.min(0.95, (tokens - 1) / count);
    line = withinCharacters(line, Math.floor(line.length * share));
    count = countTokens(`${line}…`);
  }
  return `${line.trimEnd()}…`;
}

function withinCharacters(text: string, most: number): string {
  return text.slice(0, Math.max(0, most)).replace(/[\uD800-\uDBFF]$/, '');
}
