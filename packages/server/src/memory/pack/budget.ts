import { countTokensOf } from '../../kernel/tokens/count.ts';
import type { PackItem } from './items.ts';

/** Which items a pack shows, and how many characters each of them has for its body. */
export interface Layout {
  rooms: ReadonlyMap<PackItem, number>;
  leftOut: readonly PackItem[];
  shortened: readonly PackItem[];
}

/** What a model would read of a layout. */
type Draw = (layout: Layout) => Promise<string>;

/** Bodies are shortened to this before items are left out: less than a few sentences helps nobody. */
const LEAST_ROOM = 400;
/** One item that does not fit even so is better than none. */
const SCANT_ROOMS = [240, 120, 60];
const MOST_ROOM = 8192;
/** Characters by which it is guessed how many there are to a token. */
const SAMPLE = 2000;
/** More characters than this for each token of the budget hardly ever fit: they are not counted at first. */
const MOST_DENSITY = 4.5;
const ENOUGH = 0.9;
const MOST_TRIES = 5;

/**
 * The most of a pack that a budget holds. Items come in the order in
 * which they matter. First bodies are shortened, those of lower scores more; then items are left out from the end.
 * Answers undefined where not even a pack without items fits.
 */
export async function fitLayout(
  items: readonly PackItem[],
  budget: number,
  draw: Draw,
): Promise<Layout | undefined> {
  const whole = layoutOf(items, items.length, Number.POSITIVE_INFINITY);
  const text = await draw(whole);
  if (text.length <= budget * MOST_DENSITY && (await tokensUpTo(text, budget)) <= budget) return whole;
  const sizes = await measure(items, text.length, draw);
  let best: Layout | undefined;
  const sample = text.slice(0, SAMPLE);
  let length = budget * (sample.length / Math.max(1, await countTokensOf(sample)));
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const layout = await largest(items, length, sizes, draw);
    const drawn = await draw(layout);
    const tokens = await tokensUpTo(drawn, budget);
    if (tokens <= budget) best = larger(best, layout);
    const isSmallest = layout.rooms.size === 0 && tokens > budget;
    const isWhole = layout.leftOut.length === 0 && layout.shortened.length === 0;
    if (isSmallest || (tokens <= budget && (isWhole || tokens >= budget * ENOUGH))) break;
    const reckoned = layout.rooms.size === 0 ? length : reckon(layout, sizes);
    const next = Math.min(length, reckoned) * (budget / tokens) * (tokens > budget ? 0.98 : 0.99);
    length = tokens <= budget ? Math.max(next, reckoned + 1) : next;
  }
  return best ?? orNothing(items, budget, draw);
}

/** What a drawn pack is made of, in characters: so that rooms are reckoned, and only the outcome is drawn. */
interface Sizes {
  frame: number;
  /** Of each item, besides what it says. */
  item: number;
  /** Characters that are drawn for one of a body: data hold it escaped, or twice. */
  body: number;
}

async function measure(items: readonly PackItem[], whole: number, draw: Draw): Promise<Sizes> {
  const frame = (await draw(layoutOf(items, 0, 0))).length;
  const least = layoutOf(items, items.length, LEAST_ROOM);
  const short = (await draw(least)).length;
  const said = (room: (item: PackItem) => number) =>
    items.reduce((sum, item) => sum + item.body.text(room(item)).length, 0);
  const [all, little] = [said(() => Number.POSITIVE_INFINITY), said((item) => least.rooms.get(item)!)];
  const body = all - little < LEAST_ROOM ? 1 : Math.max(1, (whole - short) / (all - little));
  return { frame, body, item: Math.max(0, short - frame - body * little) / Math.max(1, items.length) };
}

/** About how many characters a layout takes. */
function reckon({ rooms }: Pick<Layout, 'rooms'>, { frame, item, body }: Sizes): number {
  let sum = frame + rooms.size * item;
  for (const [{ body: said }, room] of rooms) sum += body * said.lengthWithin(room);
  return sum;
}

async function orNothing(
  items: readonly PackItem[],
  budget: number,
  draw: Draw,
): Promise<Layout | undefined> {
  for (const count of [Math.min(1, items.length), 0]) {
    const layout = layoutOf(items, count, SCANT_ROOMS.at(-1)!);
    if ((await countTokensOf(await draw(layout))) <= budget) return layout;
  }
  return undefined;
}

/** A text of so many bytes has at most so many tokens: then there is nothing to count. */
async function tokensUpTo(text: string, budget: number): Promise<number> {
  const bytes = Buffer.byteLength(text);
  return bytes <= budget * ENOUGH ? bytes : countTokensOf(text);
}

const sizeOf = ({ rooms }: Layout) =>
  [...rooms.values()].reduce((sum, room) => sum + Math.min(room, MOST_ROOM), 0);

function larger(one: Layout | undefined, other: Layout): Layout {
  return one && sizeOf(one) > sizeOf(other) ? one : other;
}

/** As many items as fit into so many characters with a little room each, then as much room as those can have. */
async function largest(
  items: readonly PackItem[],
  length: number,
  sizes: Sizes,
  draw: Draw,
): Promise<Layout> {
  const fits = (count: number, room: number) =>
    reckon({ rooms: roomsOf(items, count, room) }, sizes) <= length;
  const count = highest(items.length, (number) => fits(number, LEAST_ROOM));
  if (count === 0) {
    for (const room of items.length > 0 ? SCANT_ROOMS : []) {
      const scant = layoutOf(items, 1, room);
      if ((await draw(scant)).length <= length) return scant;
    }
    return layoutOf(items, 0, 0);
  }
  return layoutOf(
    items,
    count,
    highest(MOST_ROOM, (most) => most <= LEAST_ROOM || fits(count, most)),
  );
}

/** The highest number up to `most` for which `holds` says so, given that it does for all below. */
function highest(most: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The best item has `room` characters, others by their scores, none of them less than a few sentences. */
function roomsOf(items: readonly PackItem[], count: number, room: number): Map<PackItem, number> {
  const top = Math.max(...items.map(({ view }) => view.score), Number.MIN_VALUE);
  const least = Math.min(LEAST_ROOM, room);
  return new Map(
    items.slice(0, count).map((item) => {
      const share = room === Number.POSITIVE_INFINITY ? room : Math.round((room * item.view.score) / top);
      return [item, Math.max(least, share)];
    }),
  );
}

function layoutOf(items: readonly PackItem[], count: number, room: number): Layout {
  const rooms = roomsOf(items, count, room);
  return {
    rooms,
    leftOut: items.slice(count),
    shortened: [...rooms].filter(([{ body }, most]) => !body.isWhole(most)).map(([item]) => item),
  };
}
