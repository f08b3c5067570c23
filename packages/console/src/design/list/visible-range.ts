export interface Range {
  first: number;
  /** Not among them. */
  end: number;
}

/** Rows beyond the edges that are there already when somebody scrolls. */
const BEYOND = 8;
/** In steps, so that not every pixel of scrolling makes rows anew. */
const STEP = 4;

/** Which rows of one height have to be there for what can be seen. */
export function rangeOf(offset: number, seen: number, height: number, count: number): Range {
  const first = Math.floor(offset / height / STEP) * STEP - BEYOND;
  const end = Math.ceil((offset + seen) / height / STEP) * STEP + BEYOND;
  return { first: Math.min(Math.max(0, first), count), end: Math.min(Math.max(0, end), count) };
}

/** How far to scroll so that a row can be seen whole: not at all where it is. */
export function offsetFor(place: number, offset: number, seen: number, height: number): number {
  if (place * height < offset) return place * height;
  return Math.max(offset, (place + 1) * height - seen);
}
