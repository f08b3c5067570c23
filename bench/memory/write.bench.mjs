import { benchmark, interleave, time } from '../harness.mjs';
import { randomFrom, sentence } from './retrieval/bulk.mjs';
import { openStore, quantile } from './store.mjs';

const WRITES_A_ROUND = 50;

/** What remembering one item costs, durable, and how fast an import is. */
export default benchmark({
  target: '`remember` p50 at most 2 ms and 1.3 × that at 1,000 items; import at least 5,000 items a second',
  async run({ quick }) {
    const rounds = quick ? 3 : 15;
    const random = randomFrom(5);
    const small = await openStore(1000);
    const large = await openStore(quick ? 20_000 : 100_000);
    const p50 = async (/** @type {{ remember: (content: string) => Promise<unknown> }} */ store) => {
      const samples = [];
      for (let write = 0; write < WRITES_A_ROUND; write++) {
        const content = sentence(random, 18);
        samples.push(await time(() => store.remember(content)));
      }
      return quantile(samples, 0.5);
    };
    const writes = await interleave({ rounds, ours: () => p50(large), floor: () => p50(small) });
    await Promise.all([small.close(), large.close()]);
    return [
      {
        what: 'p50 of `remember`, durable, at 100,000 items',
        unit: 'ms',
        against: 'the same at 1,000 items',
        ...writes,
        limit: { ratioAtMost: 1.3 },
      },
      {
        what: 'p50 of `remember` at 100,000 items',
        unit: 'ms',
        against: 'target',
        ours: writes.ours,
        floor: writes.ours.map(() => 2),
        limit: { ratioAtMost: 1 },
      },
      {
        what: 'import of 100,000 items, durable',
        unit: 'items/s',
        against: 'target',
        ours: [large.itemsPerSecond],
        floor: [5000],
        limit: { ratioAtLeast: 1 },
      },
    ];
  },
});
