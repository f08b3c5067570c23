import { turns } from '../retrieval/bulk.mjs';
import { temporaryFolder } from './server-process.mjs';

/** @param {string} path */
const built = (path) => import(new URL(`../../packages/server/dist/${path}`, import.meta.url).href);

/**
 * A data folder with so many turns of dialogue in the project "bulk", and how long the import of them took.
 *
 * @param {number} count
 */
export async function openStore(count) {
  const [{ SqliteJournal }, { PROJECTIONS }, { Importer }, { createScrubber }, { localOwner }] =
    await Promise.all([
      built('journal/sqlite.js'),
      built('cli/projections.js'),
      built('memory/ingest/importer.js'),
      built('trust/scrub/index.js'),
      built('trust/caller.js'),
    ]);
  const { contextPack } = await built('memory/pack/service.js');
  const { rememberItem } = await built('memory/tools.js');
  const { LIMITS } = await import('@infold/protocol');
  const folder = temporaryFolder();
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS });
  const scrubber = createScrubber();
  const importer = new Importer({ journal, scrubber, caller: localOwner, project: 'bulk' });
  const started = performance.now();
  let number = 0;
  for (const line of turns(count)) await importer.add(++number, line);
  const report = await importer.finish();
  if (report.imported !== count) throw new Error(`Only ${report.imported} of ${count} were imported`);
  const services = { journal, scrubber, clock: Date.now, limits: LIMITS };
  return {
    folder,
    itemsPerSecond: count / ((performance.now() - started) / 1000),
    /** @param {string} goal */
    context: (goal) =>
      contextPack(
        services,
        { caller: localOwner },
        {
          goal,
          intent: 'general',
          layer: 'recall',
          limit: 24,
          related_limit: 3,
          include_related: true,
          project: 'bulk',
        },
      ),
    /** @param {string} content */
    remember: (content) => rememberItem(journal, localOwner, { content, project: 'bulk' }),
    close: () => journal.close(),
  };
}

/** @param {readonly number[]} samples @param {number} part */
export function quantile(samples, part) {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
