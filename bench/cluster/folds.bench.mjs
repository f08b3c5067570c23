import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { benchmark, interleave } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { nodeConfig, startNats } from './nats.mjs';

const OPERATIONS = 10;
/** Branch, operations, return: each an entry of its own. */
const ENTRIES = OPERATIONS + 2;
const JOURNAL = 'INFOLD';
const FLOOR = 'FLOOR';

/** Whole fold cycles through the tools on a node, against the publishes that they come to, without anything else. */
export default benchmark({
  target: 'at most 1.5 × the bare JetStream publishes',
  async run({ quick }) {
    const nats = await startNats();
    if (!nats) return [];
    const cycles = quick ? 10 : 25;
    const services = await startServices(nodeConfig(temporaryFolder(), nats.url));
    const embedded = await startServices();
    const connection = await connect({ servers: nats.url, noAsyncTraces: true });
    try {
      const cycleOn = async (/** @type {typeof services} */ where) => {
        const agent = await new Agent(where, '/bench/cycle').begin();
        return async () => {
          await agent.branch();
          for (let count = 0; count < OPERATIONS; count++) await agent.operate();
          await agent.fold();
        };
      };
      const cycle = await cycleOn(services);
      const embeddedCycle = await cycleOn(embedded);
      await cycle();
      const publish = await bareCycle(connection, await entriesIn(connection));
      /** @type {{ ours: number[], floor: number[] }} */
      const cpu = { ours: [], floor: [] };
      const perCycle =
        (/** @type {'ours' | 'floor'} */ side, /** @type {() => unknown} */ work) => async () => {
          const before = process.cpuUsage();
          const started = performance.now();
          for (let count = 0; count < cycles; count++) await work();
          const elapsed = performance.now() - started;
          const { user, system } = process.cpuUsage(before);
          cpu[side].push((user + system) / 1000 / cycles);
          return elapsed / cycles;
        };
      // A server that has been up for a minute has compiled all of it; the floor is there after a few cycles.
      const warmup = quick ? 10 : 20;
      const rounds = quick ? 5 : 20;
      const ours = perCycle('ours', cycle);
      const samples = await interleave({ rounds, warmup, ours, floor: perCycle('floor', publish) });
      const spent = { ours: cpu.ours.slice(warmup), floor: cpu.floor.slice(warmup) };
      const beside = await interleave({ rounds, warmup, ours, floor: perCycle('floor', embeddedCycle) });
      const against = `the ${2 * ENTRIES} JetStream publishes of it, same bytes`;
      return [
        {
          what: 'fold cycle (branch, 10 operations, return) on one NATS server, file storage',
          unit: 'ms',
          against,
          ...samples,
          limit: { ratioAtMost: 1.5 },
        },
        {
          what: 'the same, CPU of the node only',
          unit: 'ms',
          against,
          ...spent,
        },
        {
          what: 'fold cycle (branch, 10 operations, return) on one NATS server, file storage',
          unit: 'ms',
          against: 'the same on an embedded journal',
          ...beside,
        },
      ];
    } finally {
      await connection.close();
      for (const { settle, journal } of [services, embedded]) {
        await settle();
        await journal.close();
      }
      await nats.stop();
    }
  },
});

/**
 * @typedef {object} Message
 * @property {boolean} isHead
 * @property {string} text
 */

/**
 * What the last cycle published: bodies, and the header that comes after them.
 *
 * @param {import('@nats-io/transport-node').NatsConnection} connection
 * @returns {Promise<Message[][]>}
 */
async function entriesIn(connection) {
  const manager = await jetstreamManager(connection);
  const { state } = await manager.streams.info(JOURNAL);
  /** @type {Message[][]} */
  const entries = [];
  for (let seq = state.last_seq; seq > 0; seq--) {
    const message = await manager.streams.getMessage(JOURNAL, { seq });
    if (!message || message.subject.startsWith('infold.mark.')) continue;
    const isHead = !message.subject.startsWith('infold.body.');
    if (isHead && entries.length === ENTRIES) break;
    if (isHead) entries.unshift([]);
    entries[0]?.unshift({ isHead, text: message.string() });
  }
  if (entries.length !== ENTRIES || entries.some((entry) => entry.length !== 2)) {
    throw new Error('A cycle did not publish what was expected of it');
  }
  return entries;
}

/**
 * The same messages in a stream of their own: an entry's are sent at once, the header only if it follows the one before it.
 *
 * @param {import('@nats-io/transport-node').NatsConnection} connection
 * @param {Message[][]} entries
 */
async function bareCycle(connection, entries) {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: FLOOR, subjects: ['floor.>'], storage: StorageType.File });
  const client = jetstream(connection);
  let last = 0;
  let count = 0;
  return async () => {
    for (const messages of entries) {
      const acknowledged = messages.map(({ isHead, text }) =>
        client.publish(isHead ? 'floor.session' : 'floor.body', text, {
          // As long as an id of ours.
          msgID: String(count++).padStart(36, '0'),
          ...(isHead && { expect: { lastSubjectSequence: last } }),
        }),
      );
      last = (await Promise.all(acknowledged)).at(-1)?.seq ?? 0;
    }
  };
}
