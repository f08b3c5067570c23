import { join } from 'node:path';
import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { openJournal } from '../../packages/server/dist/cli/services/journal.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { openDatabase } from '../../packages/server/dist/kernel/sqlite.js';
import { benchmark, interleave } from '../harness.mjs';
import { Agent } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { writeActivities } from './activities.mjs';

const CALLS = 200;
const PAGE = 50;

/** Pages of a large file, filtered, beside the same pages read from a plain SQLite table in this thread. */
export default benchmark({
  target: 'a page in at most 15 ms (95th percentile)',
  async run({ quick }) {
    const rows = quick ? 50_000 : 1_000_000;
    const folder = temporaryFolder();
    const path = join(folder, 'activities.jsonl');
    await writeActivities(path, rows);
    const sources = { activity: { type: 'jsonl', path } };
    const config = { ...loadConfig({ data: folder }, {}).config, sources };
    const journal = await openJournal(config);
    const services = createServices(config, journal, 'silent');
    const agent = new Agent(services, '/bench/records');
    const [table] =
      /** @type {import('../../packages/server/dist/transient/records/files/table.js').FileTable[]} */ (
        services.records.tables
      );
    const { database } = (await table?.index(() => {})) ?? {};
    const plain = await openDatabase(join(folder, 'records', database ?? ''), { readOnly: true });
    // `project` is the fourth key of each record.
    const slot = 'c3';

    /** @param {(call: number) => unknown} work */
    const p95 = async (work) => {
      const times = [];
      for (let call = 0; call < CALLS; call++) {
        const started = performance.now();
        await work(call);
        times.push(performance.now() - started);
      }
      return times.sort((a, b) => a - b)[Math.floor(CALLS * 0.95)] ?? 0;
    };
    let round = 0;
    const wanted = (/** @type {number} */ call) => `client-${(call * 7 + round * 13) % 1700}`;
    const search = (/** @type {number} */ call) =>
      agent.call('search_records', {
        model: 'activity',
        filters: { project: wanted(call) },
        page: 1 + (call % 3),
      });
    const select = (/** @type {number} */ call) => {
      plain.get(`SELECT count(*) FROM record WHERE ${slot} = ?`, wanted(call));
      const found = plain.all(
        `SELECT json FROM record JOIN body USING (ordinal) WHERE ${slot} = ? LIMIT ${PAGE} OFFSET ?`,
        wanted(call),
        (call % 3) * PAGE,
      );
      return JSON.stringify(found.map(({ json }) => JSON.parse(String(json))));
    };
    const samples = await interleave({
      rounds: quick ? 3 : 8,
      ours: () => {
        round++;
        return p95(search);
      },
      floor: () => p95(select),
    });
    plain.close();
    await services.records.close();
    await journal.close();
    return [
      {
        what: `\`search_records\`, a page of ${PAGE} of ${rows.toLocaleString('en')} records, filtered by an indexed column, 95th percentile`,
        unit: 'ms',
        against: 'the same page of a plain SQLite table',
        ...samples,
        limit: { atMost: 15 },
      },
    ];
  },
});
