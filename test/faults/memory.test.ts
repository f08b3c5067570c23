import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { LIMITS, type LimitName, type Limits } from '@infold/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  initializeCall,
  post,
  type Server,
  startServer,
  statusCall,
  temporaryFolder,
  until,
} from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { LONG } from '../support/runs.ts';
import { PATIENCE, pause } from './support.ts';

const MEGABYTE = 1024 * 1024;

/** Small ones, so that they are full soon; the long form fills those that users have. */
const SMALL: Partial<Limits> = {
  requestBytesInAll: 8 * MEGABYTE,
  requestBytes: MEGABYTE,
  readerBytesInAll: 8 * MEGABYTE,
  readerBufferBytes: MEGABYTE,
  recentBytesInAll: 4 * MEGABYTE,
  recentEnvelopeBytes: MEGABYTE,
  historyBufferBytes: 4 * MEGABYTE,
  podBufferBytes: MEGABYTE,
  envelopeBytes: 256 * 1024,
  contextBytesInAll: 4 * MEGABYTE,
  messageIdBytesInAll: MEGABYTE,
  httpConnections: 100,
  portConnections: 1000,
  podsOpen: 50,
  entryBytes: 8 * MEGABYTE,
  promptsHeldBytes: 4 * MEGABYTE,
};
const limits: Limits = { ...LIMITS, ...(LONG ? {} : SMALL) };
const bodyBytes = (LONG ? 64 : 4) * MEGABYTE;

/** The sum of the table in docs/operations.md, with these limits. */
function documentedSum(): number {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, table] = /<!-- memory: .*?-->\n([\s\S]*?)\n\n/.exec(text)!;
  const amountOf = (factor: string): number => {
    const [, name] = /^`(\w+)`$/.exec(factor) ?? [];
    if (name !== undefined) return limits[name as LimitName];
    if (factor === '`window.bodyBytes`') return bodyBytes;
    const [, number, unit] = /^(\d+)(?: (MB|KB))?$/.exec(factor)!;
    return Number(number) * (unit === 'MB' ? MEGABYTE : unit === 'KB' ? 1024 : 1);
  };
  const rows = table!.split('\n').slice(2);
  const bounds = rows.map((row) => row.split('|')[2]!.trim());
  const sums = bounds.map((bound) =>
    bound
      .split(' + ')
      .map((term) =>
        term
          .split(' × ')
          .map(amountOf)
          .reduce((product, factor) => product * factor),
      )
      .reduce((sum, term) => sum + term),
  );
  expect(sums.length).toBeGreaterThan(15);
  return sums.reduce((sum, row) => sum + row);
}

/** Words, which cannot be compressed away, in plain letters. */
const letters = (bytes: number) =>
  randomBytes(Math.ceil(bytes / 2))
    .toString('hex')
    .slice(0, bytes);

/** What attackers hold open, until they let go. */
class Held {
  readonly #sockets: (Socket | WebSocket)[] = [];

  keep<Kind extends Socket | WebSocket>(socket: Kind): Kind {
    socket.on('error', () => {});
    this.#sockets.push(socket);
    return socket;
  }

  release(): void {
    for (const socket of this.#sockets.splice(0)) {
      if (socket instanceof WebSocket) socket.terminate();
      else socket.destroy();
    }
  }
}

interface Target {
  server: Server;
  held: Held;
  round: number;
}

