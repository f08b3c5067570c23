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
 * Also finds `journal-commit` by `commit`, as long as no other benchmark ends like that.
 *
 * @param {readonly string[]} names
 * @param {string} asked
 */
export function findBenchmark(names, asked) {
  if (names.includes(asked)) return asked;
  const ending = names.filter((name) => name.endsWith(`-${asked}`));
  return ending.length === 1 ? ending[0] : undefined;
}
