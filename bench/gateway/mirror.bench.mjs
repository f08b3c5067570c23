import { setTimeout as sleep } from 'node:timers/promises';
import { benchmark } from '../harness.mjs';
import { quantile } from '../memory/store.mjs';
import { Stage } from './mirror-stage.mjs';

const OPERATIONS = 3;
/** A server that has seen nothing of others for two minutes looks for it less often. */
const QUIET = 121_000;
const QUIET_STAGES = 8;
const WAYS = /** @type {const} */ ({
  http: 'agent over HTTP on the same server',
  stdio: 'agent over stdio in another process',
});
/** @typedef {import('./mirror-stage.mjs').Seen} Seen */

/**
 * How soon who watches a project's pod sees what happens in its branches. Time runs from the entry's own time, which it
 * is given inside its transaction, before anything of it is written: the durable write counts too. Until the frame that
 * tells it is with the watcher; of a fold, which is told with two, the later one.
 */
export default benchmark({
  target: "a branch's events in the pod at most 20 ms after their commit, p95",
  async run({ quick }) {
    const rounds = quick ? 2 : 5;
    const branches = quick ? 3 : 16;
    const stages = { http: await Stage.open('http'), stdio: await Stage.open('stdio') };
    const quiet = await openAll(quick ? 0 : QUIET_STAGES);
    /** @type {Record<keyof typeof stages, Seen[][]>} */
    const seen = { http: [], stdio: [] };
    /** @type {Seen[]} */
    const first = [];
    try {
      for (const stage of [...Object.values(stages), ...quiet]) await stage.branch(OPERATIONS);
      const rested = sleep(quiet.length === 0 ? 0 : QUIET);
      for (let round = 0; round < rounds; round++) {
        for (const way of /** @type {const} */ (['http', 'stdio'])) {
          const events = [];
          for (let index = 0; index < branches; index++)
            events.push(...(await stages[way].branch(OPERATIONS)));
          seen[way].push(events);
        }
      }
      await rested;
      for (const stage of quiet) first.push(...(await stage.branch(0)).slice(0, 1));
    } finally {
      await Promise.all([...Object.values(stages), ...quiet].map((stage) => stage.close()));
    }
    return [...rowsOf('http', seen.http), ...rowsOf('stdio', seen.stdio), ...quietRow(first)];
  },
});

/** @param {number} count */
async function openAll(count) {
  const stages = [];
  for (let index = 0; index < count; index++) stages.push(await Stage.open('stdio'));
  return stages;
}

/**
 * @param {keyof typeof WAYS} way
 * @param {Seen[][]} rounds
 */
function rowsOf(way, rounds) {
  const of = (/** @type {keyof Seen} */ name, /** @type {number} */ part) =>
    rounds.map((events) =>
      quantile(
        events.map((event) => event[name]),
        part,
      ),
    );
  const plain = 'a message of a participant, sending to arrival';
  return [
    {
      what: `from the commit of a branch's event to its arrival in the pod, ${WAYS[way]}: p95`,
      unit: 'ms',
      against: plain,
      ours: of('since', 0.95),
      floor: of('plain', 0.95),
      limit: { atMost: 20 },
    },
    { what: 'the same: p50', unit: 'ms', against: plain, ours: of('since', 0.5), floor: of('plain', 0.5) },
    {
      what: 'the same from sending the call: p95',
      unit: 'ms',
      against: 'the answer of the call',
      ours: of('arrival', 0.95),
      floor: of('answer', 0.95),
    },
  ];
}

/** @param {Seen[]} events */
function quietRow(events) {
  if (events.length === 0) return [];
  return [
    {
      what: `the first event after ${QUIET / 1000} s without any, ${WAYS.stdio}`,
      unit: 'ms',
      against: 'a message of a participant, sending to arrival',
      ours: events.map(({ since }) => since),
      floor: events.map(({ plain }) => plain),
    },
  ];
}