const raw = ({ server, held }: Target) => held.keep(connect(server.port, '127.0.0.1'));
const head = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${more}\r\n`;

async function socketsOf({ server, held }: Target, count: number, pod: (index: number) => string) {
  const url = server.url.replace('http', 'ws');
  const sockets = Array.from({ length: count }, (_, index) =>
    held.keep(
      new WebSocket(`${url}/ws?pod=${pod(index)}&participant=p-${index}`, { perMessageDeflate: false }),
    ),
  );
  await until(() => sockets.every(({ readyState }) => readyState !== WebSocket.CONNECTING), 60_000);
  return sockets;
}

/** Each takes more than its bound allows. The rest of the server is not asked whether it likes that. */
const FILLERS: Record<string, (target: Target) => Promise<void>> = {
  async 'messages that are never complete'(target) {
    const each = limits.envelopeBytes;
    const sockets = await socketsOf(target, Math.ceil((2 * limits.requestBytesInAll) / each), () => 'pieces');
    for (const socket of sockets)
      if (socket.readyState === WebSocket.OPEN) socket.send(letters(each), { fin: false }, () => {});
    await untilSomeAreGone(sockets);
  },

  async 'answers that nobody reads'(target) {
    const size = (await (await fetch(`${target.server.url}/mcp/tools/list`)).text()).length;
    const count = Math.min(800, Math.ceil((2 * limits.readerBytesInAll) / (20 * size)));
    for (let index = 0; index < count; index++) {
      const socket = raw(target);
      socket.pause();
      socket.write(head('GET', '/mcp/tools/list').repeat(40));
    }
    await pause(1500);
  },

  async 'notifications that nobody reads'(target) {
    const { server } = target;
    await severally(LONG ? 200 : 40, async () => {
      const began = await post(`${server.url}/mcp`, initializeCall);
      const id = began.headers.get('mcp-session-id')!;
      await began.text();
      const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
      await (await post(`${server.url}/mcp`, initialized, { 'mcp-session-id': id })).text();
      const socket = raw(target);
      socket.pause();
      socket.write(head('GET', '/mcp', `Mcp-Session-Id: ${id}\r\n`));
    });
    await severally(LONG ? 1000 : 200, async (index) => {
      const name = `n-${target.round}-${index}`;
      const call = {
        name: 'context_branch',
        arguments: { description: name, prompt: 'p', project_path: '/n', session_id: name },
      };
      await (await post(`${server.url}/mcp`, { ...statusCall, params: call })).text();
    });
  },

  async 'large messages for readers who do not read'(target) {
    const readers = await socketsOf(target, 40, () => 'slow');
    for (const reader of readers) reader.pause();
    const [speaker] = await socketsOf({ ...target }, 1, () => 'slow');
    await speak(speaker!, Math.ceil((2 * limits.readerBytesInAll) / limits.envelopeBytes) + 10, (index) => ({
      id: `slow-${target.round}-${index}`,
      kind: 'chat',
      payload: { text: letters(limits.envelopeBytes - 1000) },
    }));
    for (const reader of readers) reader.resume();
    await untilSomeAreGone(readers);
  },

  async 'large messages in many pods'(target) {
    const count = Math.ceil((3 * limits.recentBytesInAll) / limits.envelopeBytes);
    const sockets = await socketsOf(target, 20, (index) => `pod-${index}`);
    await Promise.all(
      sockets.map((socket, number) =>
        speak(socket, Math.ceil(count / 20), (index) => ({
          id: `many-${target.round}-${number}-${index}`,
          kind: 'chat',
          payload: { text: letters(limits.envelopeBytes - 1000) },
        })),
      ),
    );
  },

  async 'contexts with all that may be said of them'(target) {
    const each = limits.contextMetadataBytes - 2000;
    const count = Math.ceil((2 * limits.contextBytesInAll) / (3 * each));
    const sockets = await socketsOf(target, 10, (index) => `pod-${index}`);
    await Promise.all(
      sockets.map((socket, number) =>
        speak(socket, Math.ceil(count / 10), (index) => ({
          id: `context-${target.round}-${number}-${index}`,
          kind: 'chat',
          payload: {},
          context: { id: `c-${target.round}-${number}-${index}`, metadata: { why: letters(each) } },
        })),
      ),
    );
  },

  async 'messages with long ids'(target) {
    const count = Math.ceil((2 * limits.messageIdBytesInAll) / 300);
    const sockets = await socketsOf(target, 10, (index) => `pod-${index}`);
    await Promise.all(
      sockets.map((socket) =>
        speak(socket, Math.ceil(count / 10), () => ({ id: letters(250), kind: 'chat', payload: {} })),
      ),
    );
  },

  async 'connections of clients with much to say of themselves'({ server }) {
    const clientInfo = { name: letters(limits.httpConnectionBytes - 1000), version: '1' };
    await severally(limits.httpConnections * 1.3, async () => {
      const params = { ...initializeCall.params, clientInfo };
      await (await post(`${server.url}/mcp`, { ...initializeCall, params })).text();
    });
    const tooMuch = { name: letters(limits.httpConnectionBytes), version: '1' };
    const params = { ...initializeCall.params, clientInfo: tooMuch };
    expect((await post(`${server.url}/mcp`, { ...initializeCall, params })).status).toBe(413);
  },

  async 'calls with long names, words and texts'({ server, round }) {
    const size = Math.min(200_000, limits.requestBytes / 4);
    await severally(LONG ? 500 : 60, async (index) => {
      const unlike = `${round}-${index}-${letters(size)}`;
      const content = `${letters(2000)} ${letters(30_000)} ${index}`;
      const calls = [
        { name: 'context_status', arguments: { project_path: `/${unlike}` } },
        { name: 'remember', arguments: { content, project: '/words', [letters(64)]: 1 } },
        { name: letters(300), arguments: {} },
      ];
      for (const params of calls) await (await post(`${server.url}/mcp`, { ...statusCall, params })).text();
    });
  },

  async 'bodies that are never complete'(target) {
    const each = limits.requestBytes - 1000;
    const count = Math.ceil((2 * limits.requestBytesInAll) / each);
    const answers: string[] = [];
    let ended = 0;
    for (let index = 0; index < count; index++) {
      const socket = raw(target);
      socket.once('data', (chunk) => answers.push(chunk.toString()));
      // Who still writes when it is closed may lose the answer: that it was closed is what counts.
      socket.once('close', () => ended++);
      socket.write(head('POST', '/mcp', `Content-Length: ${limits.requestBytes}\r\n`));
      socket.write(letters(each));
    }
    await until(() => ended >= count / 2, 60_000);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 429/);
  },

  async 'conversations that are never complete'(target) {
    const path = '/model/anthropic/v1/messages';
    const passedOn = new Set<Socket>();
    for (let index = 0; index < 8; index++) {
      const socket = raw(target);
      // There is no model: who is not held any more learns it, or is closed while it still writes.
      for (const event of ['data', 'close']) socket.once(event, () => passedOn.add(socket));
      socket.write(head('POST', path, `Content-Length: ${bodyBytes}\r\n`));
      socket.write(`{"text":"${letters(bodyBytes - 1000)}`);
    }
    await until(() => passedOn.size >= 4, 60_000);
  },

  async 'prompts of many conversations'(target) {
    const each = Math.floor(limits.promptsHeldBytes / 8);
    await severally(24, async () => {
      const socket = raw(target);
      const answered = once(socket, 'data');
      const body = JSON.stringify({ model: 'model', messages: [{ role: 'user', content: letters(each) }] });
      const length = `Content-Length: ${body.length}\r\n`;
      socket.write(`${head('POST', '/model/openai/v1/chat/completions', length)}${body}`);
      await answered;
      socket.destroy();
    });
  },

  async 'answers of models that nobody reads'(target) {
    for (let index = 0; index < (LONG ? 1000 : 200); index++) {
      const socket = raw(target);
      socket.pause();
      const body = '{"messages":[]}';
      socket.write(
        `${head('POST', '/model/openai/v1/responses', `Content-Length: ${body.length}\r\n`)}${body}`,
      );
    }
    await pause(2000);
  },

  async 'more connections than there may be'(target) {
    // More files than this process may have open would tell nothing of the server.
    for (let index = 0; index < Math.min(limits.portConnections + 200, 15_000); index++) {
      raw(target);
      if (index % 500 === 499) await pause(20);
    }
    await pause(1000);
  },
};

