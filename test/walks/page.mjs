import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PAGE = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url));

/** Below everything: what every call uses, and nobody looks for in a walk. */
const TOOLS = /^(scrub|protocol)\/|^server\/src\/kernel\//;
/** A line of the page: a file, and what the call does there. */
const LINE = /^\d+\. `([^`]+)`: (.+)$/gm;
/** What a file has until somebody says what is done there. */
export const UNSAID = '…';

const nameOf = (file) => file.replace(/^server\/src\//, '');
const lastOf = (name) => name.split('/').at(-1);

/**
 * The page with its walks as they were traced. Words stay with their file, also where it moved to another folder; a file
 * that an earlier walk has told of is named without them.
 *
 * @param {string} page
 * @param {Record<string, string[]>} walks
 */
export function pageOf(page, walks) {
  const words = new Map([...page.matchAll(LINE)].map(([, name, text]) => [name, text]));
  const passed = new Set(Object.values(walks).flat().map(nameOf));
  const moved = new Map(
    [...words].filter(([name]) => !passed.has(name)).map(([name, text]) => [lastOf(name), text]),
  );
  const wordsFor = (name) => words.get(name) ?? moved.get(lastOf(name)) ?? UNSAID;
  const told = new Set();
  let text = page;
  for (const [call, files] of Object.entries(walks)) {
    const names = files.filter((file) => !TOOLS.test(file)).map(nameOf);
    const lines = [`${names.length} files.`, ''];
    for (let place = 0; place < names.length; place++) {
      const first = place;
      while (place < names.length && told.has(names[place])) place++;
      if (place > first) lines.push(asBefore(names.slice(first, place), first));
      if (place === names.length) break;
      told.add(names[place]);
      lines.push(`${place + 1}. \`${names[place]}\`: ${wordsFor(names[place])}`);
    }
    text = between(text, call, lines.join('\n'));
  }
  return text;
}

function asBefore(names, before) {
  const shown = names.map((name) => `\`${name}\``).join(', ');
  return `${before + 1}. as before: ${shown}`;
}

function between(text, call, lines) {
  const [start, end] = [`<!-- walk: ${call} -->\n`, `\n<!-- end of walk -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`docs/architecture.md has lost the markers of ${call}`);
  return text.slice(0, from + start.length) + lines + text.slice(to);
}
