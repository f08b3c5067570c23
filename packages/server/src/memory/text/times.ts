import {
  type Day,
  type DayRange,
  dayFrom,
  MONTHS,
  monthNumber,
  monthRange,
  SEASONS,
  seasonRange,
  WEEKDAYS,
  yearRange,
} from './calendar.ts';
import {
  around,
  daysAgo,
  latestMonth,
  nearestDate,
  oneDay,
  type Part,
  partOfMonth,
  relativeMonth,
  relativeSeason,
  relativeUnit,
  relativeWeekday,
  UNIT_DAYS,
  type Unit,
  type Which,
} from './day-ranges.ts';
import { asianTimesIn, HAS_ASIAN } from './languages/asian.ts';
import type { LanguageCode } from './languages/language.ts';
import { timesBy } from './languages/times.ts';
import { readTimes, type TimeExpression, type TimeReader } from './time-readers.ts';

export type { TimeExpression } from './time-readers.ts';

const MONTH = `(?:${MONTHS.map((month) => (month === 'may' ? 'may' : `${month}|${month.slice(0, 3)}\\.?`)).join('|')}|sept\\.?)`;
const WEEKDAY = `(?:${WEEKDAYS.join('|')})`;
const SEASON = `(?:${[...SEASONS, 'fall'].join('|')})`;
const DATE = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d{2})';
const COUNT =
  '(\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|several|couple)';
const UNIT = '(day|night|week|weekend|fortnight|month|year|decade)s?';
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

const expression = (source: string) => new RegExp(`(?<![\\w-])${source}(?![\\w-])`, 'gi');

/** In order: an earlier one takes its text away from the later ones. */
const READERS: TimeReader[] = [
  [
    expression('(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?:[T ]\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?Z?)?'),
    ([, year, month, date]) => oneDay(Number(year), Number(month) - 1, Number(date)),
  ],
  [
    expression(`${DATE}(?: of)?,? (${MONTH}),? ${YEAR}`),
    ([, date, month, year]) => oneDay(Number(year), monthNumber(month!)!, Number(date)),
  ],
  [
    expression(`(${MONTH}) ${DATE},? ${YEAR}`),
    ([, month, date, year]) => oneDay(Number(year), monthNumber(month!)!, Number(date)),
  ],
  [
    expression(`(early|mid|late)?[- ]?(${MONTH})(?: of)?,? ${YEAR}`),
    ([, part, month, year]) => partOfMonth(monthRange(Number(year), monthNumber(month!)!), partNamed(part)),
  ],
  [
    expression(`${DATE}(?: of)? (${MONTH})`),
    ([, date, month], reference) => nearestDate(monthNumber(month!)!, Number(date), reference),
  ],
  [
    expression(`(${MONTH}) ${DATE}`),
    ([, month, date], reference) => nearestDate(monthNumber(month!)!, Number(date), reference),
  ],
  [
    expression(`(last|this|next|past|previous) (${MONTH})`),
    ([, which, month], reference) => relativeMonth(whichOf(which!), monthNumber(month!)!, reference),
  ],
  [
    expression(`(?:in|during|since|by|around|until|before|after|of) (?:(early|mid|late)[- ])?(${MONTH})`),
    ([, part, month], reference) =>
      partOfMonth(latestMonth(monthNumber(month!)!, reference), partNamed(part)),
  ],
  [
    expression(`(${SEASON})(?: of)?,? ${YEAR}`),
    ([, season, year]) => seasonRange(Number(year), seasonNumber(season!)),
  ],
  [
    expression(`(last|this|next|past|previous) (${SEASON})`),
    ([, which, season], reference) => relativeSeason(whichOf(which!), seasonNumber(season!), reference),
  ],
  [
    expression(`q([1-4])[ ,]+${YEAR}`),
    ([, quarter, year]) => ({
      from: dayFrom(Number(year), Number(quarter) * 3 - 3, 1),
      to: dayFrom(Number(year), Number(quarter) * 3, 0),
    }),
  ],
  [
    expression(`(?:a |the )?${COUNT}(?: of)?(?: \\w+)? ${UNIT} (ago|back|earlier|before|later|from now)`),
    ago,
  ],
  [expression(`(?:in|over|for|during|within) the (?:last|past) (?:${COUNT} )?${UNIT}`), lately],
  [
    expression(`(last|this|next|past|previous|coming) (week|weekend|month|year|night|fortnight)`),
    ([, which, unit], reference) => relativeUnit(whichOf(which!), unitNamed(unit!), reference),
  ],
  [
    expression(`(last|this|next|past|previous|coming|on)? ?(${WEEKDAY})s?`),
    ([, which, name], reference) =>
      relativeWeekday(whichOf(which ?? 'last'), WEEKDAYS.indexOf(name!.toLowerCase()), reference),
  ],
  [expression('the day before yesterday'), (_match, reference) => around(reference - 2)],
  [expression('yesterday|last night'), (_match, reference) => around(reference - 1)],
  [
    expression('today|tonight|this (?:morning|afternoon|evening)|right now|just now'),
    (_m, reference) => around(reference),
  ],
  [expression('tomorrow'), (_match, reference) => around(reference + 1)],
  [
    expression('recently|lately|the other day'),
    (_match, reference) => ({ from: reference - 10, to: reference }),
  ],
  [expression(`(?:(?:in|since|during|of|year) )?${YEAR}`), ([, year]) => yearRange(Number(year))],
];

