import { temporaryFolder } from '../support/server-process.mjs';
import { turns } from './retrieval/bulk.mjs';

/** @param {string} path */
const built = (path) => import(new URL(`../../packages/server/dist/${path}`, import.meta.url).href);

/**
 * A data folder with so many turns of dialogue in the project "bulk", and how long the import of them took.
 *
 * @param {number} count
 * @param {Record<string, unknown>} [embeddings] a model for the lane of meaning, which `begin` starts
 * @param {number} [sayings] how many turns are told in one item, so that it is as much longer
 */
export async function openStore(count, embeddings, sayings = 1) {
  const [{ SqliteJournal }, { PROJECTIONS }, { Importer }, { createScrubber }, { localOwner }] =
    await Promise.all([
      built('journal/sqlite.js'),
      built('cli/services/projections.js'),
      built('memory/ingest/importer.js'),
      import('@infold/scrub'),
      built('trust/identity/caller.js'),
    ]);
  const [{ createServices }, { loadConfig }, { contextFor }, { Connection }, { compilePack }, { remember }] =
    await Promise.all([
      built('cli/services/create.js'),
      built('kernel/config.js'),
      built('call/perform.js'),
      built('trust/sessions/resolve.js'),
      built('memory/actions/context.js'),
      built('memory/actions/remember.js'),
    ]);
  const folder = temporaryFolder();
  const { config } = loadConfig({ data: folder }, {});
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: config.limits });
  const scrubber = createScrubber();
  const importer = new Importer({ journal, scrubber, caller: localOwner, project: 'bulk' });
  const started = performance.now();
  let number = 0;
  for (const line of sayings === 1 ? turns(count) : longer(count, sayings))
    await importer.add(++number, line);
  const report = await importer.finish();
  if (report.imported !== count) throw new Error(`Only ${report.imported} of ${count} were imported`);
  const services = createServices({ ...config, embeddings }, journal, 'silent');
  const plain = embeddings === undefined ? services : createServices(config, journal, 'silent');
  const callOf = (/** @type {boolean} */ isPlain) =>
    contextFor(isPlain ? plain : services, {
      input: {},
      caller: localOwner,
      connection: Connection.alone(),
      signal: new AbortController().signal,
    });
  return {
    folder,
    itemsPerSecond: count / ((performance.now() - started) / 1000),
    /** Begins to make vectors. */
    begin: () => services.parts.meaning.start(),
    /** How many vectors there are. @returns {number} */
    vectors: () =>
      journal.database.hasTable('cache_memory_vector')
        ? journal.database.get('SELECT count(*) AS made FROM cache_memory_vector').made
        : 0,
    /** @param {string} goal @param {{ isPlain?: boolean }} [options] without the lane of meaning */
    context: (goal, { isPlain = false } = {}) =>
      compilePack.run(
        {
          goal,
          intent: 'general',
          layer: 'recall',
          limit: 24,
          related_limit: 3,
          include_related: true,
          project: 'bulk',
        },
        callOf(isPlain),
      ),
    /** @param {string} content */
    remember: (content) => remember.run({ content, project: 'bulk' }, callOf(false)),
    close: async () => {
      if (embeddings !== undefined) await services.settle();
      await journal.close();
    },
  };
}

/** As many items, each with what several turns say. @param {number} count @param {number} sayings */
function* longer(count, sayings) {
  /** @type {string[]} */
  let said = [];
  for (const line of turns(count * sayings)) {
    said.push(line.content);
    if (said.length < sayings) continue;
    yield { ...line, content: said.join(' ') };
    said = [];
  }
}

/** @param {readonly number[]} samples @param {number} part */
export function quantile(samples, part) {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
