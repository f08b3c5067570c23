import type { Database } from '../../kernel/sqlite.ts';
import { languagesIn, type Partition } from '../queries.ts';
import { type Day, MONTHS, SEASONS, WEEKDAYS } from '../text/calendar.ts';
import { FLAG } from '../text/flags.ts';
import { identifiersIn, identifierTerm } from '../text/identifiers.ts';
import { asksForFirst, changeIn, changeWords, meansNow } from '../text/intent/purpose.ts';
import type { Role } from '../text/intent/roles.ts';
import { speakerIn } from '../text/intent/speaker.ts';
import { fold, plainText } from '../text/languages/accents.ts';
import { ASIAN_WANTED, HAS_ASIAN, isAskingPair } from '../text/languages/asian.ts';
import { evidenceIn, goalLanguage } from '../text/languages/detect.ts';
import { OTHER_LANGUAGES, wordsIn } from '../text/languages/index.ts';
import type { LanguageCode, WantedShapes } from '../text/languages/language.ts';
import { isBareWeekday, isCalendarName } from '../text/languages/times.ts';
import { namesIn } from '../text/names.ts';
import { termOf, tokensOf, wordsOf } from '../text/terms.ts';
import { type TimeExpression, timesIn } from '../text/times.ts';
import { type MatchedAuthor, matchAuthors } from './authors.ts';
import { type Concept, conceptsFrom, type Tongues } from './concepts.ts';

export interface Goal {
  /** The goal and its domain, with single spaces. */
  text: string;
  /** What it is written in. */
  language: LanguageCode;
  concepts: Concept[];
  identifiers: { name: string; term: string }[];
  authors: MatchedAuthor[];
  /** Whose words it is about, in a conversation of a person with an assistant. */
  speaker: Role | undefined;
  times: TimeExpression[];
  /** Whether all steps of something are asked for, or its last state. */
  change: 'sequence' | 'latest' | undefined;
  /** How it was at first is asked for, so that what is newer is no better. */
  isFirst: boolean;
  /** Flags of passages that hold what is asked for. */
  wanted: number;
}

/** Of how many languages besides its own and English a goal's words are looked for in the stems. */
const MOST_OTHERS = 3;

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
  const tongues = tonguesOf(database, partitions, collapsed);
  const { main } = tongues;
  const authors = matchAuthors(database, partitions, collapsed, main);
  const called = new Set(authors.flatMap(({ words }) => words));
  const words = tokensOf(whole);
  const times = timesOf(collapsed, partitions, today, main);
  const timeWords = new Set(
    times.flatMap(({ text: time }) => wordsOf(time)).filter((word) => !isCalendarWord(word, main)),
  );
  const marks = new Set(changeWords(collapsed).flatMap(wordsOf));
  const { asking } = wordsIn(main);
  const asks = (word: string) => asking.has(fold(word)) || isAskingPair(word);
  const concepts = conceptsFrom(
    words,
    tongues,
    (word) =>
      !asks(word) && !called.has(bare(fold(word))) && !timeWords.has(fold(word)) && !marks.has(fold(word)),
  );
  // A goal of nothing but names, times or asking words is searched by what there is.
  const fallbacks = [(word: string) => !asks(word), () => true];
  for (const keep of fallbacks)
    if (concepts.length === 0) concepts.push(...conceptsFrom(words, tongues, keep));
  const names = [...new Set(identifiersIn(collapsed))];
  return {
    text: whole,
    language: main,
    concepts,
    identifiers: names.map((name) => ({ name, term: identifierTerm(name) })),
    authors,
    speaker: speakerIn(collapsed, main),
    times,
    change: changeIn(collapsed),
    isFirst: asksForFirst(collapsed),
    wanted: wantedFlags(collapsed, main),
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
    const term = termOf(word, goal.language);
    return term !== undefined && (searched.has(term) || named.has(bare(fold(word))));
  };
  const parts = goal.text
    .split(' ')
    .filter((part) => identifiersIn(part).length > 0 || tokensOf(part).some(isSearched))
    .map((part) => part.replace(AROUND_WORDS, ''));
  return [...new Set(parts)].join(' ');
}

