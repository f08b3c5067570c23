import { benchmark, interleave, time } from '../harness.mjs';
import { goals } from './retrieval/bulk.mjs';
import { openStore, quantile } from './store.mjs';

const GOALS_A_ROUND = 40;
const SHORT_AND_LONG = 3000;
const SAYINGS = 48;

/** What a pack costs, and that its cost does not follow the size of the store. */
export default benchmark({
  target:
    'p95 at most 40 ms at 100,000 items and 3 × that at 10,000; at most 150 ms and 600 MB at 1,000,000; CPU flat in the length of items',
  async run({ quick }) {
    const rounds = quick ? 3 : 12;
    const small = await openStore(10_000);
    const large = await openStore(quick ? 30_000 : 100_000);
    let seed = 0;
    const p95 = async (/** @type {{ context: (goal: string) => Promise<unknown> }} */ store) => {
      const samples = [];
      for (const goal of goals(GOALS_A_ROUND, ++seed)) samples.push(await time(() => store.context(goal)));
      return quantile(samples, 0.95);
    };
    const cpu = async (/** @type {{ context: (goal: string) => Promise<unknown> }} */ store) => {
      const before = process.cpuUsage();
      for (const goal of goals(GOALS_A_ROUND, ++seed)) await store.context(goal);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / GOALS_A_ROUND;
    };
    const sizes = await interleave({ rounds, ours: () => p95(large), floor: () => p95(small) });
    const rows = [
      {
        what: 'p95 of `context` (recall, limit 24, related) at 100,000 items',
        unit: 'ms',
        against: 'the same at 10,000 items',
        ...sizes,
        limit: { ratioAtMost: 3 },
      },
      {
        what: 'p95 of `context` at 100,000 items',
        unit: 'ms',
        against: 'target',
        ours: sizes.ours,
        floor: sizes.ours.map(() => 40),
        limit: { ratioAtMost: 1 },
      },
    ];
    await large.close();
    // Items of about 80 characters against items of about 4,000.
    const long = await openStore(SHORT_AND_LONG, undefined, SAYINGS);
    const short = await openStore(SHORT_AND_LONG);
    const lengths = await interleave({ rounds, ours: () => cpu(long), floor: () => cpu(short) });
    rows.push({
      what: `CPU of \`context\`, ${SHORT_AND_LONG.toLocaleString('en')} items ${SAYINGS} times as long`,
      unit: 'ms',
      against: 'as many short items',
      ...lengths,
      limit: { ratioAtMost: 1.5 },
    });
    await Promise.all([small.close(), long.close(), short.close()]);
    if (quick) return rows;
    const huge = await openStore(1_000_000);
    const samples = [];
    for (let round = 0; round <= rounds; round++) samples.push(await p95(huge));
    const memory = process.memoryUsage.rss() / 1e6;
    await huge.close();
    return [
      ...rows,
      {
        what: 'p95 of `context` at 1,000,000 items',
        unit: 'ms',
        against: 'target',
        ours: samples.slice(1),
        floor: samples.slice(1).map(() => 150),
        limit: { ratioAtMost: 1 },
      },
      {
        what: 'resident memory of the process at 1,000,000 items',
        unit: 'MB',
        against: 'target',
        ours: [memory],
        floor: [600],
        limit: { ratioAtMost: 1 },
      },
    ];
  },
});
