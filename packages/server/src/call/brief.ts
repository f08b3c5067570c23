import { cutText } from '../kernel/pages.ts';
import type { VisibleEvent } from './visible.ts';

/** Longer texts are cut: who watches wants to know that there is one, and can ask for it. */
const LONGEST = 1000;

/** What calls were given and answered. Everything else that a reader builds the tree from stays. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'operation.completed': ['input', 'output'],
  'branch.created': ['prompt'],
};

/** An event for who follows many of them: without what calls were given and answered, and with long texts cut. */
export function briefEvent<Event extends VisibleEvent>(event: Event): Event {
  const { type, data } = event;
  const leftOut = LEFT_OUT[type] ?? [];
  const kept = leftOut.some((name) => name in data)
    ? Object.fromEntries(Object.entries(data).filter(([name]) => !leftOut.includes(name)))
    : data;
  const brief = cutTexts(kept);
  return brief === data ? event : { ...event, data: brief };
}

/** The same value where nothing in it is long. */
function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, LONGEST);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const cut = value.map(cutTexts);
    return cut.every((item, place) => item === value[place]) ? value : cut;
  }
  let cut: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const short = cutTexts(member);
    if (short !== member) cut = { ...(cut ?? value), [name]: short };
  }
  return cut ?? value;
}
