import { benchmark, interleave, time } from '../harness.mjs';
import { importInto, writeLibrary } from '../library/folder.mjs';
import { startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { Team } from './team.mjs';

const CHANGED = 10;

/** The library of a hub on its way to an edge: all of it, and a few changes of it. */
export default benchmark({
  target: 'first sync of 10,000 files at 2,000 files/s; 10 changed among them in 50 ms and 30 kB',
  async run({ quick }) {
    const files = quick ? 2000 : 10_000;
    const team = await Team.start(files);
    const folder = temporaryFolder();
    writeLibrary(folder, files);
    const perSecond = async (/** @type {() => Promise<unknown>} */ work) =>
      (files * 1000) / (await time(work));
    const first = await interleave({
      rounds: quick ? 2 : 5,
      ours: async () => {
        const { join, close } = await team.edge();
        const rate = await perSecond(async () => {
          const { synced } = await join();
          const [project] = synced.projects;
          if (project?.changed !== files) throw new Error(`${project?.changed} of ${files} files arrived`);
        });
        await close();
        return rate;
      },
      floor: async () => {
        const services = await startServices();
        const rate = await perSecond(() => importInto(services, '/bench/library', folder));
        await services.journal.close();
        return rate;
      },
    });
    const { edge, join, close } = await team.edge();
    await join();
    /** @type {number[]} */
    const bytes = [];
    const few = await interleave({
      rounds: quick ? 5 : 20,
      warmup: 3,
      ours: async () => {
        await team.change(CHANGED);
        // What the hub has published is asked for once a minute, not in the moment in which it is published.
        await new Promise((resolve) => setTimeout(resolve, 300));
        const milliseconds = await time(async () => {
          const report = await edge.sync();
          if (report.projects[0]?.changed !== CHANGED) throw new Error('Not all changes arrived');
          bytes.push(report.bytes);
        });
        return milliseconds;
      },
      floor: () => time(() => edge.sync()),
    });
    await close();
    await team.stop();
    const all = files.toLocaleString('en');
    return [
      {
        what: `first sync of ${all} files, each verified, searchable`,
        unit: 'files/s',
        against: 'importing them from a folder',
        ...first,
        limit: { atLeast: 2000 },
      },
      {
        what: `sync of ${CHANGED} changed among ${all} files`,
        unit: 'ms',
        against: 'a sync without changes',
        ...few,
        limit: { atMost: 50 },
      },
      {
        what: `bytes of a sync of ${CHANGED} changed among ${all} files`,
        unit: 'kB',
        against: 'target',
        ours: bytes.slice(-few.ours.length).map((count) => count / 1000),
        floor: few.ours.map(() => 30),
        limit: { atMost: 30 },
      },
    ];
  },
});
