import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';
import { PAGE, pageOf, ROOT } from './page.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const project_path = '/home/someone/shop';
const RULE = 'coding/ROUNDING.md';

const pause = () => new Promise((resolve) => setTimeout(resolve, 500));

/** Which source files each of five calls passes in the built program of a checkout, in the order in which it first does. */
export async function traceWalks(checkout) {
  const data = mkdtempSync(join(tmpdir(), 'infold-walks-'));
  const records = join(ROOT, 'examples/records/infold.config.json');
  const child = fork(
    here('./traced-server.mjs'),
    [checkout, 'serve', '--port', '0', '--data', data, '--config', records, '--log-level', 'warn'],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: { PATH: process.env.PATH, HOME: data } },
  );
  try {
    const [line] = await once(child.stdout, 'data');
    const [url] = /http:\/\/\S+/.exec(String(line)) ?? [];
    if (!url) throw new Error(`The program did not say where it listens: ${line}`);
    return await follow(child, url);
  } finally {
    child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function follow(child, url) {
  const trace = async (door, call) => {
    child.send({ begin: door });
    await call();
    const answer = once(child, 'message');
    child.send({ end: true });
    return (await answer)[0].files;
  };
  const client = new Client({ name: 'walker', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const call = async (name, input) => {
    const result = await client.callTool({ name, arguments: input });
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result.structuredContent;
  };
  const thread = { session_id: 'walks-thread' };
  await call('memory.setup', thread);
  const body = '# Rounding\n\n## Totals\n\n- Round once\n';
  await call('draft', { ...thread, resource: 'rule', op: { create: { path: RULE, body } } });
  const content = 'Totals are rounded once, at the end, in checkout.ts.';
  await call('remember', { project: project_path, title: 'Rounding', kind: 'decision', content });

  const walks = {};
  /** The first time loads, compiles and caches: the second is what every later call is like. */
  const walk = async (title, name, input) => {
    await call(name, input());
    // Commits of the first would otherwise take some of the second along.
    await pause();
    walks[title] = await trace('http', () => call(name, input()));
  };
  const branch = () => ({ project_path, description: 'Find the cause', prompt: 'Look into checkout.ts' });
  await walk('context_branch', 'context_branch', branch);
  walks.envelope = await envelope(url, trace);
  await walk('memory.load', 'memory.load', () => ({ ...thread, ids: [RULE], knownHashes: { [RULE]: '' } }));
  await walk('context', 'context', () => ({ project: project_path, goal: 'Find the cause in checkout.ts' }));
  await walk('search_records', 'search_records', () => ({ model: 'activity', per_page: 3, lean: true }));
  await client.close();
  return walks;
}

/** From one participant of a pod to another. */
async function envelope(url, trace) {
  const join = async (participant) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?pod=walks&participant=${participant}`);
    await once(socket, 'message');
    return socket;
  };
  const [sender, receiver] = [await join('sender'), await join('receiver')];
  let count = 0;
  const say = async () => {
    const id = `walk-${++count}`;
    const arrived = new Promise((resolve) => {
      receiver.on('message', (text) => JSON.parse(String(text)).id === id && resolve());
    });
    const from = 'sender';
    const payload = { text: 'The cause is in checkout.ts' };
    const sent = { protocol: 'mcpp/v0.1', id, ts: new Date().toISOString(), from, kind: 'chat', payload };
    sender.send(JSON.stringify(sent));
    await arrived;
    // What the sender is told of its storing comes a little later.
    await pause();
  };
  await say();
  const files = await trace('socket', say);
  sender.terminate();
  receiver.terminate();
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first] = process.argv.slice(2);
  if (first === '--write') {
    writeFileSync(PAGE, pageOf(readFileSync(PAGE, 'utf8'), await traceWalks(ROOT)));
  } else {
    for (const [call, files] of Object.entries(await traceWalks(first ?? ROOT))) {
      const lines = files.map((file) => `  ${file}\n`).join('');
      process.stdout.write(`${call} passes ${files.length} files:\n${lines}`);
    }
  }
}
