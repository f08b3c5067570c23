/**
 * Pages that a model reads. Hosts cut a long result, some in the middle of a line, some by whole lines, some to nothing
 * but a path: a page is therefore broken into lines and kept short enough for all of them.
 */

/** What stands on a page besides its items: a handle, notices. */
const ROOM = 1500;
/** Of a page that has to be made smaller this much is used, since later items may be longer than the first. */
const USED = 0.8;
/** No item counts for more than this part of a page: what is longer is cut, and does not make every page short. */
const LONGEST_PART = 1 / 8;
const LONGEST_VALUE = 16_384;

/** JSON of an object, with each item of its lists on a line of its own. */
export function linedJson(value: Record<string, unknown>): string {
  const parts = Object.entries(value).flatMap(([key, member]) => {
    const json = isListOfObjects(member)
      ? `[\n${member.map((item) => JSON.stringify(item)).join(',\n')}\n]`
      : JSON.stringify(member);
    return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`];
  });
  return `{${parts.join(',')}}`;
}

function isListOfObjects(value: unknown): value is object[] {
  return (
    Array.isArray(value) &&
    value.length > 1 &&
    value.every((item) => typeof item === 'object' && item !== null)
  );
}

const lengthOf = (item: unknown) => JSON.stringify(item).length + 2;

/** What items may take on a page of so many characters, beside what is on it anyway. */
export function roomFor(characters: number, besides: object): number {
  return Math.max(1, characters - ROOM - JSON.stringify(besides).length);
}

/**
 * How many items every page has, judged by the first one. One size for all pages, which follows from the question alone:
 * whoever goes through them, in any order or all at once, sees each item once.
 */
export function pageSize(first: readonly unknown[], wanted: number, characters: number): number {
  const lengths = first.slice(0, wanted).map(lengthOf);
  if (sum(lengths) <= characters) return wanted;
  let left = characters * USED;
  const count = lengths.findIndex((length) => {
    left -= Math.min(length, characters * LONGEST_PART);
    return left < 0;
  });
  return count < 0 ? wanted : Math.max(1, count);
}

/** The first items that fit on a page, at least one: for pages that end wherever they like. */
export function fitting<Item>(items: readonly Item[], characters: number): readonly Item[] {
  let left = characters;
  const end = items.findIndex((item) => {
    left -= lengthOf(item);
    return left < 0;
  });
  return end < 0 ? items : items.slice(0, Math.max(1, end));
}

/** Items whose longest values are cut until they fit, and how many values that were. */
export function cutToFit<Item extends object>(
  items: readonly Item[],
  characters: number,
): { items: readonly Item[]; cut: number } {
  let cut = { items, cut: 0 };
  for (let most = LONGEST_VALUE; most >= 1 && sum(cut.items.map(lengthOf)) > characters; most /= 2) {
    const results = items.map((item) => cutValues(item, Math.floor(most)));
    cut = { items: results.map(({ item }) => item), cut: sum(results.map((result) => result.cut)) };
  }
  return cut;
}

function cutValues<Item extends object>(item: Item, most: number): { item: Item; cut: number } {
  let cut = 0;
  const entries = Object.entries(item).map(([key, value]) => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    if (typeof text !== 'string' || text.length <= most) return [key, value];
    cut++;
    return [key, cutText(text, most)];
  });
  return cut === 0 ? { item, cut } : { item: Object.fromEntries(entries) as Item, cut };
}

/** A text that is longer than that says so at its end. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters)`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
