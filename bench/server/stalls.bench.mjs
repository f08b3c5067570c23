import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, envelope } from '../gateway/pods.mjs';
import { benchmark } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';
import { fillFolder, podName, projectPath } from './large-folder.mjs';

const WRITERS = 50;
/** How long another process holds the lock: less than a writer waits for it. */
const HELD = 3000;
/** After the start: what was left undone is made up for, sessions of yesterday are ended. */
const SETTLE = 6000;
/** A folder that was filled before, for who looks for what takes long; each step's longest stall is told too. */
const FILLED = process.env.STALLS_FOLDER;
const HOLDER = fileURLToPath(new URL('./lock-holder.mjs', import.meta.url));

/**
 * The longest time that a server does nothing else, told by itself. The floor is a server of the SDK that nobody calls
 * meanwhile: what it stands still is the machine's doing.
 */
export default benchmark({
  target:
    'at most 100 ms on a folder of 1,000,000 entries, at most 50 ms with 50 writers that wait for the lock',
  async run({ quick }) {
    const entries = quick ? 20_000 : 1_000_000;
    const filled = FILLED ?? temporaryFolder();
    if (FILLED === undefined) await fillFolder(filled, entries);
    process.env.BENCH_STALLS = '1';
    const idle = await ServerProcess.startBare();
    /** @type {Record<'opening' | 'waiting', { ours: number[], floor: number[] }>} */
    const samples = { opening: { ours: [], floor: [] }, waiting: { ours: [], floor: [] } };
    try {
      for (let round = 0; round < (quick ? 2 : 5); round++) {
        const folder = temporaryFolder();
        copy(join(filled, 'infold.db'), join(folder, 'infold.db'));
        const server = await startOn(folder);
        try {
          // What was loaded before anybody could connect kept nobody waiting.
          await Promise.all([server.stall(), idle.stall()]);
          samples.opening.ours.push(await longest(server, visitAll(server.url)));
          samples.opening.floor.push(await idle.stall());
          samples.waiting.ours.push(await longest(server, writeWhileLocked(server.url, folder)));
          samples.waiting.floor.push(await idle.stall());
        } finally {
          await server.stop();
        }
        rmSync(folder, { recursive: true });
      }
    } finally {
      delete process.env.BENCH_STALLS;
      await idle.stop();
    }
    const shared = { unit: 'ms', against: 'an idle server at the same time' };
    const size = entries.toLocaleString('en');
    return [
      {
        what: `longest stall from the start on a folder of ${size} entries through the first calls of every door`,
        ...{ ...shared, ...samples.opening, limit: { atMost: 100 } },
      },
      {
        what: `longest stall while ${WRITERS} writers wait for a lock that another process holds`,
        ...{ ...shared, ...samples.waiting, limit: { atMost: 50 } },
      },
    ];
  },
});

/** What is still on its way to the disk would hold up the server's own writes. @param {string} from @param {string} to */
function copy(from, to) {
  copyFileSync(from, to);
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** @param {string} folder */
function startOn(folder) {
  return ServerProcess.start(PROGRAM, [
    ...['serve', '--port', '0', '--data', folder, '--log-level', 'error'],
    ...['--toolsets', 'fold,library,memory,transient,gateway'],
  ]);
}

/** @param {ServerProcess} server @param {AsyncGenerator<string>} steps */
async function longest(server, steps) {
  let most = 0;
  for await (const step of steps) {
    const stall = await server.stall();
    if (FILLED !== undefined) process.stderr.write(`${step}: ${stall.toFixed(1)} ms\n`);
    most = Math.max(most, stall);
  }
  return most;
}

/**
 * Each door for the first time since the start, while what was left undone is made up for; then pods are reopened.
 *
 * @param {string} url
 */
async function* visitAll(url) {
  const goal = 'what was decided about the retry budget';
  const project = projectPath(0);
  /** @type {[string, Record<string, unknown>][]} */
  const calls = [
    ['infold_status', {}],
    ['context', { goal }],
    ['context', { goal, layer: 'wake', project }],
    ['context', { goal, layer: 'deep_search', project }],
    ['synthesis_plan', { goal, project }],
    ['remember', { content: 'The retry budget is three attempts in ten seconds.', project }],
    ['memory.setup', { session_id: 'host-of-the-bench' }],
    ['memory.discover', { session_id: 'host-of-the-bench' }],
    ['suggest_workflow', { goal }],
    ['pod_send', { pod: podName(0), text: 'Hello to everyone who is here.' }],
    ['pod_read', { pod: podName(1) }],
    ['pod_contexts', { pod: podName(2) }],
  ];
  const session = { session_id: await begin(url, project) };
  yield 'context_branch';
  for (const [name, input] of calls) {
    await call(url, name, input);
    yield name;
  }
  const end = { ...session, project_path: project };
  await call(url, 'context_return', { ...end, message: 'The budget was found in the design notes.' });
  yield 'context_return';
  const routes = [
    ...['/', '/readyz', '/metrics', '/mcp/tools/list', '/api/sessions', '/api/pods'],
    ...[`/api/pods/${podName(3)}/contexts`, `/api/pods/${podName(4)}/search?q=budget`],
    ...['/api/memory/search?q=budget', '/api/attestation/turns', '/api/attestation/days'],
  ];
  for (const route of routes) {
    const response = await fetch(url + route);
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    yield route;
  }
  const sockets = [];
  for (let index = 0; index < 40; index++) {
    const address = `${url.replace('http', 'ws')}/ws?pod=${podName(index)}&participant=sender`;
    const socket = await connect(index % 4 === 0 ? `${address}&since=0` : address);
    socket.send(envelope());
    sockets.push(socket);
  }
  await sleep(SETTLE);
  yield 'pods reopened, sessions ended, branches told';
  for (const socket of sockets) socket.terminate();
}

/** @param {string} url @param {string} project */
async function begin(url, project) {
  const { session_id } = await call(url, 'context_branch', {
    project_path: project,
    description: 'Search the design notes',
    prompt: 'Find what was decided about the retry budget.',
  });
  return session_id;
}

/** @param {string} url @param {string} folder */
async function* writeWhileLocked(url, folder) {
  const holder = fork(HOLDER, [join(folder, 'infold.db'), String(HELD)]);
  const ended = once(holder, 'exit');
  await once(holder, 'message');
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    call(url, 'remember', {
      content: `Writer ${index} waited for its turn, and was not told that it failed.`,
    }),
  );
  await Promise.all(writers);
  await ended;
  yield `${WRITERS} writers`;
}

/**
 * @param {string} url
 * @param {string} name
 * @param {Record<string, unknown>} input
 * @returns {Promise<any>}
 */
async function call(url, name, input) {
  const version = '2026-07-28';
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: input,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const answer = await response.json();
  if (!answer.result || answer.result.isError) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer.result.structuredContent;
}
