import { benchmark } from '../harness.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { BARE_BROADCAST, Crowd, cpuPerDelivery, startGateway } from './pods.mjs';

const FILTERS = 10;
const allBut = (/** @type {number} */ left) =>
  Array.from({ length: FILTERS }, (_, index) => `type-${index}`)
    .filter((_, index) => index !== left)
    .join(',');

/** What a delivery costs the server: history off, history durable, ten filters; against a bare broadcast. */
export default benchmark({
  target:
    'at most 1.15 × a bare ws broadcast without history, 1.5 × with, 1.25 × per delivered frame with ten filters',
  async run({ quick }) {
    const rounds = quick ? 2 : 5;
    const bare = await ServerProcess.start(BARE_BROADCAST);
    const off = await startGateway({ history: 'none' });
    const durable = await startGateway({ history: 'durable' });
    try {
      const rows = [];
      for (const receivers of [100, 10]) {
        const count = Math.round((quick ? 20_000 : 100_000) / receivers);
        const crowds = {
          bare: await Crowd.gather(bare.url, receivers),
          off: await Crowd.gather(off.url, receivers),
          durable: await Crowd.gather(durable.url, receivers),
          // Ten filters, each of which leaves out one type in ten; and ten that each ask for one type alone.
          filtered: await Crowd.gather(
            off.url,
            receivers,
            (index) => `&contexts=type:${allBut(index % FILTERS)}`,
          ),
          narrow: await Crowd.gather(off.url, receivers, (index) => `&contexts=type:type-${index % FILTERS}`),
          unfiltered: await Crowd.gather(off.url, receivers),
        };
        const typed = (/** @type {number} */ index) => ({
          context: { id: `context-${index % FILTERS}`, type: `type-${index % FILTERS}` },
        });
        /** @type {Record<'bare' | 'off' | 'durable' | 'filtered' | 'narrow' | 'unfiltered' | 'single' | 'bareSingle', number[]>} */
        const samples = {
          bare: [],
          off: [],
          durable: [],
          filtered: [],
          narrow: [],
          unfiltered: [],
          single: [],
          bareSingle: [],
        };
        for (let round = -1; round < rounds; round++) {
          const taken = {
            bare: await cpuPerDelivery(bare, crowds.bare, count),
            off: await cpuPerDelivery(off, crowds.off, count),
            durable: await cpuPerDelivery(durable, crowds.durable, count, { settle: 500 }),
            // One at a time: nothing is there to be sent together.
            bareSingle: await cpuPerDelivery(bare, crowds.bare, count / 5, { inFlight: 1 }),
            single: await cpuPerDelivery(off, crowds.off, count / 5, { inFlight: 1 }),
            unfiltered: await cpuPerDelivery(off, crowds.unfiltered, count, { more: typed }),
            filtered: await cpuPerDelivery(off, crowds.filtered, count, {
              expected: (count * receivers * (FILTERS - 1)) / FILTERS,
              more: typed,
            }),
            narrow: await cpuPerDelivery(off, crowds.narrow, count, {
              expected: (count * receivers) / FILTERS,
              more: typed,
            }),
          };
          if (round < 0) continue;
          for (const name of /** @type {(keyof typeof taken)[]} */ (Object.keys(taken))) {
            samples[name].push(taken[name]);
          }
        }
        for (const crowd of Object.values(crowds)) crowd.close();
        const judged = receivers === 100;
        const row = (
          /** @type {string} */ what,
          /** @type {number[]} */ ours,
          /** @type {number[]} */ floor,
          /** @type {string} */ against,
          /** @type {number} */ ratioAtMost,
        ) => ({
          what: `server CPU per delivery, ${receivers} receivers, ${what}`,
          unit: 'µs',
          against,
          ours,
          floor,
          ...(judged ? { limit: { ratioAtMost } } : {}),
        });
        rows.push(
          row('history off', samples.off, samples.bare, 'bare ws broadcast', 1.15),
          row(
            'history off, one message at a time',
            samples.single,
            samples.bareSingle,
            'bare ws broadcast',
            1.15,
          ),
          row('durable history', samples.durable, samples.bare, 'bare ws broadcast', 1.5),
          row('10 filters', samples.filtered, samples.unfiltered, 'the same without filters', 1.25),
          row('10 filters of 10% each', samples.narrow, samples.bare, 'bare ws broadcast', 1.25),
        );
      }
      return rows;
    } finally {
      await Promise.all([bare.stop(), off.stop(), durable.stop()]);
    }
  },
});
