import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

export const BARE_BROADCAST = fileURLToPath(new URL('./bare-broadcast.mjs', import.meta.url));
const BYTES = 1024;

/** @param {object} gateway the configuration's `gateway` */
export function startGateway(gateway) {
  process.env.INFOLD_GATEWAY = JSON.stringify(gateway);
  const values = ['serve', '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn'];
  const started = ServerProcess.start(PROGRAM, values);
  delete process.env.INFOLD_GATEWAY;
  return started;
}

let messages = 0;
/** @param {object} [more] */
export function envelope(more = {}) {
  const id = `message-${++messages}-${randomBytes(4).toString('hex')}`;
  const ts = new Date().toISOString();
  const plain = {
    protocol: 'mcpp/v0.1',
    id,
    ts,
    from: 'sender',
    kind: 'chat',
    ...more,
    payload: { text: '' },
  };
  // Words rather than one letter: what looks through the text should find text.
  const words = 'the gateway carries every message to everyone in the pod unless they filter ';
  plain.payload.text = words.repeat(20).slice(0, BYTES - Buffer.byteLength(JSON.stringify(plain)));
  return JSON.stringify(plain);
}

/** Participants of one pod, in this process; the server is in another. */
export class Crowd {
  /** @type {WebSocket[]} */
  receivers = [];
  /** @type {WebSocket} */
  sender;
  delivered = 0;
  echoed = 0;
  /** @type {(() => void) | undefined} */
  #wake;

  /** @param {WebSocket} sender */
  constructor(sender) {
    this.sender = sender;
  }

  /**
   * @param {string} url
   * @param {number} count
   * @param {(index: number) => string} [query] what a receiver asks for
   */
  static async gather(url, count, query = () => '') {
    const address = url.replace('http', 'ws');
    const pod = `pod-${randomBytes(4).toString('hex')}`;
    const crowd = new Crowd(await connect(`${address}/ws?pod=${pod}&participant=sender`));
    crowd.sender.on('message', (/** @type {Buffer} */ data) => {
      // What the gateway itself says is small; but a word of many messages that were stored is not.
      if (data.length < BYTES || data.subarray(0, 200).includes('system:gateway')) return;
      crowd.echoed++;
      crowd.#wake?.();
    });
    for (let index = 0; index < count; index++) {
      const socket = await connect(`${address}/ws?pod=${pod}&participant=receiver-${index}${query(index)}`);
      socket.on('message', (/** @type {Buffer} */ data) => {
        if (data.length < BYTES) return;
        crowd.delivered++;
        crowd.#wake?.();
      });
      crowd.receivers.push(socket);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    return crowd;
  }

  /**
   * Sends messages with so many on their way at most, and waits until everyone has all of them.
   *
   * @param {number} count
   * @param {number} expected deliveries to receivers
   * @param {(index: number) => object} [more]
   * @param {number} [inFlight]
   */
  async send(count, expected, more = () => ({}), inFlight = 64) {
    const [delivered, echoed] = [this.delivered + expected, this.echoed + count];
    let sent = 0;
    const start = this.echoed;
    while (this.echoed < echoed || this.delivered < delivered) {
      while (sent < count && sent - (this.echoed - start) < inFlight)
        this.sender.send(envelope(more(sent++)));
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
  }

  close() {
    for (const socket of [this.sender, ...this.receivers]) socket.terminate();
  }
}

/** @param {string} address */
export async function connect(address) {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  socket.on('error', () => {});
  await once(socket, 'open');
  return socket;
}

/**
 * Server CPU for each delivery, the sender's echo included.
 *
 * @param {ServerProcess} server
 * @param {Crowd} crowd
 * @param {number} count
 * @param {{ expected?: number, more?: (index: number) => object, settle?: number, inFlight?: number }} [options]
 */
export async function cpuPerDelivery(server, crowd, count, options = {}) {
  const expected = options.expected ?? count * crowd.receivers.length;
  const before = (await server.usage()).cpuMicroseconds;
  await crowd.send(count, expected, options.more, options.inFlight);
  // What was put off (history) is work for these messages too.
  if (options.settle) await new Promise((resolve) => setTimeout(resolve, options.settle));
  return ((await server.usage()).cpuMicroseconds - before) / (expected + count);
}
