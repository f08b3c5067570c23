import {
  type Day,
  type DayRange,
  dayFrom,
  monthRange,
  partsOf,
  seasonRange,
  yearRange,
} from '../calendar.ts';
import {
  around,
  daysAgo,
  easterSunday,
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
} from '../day-ranges.ts';
import { readTimes, type TimeExpression, type TimeReader } from '../time-readers.ts';
import { withoutAccents } from './accents.ts';
import { OTHER_LANGUAGES } from './index.ts';
import { type LanguageCode, type TimeWords, wordsLike } from './language.ts';

type Other = Exclude<LanguageCode, 'en'>;

interface Reading {
  readers: TimeReader[];
  worthLooking: RegExp;
  calendarName: RegExp;
  bareWeekday: RegExp;
}

const made = new Map<Other, Reading>();

/** Time expressions of a text in a language, as the days they mean. */
export function timesBy(language: Other, text: string, reference: Day): TimeExpression[] {
  const { readers, worthLooking } = readingOf(language);
  const plain = withoutAccents(text);
  if (!worthLooking.test(plain)) return [];
  return readTimes(plain, reference, readers);
}

/** Names of months, days and seasons. */
export function isCalendarName(language: Other, word: string): boolean {
  return readingOf(language).calendarName.test(withoutAccents(word));
}

/** "On Thursday" without more. */
export function isBareWeekday(language: Other, text: string): boolean {
  return readingOf(language).bareWeekday.test(withoutAccents(text));
}

/** Made when a language is first met: a server that starts must not wait for it. */
function readingOf(language: Other): Reading {
  let found = made.get(language);
  if (!found) {
    found = compile(OTHER_LANGUAGES[language].times);
    made.set(language, found);
  }
  return found;
}

const YEAR = '((?:19|20)\\d{2})';
const DATE = '(\\d{1,2})(?:\\.|er|o|º|°)?';

const anyOf = (...sources: string[]) => sources.filter((source) => source !== '').join('|');
const expression = (source: string) => new RegExp(wordsLike(source).source, 'giu');

