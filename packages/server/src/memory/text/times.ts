import {
  type Day,
  type DayRange,
  dayFrom,
  MONTHS,
  monthNumber,
  monthRange,
  partsOf,
  SEASONS,
  seasonRange,
  WEEKDAYS,
  weekRange,
  yearRange,
} from './calendar.ts';

export interface TimeExpression extends DayRange {
  /** As it stands in the text. */
  text: string;
}

const MONTH = `(?:${MONTHS.map((month) => (month === 'may' ? 'may' : `${month}|${month.slice(0, 3)}\\.?`)).join('|')}|sept\\.?)`;
const WEEKDAY = `(?:${WEEKDAYS.join('|')})`;
const SEASON = `(?:${[...SEASONS, 'fall'].join('|')})`;
const DATE = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d{2})';
const COUNT =
  '(\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|several|couple)';
const UNIT = '(day|night|week|weekend|fortnight|month|year|decade)s?';
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

type Reader = (match: RegExpExecArray, reference: Day) => DayRange | undefined;

const expression = (source: string) => new RegExp(`(?<![\\w-])${source}(?![\\w-])`, 'gi');

/** In order: an earlier one takes its text away from the later ones. */
const READERS: [RegExp, Reader][] = [
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
    ([, part, month, year]) => partOfMonth(monthRange(Number(year), monthNumber(month!)!), part),
  ],
  [
    expression(`${DATE}(?: of)? (${MONTH})`),
    ([, date, month], reference) => nearestDate(monthNumber(month!)!, Number(date), reference),
  ],
  [
    expression(`(${MONTH}) ${DATE}`),
    ([, month, date], reference) => nearestDate(monthNumber(month!)!, Number(date), reference),
  ],
  [expression(`(last|this|next|past|previous) (${MONTH})`), relativeMonth],
  [
    expression(`(?:in|during|since|by|around|until|before|after|of) (?:(early|mid|late)[- ])?(${MONTH})`),
    ([, part, month], reference) => partOfMonth(latestMonth(monthNumber(month!)!, reference), part),
  ],
  [
    expression(`(${SEASON})(?: of)?,? ${YEAR}`),
    ([, season, year]) => seasonRange(Number(year), seasonNumber(season!)),
  ],
  [
    expression(`(last|this|next|past|previous) (${SEASON})`),
    ([, which, season], reference) => relativeSeason(which!, seasonNumber(season!), reference),
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
    relativeUnit,
  ],
  [expression(`(last|this|next|past|previous|coming|on)? ?(${WEEKDAY})s?`), relativeWeekday],
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
 * Time expressions of an English text, each as the days it means. What is relative ("last Friday", "in March") is
 * relative to `reference`: the day on which the text was said, not the day on which it is read.
 */
export function timesIn(text: string, reference: Day): TimeExpression[] {
  if (!WORTH_LOOKING.test(text)) return [];
  let rest = text;
  const found: (TimeExpression & { at: number })[] = [];
  for (const [pattern, read] of READERS) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(rest); match; match = pattern.exec(rest)) {
      if (isModalVerb(match[0])) continue;
      const range = read(match, reference);
      if (!range) continue;
      found.push({ ...range, text: match[0].trim(), at: match.index });
      rest = `${rest.slice(0, match.index)}${'\0'.repeat(match[0].length)}${rest.slice(pattern.lastIndex)}`;
    }
  }
  return found.sort((one, other) => one.at - other.at).map(({ at: _at, ...time }) => time);
}

/** "may" and "march" are verbs unless they look like months. */
function isModalVerb(text: string): boolean {
  return (
    /\b(may|march)\b/.test(text) &&
    !/\d|\b(in|last|this|next|during|since|early|mid|late|by|until)\b/i.test(text)
  );
}

function oneDay(year: number, month: number, date: number): DayRange | undefined {
  if (month < 0 || month > 11 || date < 1 || date > 31) return undefined;
  return around(dayFrom(year, month, date));
}

function around(day: Day): DayRange {
  return { from: day, to: day };
}

/** A date without a year: the last one that was, unless the next one is close. */
function nearestDate(month: number, date: number, reference: Day): DayRange | undefined {
  if (date < 1 || date > 31) return undefined;
  const { year } = partsOf(reference);
  const candidates = [year - 1, year, year + 1].map((each) => dayFrom(each, month, date));
  return around(candidates.filter((day) => day <= reference + 60).at(-1)!);
}

