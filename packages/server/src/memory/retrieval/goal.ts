import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { type Day, MONTHS, SEASONS, WEEKDAYS } from '../text/calendar.ts';
import { membersOf } from '../text/classes.ts';
import { FLAG } from '../text/flags.ts';
import { identifiersIn, identifierTerm } from '../text/identifiers.ts';
import { ASKING } from '../text/stopwords.ts';
import { synonymsOf } from '../text/synonyms.ts';
import { termOf, wordsOf } from '../text/terms.ts';
import { type TimeExpression, timesIn } from '../text/times.ts';
import { type MatchedAuthor, matchAuthors } from './authors.ts';

/** A word of the goal, with the terms that stand for it. */
export interface Concept {
  /** As the goal has it, for reasons. */
  word: string;
  term: string;
  synonyms: readonly string[];
  /** What the word covers, where it is a general one. */
  members: readonly string[];
  /** Place among the goal's words, for proximity. */
  place: number;
}

export interface Goal {
  /** The goal and its domain, with single spaces. */
  text: string;
  concepts: Concept[];
  identifiers: { name: string; term: string }[];
  authors: MatchedAuthor[];
  times: TimeExpression[];
  /** Flags of passages that hold what is asked for. */
  wanted: number;
}

const MOST_CONCEPTS = 40;
/** A long goal names enough: synonyms would only blur it. */
const MOST_WITH_SYNONYMS = 14;

/** Takes a goal apart. `today` and the newest day of the data are both what "last week" can be relative to. */
export function readGoal(
  database: Database,
  partitions: readonly Partition[],
  text: string,
  domain: string | null,
  today: Day,
): Goal {
  const collapsed = text.replace(/\s+/g, ' ').trim();
  const whole = domain === null ? collapsed : `${collapsed} ${domain}`;
  const authors = matchAuthors(database, partitions, collapsed);
  const called = new Set(authors.flatMap(({ words }) => words));
  const words = wordsOf(whole);
  const times = timesOf(collapsed, partitions, today);
  const timeWords = new Set(
    times.flatMap(({ text: time }) => wordsOf(time)).filter((word) => !isCalendarName(word)),
  );
  const concepts = conceptsFrom(
    words,
    (word) => !ASKING.has(word) && !called.has(bare(word)) && !timeWords.has(word),
  );
  // A goal of nothing but names, times or asking words is searched by what there is.
  const fallbacks = [(word: string) => !ASKING.has(word), () => true];
  for (const keep of fallbacks) if (concepts.length === 0) concepts.push(...conceptsFrom(words, keep));
  const names = [...new Set(identifiersIn(collapsed))];
  return {
    text: whole,
    concepts,
    identifiers: names.map((name) => ({ name, term: identifierTerm(name) })),
    authors,
    times,
    wanted: wantedFlags(collapsed),
  };
}

/** The words of the goal that something was searched by, as the goal has them: the derived retrieval query. */
export function queryOf(goal: Goal, concepts: readonly Pick<Concept, 'term'>[]): string {
  const searched = new Set(concepts.map(({ term }) => term));
  const named = new Set([
    ...goal.authors.flatMap(({ words }) => words),
    ...goal.times.flatMap(({ text }) => wordsOf(text)),
  ]);
  const isSearched = (word: string) => {
    const term = termOf(word);
    return term !== undefined && (searched.has(term) || named.has(bare(word)));
  };
  const parts = goal.text
    .split(' ')
    .filter((part) => identifiersIn(part).length > 0 || wordsOf(part).some(isSearched))
    .map((part) => part.replace(AROUND_WORDS, ''));
  return [...new Set(parts)].join(' ');
}

/** Punctuation of the sentence, not of the word. */
const AROUND_WORDS = /^["'“‘(¿¡]+|[.,;:!?"'”’)]+$/g;

function bare(word: string): string {
  return word.replace(/'s?$/, '');
}

function conceptsFrom(words: readonly string[], keep: (word: string) => boolean): Concept[] {
  const concepts = new Map<string, Concept>();
  for (const [place, word] of words.entries()) {
    const term = keep(word) ? termOf(word) : undefined;
    if (term === undefined || concepts.has(term)) continue;
    concepts.set(term, { word, term, synonyms: [], members: [], place });
  }
  const found = [...concepts.values()].slice(0, MOST_CONCEPTS * 4);
  if (found.length > MOST_WITH_SYNONYMS) return found;
  return found.map((concept) => {
    const synonyms = synonymsOf(concept.term);
    const members = membersOf(concept.term).filter((member) => !synonyms.includes(member));
    return { ...concept, synonyms, members };
  });
}

const BARE_WEEKDAY = new RegExp(`^(on )?(${WEEKDAYS.join('|')})s?$`, 'i');

/** Names of months and days are in what people say, too. */
function isCalendarName(word: string): boolean {
  return MONTHS.includes(word) || WEEKDAYS.includes(word) || SEASONS.includes(word);
}

/** Relative to today, and to when the data ends: memory that was imported speaks of its own time. */
function timesOf(text: string, partitions: readonly Partition[], today: Day): TimeExpression[] {
  const newest = Math.max(...partitions.map(({ last_day }) => last_day ?? Number.NEGATIVE_INFINITY));
  const references = new Set([today, ...(Number.isFinite(newest) ? [newest] : [])]);
  const times = new Map<string, TimeExpression>();
  for (const reference of references) {
    for (const time of timesIn(text, reference)) {
      // "On Thursday" without more is a word to look for: which Thursday it was, only the answer knows.
      if (BARE_WEEKDAY.test(time.text)) continue;
      times.set(`${time.from}-${time.to}`, time);
    }
  }
  return [...times.values()];
}

function wantedFlags(text: string): number {
  let wanted = 0;
  if (/\bwhen\b|\bwhat (date|day|month|year|time)\b|\bwhich (day|month|year)\b/i.test(text))
    wanted |= FLAG.time;
  if (/\bhow (many|much|old|often|far|tall|big|large)\b|\bnumber of\b/i.test(text)) wanted |= FLAG.number;
  if (/\bhow long\b|\bsince when\b/i.test(text)) wanted |= FLAG.duration | FLAG.time;
  if (
    /\bwho\b|\bwhose\b|\bname of\b|\bnamed?\b|\bcalled\b|\bwhere\b|\bwhich (city|country|town|place)\b/i.test(
      text,
    )
  ) {
    wanted |= FLAG.name;
  }
  return wanted;
}