const untilSomeAreGone = (sockets: readonly WebSocket[]) =>
  until(() => sockets.some(({ readyState }) => readyState === WebSocket.CLOSED), 60_000);

/** A model that goes on talking. */
async function endlessModel(): Promise<string> {
  const text = `data: ${letters(64 * 1024)}\n\n`;
  const model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const goOn = () => {
      while (response.write(text));
    };
    response.on('drain', goOn).on('error', () => {});
    goOn();
  });
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  onTestFinished(() => {
    model.closeAllConnections();
    model.close();
  });
  return `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
}

/** So many times, a few at a time. */
async function severally(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 6 }, lane));
}

/** Says so much, a little at a time, and reads what it is told. */
async function speak(socket: WebSocket, count: number, message: (index: number) => object): Promise<void> {
  let answered = 0;
  socket.on('message', (data: Buffer) => {
    const beginning = data.subarray(0, 400).toString();
    const isOwn = !beginning.includes('"system/') || beginning.includes('system/error');
    if (isOwn) answered++;
  });
  for (let sent = 0; sent < count && socket.readyState === WebSocket.OPEN; sent++) {
    socket.send(JSON.stringify(message(sent)), () => {});
    if (sent % 4 === 3)
      await until(() => answered >= sent - 8 || socket.readyState !== WebSocket.OPEN, 60_000);
  }
  await until(() => answered >= count || socket.readyState !== WebSocket.OPEN, 60_000);
}

/** Reads `/metrics` over one connection that stays: there may be no room for another. */
class Meter {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  /** The most that was resident since it was last set. */
  peak = 0;
  #isWatching = true;

  constructor(url: string) {
    this.#url = url;
  }

  async read(): Promise<{ resident: number; live: number }> {
    const text = await new Promise<string>((resolve, reject) => {
      const asked = request(`${this.#url}/metrics`, { agent: this.#agent }, (answer) => {
        let body = '';
        answer.on('data', (chunk) => {
          body += chunk;
        });
        answer.on('end', () => resolve(body));
      });
      asked.on('error', reject);
      asked.end();
    });
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)![1]);
    const resident = figure('process_resident_memory_bytes');
    this.peak = Math.max(this.peak, resident);
    const live = figure('nodejs_heap_size_used_bytes') + figure('nodejs_external_memory_bytes');
    return { resident, live };
  }

  async watch(): Promise<void> {
    while (this.#isWatching) {
      await this.read().catch(() => {});
      await pause(200);
    }
  }

  stop(): void {
    this.#isWatching = false;
    this.#agent.destroy();
  }
}