function latestMonth(month: number, reference: Day): DayRange {
  const { year, month: current } = partsOf(reference);
  return monthRange(month <= current + 1 ? year : year - 1, month);
}

function relativeMonth([, which, name]: RegExpExecArray, reference: Day): DayRange {
  const month = monthNumber(name!)!;
  const { year, month: current } = partsOf(reference);
  if (/next/i.test(which!)) return monthRange(month > current ? year : year + 1, month);
  if (/this/i.test(which!)) return monthRange(year, month);
  return monthRange(month < current ? year : year - 1, month);
}

function partOfMonth(range: DayRange, part: string | undefined): DayRange {
  if (part === undefined) return range;
  const third = Math.floor((range.to - range.from + 1) / 3);
  if (/early/i.test(part)) return { from: range.from, to: range.from + third };
  return /late/i.test(part)
    ? { from: range.to - third, to: range.to }
    : { from: range.from + third, to: range.to - third };
}

function seasonNumber(name: string): number {
  return /fall/i.test(name) ? 2 : SEASONS.indexOf(name.toLowerCase());
}

function relativeSeason(which: string, season: number, reference: Day): DayRange {
  const { year } = partsOf(reference);
  const all = [year - 2, year - 1, year, year + 1].map((each) => seasonRange(each, season));
  if (/next/i.test(which)) return all.find((range) => range.from > reference)!;
  if (/this/i.test(which)) return all.find((range) => range.to >= reference - 45)!;
  return all.filter((range) => range.to < reference).at(-1)!;
}

const UNIT_DAYS: Record<string, number> = {
  day: 1,
  night: 1,
  week: 7,
  weekend: 7,
  fortnight: 14,
  month: 30.4,
  year: 365.25,
  decade: 3652.5,
};

function countOf(text: string | undefined): number {
  if (text === undefined || /^an?$/i.test(text)) return 1;
  if (/couple/i.test(text)) return 2;
  if (/few|several/i.test(text)) return 3;
  const word = NUMBERS.indexOf(text.toLowerCase());
  return word === -1 ? Number(text) : word;
}

/** "two weeks ago" is about that long ago: the further back, the wider. */
function ago([, count, unit, direction]: RegExpExecArray, reference: Day): DayRange {
  const days = UNIT_DAYS[unit!.toLowerCase()]!;
  const distance = Math.round(countOf(count) * days) * (/later|now/i.test(direction!) ? -1 : 1);
  const slack = days === 1 ? (/few|several|couple/i.test(count!) ? 2 : 0) : Math.round(days / 2);
  return { from: reference - distance - slack, to: Math.min(reference - distance + slack, reference + 4000) };
}

function lately([, count, unit]: RegExpExecArray, reference: Day): DayRange {
  return { from: reference - Math.round(countOf(count) * UNIT_DAYS[unit!.toLowerCase()]!), to: reference };
}

function relativeUnit([, which, unit]: RegExpExecArray, reference: Day): DayRange {
  const step = /next|coming/i.test(which!) ? 1 : /this/i.test(which!) ? 0 : -1;
  const { year, month } = partsOf(reference);
  switch (unit!.toLowerCase()) {
    case 'night':
      return around(reference + step);
    case 'week':
      return weekRange(reference + step * 7);
    case 'fortnight':
      return step === 1 ? { from: reference, to: reference + 14 } : { from: reference - 14, to: reference };
    case 'weekend': {
      const saturday = weekRange(reference).to - 1 + step * 7;
      return { from: saturday, to: saturday + 1 };
    }
    case 'month':
      return monthRange(year, month + step);
    default:
      return yearRange(year + step);
  }
}

function relativeWeekday([, which, name]: RegExpExecArray, reference: Day): DayRange {
  const weekday = WEEKDAYS.indexOf(name!.toLowerCase());
  const back = (partsOf(reference).weekday - weekday + 7) % 7;
  if (which !== undefined && /next|coming|this/i.test(which))
    return around(reference + ((7 - back) % 7 || 7));
  return around(reference - (back === 0 ? 7 : back));
}
