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
  const about = type === 'operation.completed' ? aboutOf((data as { input?: unknown }).input) : undefined;
  const kept = leftOut.some((name) => name in data)
    ? {
        ...Object.fromEntries(Object.entries(data).filter(([name]) => !leftOut.includes(name))),
        ...(about !== undefined && { about }),
      }
    : data;
  const brief = cutTexts(kept);
  return brief === data ? event : { ...event, data: brief };
}

/** What calls of all kinds of tools are about, the most telling first. */
const TELLING = ['file_path', 'path', 'command', 'pattern', 'query', 'url', 'goal', 'description', 'text'];
const MOST_ABOUT = 100;

/** A few words that tell one call of a tool from another: the file, the command. */
export function aboutOf(input: unknown): string | undefined {
  if (typeof input === 'string') return oneLine(input);
  if (typeof input !== 'object' || input === null) return undefined;
  const given = input as Record<string, unknown>;
  const texts = [...TELLING.map((name) => given[name]), ...Object.values(given)];
  const text = texts.find((value) => typeof value === 'string' && value.trim() !== '');
  return text === undefined ? undefined : oneLine(text as string);
}

function oneLine(text: string): string | undefined {
  // Cut before it is looked through: it may be a whole file.
  const line = text
    .slice(0, MOST_ABOUT * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line === '') return undefined;
  const characters = [...line];
  return characters.length <= MOST_ABOUT ? line : `${characters.slice(0, MOST_ABOUT).join('')}…`;
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
