import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { benchmark, interleave } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const agent = new Agent({ keepAlive: true });

/** What a host notices of the door: this process is the host, model and server are others. */
export default benchmark({
  target:
    'added to the first byte at p95: at most 8 ms for a request of 200 kB, 40 ms for 2 MB; streams at least 0.95 × as fast as through a bare reverse proxy',
  async run({ quick }) {
    const model = await ServerProcess.start(path('../support/model-upstream.mjs'));
    const bare = await ServerProcess.start(path('./bare-proxy.mjs'), [model.url]);
    const ours = await ServerProcess.start(PROGRAM, [
      ...['serve', '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn'],
      ...['--upstream', `anthropic=${model.url}`],
    ]);
    try {
      const rows = [];
      for (const [size, bytes, atMost] of /** @type {[string, number, number][]} */ ([
        ['200 kB', 200_000, 8],
        ['2 MB', 2_000_000, 40],
      ])) {
        rows.push({
          what: `added to the first byte of an answer by \`/model/anthropic\`, request of ${size}: p95`,
          unit: 'ms',
          against: 'the same request straight to the model',
          ...(await added(`${ours.url}/model/anthropic`, model.url, bytes, quick)),
          limit: { atMost },
        });
      }
      const megabytes = quick ? 32 : 128;
      const sides = { ours: `${ours.url}/model/anthropic`, floor: bare.url };
      const against = 'bare reverse proxy (two pipes of `node:http`)';
      const rounds = { rounds: quick ? 5 : 15, warmup: 2 };
      rows.push({
        what: 'a streamed answer through `/model/anthropic`',
        unit: 'MB/s',
        against,
        ...(await interleave({
          ...rounds,
          ours: () => throughput(sides.ours, megabytes),
          floor: () => throughput(sides.floor, megabytes),
        })),
        limit: { ratioAtLeast: 0.95 },
      });
      rows.push({
        what: 'the same, CPU of the process in between for a gigabyte',
        unit: 'ms',
        against,
        ...(await interleave({
          ...rounds,
          ours: () => cpuPerGigabyte(ours, sides.ours, megabytes),
          floor: () => cpuPerGigabyte(bare, sides.floor, megabytes),
        })),
      });
      return rows;
    } finally {
      agent.destroy();
      await Promise.all([ours.stop(), bare.stop(), model.stop()]);
    }
  },
});

/**
 * A conversation that has grown to a size and goes on, turn by turn, as a coding agent's does. A sample is the p95 of some
 * turns, and ours the difference.
 *
 * @param {string} through
 * @param {string} direct
 * @param {number} bytes
 * @param {boolean} quick
 */
async function added(through, direct, bytes, quick) {
  const turns = quick ? 20 : 40;
  const samples = { ours: /** @type {number[]} */ ([]), floor: /** @type {number[]} */ ([]) };
  for (let round = -1; round < (quick ? 3 : 10); round++) {
    const conversation = new Conversation(bytes);
    const times = { through: /** @type {number[]} */ ([]), direct: /** @type {number[]} */ ([]) };
    await firstByte(through, conversation);
    for (let turn = 0; turn < turns; turn++) {
      conversation.goOn();
      times.direct.push(await firstByte(direct, conversation));
      times.through.push(await firstByte(through, conversation));
    }
    if (round < 0) continue;
    samples.ours.push(p95(times.through) - p95(times.direct));
    samples.floor.push(p95(times.direct));
  }
  return samples;
}

/** @param {number[]} times */
function p95(times) {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN;
}

class Conversation {
  /** @type {object[]} */
  #messages = [{ role: 'user', content: 'Find out why the tests fail, and mend it.' }];
  #size = 0;
  session = randomUUID();

  /** @param {number} bytes */
  constructor(bytes) {
    while (this.#size < bytes) this.goOn();
  }

  /** A file is read, as most of what agents do is. */
  goOn() {
    const number = this.#messages.length;
    const id = `toolu_${this.session.slice(0, 8)}_${number}`;
    const lines = Array.from(
      { length: 100 },
      (_, index) => `${index + 1}\texport const value${number}_${index} = compute(${index * number});`,
    );
    const turn = [
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id, name: 'Read', input: { file_path: `/project/src/file-${number}.ts` } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines.join('\n') }] },
    ];
    this.#messages.push(...turn);
    this.#size += JSON.stringify(turn).length;
    this.body = Buffer.from(
      JSON.stringify({ model: 'model', max_tokens: 100, stream: true, messages: this.#messages }),
    );
  }
}

/**
 * @param {string} base
 * @param {Conversation} conversation
 * @returns {Promise<number>}
 */
function firstByte(base, { body = Buffer.alloc(0), session }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'x-claude-code-session-id': session,
    };
    request(`${base}/v1/messages`, { agent, method: 'POST', headers }, (answer) => {
      let time = 0;
      answer.once('data', () => {
        time = performance.now() - started;
      });
      answer.once('end', () => resolve(time)).once('error', reject);
    })
      .once('error', reject)
      .end(body);
  });
}

/**
 * @param {string} base
 * @param {number} megabytes
 * @returns {Promise<number>} MB/s
 */
function throughput(base, megabytes) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const headers = { 'content-type': 'application/json' };
    request(`${base}/v1/messages?megabytes=${megabytes}`, { agent, method: 'POST', headers }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(megabytes / ((performance.now() - started) / 1000)))
        .once('error', reject);
    })
      .once('error', reject)
      .end('{"model":"model","messages":[{"role":"user","content":"Tell me everything"}]}');
  });
}

/**
 * @param {ServerProcess} server
 * @param {string} base
 * @param {number} megabytes
 */
async function cpuPerGigabyte(server, base, megabytes) {
  const before = await server.usage();
  await throughput(base, megabytes);
  const after = await server.usage();
  return ((after.cpuMicroseconds - before.cpuMicroseconds) / 1000) * (1024 / megabytes);
}
