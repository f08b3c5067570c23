const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

export const count = (value: number): string => whole.format(value);

/** 1,234 as it is, 12,345 as 12.3K: for places that have no room for all digits. */
export const compact = (value: number): string =>
  Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);

export const share = (value: number): string => percent.format(value);

/** Dollars, with as many digits as it takes to see something. */
export function money(dollars: number): string {
  const digits = Math.abs(dollars) >= 1 || dollars === 0 ? 2 : Math.abs(dollars) >= 0.01 ? 3 : 4;
  return `${dollars < 0 ? '−' : ''}$${Math.abs(dollars).toFixed(digits)}`;
}

/** “1 turn”, “2 turns”. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  if (value < 1000) return plural(value, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** power;
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${units[power - 1]}`;
}

export function milliseconds(value: number): string {
  if (value < 1) return `${Math.round(value * 1000)} µs`;
  if (value < 10) return `${value.toFixed(1)} ms`;
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** “just now”, “5 min. ago”. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  for (const [unit, size] of UNITS) {
    if (seconds >= size) return relative.format(-Math.floor(seconds / size), unit);
  }
  return seconds < 5 ? 'just now' : `${seconds}s ago`;
}

const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const date = new Intl.DateTimeFormat('en', {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false },
});
const dayOnly = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', day: 'numeric' });
export const day = (at: number): string => dayOnly.format(at);
export const timeOfDay = (at: number): string => clock.format(at);
export const fullTime = (at: number): string => date.format(at);
