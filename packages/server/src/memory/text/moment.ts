import { InfoldError } from '../../kernel/errors.ts';
import { monthNumber } from './calendar.ts';

const CLOCK = /(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?/i;
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/;
const DAY_FIRST = /(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]+([A-Za-z]{3,9})\.?,?[ -]+(\d{4})/;
const MONTH_FIRST = /([A-Za-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})/;
const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/;

/**
 * A point in time, in milliseconds, from ISO 8601, a number (seconds or milliseconds since 1970), or a date as chats
 * and logs write it ("1:56 pm on 8 May, 2023", "2023/05/20 (Sat) 02:21"). Without a zone it is UTC.
 */
export function parseMoment(value: string | number, field: string): number {
  const milliseconds = typeof value === 'number' ? fromNumber(value) : fromText(value.trim());
  if (milliseconds !== undefined && Number.isFinite(milliseconds) && Math.abs(milliseconds) < 8.64e15) {
    return milliseconds;
  }
  throw new InfoldError(
    'invalid_arguments',
    `${field}: "${String(value).slice(0, 60)}" is not a time; write it like 2026-05-07T09:30:00Z`,
  );
}

function fromNumber(value: number): number {
  // Seconds until the year 5138, milliseconds beyond.
  return Math.abs(value) < 1e11 ? value * 1000 : value;
}

function fromText(text: string): number | undefined {
  if (/^-?\d{9,16}(\.\d+)?$/.test(text)) return fromNumber(Number(text));
  if (ISO.test(text) && (OFFSET.test(text) || /^\d{4}-\d{2}-\d{2}$/.test(text))) {
    const exact = Date.parse(text.replace(' ', 'T'));
    if (!Number.isNaN(exact)) return exact;
  }
  const date = dateIn(text);
  if (!date) return undefined;
  const [year, month, day] = date;
  if (month < 0 || month > 11 || day < 1 || day > 31) return undefined;
  const clock = CLOCK.exec(text.replace(ISO, ' '));
  if (!clock) return Date.UTC(year, month, day);
  const half = clock[4]?.toLowerCase();
  const hour = (Number(clock[1]) % (half ? 12 : 24)) + (half === 'pm' ? 12 : 0);
  return Date.UTC(year, month, day, hour, Number(clock[2]), Number(clock[3] ?? 0));
}

function dateIn(text: string): [number, number, number] | undefined {
  const iso = ISO.exec(text);
  if (iso) return [Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])];
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst) return withMonth(dayFirst[3]!, dayFirst[2]!, dayFirst[1]!);
  const monthFirst = MONTH_FIRST.exec(text);
  return monthFirst ? withMonth(monthFirst[3]!, monthFirst[1]!, monthFirst[2]!) : undefined;
}

function withMonth(year: string, name: string, day: string): [number, number, number] | undefined {
  const month = monthNumber(name);
  return month === undefined ? undefined : [Number(year), month, Number(day)];
}
