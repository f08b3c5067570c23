import { decide } from '../../packages/server/dist/trust/access/rule.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { benchmark, interleave } from '../harness.mjs';

const TIMES = 20_000;

/** What it costs to decide access. */
export default benchmark({
  target: 'an access decision in 20 µs',
  async run({ quick }) {
    const microseconds = (/** @type {() => unknown} */ work) => () => {
      const started = performance.now();
      for (let count = 0; count < TIMES; count++) work();
      return ((performance.now() - started) / TIMES) * 1000;
    };
    const caller = { ...localOwner, projects: ['proj_a', 'proj_b'] };
    const resource = /** @type {const} */ ({ kind: 'project', id: 'proj_b' });
    const access = await interleave({
      rounds: quick ? 5 : 20,
      warmup: 5,
      ours: microseconds(() => decide(caller, 'write', resource)),
      floor: microseconds(() => caller.projects.includes(resource.id)),
    });
    return [
      {
        what: 'access decision',
        unit: 'µs',
        against: 'looking up the project alone',
        ...access,
        limit: { atMost: 20 },
      },
    ];
  },
});
