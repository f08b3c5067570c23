import type { Brief } from '../queries.ts';

export interface Day {
  /** Midnight, where the reader is. */
  at: number;
  items: Brief[];
}

/** Items by the day on which they were stored; both in the order in which they come. */
export function daysOf(items: readonly Brief[]): Day[] {
  const days: Day[] = [];
  for (const item of items) {
    const at = new Date(item.created_at).setHours(0, 0, 0, 0);
    const last = days.at(-1);
    if (last?.at === at) last.items.push(item);
    else days.push({ at, items: [item] });
  }
  return days;
}

/** The moment after a day (`2026-05-08`), where the reader is; undefined where it is none. */
export function endOf(day: string | undefined): string | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const end = new Date(`${day}T00:00:00`);
  if (Number.isNaN(end.getTime())) return undefined;
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}
