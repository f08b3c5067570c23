import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const ENDING = '.bench.mjs';

/**
 * The benchmarks of a checkout by name: `fold/cycle.bench.mjs` is `fold-cycle`, `trust/trust.bench.mjs` is `trust`.
 *
 * @param {string} folder its `bench`
 * @returns {Map<string, string>} from the name to the address to import
 */
export function listBenchmarks(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith(ENDING));
  return new Map(
    files
      .map((file) => /** @type {const} */ ([nameOf(file), pathToFileURL(`${folder}/${file}`).href]))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** @param {string} file */
function nameOf(file) {
  const parts = file.slice(0, -ENDING.length).split('/');
  return parts.filter((part, index) => part !== parts[index - 1]).join('-');
}

/**
 * Those that are meant by a name, by its end (`commit` is `journal-commit`, as long as no other ends like that), or by
 * a door, which means all of its benchmarks. A checkout from before doors had folders knows only the ends of names.
 *
 * @param {readonly string[]} names
 * @param {string} asked
 * @param {{ orFormerName?: boolean }} [options]
 * @returns {readonly string[]}
 */
export function findBenchmarks(names, asked, { orFormerName = false } = {}) {
  if (names.includes(asked)) return [asked];
  if (orFormerName) return names.filter((name) => asked.endsWith(`-${name}`));
  const ofDoor = names.filter((name) => name.startsWith(`${asked}-`));
  if (ofDoor.length > 0) return ofDoor;
  const ending = names.filter((name) => name.endsWith(`-${asked}`));
  return ending.length === 1 ? ending : [];
}
