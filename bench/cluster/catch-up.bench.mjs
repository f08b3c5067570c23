import { DeliverPolicy, jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { openJournal } from '../../packages/server/dist/cli/services/journal.js';
import { benchmark, interleave, time } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { publishHistory } from './history.mjs';
import { nodeConfig, startNats } from './nats.mjs';

const STREAM = 'INFOLD';

/** A new node, from an empty folder until it has applied everything. */
export default benchmark({
  target: 'at least 20,000 events a second; from a snapshot of 1,000,000 events at least 10 × faster',
  async run({ quick }) {
    const nats = await startNats();
    if (!nats) return [];
    const events = quick ? 20_000 : 1_000_000;
    const connection = await connect({ servers: nats.url });
    try {
      await newNode(nats.url);
      await publishHistory(connection, events);
      const perSecond = (/** @type {number} */ milliseconds) => (events * 1000) / milliseconds;
      const replay = await interleave({
        rounds: quick ? 3 : 2,
        warmup: quick ? 1 : 0,
        ours: async () => perSecond(await time(() => newNode(nats.url, events))),
        floor: async () => perSecond(await time(() => readAll(connection, 2 * events))),
      });
      const maker = await openNode(nats.url);
      if (!(await maker.snapshot())) throw new Error('There is no snapshot');
      await maker.close();
      /** @type {number[]} */
      const restored = [];
      for (const _ of replay.ours) restored.push(perSecond(await time(() => newNode(nats.url, events))));
      const size = `${events.toLocaleString('en')} events`;
      return [
        {
          what: `a new node replays ${size}, each an entry of its own`,
          unit: 'events/s',
          against: 'the same messages, only read',
          ...replay,
          limit: { atLeast: 20_000 },
        },
        {
          what: `a new node begins with a snapshot of ${size}`,
          unit: 'events/s',
          against: 'replaying them',
          ours: restored,
          floor: replay.ours,
          limit: { ratioAtLeast: 10 },
        },
      ];
    } finally {
      await connection.close();
      await nats.stop();
    }
  },
});

/**
 * @param {string} url
 * @returns {Promise<import('../../packages/server/dist/journal/nats.js').NatsJournal>}
 */
async function openNode(url) {
  return /** @type {any} */ (await openJournal(nodeConfig(temporaryFolder(), url).config));
}

/**
 * @param {string} url
 * @param {number} [events] that it must know in the end
 */
async function newNode(url, events = 0) {
  const journal = await openNode(url);
  const { seq } = journal.head();
  await journal.close();
  if (seq !== events) throw new Error(`A new node knows ${seq} entries of ${events}`);
}

/**
 * @param {import('@nats-io/transport-node').NatsConnection} connection
 * @param {number} messages
 */
async function readAll(connection, messages) {
  const consumer = await jetstream(connection).consumers.get(STREAM, { deliver_policy: DeliverPolicy.All });
  let left = messages;
  for await (const message of await consumer.consume({ max_messages: 4000 })) {
    if (message.data.length > 0 && --left === 0) return;
  }
}
