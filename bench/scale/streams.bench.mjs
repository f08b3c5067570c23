import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { benchmark, interleave } from '../harness.mjs';
import { importSource } from '../support/typescript.mjs';

const ENTRY = 'x'.repeat(400);
const TICKS_PER_SECOND = 100;
const IDLE_SECONDS = 5;

/**
 * @typedef {object} Layout
 * @property {1 | 3} servers each message is kept on all of them
 * @property {number} streams
 * @property {number} subjects in all
 * @property {number} messages in all
 *
 * @typedef {object} Cost of one server
 * @property {number} memory in MB, more than with nothing stored
 * @property {number} start in ms, until JetStream answers again
 * @property {number} idle CPU in ms for a second in which nothing is asked for
 */

/** What a stream or a subject of its own costs a real NATS server: the same messages, in many and in one. */
export default benchmark({
  target: 'none: the figures that docs/scale.md reckons with',
  async run({ quick }) {
    const { startNats } = await importSource('test/support/nats.ts');
    const [streams, subjects, groups] = quick ? [50, 2000, 10] : [1000, 100_000, 200];
    const messages = quick ? 2000 : 100_000;
    const rounds = quick ? 1 : 3;
    const many = { servers: /** @type {const} */ (1), streams, subjects: streams, messages };
    const one = { ...many, streams: 1, subjects: 1 };
    const replicated = {
      servers: /** @type {const} */ (3),
      streams: groups,
      subjects: groups,
      messages: groups * 10,
    };
    return [
      ...(await rows(`${count(streams)} streams`, 'one stream, same messages', many, one)),
      ...(await rows(`${count(subjects)} subjects in one stream`, 'one subject', { ...one, subjects }, one)),
      ...(await rows(`${count(groups)} streams on three servers`, 'one stream, same messages', replicated, {
        ...replicated,
        streams: 1,
        subjects: 1,
      })),
    ];

    /**
     * @param {string} what
     * @param {string} against
     * @param {Layout} layout
     * @param {Layout} simple
     */
    async function rows(what, against, layout, simple) {
      /** @type {Record<'ours' | 'floor', Cost[]>} */
      const costs = { ours: [], floor: [] };
      const measured = (/** @type {'ours' | 'floor'} */ side, /** @type {Layout} */ asked) => async () => {
        costs[side].push(await cost(startNats, asked));
        return 0;
      };
      await interleave({
        rounds,
        warmup: 0,
        ours: measured('ours', layout),
        floor: measured('floor', simple),
      });
      const row = (
        /** @type {string} */ which,
        /** @type {string} */ unit,
        /** @type {keyof Cost} */ key,
      ) => ({
        what: `NATS server with ${what}: ${which}`,
        unit,
        against,
        ours: costs.ours.map((sample) => sample[key]),
        floor: costs.floor.map((sample) => sample[key]),
      });
      return [
        row('memory', 'MB', 'memory'),
        row('start', 'ms', 'start'),
        row('CPU in an idle second', 'ms', 'idle'),
      ];
    }
  },
});

/**
 * @param {(options: { servers: 1 | 3 }) => Promise<import('../../test/support/nats.ts').TestNats>} startNats
 * @param {Layout} layout
 * @returns {Promise<Cost>}
 */
async function cost(startNats, layout) {
  const nats = await startNats({ servers: layout.servers });
  try {
    const server = nats.servers[0];
    if (!server) throw new Error('There is no server');
    const before = memoryOf(server.pid);
    await fill(nats.url, layout);
    const used = cpuOf(server.pid);
    await wait(IDLE_SECONDS * 1000);
    const idle = (cpuOf(server.pid) - used) / IDLE_SECONDS;
    const memory = Math.max(0.1, memoryOf(server.pid) - before);
    await server.kill();
    const started = performance.now();
    await server.restart();
    await nats.ready();
    return { memory, idle: Math.max(0.1, idle), start: performance.now() - started };
  } finally {
    await nats.stop();
  }
}

/**
 * @param {string} url
 * @param {Layout} layout
 */
async function fill(url, { servers, streams, subjects, messages }) {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  const client = jetstream(connection);
  for (let index = 0; index < streams; index++) {
    const settings = { storage: StorageType.File, num_replicas: servers };
    await manager.streams.add({ name: `ORG${index}`, subjects: [`org${index}.>`], ...settings });
  }
  const publish = (/** @type {number} */ index) => {
    const subject = index % subjects;
    return client.publish(`org${subject % streams}.session.ses_${subject}`, ENTRY, { timeout: 30_000 });
  };
  for (let first = 0; first < messages; first += 200) {
    const together = Math.min(200, messages - first);
    await Promise.all(Array.from({ length: together }, (_, index) => publish(first + index)));
  }
  await connection.close();
}

/** @param {number} pid */
function memoryOf(pid) {
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(resident) / 1024;
}

/**
 * In milliseconds, since it began.
 *
 * @param {number} pid
 */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** @param {number} number */
function count(number) {
  return number.toLocaleString('en');
}
