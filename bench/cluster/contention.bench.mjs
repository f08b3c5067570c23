import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { benchmark, interleave } from '../harness.mjs';
import { startNats } from './nats.mjs';

const WRITERS = 8;

/**
 * Eight writers report operations in one session, each the next one when the last is acknowledged: four on each of two nodes,
 * against all eight on one of them while the other only follows. Both nodes apply every entry either way.
 */
export default benchmark({
  target: 'at least 0.5 × the rate on one node, and no commit refused',
  async run({ quick }) {
    const nats = await startNats();
    if (!nats) return [];
    const each = quick ? 25 : 100;
    const nodes = [await WritingNode.start(nats.url), await WritingNode.start(nats.url)];
    const [first, second] = /** @type {[WritingNode, WritingNode]} */ (nodes);
    try {
      await second.ask(await first.ask({ begin: true }));
      let refused = 0;
      const rate = async (/** @type {[WritingNode, number][]} */ ...shares) => {
        const started = performance.now();
        const answers = await Promise.all(shares.map(([node, writers]) => node.ask({ writers, each })));
        const elapsed = performance.now() - started;
        refused += answers.reduce((sum, answer) => sum + answer.refused, 0);
        return (WRITERS * each * 1000) / elapsed;
      };
      const rounds = quick ? 5 : 20;
      let turn = 0;
      const samples = await interleave({
        rounds,
        warmup: 2,
        ours: () => rate([first, WRITERS / 2], [second, WRITERS / 2]),
        // In turns, since two nodes are never quite alike.
        floor: () => rate([turn++ % 2 === 0 ? first : second, WRITERS]),
      });
      return [
        {
          what: '8 writers in one session on two nodes',
          unit: 'commits/s',
          against: 'the same writers on one of the nodes',
          ...samples,
          limit: { ratioAtLeast: 0.5 },
        },
        {
          what: 'commits of those that were refused',
          unit: 'commits',
          against: 'all of them',
          ours: [refused],
          floor: [(rounds + 2) * 2 * WRITERS * each],
          limit: { atMost: 0 },
        },
      ];
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await nats.stop();
    }
  },
});

class WritingNode {
  /** @type {import('node:child_process').ChildProcess} */
  #child;

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.#child = child;
  }

  /** @param {string} url */
  static async start(url) {
    const child = fork(fileURLToPath(new URL('./writing-node.mjs', import.meta.url)), [url]);
    await once(child, 'message');
    return new WritingNode(child);
  }

  /**
   * @param {object} question
   * @returns {Promise<any>}
   */
  async ask(question) {
    const answer = once(this.#child, 'message');
    this.#child.send(question);
    return (await answer)[0];
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
