import { benchmark, interleave } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';

/** Whether a long session makes its calls slower. */
export default benchmark({
  target: 'at most 1.3 × an empty session',
  async run({ quick }) {
    const operations = quick ? 5_000 : 100_000;
    const calls = quick ? 100 : 300;
    const services = await startServices();
    const full = await new Agent(services, '/bench/full').begin();
    const empty = await new Agent(services, '/bench/empty').begin();
    await full.branch();
    await empty.branch();
    for (let done = 0; done < operations; done += 500) await full.operate(500);
    const timed =
      (/** @type {Agent} */ agent, /** @type {(agent: Agent) => Promise<unknown>} */ work) => async () => {
        const started = performance.now();
        for (let count = 0; count < calls; count++) await work(agent);
        return ((performance.now() - started) * 1000) / calls;
      };
    /** A branch that goes away again, so that the tree does not grow. */
    const branchAndBack = async (/** @type {Agent} */ agent) => {
      await agent.branch();
      await agent.call('context_return', { message: 'Back.' });
    };
    const measure = (/** @type {(agent: Agent) => Promise<unknown>} */ work) =>
      interleave({ rounds: quick ? 5 : 20, warmup: 3, ours: timed(full, work), floor: timed(empty, work) });
    const status = await measure((agent) => agent.status());
    const branch = await measure(branchAndBack);
    await services.journal.close();
    const against = 'the same in an empty session';
    const limit = { ratioAtMost: 1.3 };
    const size = operations.toLocaleString('en');
    return [
      { what: `\`context_branch_status\` after ${size} operations`, unit: 'µs', against, ...status, limit },
      { what: `\`context_branch\` and back after ${size} operations`, unit: 'µs', against, ...branch, limit },
    ];
  },
});