/** Whole words, or the beginnings of such: "summary" and "imago" are no reason to try every expression. */
const WORTH_LOOKING = new RegExp(
  `\\b(?:\\d{4}|${MONTH}(?!\\w)|${WEEKDAY}|${SEASON}|(?:ago|now|later|earlier|lately|recently|yesterday|today|tonight|tomorrow|last|past|previous|this|next|coming|other day|night|fortnight|week|weekend|morning)s?\\b)`,
  'i',
);

/**
 * Time expressions of a text, each as the days it means. What is relative ("last Friday", "in March") is relative to
 * `reference`: the day on which the text was said, not the day on which it is read.
 */
export function timesIn(text: string, reference: Day, language: LanguageCode = 'en'): TimeExpression[] {
  const times = language === 'en' ? englishTimes(text, reference) : timesBy(language, text, reference);
  return HAS_ASIAN.test(text) ? [...times, ...asianTimesIn(text, reference)] : times;
}

function englishTimes(text: string, reference: Day): TimeExpression[] {
  if (!WORTH_LOOKING.test(text)) return [];
  return readTimes(text, reference, READERS, isModalVerb);
}

/** "may" and "march" are verbs unless they look like months. */
function isModalVerb(text: string): boolean {
  return (
    /\b(may|march)\b/.test(text) &&
    !/\d|\b(in|last|this|next|during|since|early|mid|late|by|until)\b/i.test(text)
  );
}

function whichOf(word: string): Which {
  if (/next|coming/i.test(word)) return 'next';
  return /this/i.test(word) ? 'this' : 'last';
}

function partNamed(word: string | undefined): Part | undefined {
  if (word === undefined) return undefined;
  return /early/i.test(word) ? 'early' : /late/i.test(word) ? 'late' : 'middle';
}

function unitNamed(word: string): Unit {
  const unit = word.toLowerCase();
  return unit === 'night' ? 'day' : (unit as Unit);
}

function seasonNumber(name: string): number {
  return /fall/i.test(name) ? 2 : SEASONS.indexOf(name.toLowerCase());
}

function countOf(text: string | undefined): number {
  if (text === undefined || /^an?$/i.test(text)) return 1;
  if (/couple/i.test(text)) return 2;
  if (/few|several/i.test(text)) return 3;
  const word = NUMBERS.indexOf(text.toLowerCase());
  return word === -1 ? Number(text) : word;
}

function ago([, count, unit, direction]: RegExpExecArray, reference: Day): DayRange {
  const number = countOf(count) * (/later|now/i.test(direction!) ? -1 : 1);
  return daysAgo(number, /few|several|couple/i.test(count!), unitNamed(unit!), reference);
}

function lately([, count, unit]: RegExpExecArray, reference: Day): DayRange {
  return { from: reference - Math.round(countOf(count) * UNIT_DAYS[unitNamed(unit!)]), to: reference };
}
