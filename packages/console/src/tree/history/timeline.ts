import type { JournalEntry } from '@infold/protocol';

export type Moment = 'branch' | 'fold' | 'rollback' | 'end';

/** One entry, or several that stand for one where there are very many. */
export interface Point {
  seq: number;
  at: number;
  /** Tokens of everything open after it. */
  tokens: number;
  moment: Moment | undefined;
  entries: number;
}

const MOMENTS: Readonly<Record<string, Moment>> = {
  'branch.created': 'branch',
  'branch.folded': 'fold',
  'branch.rolled_back': 'rollback',
  'session.expired': 'end',
};

const MOST_POINTS = 16_384;

/** What a session's time line is drawn from. It stays small however long a session is. */
export class Timeline {
  #points: Point[] = [];

  get points(): readonly Point[] {
    return this.#points;
  }

  add({ seq, at, events }: JournalEntry, tokens: number): void {
    const moment = events.map(({ type }) => MOMENTS[type]).find(Boolean);
    if (this.#points.length >= MOST_POINTS) this.#points = halved(this.#points);
    this.#points.push({ seq, at: Date.parse(at), tokens, moment, entries: 1 });
  }
}

/** Two and two as one: the later position, and what is rarer of what happened. */
function halved(points: readonly Point[]): Point[] {
  const half: Point[] = [];
  for (let index = 0; index < points.length; index += 2) {
    const one = points[index]!;
    const other = points[index + 1] ?? one;
    const entries = one.entries + (other === one ? 0 : other.entries);
    half.push({ ...other, moment: rarer(one.moment, other.moment), entries });
  }
  return half;
}

const RARE: (Moment | undefined)[] = ['end', 'rollback', 'fold', 'branch', undefined];

function rarer(one: Moment | undefined, other: Moment | undefined): Moment | undefined {
  return RARE.indexOf(one) <= RARE.indexOf(other) ? one : other;
}

/** Longer pauses are drawn as long as this: nobody wants to look at a night. */
const LONGEST_PAUSE = 60_000;
/** Entries of one moment still stand beside each other. */
const SHORTEST_PAUSE = 200;

/** Places of points from 0 to 1: their times, with long pauses cut short. */
export function placesOf(points: readonly Pick<Point, 'at'>[]): Float64Array {
  const places = new Float64Array(points.length);
  for (let index = 1; index < points.length; index++) {
    const pause = points[index]!.at - points[index - 1]!.at;
    places[index] = places[index - 1]! + Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, pause));
  }
  const whole = places.at(-1) || 1;
  return places.map((place) => place / whole);
}

export interface Bar {
  /** Entries in it, from 0 to 1 of the most in any. */
  density: number;
  /** The most tokens that were open in it. */
  tokens: number;
  moments: Moment[];
}

/** What is drawn: as many bars as there is room for. */
export function barsOf(points: readonly Point[], places: Float64Array, count: number): Bar[] {
  const bars = Array.from({ length: count }, (): Bar & { entries: number } => ({
    ...{ density: 0, tokens: Number.NaN, moments: [], entries: 0 },
  }));
  points.forEach((point, index) => {
    const bar = bars[Math.min(count - 1, Math.floor(places[index]! * count))]!;
    bar.entries += point.entries;
    bar.tokens = Number.isNaN(bar.tokens) ? point.tokens : Math.max(bar.tokens, point.tokens);
    if (point.moment && !bar.moments.includes(point.moment)) bar.moments.push(point.moment);
  });
  const most = Math.max(1, ...bars.map(({ entries }) => entries));
  let before = 0;
  return bars.map(({ entries, tokens, moments }) => {
    if (!Number.isNaN(tokens)) before = tokens;
    // The square root: one entry beside a hundred is still seen.
    return { density: Math.sqrt(entries / most), tokens: before, moments };
  });
}

/** The last point at or before a position; -1 before the first. */
export function pointAt(points: readonly Point[], seq: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The point that is nearest to a place from 0 to 1. */
export function pointNear(places: Float64Array, place: number): number {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! < place) low = middle + 1;
    else high = middle;
  }
  return low > 0 && place - places[low - 1]! < places[low]! - place ? low - 1 : low;
}
