import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { answerOf, connectOverHttp, connectOverStdio, environment, PROGRAM } from '../support/mcp-agent.mjs';

/** The built program on one data folder, as people, hosts and participants use it. */

const EVERY_DOOR = ['--toolsets', 'fold,library,memory,transient,gateway'];

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
export async function overStdio(data, args, settings) {
  const all = ['--tool-names', 'seed', ...EVERY_DOOR, ...args];
  const options = { name: 'golden', args: all, env: settings, stderr: 'inherit' };
  return agent((await connectOverStdio(data, options)).client);
}

const overHttp = async (url, token) =>
  agent(await connectOverHttp(url, { name: 'golden', era: '2026', token }));

const agent = (client) => ({
  call: (name, input) => answerOf(client, name, input),
  close: () => client.close(),
});

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
