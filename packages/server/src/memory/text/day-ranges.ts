import {
  type Day,
  type DayRange,
  dayFrom,
  monthRange,
  partsOf,
  seasonRange,
  weekRange,
  yearRange,
} from './calendar.ts';

/** Where something lies, as seen from a day: before it, around it, or after it. */
export type Which = 'last' | 'this' | 'next';
export type Part = 'early' | 'middle' | 'late';
export type Unit = 'day' | 'week' | 'weekend' | 'fortnight' | 'month' | 'year' | 'decade';

export const UNIT_DAYS: Record<Unit, number> = {
  day: 1,
  week: 7,
  weekend: 7,
  fortnight: 14,
  month: 30.4,
  year: 365.25,
  decade: 3652.5,
};

export function around(day: Day): DayRange {
  return { from: day, to: day };
}

export function oneDay(year: number, month: number, date: number): DayRange | undefined {
  if (month < 0 || month > 11 || date < 1 || date > 31) return undefined;
  return around(dayFrom(year, month, date));
}

/** A date without a year: the last one that was, unless the next one is close. */
export function nearestDate(month: number, date: number, reference: Day): DayRange | undefined {
  if (date < 1 || date > 31) return undefined;
  const { year } = partsOf(reference);
  const candidates = [year - 1, year, year + 1].map((each) => dayFrom(each, month, date));
  return around(candidates.filter((day) => day <= reference + 60).at(-1)!);
}

export function latestMonth(month: number, reference: Day): DayRange {
  const { year, month: current } = partsOf(reference);
  return monthRange(month <= current + 1 ? year : year - 1, month);
}

export function relativeMonth(which: Which, month: number, reference: Day): DayRange {
  const { year, month: current } = partsOf(reference);
  if (which === 'next') return monthRange(month > current ? year : year + 1, month);
  if (which === 'this') return monthRange(year, month);
  return monthRange(month < current ? year : year - 1, month);
}

export function partOfMonth(range: DayRange, part: Part | undefined): DayRange {
  if (part === undefined) return range;
  const third = Math.floor((range.to - range.from + 1) / 3);
  if (part === 'early') return { from: range.from, to: range.from + third };
  return part === 'late'
    ? { from: range.to - third, to: range.to }
    : { from: range.from + third, to: range.to - third };
}

export function relativeSeason(which: Which, season: number, reference: Day): DayRange {
  const { year } = partsOf(reference);
  const all = [year - 2, year - 1, year, year + 1].map((each) => seasonRange(each, season));
  if (which === 'next') return all.find((range) => range.from > reference)!;
  if (which === 'this') return all.find((range) => range.to >= reference - 45)!;
  return all.filter((range) => range.to < reference).at(-1)!;
}

/** "Two weeks ago" is about that long ago: the further back, the wider. Days to come have a negative `count`. */
export function daysAgo(count: number, isVague: boolean, unit: Unit, reference: Day): DayRange {
  const days = UNIT_DAYS[unit];
  const distance = Math.round(Math.abs(count) * days) * Math.sign(count);
  const slack = days === 1 ? (isVague ? 2 : 0) : Math.round(days / 2);
  return { from: reference - distance - slack, to: Math.min(reference - distance + slack, reference + 4000) };
}

export function relativeUnit(which: Which, unit: Unit, reference: Day): DayRange {
  const step = which === 'next' ? 1 : which === 'this' ? 0 : -1;
  const { year, month } = partsOf(reference);
  switch (unit) {
    case 'day':
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

/** The last one that was, unless one to come is meant. */
export function relativeWeekday(which: Which, weekday: number, reference: Day): DayRange {
  const back = (partsOf(reference).weekday - weekday + 7) % 7;
  if (which !== 'last') return around(reference + ((7 - back) % 7 || 7));
  return around(reference - (back === 0 ? 7 : back));
}

/** Easter Sunday of the Western churches, by the rule that Gauss gave for the years from 1900 to 2099. */
export function easterSunday(year: number): Day {
  const moon = (19 * (year % 19) + 24) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const late = moon + weekday;
  // Both exceptions: Easter is never after 25 April, and not on it where the moon is full early.
  if (late === 35 || (late === 34 && moon === 28 && year % 19 > 10)) return dayFrom(year, 2, 22 + late - 7);
  return dayFrom(year, 2, 22 + late);
}
