import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';

/**
 * One principal that wants everything for itself, in a process of its own: begins at `start`, ends at `stop`. Both ends
 * are bounded, in requests at once and in time.
 */
const [kind = '', url = '', token = ''] = process.argv.slice(2);
const LONGEST = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const BOTH = 'application/json, text/event-stream';

let flooding = false;
let count = 0;
/** @type {Record<string, number>} */
let answers = {};
/** @type {Set<{ close(): void }>} */
const open = new Set();

/**
 * @param {string} path
 * @param {object | string | (() => Generator<Buffer>)} body
 * @param {{ headers?: Record<string, string>, keep?: boolean, method?: string }} [options]
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders }>}
 */
function send(path, body, { headers = {}, keep = false, method = 'POST' } = {}) {
  return new Promise((resolve) => {
    const failed = () => resolve({ status: 0, headers: {} });
    const outgoing = request(
      url + path,
      {
        method,
        // A stream would hold on to a connection that others wait for.
        ...(keep ? { agent: false } : { agent }),
        headers: {
          'content-type': 'application/json',
          accept: BOTH,
          authorization: `Bearer ${token}`,
          ...headers,
        },
      },
      (response) => {
        const status = response.statusCode ?? 0;
        answers[status] = (answers[status] ?? 0) + 1;
        response.resume();
        response.on('error', failed);
        const done = () => resolve({ status, headers: response.headers });
        if (!keep || status !== 200) {
          response.on('end', done);
          response.on('close', done);
          return;
        }
        open.add({ close: () => outgoing.destroy() });
        done();
      },
    );
    outgoing.on('error', failed);
    if (typeof body !== 'function') {
      outgoing.end(method === 'GET' ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
      return;
    }
    for (const chunk of body()) outgoing.write(chunk);
    outgoing.end();
  });
}

/** @param {string} name @param {object} input */
const call = (name, input, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
};

/** A socket in a pod of its own or in a shared one. @param {string} pod */
function join(pod) {
  return new Promise((resolve) => {
    const address = `${url.replace('http', 'ws')}/ws?pod=${pod}`;
    const socket = new WebSocket(address, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    socket.on('error', () => {});
    socket.once('unexpected-response', (_request, response) => {
      answers[response.statusCode ?? 0] = (answers[response.statusCode ?? 0] ?? 0) + 1;
      response.destroy();
      resolve(undefined);
    });
    socket.once('open', () => {
      answers[101] = (answers[101] ?? 0) + 1;
      open.add({ close: () => socket.terminate() });
      resolve(socket);
    });
    socket.once('close', () => resolve(undefined));
  });
}

const MEGABYTE = Buffer.alloc(2 ** 20, 'a');
/** @type {Record<string, { lanes: number, turn: () => Promise<unknown> }>} */
const KINDS = {
  initialize: { lanes: 32, turn: () => send('/mcp', initialize) },
  pods: {
    lanes: 16,
    turn: () => {
      const context = { id: `c-${count}`, type: 'reasoning' };
      return send(
        '/mcp',
        call('pod_send', { pod: `pod-${process.pid}-${count++}`, kind: 'chat', payload: {}, context }),
      );
    },
  },
  packs: {
    lanes: 4,
    turn: () =>
      send(
        '/mcp',
        Array.from({ length: 100 }, (_, index) => call('context', { goal: GOAL }, index)),
      ),
  },
  imports: {
    lanes: 4,
    turn: () =>
      send('/api/memory/import', {
        items: Array.from({ length: 500 }, () => ({
          id: `import-${process.pid}-${count++}`,
          content: `Note ${count}: ${GOAL}. `.repeat(5),
        })),
      }),
  },
  bytes: {
    lanes: 8,
    turn: () =>
      send('/mcp', function* () {
        yield Buffer.from(
          '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"infold_status","arguments":{"x":"',
        );
        for (let part = 0; part < 3; part++) yield MEGABYTE;
        yield Buffer.from('"}}}');
      }),
  },
  strangers: {
    lanes: 64,
    turn: () => send('/mcp', call('infold_status', {}), { headers: { authorization: 'Bearer nobody' } }),
  },
  streams: {
    lanes: 8,
    turn: async () => {
      const { headers } = await send('/mcp', initialize);
      const session = String(headers['mcp-session-id'] ?? '');
      await send('/mcp', '', {
        method: 'GET',
        keep: true,
        headers: { 'mcp-session-id': session, accept: 'text/event-stream' },
      });
      await pause(open.size > 2000 ? 100 : 0);
    },
  },
  sockets: {
    lanes: 8,
    turn: async () => {
      const socket = open.size < 2000 ? await join(`crowd-${process.pid}-${count++}`) : undefined;
      const message = { id: `m-${process.pid}-${count++}`, kind: 'chat', payload: { text: 'x'.repeat(200) } };
      if (socket) socket.send(JSON.stringify(message));
      else await pause(20);
    },
  },
};
const GOAL = 'what was decided about deploys, migrations and the retry budget of payments';

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function flood() {
  const { lanes, turn } = /** @type {typeof KINDS[string]} */ (KINDS[kind]);
  const end = performance.now() + LONGEST;
  const lane = async () => {
    while (flooding && performance.now() < end) await turn();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

process.on('message', async (message) => {
  if (message === 'start') {
    flooding = true;
    answers = {};
    flood().then(() => process.send?.({ answers }));
  } else {
    flooding = false;
    for (const one of open) one.close();
    open.clear();
  }
});
process.send?.('ready');