/** Punctuation of the sentence, not of the word. */
const AROUND_WORDS = /^["'“‘(¿¡]+|[.,;:!?"'”’)]+$/g;

function bare(word: string): string {
  return word.replace(/'s?$/, '');
}

/** A goal is short: what can be read tells what it may be written in. */
function tonguesOf(database: Database, partitions: readonly Partition[], text: string): Tongues {
  const held = languagesIn(database, partitions);
  const passages = partitions.reduce((sum, partition) => sum + partition.passages, 0);
  const usual = held.filter((each) => each.passages * 2 > passages);
  const evidence = evidenceIn(tokensOf(text), text);
  const codes = held.map(({ language }) => language);
  const main = goalLanguage(evidence, codes, usual[0]?.language);
  const isEnglish = main === 'en' && evidence.english > 0;
  const others = codes.filter((code) => code !== main).slice(0, MOST_OTHERS);
  return {
    main,
    read: codes.includes(main) ? [main, ...others] : others,
    ...(isEnglish ? { names: new Set(namesIn(text)) } : {}),
  };
}

const BARE_WEEKDAY = new RegExp(`^(on )?(${WEEKDAYS.join('|')})s?$`, 'i');

/** Names of months and days are in what people say, too. */
function isCalendarWord(word: string, language: LanguageCode): boolean {
  if (language !== 'en') return isCalendarName(language, word);
  return MONTHS.includes(word) || WEEKDAYS.includes(word) || SEASONS.includes(word);
}

/** Relative to today, and to when the data ends: memory that was imported speaks of its own time. */
function timesOf(
  text: string,
  partitions: readonly Partition[],
  today: Day,
  language: LanguageCode,
): TimeExpression[] {
  const newest = Math.max(...partitions.map(({ last_day }) => last_day ?? Number.NEGATIVE_INFINITY));
  const references = new Set([today, ...(Number.isFinite(newest) ? [newest] : [])]);
  const times = new Map<string, TimeExpression>();
  for (const reference of references) {
    for (const time of timesIn(text, reference, language)) {
      // "On Thursday" without more is a word to look for: which Thursday it was, only the answer knows.
      if (language === 'en' ? BARE_WEEKDAY.test(time.text) : isBareWeekday(language, time.text)) continue;
      if (meansNow(text, time.text)) continue;
      times.set(`${time.from}-${time.to}`, time);
    }
  }
  return [...times.values()];
}

const ENGLISH_WANTED: WantedShapes = {
  time: /\bwhen\b|\bwhat (date|day|month|year|time)\b|\bwhich (day|month|year)\b/i,
  number: /\bhow (many|much|old|often|far|tall|big|large)\b|\bnumber of\b/i,
  duration: /\bhow long\b|\bsince when\b/i,
  name: /\bwho\b|\bwhose\b|\bname of\b|\bnamed?\b|\bcalled\b|\bwhere\b|\bwhich (city|country|town|place)\b/i,
};

function wantedFlags(text: string, language: LanguageCode): number {
  if (HAS_ASIAN.test(text)) return flagsWanted(text, ASIAN_WANTED);
  if (language === 'en') return flagsWanted(text, ENGLISH_WANTED);
  return flagsWanted(plainText(text), OTHER_LANGUAGES[language].wanted);
}

function flagsWanted(text: string, { time, number, duration, name }: WantedShapes): number {
  return (
    (time.test(text) ? FLAG.time : 0) |
    (number.test(text) ? FLAG.number : 0) |
    (duration.test(text) ? FLAG.duration | FLAG.time : 0) |
    (name.test(text) ? FLAG.name : 0)
  );
}
