/** Days are counted from 1 January 1970, in UTC: a date means the same wherever it is read. */
export type Day = number;

/** Both ends belong to it. */
export interface DayRange {
  from: Day;
  to: Day;
}

const DAY = 86_400_000;

export function dayOf(milliseconds: number): Day {
  return Math.floor(milliseconds / DAY);
}

export function dayFrom(year: number, month: number, day: number): Day {
  return Math.round(Date.UTC(year, month, day) / DAY);
}

export function partsOf(day: Day): { year: number; month: number; date: number; weekday: number } {
  const date = new Date(day * DAY);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    date: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

export function monthRange(year: number, month: number): DayRange {
  return { from: dayFrom(year, month, 1), to: dayFrom(year, month + 1, 0) };
}

export function yearRange(year: number): DayRange {
  return { from: dayFrom(year, 0, 1), to: dayFrom(year, 11, 31) };
}

/** Monday to Sunday of the week that holds the day. */
export function weekRange(day: Day): DayRange {
  const monday = day - ((partsOf(day).weekday + 6) % 7);
  return { from: monday, to: monday + 6 };
}

/** Meteorological seasons of the north; winter belongs to the year in which it begins. */
export function seasonRange(year: number, season: number): DayRange {
  const month = 2 + season * 3;
  return { from: dayFrom(year, month, 1), to: dayFrom(year, month + 3, 0) };
}

export const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
export const SEASONS = ['spring', 'summer', 'autumn', 'winter'];

/** By its name or the first three letters of it, or undefined. */
export function monthNumber(name: string): number | undefined {
  const found = MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3)));
  return found === -1 ? undefined : found;
}
