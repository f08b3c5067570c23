import { bytes, count, milliseconds, plural } from '../design/data/format.ts';

/** What a limit's number means, where its name tells the unit: sizes are bytes, times are milliseconds. */
export function meaningOf(name: string, value: number): string | undefined {
  if (/bytes/i.test(name)) return binary(value);
  if (/(Lifetime|Wait|Idle)$|^heartbeat$/.test(name)) return duration(value);
  if (/PerMinute$/.test(name)) return value >= 60 ? `${count(Math.round(value / 60))} a second` : undefined;
  return undefined;
}

const SIZES = ['KB', 'MB', 'GB'];

/** Limits are powers of two, and are said as such where they come out even. */
function binary(value: number): string {
  for (let power = SIZES.length; power > 0; power--) {
    const size = 1024 ** power;
    if (value >= size && value % (size / 4) === 0) return `${value / size} ${SIZES[power - 1]}`;
  }
  return bytes(value);
}

const SPANS: [unit: string, milliseconds: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

function duration(value: number): string {
  const span = SPANS.find(([, size]) => value >= size && value % size === 0);
  return span ? plural(value / span[1], span[0]) : milliseconds(value);
}

/** A value of the configuration as one would write it: a port is no quantity, and numbers stay as they are. */
export function written(value: unknown): string {
  if (value === null || value === undefined) return 'not set';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.join(', ') || 'none';
  if (typeof value === 'object' && Object.keys(value).length === 0) return 'none';
  return JSON.stringify(value, undefined, 1);
}
