/** More wrong letters than these are another word. */
const MOST_WRONG = 2;

/** " (did you mean x?)" where one of the names is near what was typed; else nothing. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = nearest(typed.toLowerCase(), names);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** One that begins with what was typed, or the other way round; else the one with the fewest wrong letters. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  const start = names.find((name) => typed !== '' && (name.startsWith(typed) || typed.startsWith(name)));
  if (start !== undefined) return start;
  const [best] = names
    .map((name) => ({ name, wrong: wrongLetters(typed, name) }))
    .sort((one, other) => one.wrong - other.wrong);
  return best && best.wrong <= MOST_WRONG && best.wrong < typed.length ? best.name : undefined;
}

/** How many letters have to be added, left out or changed. */
function wrongLetters(one: string, other: string): number {
  let row = [...other, ''].map((_, index) => index);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [index, expected] of [...other].entries()) {
      const changed = row[index]! + (letter === expected ? 0 : 1);
      next.push(Math.min(changed, row[index + 1]! + 1, next[index]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
