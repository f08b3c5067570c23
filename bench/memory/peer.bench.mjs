import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { benchmark, interleave, time } from '../harness.mjs';
import { PROGRAM, temporaryFolder } from '../support/server-process.mjs';
import { randomFrom, sentence, turns } from './retrieval/bulk.mjs';
import { openStore } from './store.mjs';

const PEER = '@modelcontextprotocol/server-memory';
const CALLS_A_ROUND = 5;
/** A server that was just started runs its first calls several times slower. */
const WARMUP = 10;

/** An MCP server on standard input and output. */
class StdioServer {
  #child;
  #waiting = /** @type {Map<number, (message: any) => void>} */ (new Map());
  #next = 1;

  /** @param {string[]} values @param {Record<string, string>} [more] */
  constructor(values, more = {}) {
    this.#child = spawn(process.execPath, values, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...more },
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** @param {string} method @param {object} params @returns {Promise<any>} */
  request(method, params) {
    const id = this.#next++;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async open() {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return this;
  }

  /** @param {string} name @param {object} input */
  async call(name, input) {
    const { result, error } = await this.request('tools/call', { name, arguments: input });
    if (error || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result.content)}`);
    return result;
  }

  close() {
    this.#child.stdin.end();
    this.#child.kill();
  }
}

/** The peer is fetched for this run alone; without it there is nothing to compare with. */
function peerProgram() {
  const given = process.env.INFOLD_BENCH_PEER;
  const folder = given ?? temporaryFolder();
  try {
    if (!given) {
      execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', PEER], {
        stdio: 'ignore',
        timeout: 120_000,
      });
    }
    const home = join(folder, 'node_modules', ...PEER.split('/'));
    const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    const program = join(home, /** @type {string} */ (typeof bin === 'string' ? bin : Object.values(bin)[0]));
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} program @param {number} count */
async function openPeer(program, count) {
  const file = join(temporaryFolder(), 'memory.jsonl');
  let text = '';
  for (const turn of turns(count)) {
    text += `${JSON.stringify({ type: 'entity', name: turn.id, entityType: 'turn', observations: [turn.content] })}\n`;
  }
  writeFileSync(file, text);
  return { file, server: await new StdioServer([program], { MEMORY_FILE_PATH: file }).open() };
}

/** Writing one item and searching for a word, over stdio, beside the reference memory server. */
export default benchmark({
  target:
    'write at least 20 × and search at least 8 × faster than the reference server at 10,000 items; ours flat to 50,000',
  async run({ quick }) {
    const program = peerProgram();
    if (!program) {
      process.stderr.write(
        `Skipped: ${PEER} could not be fetched, and INFOLD_BENCH_PEER does not name a folder with it.\n`,
      );
      return [];
    }
    const rounds = quick ? 3 : 10;
    const random = randomFrom(3);
    const sizes = [10_000, quick ? 20_000 : 50_000];
    const ours = [];
    const peers = [];
    for (const size of sizes) {
      const store = await openStore(size);
      await store.close();
      ours.push(
        await new StdioServer([PROGRAM, 'stdio', '--data', store.folder, '--project', 'bulk']).open(),
      );
      peers.push(await openPeer(program, size));
    }
    let number = 0;
    const each = async (/** @type {(index: number) => Promise<unknown>} */ work) =>
      (await time(async () => {
        for (let index = 0; index < CALLS_A_ROUND; index++) await work(index);
      })) / CALLS_A_ROUND;
    const oursWrite = (/** @type {number} */ which) =>
      each(
        () =>
          ours[which]?.call('remember', { content: `${sentence(random, 15)} ${++number}` }) ??
          Promise.resolve(),
      );
    const peerWrite = (/** @type {number} */ which) =>
      each(() => {
        const entity = { name: `new-${++number}`, entityType: 'turn', observations: [sentence(random, 15)] };
        return peers[which]?.server.call('create_entities', { entities: [entity] }) ?? Promise.resolve();
      });
    const oursSearch = (/** @type {number} */ which) => {
      const asked = Array.from({ length: CALLS_A_ROUND }, () => sentence(random, 1));
      return each(
        (index) =>
          ours[which]?.call('context', { goal: asked[index], limit: 10, include_related: false }) ??
          Promise.resolve(),
      );
    };
    const peerSearch = (/** @type {number} */ which) =>
      each(
        () => peers[which]?.server.call('search_nodes', { query: sentence(random, 1) }) ?? Promise.resolve(),
      );
    const rows = [
      {
        what: 'write one item over stdio at 10,000 items',
        unit: 'ms',
        against: PEER,
        ...(await interleave({
          rounds,
          warmup: WARMUP,
          ours: () => oursWrite(0),
          floor: () => peerWrite(0),
        })),
        limit: { ratioAtMost: 1 / 20 },
      },
      {
        what: 'search over stdio at 10,000 items',
        unit: 'ms',
        against: PEER,
        ...(await interleave({
          rounds,
          warmup: WARMUP,
          ours: () => oursSearch(0),
          floor: () => peerSearch(0),
        })),
        limit: { ratioAtMost: 1 / 8 },
      },
      {
        what: 'ours: write at 50,000 items',
        unit: 'ms',
        against: 'ours at 10,000',
        ...(await interleave({
          rounds,
          warmup: WARMUP,
          ours: () => oursWrite(1),
          floor: () => oursWrite(0),
        })),
        limit: { ratioAtMost: 1.5 },
      },
      {
        what: `${PEER}: write at 50,000 items`,
        unit: 'ms',
        against: 'the same at 10,000',
        ...(await interleave({
          rounds: Math.min(rounds, 4),
          ours: () => peerWrite(1),
          floor: () => peerWrite(0),
        })),
      },
      await survivors(ours[0], peers[0]),
    ];
    for (const server of [...ours, ...peers.map(({ server: peer }) => peer)]) server.close();
    return rows;
  },
});

/** Ten writes at once: how many of them are there afterwards. @param {any} ours @param {any} peer */
async function survivors(ours, peer) {
  const names = Array.from({ length: 10 }, (_, index) => `survivor${index}`);
  await Promise.allSettled(names.map((name) => ours.call('remember', { content: `${name} zzyzx` })));
  await Promise.allSettled(
    names.map((name) =>
      peer.server.call('create_entities', { entities: [{ name, entityType: 'zzyzx', observations: [] }] }),
    ),
  );
  const pack = await ours.call('context', { goal: 'zzyzx', limit: 50 });
  const kept = readFileSync(peer.file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('zzyzx')).length;
  return {
    what: 'ten writes at once that survive',
    unit: 'items',
    against: PEER,
    ours: [pack.structuredContent.total_items],
    floor: [Math.max(kept, 1e-9)],
    limit: { atLeast: 10 },
  };
}
