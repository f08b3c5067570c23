import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { benchmark, interleave } from '../harness.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { BARE_BROADCAST, startGateway } from './pods.mjs';

/** What a connection costs that nobody uses: in pods of ten, from clients that offer compression as most do. */
export default benchmark({
  target: 'at most 40 kB for each of 1,000 idle connections',
  async run({ quick }) {
    const count = quick ? 200 : 1000;
    const samples = await interleave({
      rounds: quick ? 1 : 5,
      warmup: 0,
      ours: () => perConnection(() => startGateway({}), count),
      floor: () => perConnection(() => ServerProcess.start(BARE_BROADCAST), count),
    });
    return [
      {
        what: `memory of an idle connection, ${count.toLocaleString('en')} of them`,
        unit: 'kB',
        against: 'bare ws server',
        ...samples,
        limit: { atMost: 40 },
      },
    ];
  },
});

/**
 * @param {() => Promise<ServerProcess>} start
 * @param {number} count
 */
async function perConnection(start, count) {
  const server = await start();
  /** @type {WebSocket[]} */
  const sockets = [];
  const open = async (/** @type {number} */ index) => {
    const address = `${server.url.replace('http', 'ws')}/ws?pod=pod-${index % (count / 10)}&participant=p-${index}`;
    const socket = new WebSocket(address);
    socket.on('error', () => {});
    await once(socket, 'open');
    sockets.push(socket);
  };
  try {
    // The first ones pay for what all of them share.
    for (let index = 0; index < 100; index++) await open(-index - 1);
    await sleep(500);
    const before = (await server.usage()).residentBytes;
    for (let index = 0; index < count; index++) await open(index);
    await sleep(1000);
    return ((await server.usage()).residentBytes - before) / count / 1000;
  } finally {
    for (const socket of sockets) socket.terminate();
    await server.stop();
  }
}