/** Node collects garbage when it likes; what is left without it is known only after it was asked to. */
async function collectGarbage(server: Server): Promise<void> {
  const [, address] = /Debugger listening on (ws:\S+)/.exec(server.stderr())!;
  const debug = new WebSocket(address!);
  await once(debug, 'open');
  debug.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(debug, 'message');
  debug.terminate();
}

test('with every buffer full the server takes no more than its documented sum, and filled again no more than before', {
  timeout: PATIENCE,
}, async () => {
  verifies('SUB-08', 'KERN-16');
  const config = join(temporaryFolder(), 'infold.config.json');
  const upstreams = { anthropic: { url: 'http://127.0.0.1:9' }, openai: { url: await endlessModel() } };
  writeFileSync(config, JSON.stringify({ limits: LONG ? {} : SMALL, window: { bodyBytes, upstreams } }));
  const args = ['--config', config, '--toolsets', 'fold,library,memory,transient,gateway'];
  const server = await startServer({ args, env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
  const held = new Held();
  const meter = new Meter(server.url);
  // What is loaded once is loaded: it is no buffer.
  const warm = { content: letters(100_000), project: '/warm' };
  const params = { name: 'remember', arguments: warm };
  await (await post(`${server.url}/mcp`, { ...statusCall, params })).text();
  await socketsOf({ server, held, round: 0 }, 1, () => 'warm');
  await pause(1000);
  const { resident: idle } = await meter.read();
  const watching = meter.watch();
  const left: number[] = [];
  const peaks: number[] = [];
  for (let round = 1; round <= 2; round++) {
    meter.peak = 0;
    for (const [name, fill] of Object.entries(FILLERS)) {
      await fill({ server, held, round });
      if (process.env.INFOLD_FAULT_VERBOSE) {
        process.stderr.write(
          `${round} ${name}: ${Math.round((await meter.read()).resident / MEGABYTE)} MB\n`,
        );
      }
    }
    peaks.push(meter.peak);
    held.release();
    await pause(3000);
    await collectGarbage(server);
    left.push((await meter.read()).live);
  }
  meter.stop();
  await watching;
  const sum = documentedSum();
  const inMegabytes = [idle, ...peaks, ...left, sum].map((bytes) => Math.round(bytes / MEGABYTE));
  process.stderr.write(`idle, peaks, live after each, documented sum: ${inMegabytes.join(', ')} MB\n`);
  expect(Math.max(...peaks)).toBeLessThan(idle + sum);
  expect(left[1]).toBeLessThan(left[0]! * 1.05 + 4 * MEGABYTE);
  expect((await server.stop()).code).toBe(0);
});
