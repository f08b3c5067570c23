import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { benchmark, interleave } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { importSource } from '../support/typescript.mjs';

const NODE = fileURLToPath(new URL('./node.mjs', import.meta.url));

/**
 * From one node of a cluster to another: what a message takes longer than within one node, against a bare message of the same
 * size between the same two processes, over the same server.
 */
export default benchmark({
  target: 'at most 2 × a bare NATS publish to its subscriber',
  async run({ quick }) {
    const { startNats, natsServer } = await importSource('test/support/nats.ts');
    if (natsServer === undefined) return [];
    const nats = await startNats();
    // The first owns the pod.
    const owner = await Node.start(nats.url, 'owner');
    const other = await Node.start(nats.url, 'other');
    const count = quick ? 50 : 300;
    const rounds = quick ? 2 : 5;
    /**
     * What a message takes longer from one participant to that of the other node than between participants of one node.
     *
     * @param {Node} from
     * @param {Node} to
     */
    const added = async (from, to) =>
      (await latency(from, to, { say: count })) - (await latency(owner, owner, { say: count }));
    const bare = () => latency(owner, other, { bare: count });
    const from = await interleave({ rounds, ours: () => added(owner, other), floor: bare });
    const to = await interleave({ rounds, ours: () => added(other, owner), floor: bare });
    await Promise.all([owner.end(), other.end()]);
    await nats.stop();
    const row = { unit: 'ms', against: 'a bare NATS publish to its subscriber', limit: { ratioAtMost: 2 } };
    return [
      { what: 'a message of 1,024 bytes to another node, added latency, p50', ...row, ...from },
      { what: 'the same from a node that does not own the pod', ...row, ...to },
    ];
  },
});

class Node {
  /** @type {import('node:child_process').ChildProcess} */
  #process;

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.#process = child;
  }

  /**
   * @param {string} url
   * @param {string} name
   */
  static async start(url, name) {
    const child = fork(NODE, [url, temporaryFolder(), name]);
    await once(child, 'message');
    return new Node(child);
  }

  /**
   * @param {{ say?: number, bare?: number }} told
   * @returns {Promise<{ said: [string, number][], heard: [string, number][] }>}
   */
  async tell(told) {
    const answer = once(this.#process, 'message');
    this.#process.send(told);
    return (await answer)[0];
  }

  async end() {
    const ended = once(this.#process, 'exit');
    this.#process.send({ end: true });
    await ended;
  }
}

/**
 * The median of what messages took from one node to another, or within it.
 *
 * @param {Node} from
 * @param {Node} to
 * @param {{ say?: number, bare?: number }} told
 */
async function latency(from, to, told) {
  const { said, heard } = await from.tell(told);
  const there = new Map(from === to ? heard : (await to.tell({})).heard);
  const took = said.map(([id, at]) => {
    const arrival = there.get(id);
    if (arrival === undefined) throw new Error(`${id} was not heard`);
    return arrival - at;
  });
  return took.sort((one, other) => one - other)[took.length >> 1] ?? Number.NaN;
}
