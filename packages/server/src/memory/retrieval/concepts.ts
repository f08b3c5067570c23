import { COMPOUNDING, partsOf, partTerm } from '../text/compounds.ts';
import type { LanguageCode } from '../text/languages/language.ts';
import { termOf } from '../text/terms.ts';
import { membersOf, synonymsOf } from '../text/thesaurus/index.ts';

/** A word of the goal, with the terms that stand for it. */
export interface Concept {
  /** As the goal has it, for reasons. */
  word: string;
  term: string;
  /** The term, and what the word is indexed under in the other languages that are read. */
  forms: readonly string[];
  synonyms: readonly string[];
  /** What the word covers, where it is a general one. */
  members: readonly string[];
  /** Words that it may be made of, and words that it may be a part of: each the terms of one. */
  parts: readonly (readonly string[])[];
  /** Place among the goal's words, for proximity. */
  place: number;
}

/** What a goal is written in, and what the words of the store may be stemmed by. */
export interface Tongues {
  main: LanguageCode;
  read: readonly LanguageCode[];
  /** Where it is plainly English: the words that are looked for by other stems, too. */
  names?: ReadonlySet<string>;
}

const MOST_CONCEPTS = 40;
/** A long goal names enough: synonyms would only blur it. */
const MOST_WITH_SYNONYMS = 14;
/** Cuts of one word that are asked for. */
const MOST_PARTS = 12;

/** The concepts of a goal's words, which have their accents. */
export function conceptsFrom(
  words: readonly string[],
  { main, read, names }: Tongues,
  keep: (word: string) => boolean,
): Concept[] {
  const concepts = new Map<string, Concept>();
  for (const [place, word] of words.entries()) {
    const term = keep(word) ? termOf(word, main) : undefined;
    if (term === undefined || concepts.has(term)) continue;
    concepts.set(term, {
      ...{ word, term, place },
      forms: formsOf(word, term, names === undefined || names.has(word) ? read : []),
      synonyms: [],
      members: [],
      parts: [],
    });
  }
  const found = [...concepts.values()].slice(0, MOST_CONCEPTS * 4);
  if (found.length > MOST_WITH_SYNONYMS) return found;
  return found.map((concept) => {
    const synonyms = synonymsOf(concept.term, main).filter((synonym) => !concept.forms.includes(synonym));
    const members = membersOf(concept.term, main).filter((member) => !synonyms.includes(member));
    const parts = COMPOUNDING.has(main) && read.includes(main) ? partsFor(main, concept.term) : [];
    return { ...concept, synonyms, members, parts };
  });
}

const UMLAUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };
const DIGRAPH = /(?<![aeoq])([aou])e/g;

/** What a word is indexed under, by the languages that are read. Text too short to tell its own is read as English. */
function formsOf(word: string, term: string, read: readonly LanguageCode[]): string[] {
  const forms = new Set([term]);
  for (const language of ['en' as const, ...read]) {
    const form = termOf(word, language);
    if (form !== undefined) forms.add(form);
  }
  if (/[äöü]/.test(word)) forms.add(termOf(word.replace(/[äöü]/g, (letter) => UMLAUT[letter]!)) ?? term);
  else if (read.includes('de') && DIGRAPH.test(word)) forms.add(termOf(word.replace(DIGRAPH, '$1')) ?? term);
  return [...forms];
}

/** As part of a longer word, and by each of its own parts, as a word or as a part again. */
function partsFor(language: LanguageCode, term: string): string[][] {
  const own = partsOf(language, term).slice(0, MOST_PARTS);
  return [...(term.length < 4 ? [] : [[partTerm(term)]]), ...own.map((part) => [part, partTerm(part)])];
}
