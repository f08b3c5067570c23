import { benchmark, interleave } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { importInto, withoutMeter, writeLibrary } from './folder.mjs';

const QUERIES = [
  ...['naming', 'deployment platform', 'service 417', 'how to treat retries in billing', 'payments mobile'],
  ...[
    'principles',
    'before you change',
    'errors group7',
    'merging',
    'feature flags',
    'example',
    'migrations data',
  ],
  ...['no such words', 'accessib', 'upload frontend', 'search'],
];

/** A search in a large library beside the same searches in a tenth of it. */
export default benchmark({
  target: 'p95 at most 10 ms with 10,000 files, and at most 3 × the p95 with 1,000',
  async run({ quick }) {
    const repeats = quick ? 2 : 6;
    const large = await searcher(10_000);
    const small = await searcher(1000);
    const samples = await interleave({
      rounds: quick ? 3 : 12,
      warmup: 2,
      ours: () => large.p95(repeats),
      floor: () => small.p95(repeats),
    });
    await large.close();
    await small.close();
    return [
      {
        what: '`memory.discover` with a query, 10,000 files, p95 of the call, durable evidence included',
        unit: 'ms',
        against: 'the same with 1,000 files',
        ...samples,
        limit: { ratioAtMost: 3, atMost: 10 },
      },
    ];
  },
});

/** @param {number} count */
async function searcher(count) {
  const services = await startServices();
  const folder = temporaryFolder();
  writeLibrary(folder, count);
  await importInto(services, '/bench/library', folder);
  const agent = new Agent(withoutMeter(services), '/bench/library');
  await agent.begin();
  const { session } = agent;
  const session_id = session?.id;
  await agent.call('memory.setup', { session_id });
  return {
    /** @param {number} repeats */
    async p95(repeats) {
      const times = [];
      for (let round = 0; round < repeats; round++) {
        for (const query of QUERIES) {
          const started = performance.now();
          await agent.call('memory.discover', { query, session_id });
          times.push(performance.now() - started);
        }
      }
      times.sort((one, other) => one - other);
      return times[Math.ceil(times.length * 0.95) - 1] ?? 0;
    },
    close: () => services.journal.close(),
  };
}
