const BLOCK = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const MOST_CHARACTERS = 2000;
const MOST_FACTS = 50;

/** What follows the front matter: that is shown as facts. */
export function bodyOf(content: string): string {
  return content.replace(BLOCK, '');
}

/** What a file says of itself, as names and text: whatever it is, it is shown and not believed. */
export function factsOf(values: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(values)
    .slice(0, MOST_FACTS)
    .map(([name, value]) => [shortened(name, 100), shortened(written(value), MOST_CHARACTERS)]);
}

function written(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number'))
    return value.join(', ');
  return JSON.stringify(value, undefined, 2) ?? '';
}

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);
