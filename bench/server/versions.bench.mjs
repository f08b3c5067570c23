import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmark, interleave } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

/** A checkout of another version, built: `npm run bench -- versions --against ../infold-before`. */
const OLD = process.env.BENCH_OLD;
const PROJECT = '/bench/shop';

let count = 0;
const ITEM = 'The queue is drained before a release, because a half-sent order cannot be taken back.';

/** What is called: an MCP tool, or a route. @type {Record<string, (server: Client) => Promise<unknown>>} */
const CALLS = {
  infold_status: (server) => server.tool('infold_status', {}),
  'context_branch and context_return': async (server) => {
    const session_id = 'bench';
    const branch = { description: 'Look', prompt: 'Look for it', project_path: PROJECT, session_id };
    await server.tool('context_branch', branch);
    await server.tool('context_return', { message: 'Found it', project_path: PROJECT, session_id });
  },
  'memory.discover': (server) =>
    server.tool('memory.discover', { query: 'release queue', session_id: 'bench' }),
  remember: (server) => server.tool('remember', { content: `${ITEM} ${++count}`, session_id: 'bench' }),
  context: (server) => server.tool('context', { goal: 'Release the queue', session_id: 'bench' }),
  search_records: (server) => server.tool('search_records', { model: 'orders', session_id: 'bench' }),
  'GET /api/sessions': (server) => server.get('/api/sessions'),
  'GET /api/memory/search': (server) => server.get('/api/memory/search?q=release%20queue'),
  'POST /api/memory/items': (server) => server.post('/api/memory/items', { content: `${ITEM} ${++count}` }),
  'GET /api/library/items': (server) => server.get('/api/library/items'),
};

/** What a call costs the server, against a version before. */
export default benchmark({
  target: 'server CPU per call at most 1.05 × that of the version before',
  async run({ quick }) {
    if (!OLD) {
      process.stderr.write('versions: left out; --against names the checkout to compare with\n');
      return [];
    }
    const ours = await Client.start(PROGRAM);
    const before = await Client.start(join(OLD, 'packages/server/bin/infold.mjs'));
    const calls = quick ? 40 : 150;
    try {
      const rows = [];
      for (const [what, call] of Object.entries(CALLS)) {
        const samples = await interleave({
          rounds: quick ? 5 : 15,
          warmup: 2,
          ours: () => ours.cost(call, calls),
          floor: () => before.cost(call, calls),
        });
        rows.push({
          what: `CPU of \`${what}\``,
          unit: 'µs',
          against: 'the version before',
          ...samples,
          limit: { ratioAtMost: 1.05 },
        });
      }
      return rows;
    } finally {
      await Promise.all([ours.stop(), before.stop()]);
    }
  },
});

class Client {
  #server;

  /** @param {ServerProcess} server */
  constructor(server) {
    this.#server = server;
  }

  /** @param {string} program */
  static async start(program) {
    const data = temporaryFolder();
    const orders = Array.from({ length: 1000 }, (_, id) =>
      JSON.stringify({ id, state: 'open', total: id * 3 }),
    );
    mkdirSync(join(data, 'files'));
    writeFileSync(join(data, 'files', 'orders.jsonl'), orders.join('\n'));
    const config = {
      sources: { orders: { type: 'jsonl', path: join(data, 'files', 'orders.jsonl'), id: 'id' } },
    };
    writeFileSync(join(data, 'config.json'), JSON.stringify(config));
    const server = await ServerProcess.start(program, [
      ...['serve', '--port', '0', '--data', join(data, 'data'), '--config', join(data, 'config.json')],
      ...['--log-level', 'error'],
    ]);
    const client = new Client(server);
    await client.tool('memory.setup', { session_id: 'bench' });
    for (let item = 0; item < 200; item++)
      await client.post('/api/memory/items', { content: `${ITEM} (${item})` });
    return client;
  }

  /** Microseconds of CPU a call. @param {(server: Client) => Promise<unknown>} call @param {number} times */
  async cost(call, times) {
    const { cpuMicroseconds: begun } = await this.#server.usage();
    for (let time = 0; time < times; time++) await call(this);
    const { cpuMicroseconds } = await this.#server.usage();
    return (cpuMicroseconds - begun) / times;
  }

  /** @param {string} name @param {object} input */
  async tool(name, input) {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    const answer = await this.post(`/mcp?project=${PROJECT}`, body);
    if (answer.error || answer.result.isError) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    return answer.result;
  }

  /** @param {string} path @param {object} body */
  post(path, body) {
    const accept = 'application/json, text/event-stream';
    const headers = { 'content-type': 'application/json', accept };
    return this.#answer(
      fetch(this.#server.url + path, { method: 'POST', headers, body: JSON.stringify(body) }),
    );
  }

  /** @param {string} path */
  get(path) {
    return this.#answer(fetch(this.#server.url + path));
  }

  /** @param {Promise<Response>} sent @returns {Promise<any>} */
  async #answer(sent) {
    const response = await sent;
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }

  stop() {
    return this.#server.stop();
  }
}
