import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { benchmark, interleave } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

const FLOODS = {
  initialize: 'connections begun (`initialize`)',
  pods: 'pods opened',
  packs: 'batches of 100 packs',
  imports: 'imports of 500 items',
  bytes: 'chunked bodies of 3 MB',
  strangers: 'requests with a bad token',
  streams: 'streams opened',
  sockets: 'WebSockets opened, each in a pod of its own',
};
/** `FLOODS=packs,pods` measures those alone, and shows how the flood was answered. */
const ONLY = process.env.FLOODS?.split(',');

/** Who is kept waiting. Calls that take a few milliseconds show best how long the pieces of the flood's calls are. */
const VICTIMS = {
  'an agent at work': (/** @type {number} */ number) => MIXED[number % MIXED.length]?.(number),
  'short calls': () => ['infold_status', {}],
};
const MIXED = [
  () => ['infold_status', {}],
  (/** @type {number} */ number) => [
    'remember',
    { content: `The answer to question ${number} is ${number * 7}` },
  ],
  () => ['context', { goal: 'what was decided about the retry budget' }],
];

/** What one principal's flood does to the calls of another organisation. */
export default benchmark({
  target: 'the 99th percentile of another organisation’s calls at most 3 × that of the same calls alone',
  async run({ quick }) {
    const rounds = quick ? 3 : 7;
    const calls = quick ? 120 : 300;
    const data = temporaryFolder();
    const [calm, flooder] = [await token(data, 'calm', 'one'), await token(data, 'flood', 'two')];
    const rows = [];
    for (const [kind, what] of Object.entries(FLOODS)) {
      if (ONLY && !ONLY.includes(kind)) continue;
      const server = await ServerProcess.start(PROGRAM, [
        ...['serve', '--port', '0', '--data', data, '--log-level', 'error'],
        ...['--toolsets', 'fold,library,memory,transient,gateway'],
      ]);
      await fill(server.url, flooder);
      await fill(server.url, calm);
      const flood = fork(fileURLToPath(new URL('./flood.mjs', import.meta.url)), [kind, server.url, flooder]);
      await once(flood, 'message');
      try {
        for (const [who, callOf] of Object.entries(VICTIMS)) {
          const victim = new Victim(server.url, calm, callOf);
          const samples = await interleave({
            rounds,
            ours: async () => {
              flood.send('start');
              await pause(FIRST);
              const worst = await victim.p99(calls);
              const told = once(flood, 'message');
              flood.send('stop');
              const [{ answers }] = await told;
              if (process.env.FLOODS)
                process.stderr.write(`${kind}, ${who}: p99 ${worst.toFixed(1)} ${JSON.stringify(answers)}\n`);
              await pause(AFTER);
              return worst;
            },
            floor: () => victim.p99(calls),
          });
          rows.push({
            what: `${who} under a flood of ${what}`,
            unit: 'ms',
            against: 'the same calls alone',
            ...samples,
            limit: { ratioAtMost: 3 },
          });
          victim.close();
        }
      } finally {
        flood.kill();
        await server.stop();
      }
    }
    return rows;
  },
});

/** How long a flood runs before it is measured, and how long its end is waited for. */
const FIRST = 1000;
const AFTER = 500;
/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param {string} data @param {string} name @param {string} org */
async function token(data, name, org) {
  const args = [PROGRAM, '--data', data, '--json', 'token', 'create', '--name', name, '--org', org];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return /** @type {string} */ (JSON.parse(stdout).token);
}

/** Something to search through. @param {string} url @param {string} bearer */
async function fill(url, bearer) {
  const words =
    'deploy migration retry budget payment queue index cache timeout release branch rollback'.split(' ');
  const items = Array.from({ length: 500 }, (_, index) => ({
    id: `item-${index}`,
    title: `Note ${index} on ${words[index % words.length]}`,
    content: Array.from({ length: 60 }, (_, word) => words[(index * 7 + word * word) % words.length]).join(
      ' ',
    ),
  }));
  const response = await fetch(`${url}/api/memory/import`, {
    method: 'POST',
    body: JSON.stringify({ items }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
  });
  if (!response.ok) throw new Error(`Filling failed: ${response.status} ${await response.text()}`);
}

/** One call at a time, each answered before the next. */
class Victim {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #url;
  #token;
  #callOf;
  #count = 0;

  /** @param {string} url @param {string} bearer @param {(number: number) => unknown} callOf */
  constructor(url, bearer, callOf) {
    this.#url = url;
    this.#token = bearer;
    this.#callOf = callOf;
  }

  /** @param {number} calls */
  async p99(calls) {
    const times = [];
    for (let count = 0; count < calls; count++) times.push(await this.#call());
    times.sort((one, other) => one - other);
    return times[Math.ceil(times.length * 0.99) - 1] ?? 0;
  }

  close() {
    this.#agent.destroy();
  }

  /** @returns {Promise<number>} */
  #call() {
    const [name, input] = /** @type {[string, object]} */ (this.#callOf(this.#count++));
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    });
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#url}/mcp`,
        {
          method: 'POST',
          agent: this.#agent,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${this.#token}`,
          },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => {
            if (response.statusCode !== 200 || text.includes('"isError":true')) {
              reject(new Error(`The victim was refused: ${response.statusCode} ${text.slice(0, 300)}`));
            } else resolve(performance.now() - started);
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
