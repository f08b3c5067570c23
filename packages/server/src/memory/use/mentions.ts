/** Ids that could be a word or a number of any text say nothing where they occur: `kiln`, `2023`. */
const LEAST = 4;

const isWordPart = (character: string) => /[\p{L}\p{N}_]/u.test(character);

/** Whether a text names an item by its id. */
export function mentions(text: string, id: string): boolean {
  if (id.length < LEAST || !/\p{L}/u.test(id) || /^\p{L}+$/u.test(id)) return false;
  for (let place = text.indexOf(id); place >= 0; place = text.indexOf(id, place + 1)) {
    const before = text.slice(Math.max(0, place - 1), place);
    const after = text.slice(place + id.length, place + id.length + 1);
    if (!isWordPart(before) && !isWordPart(after)) return true;
  }
  return false;
}