function compile(words: TimeWords): Reading {
  const month = `(${anyOf(...words.months)})`;
  const weekday = `(${anyOf(...words.weekdays)})`;
  const season = `(${anyOf(...words.seasons)})`;
  const count = `(\\d{1,4}|${anyOf(words.few, words.couple, ...words.numbers)})`;
  const unit = `(${anyOf(words.weekend, words.week, words.day, words.month, words.year)})`;
  const which = `(${anyOf(words.last, words.this, words.next)})`;
  const part = `(?:(${anyOf(words.early, words.middle, words.late)}) ?)`;
  const of = words.of === '' ? '' : `(?:${words.of})?`;
  const monthOf = (name: string) => placeIn(words.months, name);
  const readers: TimeReader[] = [];
  const add = (source: string, read: TimeReader[1]) => readers.push([expression(source), read]);

  add(
    '(\\d{4})-(\\d{1,2})-(\\d{1,2})(?:[T ]\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?Z?)?',
    ([, year, number, date]) => oneDay(Number(year), Number(number) - 1, Number(date)),
  );
  add(`(\\d{1,2})[./-](\\d{1,2})[./-](\\d{4}|\\d{2})`, ([, date, number, year]) =>
    oneDay(fullYear(year!), Number(number) - 1, Number(date)),
  );
  add(
    `${DATE} ?(?:${words.until}) ?(?:el |il |le |o |de )?${DATE} ${of}${month}(?:,? ${of}${YEAR})?`,
    ([, first, last, name, year], reference) => {
      const from = dateOf(Number(first), monthOf(name!), year, reference);
      const to = dateOf(Number(last), monthOf(name!), year, reference);
      return from && to && from.from <= to.to ? { from: from.from, to: to.to } : undefined;
    },
  );
  add(`${DATE} ${of}${month}(?:,? ${of}${YEAR})?`, ([, date, name, year], reference) =>
    dateOf(Number(date), monthOf(name!), year, reference),
  );
  add(`${part}?${of}${month},? ${of}${YEAR}`, ([, word, name, year]) =>
    partOfMonth(monthRange(Number(year), monthOf(name!)), partNamed(words, word)),
  );
  add(`${which} ${month}`, ([, word, name], reference) =>
    relativeMonth(whichOf(words, word!), monthOf(name!), reference),
  );
  add(`${month} ${which}`, ([, name, word], reference) =>
    relativeMonth(whichOf(words, word!), monthOf(name!), reference),
  );
  add(`(?:${part}${of}|(?:${words.in}) )${month}`, ([, word, name], reference) =>
    partOfMonth(latestMonth(monthOf(name!), reference), partNamed(words, word)),
  );
  add(`${season},? ${of}${YEAR}`, ([, name, year]) =>
    seasonRange(Number(year), placeIn(words.seasons, name!)),
  );
  add(`${which} ${season}`, ([, word, name], reference) =>
    relativeSeason(whichOf(words, word!), placeIn(words.seasons, name!), reference),
  );
  add(`${season} ${which}`, ([, name, word], reference) =>
    relativeSeason(whichOf(words, word!), placeIn(words.seasons, name!), reference),
  );
  const distance = (amount: string, name: string, sign: 1 | -1, reference: Day) =>
    daysAgo(sign * countOf(words, amount), isVague(words, amount), unitNamed(words, name), reference);
  if (words.agoBefore !== '')
    add(`(?:${words.agoBefore}) ${count} ${unit}`, ([, amount, name], reference) =>
      distance(amount!, name!, 1, reference),
    );
  if (words.agoAfter !== '')
    add(`${count} ${unit} (?:${words.agoAfter})`, ([, amount, name], reference) =>
      distance(amount!, name!, 1, reference),
    );
  add(`(?:${words.within}) (?:${count} )?${unit}`, ([, amount, name], reference) => ({
    from: reference - Math.round(countOf(words, amount) * UNIT_DAYS[unitNamed(words, name!)]),
    to: reference,
  }));
  add(`(?:${words.laterBefore}) ${count} ${unit}`, ([, amount, name], reference) =>
    distance(amount!, name!, -1, reference),
  );
  add(`${count} ${unit} (?:${words.laterAfter})`, ([, amount, name], reference) =>
    distance(amount!, name!, -1, reference),
  );
  add(`${which} ${unit}`, ([, word, name], reference) =>
    relativeUnit(whichOf(words, word!), unitNamed(words, name!), reference),
  );
  add(`${unit} ${which}`, ([, name, word], reference) =>
    relativeUnit(whichOf(words, word!), unitNamed(words, name!), reference),
  );
  for (const [source, read] of holidays(words)) add(`(?:${source})(?: ${of}${YEAR})?`, read);
  add(`${which} ${weekday}`, ([, word, name], reference) =>
    relativeWeekday(whichOf(words, word!), placeIn(words.weekdays, name!), reference),
  );
  add(`${weekday} ${which}`, ([, name, word], reference) =>
    relativeWeekday(whichOf(words, word!), placeIn(words.weekdays, name!), reference),
  );
  add(`${weekday}s?`, ([, name], reference) =>
    relativeWeekday('last', placeIn(words.weekdays, name!), reference),
  );
  add(words.beforeYesterday, (_match, reference) => around(reference - 2));
  add(words.afterTomorrow, (_match, reference) => around(reference + 2));
  add(words.yesterday, (_match, reference) => around(reference - 1));
  add(words.today, (_match, reference) => around(reference));
  add(words.tomorrow, (_match, reference) => around(reference + 1));
  add(words.recently, (_match, reference) => ({ from: reference - 10, to: reference }));
  add(`(?:(?:${words.in}) )?${YEAR}`, ([, year]) => yearRange(Number(year)));

  const { beforeYesterday, yesterday, today, tomorrow, afterTomorrow, recently, last, next } = words;
  const holidayNames = holidays(words).map(([source]) => source);
  const relative = [beforeYesterday, yesterday, today, tomorrow, afterTomorrow, recently, last, next];
  const units = [words.day, words.week, words.weekend, words.month, words.year];
  const telling = anyOf(month, weekday, season, unit, ...relative, ...units, ...holidayNames);
  return {
    readers,
    worthLooking: new RegExp(`\\d{4}|\\d[./-]\\d{1,2}[./-]\\d|${wordsLike(telling).source}`, 'iu'),
    calendarName: new RegExp(`^(?:${anyOf(month, weekday, season, ...holidayNames)})$`, 'iu'),
    bareWeekday: new RegExp(`^${weekday}s?$`, 'iu'),
  };
}

