import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { benchmark, interleave } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

const CONSOLES = 20;
const A_SECOND = 100;
/** One in so many is a turn of a conversation with a model. */
const TURNS = 10;
const agent = new Agent({ keepAlive: true });

/** What open consoles cost the server while agents work: this process is the agents and the consoles. */
export default benchmark({
  target: `server CPU with ${CONSOLES} consoles open at ${A_SECOND} events/s at most 1.3 × without`,
  async run({ quick }) {
    const model = await ServerProcess.start(
      fileURLToPath(new URL('../support/model-upstream.mjs', import.meta.url)),
    );
    const ours = await ServerProcess.start(PROGRAM, [
      ...['serve', '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn'],
      ...['--upstream', `anthropic=${model.url}`],
    ]);
    try {
      const seconds = quick ? 2 : 5;
      const rounds = { rounds: quick ? 5 : 12, warmup: 2 };
      const rows = [];
      for (const [mix, work, limit] of /** @type {const} */ ([
        ['reported operations, a tenth turns of conversations of 60 kB', doMix, { ratioAtMost: 1.3 }],
        ['reported operations alone', doOperation, undefined],
      ])) {
        rows.push({
          what: `CPU of the server for a second of ${A_SECOND} commits (${mix}) with ${CONSOLES} readers of \`/api/events?brief=true\``,
          unit: 'ms',
          against: 'the same without readers',
          ...(await interleave({
            ...rounds,
            ours: () => cpuPerSecond(ours, seconds, CONSOLES, work),
            floor: () => cpuPerSecond(ours, seconds, 0, work),
          })),
          ...(limit && { limit }),
        });
      }
      return rows;
    } finally {
      agent.destroy();
      await Promise.all([ours.stop(), model.stop()]);
    }
  },
});

/**
 * @param {ServerProcess} server
 * @param {number} seconds
 * @param {number} readers
 * @param {(url: string, number: number) => Promise<void>} work
 */
async function cpuPerSecond(server, seconds, readers, work) {
  const consoles = await Promise.all(Array.from({ length: readers }, () => openConsole(server.url)));
  await sleep(300);
  const before = await server.usage();
  const begun = performance.now();
  /** @type {Promise<void>[]} */
  const under = [];
  for (let count = 0; count < seconds * A_SECOND; count++) {
    const due = begun + (count * 1000) / A_SECOND;
    if (due > performance.now()) await sleep(due - performance.now());
    under.push(work(server.url, count));
  }
  await Promise.all(under);
  await sleep(300);
  const after = await server.usage();
  const seen = consoles.map((console) => console.close());
  if (seen.some((count) => count !== seen[0] || count < seconds * A_SECOND)) {
    throw new Error(`The readers saw ${seen.join(', ')} entries`);
  }
  return (after.cpuMicroseconds - before.cpuMicroseconds) / 1000 / seconds;
}

/** @param {string} url */
async function openConsole(url) {
  const opened = request(`${url}/api/events?brief=true`).end();
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (await once(opened, 'response'));
  let entries = 0;
  response.setEncoding('latin1').on('data', (/** @type {string} */ text) => {
    for (let at = text.indexOf('\ndata: '); at >= 0; at = text.indexOf('\ndata: ', at + 1)) entries++;
  });
  return {
    close() {
      opened.destroy();
      return entries;
    },
  };
}

const SESSIONS = 8;
const OUTPUT = 'A line of what a tool answered, of which an agent reads many.\n'.repeat(20);
let calls = 0;

/**
 * @param {string} url
 * @param {number} number
 */
async function doOperation(url, number) {
  const operation = { tool: 'Read', call_id: `call-${++calls}`, input: { path: 'src/a.ts' }, output: OUTPUT };
  await post(`${url}/api/sessions/agent-${number % SESSIONS}/operations`, { operations: [operation] });
}

/** @type {object[]} */
const MESSAGES = Array.from({ length: 20 }, (_, place) => {
  const id = `toolu_${place}`;
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/${place}` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: OUTPUT.repeat(2) }] },
  ];
}).flat();

/**
 * @param {string} url
 * @param {number} number
 */
async function doMix(url, number) {
  if (number % TURNS !== 0) return doOperation(url, number);
  const content = `What happened in step ${++calls}?`;
  const messages = [{ role: 'user', content }, ...MESSAGES];
  const session = { 'x-claude-code-session-id': `conversation-${number % SESSIONS}` };
  await post(`${url}/model/anthropic/v1/messages`, { model: 'model', stream: true, messages }, session);
}

/**
 * @param {string} url
 * @param {object} value
 * @param {Record<string, string>} [more]
 * @returns {Promise<void>}
 */
function post(url, value, more) {
  const body = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...more };
  return new Promise((resolve, reject) => {
    request(url, { agent, method: 'POST', headers }, (answer) => {
      answer.resume().once('end', resolve).once('error', reject);
      if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
    })
      .once('error', reject)
      .end(body);
  });
}
