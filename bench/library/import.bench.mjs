import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmark, interleave } from '../harness.mjs';
import { startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { importInto, writeLibrary } from './folder.mjs';

/** Importing a large folder beside only reading its files. */
export default benchmark({
  target: 'at least 2,000 files/s',
  async run({ quick }) {
    const count = quick ? 2000 : 10_000;
    const folder = temporaryFolder();
    writeLibrary(folder, count);
    const perSecond = async (/** @type {() => unknown} */ work) => {
      const started = performance.now();
      await work();
      return (count * 1000) / (performance.now() - started);
    };
    const samples = await interleave({
      rounds: quick ? 2 : 5,
      ours: async () => {
        const services = await startServices();
        const rate = await perSecond(async () => {
          const { created } = await importInto(services, '/bench/library', folder);
          if (created !== count) throw new Error(`${created} of ${count} files were imported`);
        });
        await services.journal.close();
        return rate;
      },
      floor: () => perSecond(() => readAll(folder)),
    });
    return [
      {
        what: `import and publication of ${count.toLocaleString('en')} Markdown files, searchable`,
        unit: 'files/s',
        against: 'reading the files',
        ...samples,
        limit: { atLeast: 2000 },
      },
    ];
  },
});

/** @param {string} folder */
function readAll(folder) {
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isDirectory()) readAll(path);
    else readFileSync(path, 'utf8');
  }
}