/** Each relative to Easter, or a date of its own; of those without a year the nearest one that was or is close. */
function holidays(words: TimeWords): [string, TimeReader[1]][] {
  const moving = (from: number, to = from): TimeReader[1] => {
    return ([, year], reference) =>
      nearestYear(year, reference, (each) => ({
        from: easterSunday(each) + from,
        to: easterSunday(each) + to,
      }));
  };
  const fixed = (month: number, date: number, length = 1): TimeReader[1] => {
    return ([, year], reference) =>
      nearestYear(year, reference, (each) => ({
        from: dayFrom(each, month, date),
        to: dayFrom(each, month, date + length - 1),
      }));
  };
  const all: [string, TimeReader[1]][] = [
    [words.easterMonday, moving(1)],
    [words.easterSunday, moving(0)],
    [words.goodFriday, moving(-2)],
    [words.easter, moving(-2, 1)],
    [words.pentecost, moving(48, 50)],
    [words.christmas, fixed(11, 24, 3)],
    [words.newYearsEve, fixed(11, 31)],
    [words.newYear, fixed(0, 1)],
  ];
  return all.filter(([source]) => source !== '');
}

function nearestYear(
  year: string | undefined,
  reference: Day,
  rangeIn: (year: number) => DayRange,
): DayRange {
  if (year !== undefined) return rangeIn(Number(year));
  const current = partsOf(reference).year;
  const all = [current - 1, current, current + 1].map(rangeIn);
  return all.filter(({ from }) => from <= reference + 90).at(-1)!;
}

function dateOf(date: number, month: number, year: string | undefined, reference: Day): DayRange | undefined {
  return year === undefined ? nearestDate(month, date, reference) : oneDay(Number(year), month, date);
}

function fullYear(year: string): number {
  return year.length === 2 ? 2000 + Number(year) : Number(year);
}

const whole = new Map<string, RegExp>();

/** Whether a whole word is one of these. */
function isOneOf(source: string, word: string): boolean {
  let pattern = whole.get(source);
  if (!pattern) {
    pattern = new RegExp(`^(?:${source})$`, 'iu');
    whole.set(source, pattern);
  }
  return source !== '' && pattern.test(word);
}

function placeIn(sources: readonly string[], word: string): number {
  return sources.findIndex((source) => isOneOf(source, word));
}

function whichOf(words: TimeWords, word: string): Which {
  if (isOneOf(words.next, word)) return 'next';
  return isOneOf(words.this, word) ? 'this' : 'last';
}

function partNamed(words: TimeWords, word: string | undefined): Part | undefined {
  if (word === undefined) return undefined;
  if (isOneOf(words.early, word)) return 'early';
  return isOneOf(words.late, word) ? 'late' : 'middle';
}

function unitNamed(words: TimeWords, word: string): Unit {
  const units = ['weekend', 'week', 'day', 'month', 'year'] as const;
  return units.find((unit) => isOneOf(words[unit], word)) ?? 'day';
}

function countOf(words: TimeWords, word: string | undefined): number {
  if (word === undefined) return 1;
  if (isOneOf(words.couple, word)) return 2;
  if (isOneOf(words.few, word)) return 3;
  const place = placeIn(words.numbers, word);
  return place === -1 ? Number(word) : place + 1;
}

function isVague(words: TimeWords, word: string): boolean {
  return isOneOf(words.few, word) || isOneOf(words.couple, word);
}
