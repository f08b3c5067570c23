import { setTimeout as sleep } from 'node:timers/promises';
import { benchmark } from '../harness.mjs';
import { connect, envelope, startGateway } from './pods.mjs';

const RECEIVERS = 100;
const LIMIT = 1024 * 1024;

/** One receiver in a hundred stops reading: what the others notice, and what the server keeps for it. */
export default benchmark({
  target: "the others' p99 at most 1.2 ×; memory flat once the reader was let go",
  async run({ quick }) {
    process.env.INFOLD_LIMITS_READER_BUFFER_BYTES = String(LIMIT);
    const server = await startGateway({ history: 'none' });
    const calm = await startGateway({ history: 'none' });
    delete process.env.INFOLD_LIMITS_READER_BUFFER_BYTES;
    const messages = quick ? 300 : 1200;
    /** @type {number[]} */
    const grown = [];
    const samples = { ours: /** @type {number[]} */ ([]), floor: /** @type {number[]} */ ([]) };
    try {
      // At the same time: the slowest hundredth says more about the moment than about the program.
      for (let round = -1; round < (quick ? 2 : 5); round++) {
        const [ours, floor] = await Promise.all([talk(server, messages, true), talk(calm, messages, false)]);
        if (round < 0) continue;
        samples.ours.push(ours.p99);
        samples.floor.push(floor.p99);
        grown.push(ours.growth);
      }
      return [
        {
          what: 'p99 from sending to receiving of 99 readers, one more stuck',
          unit: 'ms',
          against: 'the same at the same time with nobody stuck',
          ...samples,
          limit: { ratioAtMost: 1.2 },
        },
        {
          what: 'growth of the server between the first and the last third of a round, one reader stuck',
          unit: 'MB',
          against: 'the limit of its queue (1 MB) and what the machine moves by itself',
          ours: grown.map((bytes) => Math.max(0, bytes) / 1e6),
          floor: grown.map(() => 8),
          limit: { atMost: 8 },
        },
      ];
    } finally {
      await Promise.all([server.stop(), calm.stop()]);
    }
  },
});

let pods = 0;

/**
 * @param {import('../support/server-process.mjs').ServerProcess} server
 * @param {number} count
 * @param {boolean} stuck
 */
async function talk(server, count, stuck) {
  const address = `${server.url.replace('http', 'ws')}/ws?pod=pod-${++pods}`;
  const sender = await connect(`${address}&participant=sender&kinds=chat`);
  const receivers = [];
  /** @type {Map<string, number>} */
  const sentAt = new Map();
  /** @type {number[]} */
  const latencies = [];
  for (let index = 0; index < RECEIVERS - 1; index++) {
    const receiver = await connect(`${address}&participant=receiver-${index}&kinds=chat`);
    receiver.on('message', (/** @type {Buffer} */ data) => {
      const [, id] = /"id":"(message-[^"]+)"/.exec(String(data.subarray(0, 200))) ?? [];
      const sent = sentAt.get(id ?? '');
      if (sent !== undefined) latencies.push(performance.now() - sent);
    });
    receivers.push(receiver);
  }
  const last = await connect(`${address}&participant=last`);
  if (stuck) last.pause();
  // Only the last one hears of these, until its queue is full and it is let go.
  const padding = { kind: 'padding', padding: 'x'.repeat(20_000) };
  let first = 0;
  for (let index = 0; index < count; index++) {
    const text = envelope();
    sentAt.set(/"id":"([^"]+)"/.exec(text)?.[1] ?? '', performance.now());
    sender.send(text);
    for (let more = 0; more < 4; more++) sender.send(envelope(padding));
    await sleep(4);
    if (index === Math.floor(count / 3)) first = (await server.usage()).residentBytes;
  }
  await sleep(200);
  const growth = (await server.usage()).residentBytes - first;
  for (const socket of [sender, last, ...receivers]) socket.terminate();
  await sleep(100);
  latencies.sort((one, other) => one - other);
  return { p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN, growth };
}
