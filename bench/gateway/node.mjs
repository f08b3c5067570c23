import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { PROJECTIONS } from '../../packages/server/dist/cli/services/projections.js';
import { NatsJournal } from '../../packages/server/dist/journal/nats.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { envelope } from './pods.mjs';

/**
 * A node of a cluster with one participant, as a process of its own: `node bench/gateway/node.mjs NATS FOLDER NAME`. It says
 * what it is told to over IPC, and answers when it said and heard each message, by the clock that all processes share.
 */
const [url, data, name] = /** @type {[string, string, string]} */ (process.argv.slice(2));
const BARE = 'bench-bare';
const now = () => Number(process.hrtime.bigint()) / 1e6;
/** @type {Map<string, number>} */
const said = new Map();
/** @type {Map<string, number>} */
const heard = new Map();
const { config } = loadConfig({ data }, {});
const connection = await connect({ servers: url });
const journal = await NatsJournal.open({
  folder: data,
  projections: PROJECTIONS,
  limits: config.limits,
  connection,
});
const services = createServices(config, journal, 'silent');
const gateway = services.openGateway(true);
const ID = /"id":"(message-[^"]+)"/;
/** @param {string} text */
const hear = (text) => {
  const at = now();
  const id = ID.exec(text)?.[1];
  if (id !== undefined && !heard.has(id)) heard.set(id, at);
};
connection.subscribe(BARE, { callback: (_error, message) => hear(message.string()) });
const wire = {
  buffered: 0,
  /** @param {{ text: string }} frame */
  send: (frame) => hear(frame.text),
  drained: () => Promise.resolve(),
  close() {},
};
const filter = /** @type {const} */ ({ contexts: 'all' });
const join = { caller: localOwner, participant: name, wire, filter, since: undefined, epoch: undefined };
await gateway.ready({ ...join, pod: 'bench' });
const { pod, member } = gateway.join('bench', join);

process.on('message', async (/** @type {{ say?: number, bare?: number, end?: true }} */ told) => {
  if (told.end) {
    await gateway.close();
    await journal.close();
    process.exit();
  }
  said.clear();
  const count = told.say ?? told.bare ?? 0;
  for (let sent = 0; sent < count; sent++) {
    const text = envelope({ from: name });
    const data = Buffer.from(text);
    const id = /** @type {string} */ (ID.exec(text)?.[1]);
    said.set(id, now());
    if (told.say === undefined) connection.publish(BARE, data);
    else pod.receive(member, data, false);
    // Longer than a message takes, and uneven, so that none falls into step with a timer.
    await sleep(3 + Math.random() * 3);
  }
  await sleep(200);
  process.send?.({ said: [...said], heard: [...heard] });
  heard.clear();
});
process.send?.('ready');
