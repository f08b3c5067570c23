import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebSocket } from 'ws';

/** The built program on one data folder, as people, hosts and participants use it. */

const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/infold.mjs', import.meta.url));
const EVERY_DOOR = ['--toolsets', 'fold,library,memory,transient,gateway'];
const environment = (more = {}) => ({ PATH: process.env.PATH ?? '', HOME: tmpdir(), ...more });

/** The answer of a command; an exit code that was not expected is an error. */
export async function command(data, args, expected = 0) {
  const child = spawn(process.execPath, [PROGRAM, '--data', data, '--json', ...args], {
    cwd: tmpdir(),
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  if (code !== expected) throw new Error(`infold ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

/** `infold serve` on a free port. */
export async function serve(data, settings) {
  const args = [PROGRAM, 'serve', '--port', '0', '--data', data, '--log-level', 'warn', ...EVERY_DOOR];
  const options = { cwd: tmpdir(), env: environment(settings), stdio: ['ignore', 'pipe', 'inherit'] };
  const child = spawn(process.execPath, args, options);
  process.once('exit', () => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = line.replace('infold listening on ', '');
  return {
    url,
    /** The answer of a route; a status that was not expected is an error. */
    async api(path, { token, body, expected } = {}) {
      const response = await fetch(`${url}/api${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (expected === undefined ? !response.ok : response.status !== expected) {
        throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      }
      return response.json();
    },
    agent: (token) => overHttp(`${url}/mcp`, token),
    participant: (query) => participant(url, query),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** An agent whose host starts the program: it is the local owner. */
export function overStdio(data, args, settings) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'stdio', '--data', data, '--tool-names', 'seed', ...EVERY_DOOR, ...args],
    env: environment(settings),
    stderr: 'inherit',
  });
  return connect(transport, {});
}

function overHttp(url, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return connect(transport, { versionNegotiation: { mode: 'auto' } });
}

async function connect(transport, options) {
  const client = new Client({ name: 'golden', version: '1' }, options);
  await client.connect(transport);
  return {
    /** What the tool answers; an error of the tool is one here too. */
    async call(name, input = {}) {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: input });
      if (isError) throw new Error(`${name}: ${content[0]?.text}`);
      return structuredContent;
    },
    close: () => client.close(),
  };
}

/** Somebody in a pod. */
async function participant(url, query) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?${new URLSearchParams(query)}`);
  const frames = [];
  socket.on('message', (frame) => frames.push(JSON.parse(String(frame))));
  await once(socket, 'open');
  return {
    /** Resolves when everyone hears it, the sender too. */
    async say(envelope) {
      socket.send(JSON.stringify(envelope));
      await until(() => frames.some(({ id }) => id === envelope.id));
    },
    async leave() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

export async function until(condition, milliseconds = 60_000) {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`What was waited for did not happen: ${condition}`);
    await pause(50);
  }
}
