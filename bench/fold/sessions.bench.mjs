import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { benchmark } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';

const SESSIONS = 1000;

// What is garbage must not count as growth.
setFlagsFromString('--expose-gc');
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

/** Many sessions at once: whether some calls wait much longer than others, and whether memory grows. */
export default benchmark({
  target: 'p99 at most 5 × p50, memory flat',
  async run({ quick }) {
    const sessions = quick ? 100 : SESSIONS;
    const rounds = quick ? 3 : 10;
    const services = await startServices();
    /** @type {Agent[]} */
    const agents = [];
    for (let count = 0; count < sessions; count++) {
      agents.push(await new Agent(services, `/bench/session-${count}`).begin());
    }
    for (const agent of agents) await agent.branch();
    /** @type {number[][]} */
    const samples = [];
    /** @type {number[]} */
    const memory = [];
    for (let round = 0; round < rounds + 2; round++) {
      const times = await mixedRound(agents, round);
      collectGarbage();
      if (round < 2) continue;
      samples.push(times.sort((one, other) => one - other));
      memory.push(process.memoryUsage().heapUsed / 2 ** 20);
    }
    await services.journal.close();
    const at = (/** @type {number} */ share) =>
      samples.map((times) => times[Math.floor(times.length * share)] ?? 0);
    const first = memory.slice(0, memory.length >> 1);
    return [
      {
        what: `calls of ${sessions.toLocaleString('en')} sessions at once: p99`,
        unit: 'ms',
        against: 'p50 of the same calls',
        ours: at(0.99),
        floor: at(0.5),
        limit: { ratioAtMost: 5 },
      },
      {
        what: 'heap after the later half of those calls',
        unit: 'MB',
        against: 'after the first half',
        ours: memory.slice(memory.length - first.length),
        floor: first,
        limit: { ratioAtMost: 1.1 },
      },
    ];
  },
});

/**
 * Each agent makes one call: a quarter asks for the status, half report an operation, and a quarter branch in one
 * round and fold in the next. Eight callers at a time, as a server's connections come in.
 *
 * @param {Agent[]} agents
 * @param {number} round
 */
async function mixedRound(agents, round) {
  const work = [
    (/** @type {Agent} */ agent) => agent.status(),
    (/** @type {Agent} */ agent) => agent.operate(),
    (/** @type {Agent} */ agent) => (round % 2 === 0 ? agent.branch() : agent.fold()),
    (/** @type {Agent} */ agent) => agent.operate(),
  ];
  /** @type {number[]} */
  const times = [];
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < agents.length; index = next++) {
      const agent = agents[index];
      const task = work[index % work.length];
      if (!agent || !task) return;
      const started = performance.now();
      await task(agent);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  return times;
}
