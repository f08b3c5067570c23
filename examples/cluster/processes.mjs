import { spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The program as a person starts it. Nothing in this example imports it. */
const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/infold.mjs', import.meta.url));
const PATIENCE = 60_000;

/** Debian puts servers where only root's PATH looks. */
export function findNats() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders
    .map((folder) => join(folder, 'nats-server'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A program that is started, killed and started again, with the same files and ports. */
class Part {
  #child;
  #command;
  #words;
  #folder;
  #isReady;
  #isRetired = false;
  /** True while it is supposed to run. */
  isMeantToRun = false;
  isStopped = false;

  constructor({ name, url, folder, command, words, isReady }) {
    Object.assign(this, { name, url });
    this.#command = command;
    this.#words = words;
    this.#folder = folder;
    this.#isReady = isReady;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** From now on it stays down. */
  retire() {
    this.#isRetired = true;
  }

  /** A process group of its own: Ctrl-C is for us, and we end the others in good order. */
  start() {
    if (this.isRunning || this.#isRetired) return;
    this.isMeantToRun = true;
    this.isStopped = false;
    const log = openSync(join(this.#folder, `${this.name}.log`), 'a');
    const env = { PATH: process.env.PATH ?? '', HOME: tmpdir() };
    const child = spawn(this.#command, this.#words, { env, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#child = child;
    const pidFile = join(this.#folder, `${this.name}.pid`);
    writeFileSync(pidFile, String(child.pid));
    child.once('exit', () => rmSync(pidFile, { force: true }));
  }

  async ready() {
    const deadline = performance.now() + PATIENCE;
    while (!(await this.#isReady(this))) {
      if (!this.isRunning || performance.now() > deadline) {
        throw new Error(`${this.name} ${this.isRunning ? 'is not ready' : 'has ended'}:\n${this.log()}`);
      }
      await wait(50);
    }
  }

  /** SIGKILL, as if its machine had died, or SIGTERM, as when it is restarted. */
  async end(signal) {
    this.isMeantToRun = false;
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    await ended;
  }

  /** Its connections stay open, and nobody answers. */
  stop() {
    this.isStopped = true;
    this.#child.kill('SIGSTOP');
  }

  continue() {
    this.isStopped = false;
    this.#child.kill('SIGCONT');
  }

  /** The name that a node gave itself when it first had this folder. */
  id() {
    const file = join(this.#folder, this.name, 'node');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** The last lines that it wrote. */
  log() {
    return readFileSync(join(this.#folder, `${this.name}.log`), 'utf8')
      .split('\n')
      .slice(-12)
      .join('\n');
  }
}

/** What an address answers within a second, or undefined. */
export async function ask(url, options = {}) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000), ...options });
    return { ok: response.ok, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** Three NATS servers and three nodes on loopback, with their files in one temporary folder. */
export async function startCluster(nats) {
  const folder = mkdtempSync(join(tmpdir(), 'infold-cluster-'));
  const end = removeAtEnd(folder);
  const ports = await freePorts(12);
  const take = () => ports.pop();
  const places = ['nats-0', 'nats-1', 'nats-2'].map((name) => {
    return { name, client: take(), monitor: take(), route: take() };
  });
  const routes = places.map(({ route }) => `nats://127.0.0.1:${route}`);
  const servers = places.map(
    ({ name, client, monitor, route }) =>
      new Part({
        ...{ name, folder, command: nats, url: `http://127.0.0.1:${monitor}` },
        words: [
          ...[
            '--name',
            name,
            '-a',
            '127.0.0.1',
            '-p',
            client,
            '-m',
            monitor,
            '-js',
            '-sd',
            join(folder, name),
          ],
          ...[
            '--cluster_name',
            'infold',
            '--cluster',
            `nats://127.0.0.1:${route}`,
            '--routes',
            routes.join(),
          ],
        ].map(String),
        isReady: async ({ url }) => (await ask(`${url}/healthz`))?.ok,
      }),
  );
  const urls = places.map(({ client }) => `nats://127.0.0.1:${client}`).join();
  const nodes = ['infold-0', 'infold-1', 'infold-2'].map((name) => {
    const port = take();
    return new Part({
      ...{ name, folder, command: process.execPath, url: `http://127.0.0.1:${port}` },
      words: [
        ...[PROGRAM, 'serve', '--nats', urls, '--port', String(port)],
        ...['--data', join(folder, name), '--log-level', 'warn'],
      ],
      isReady: async ({ url }) => (await ask(`${url}/readyz`))?.ok,
    });
  });
  const startAll = async (parts) => {
    for (const part of parts) part.start();
    await Promise.all(parts.map((part) => part.ready()));
  };
  const stop = async () => {
    for (const part of [...servers, ...nodes]) part.retire();
    const ended = Promise.all(nodes.map((node) => node.end('SIGTERM')));
    await Promise.race([ended, wait(10_000, undefined, { ref: false })]);
    await end();
  };
  try {
    await startAll(servers);
    await startAll(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { servers, nodes, stop };
}

/** Ends everything and removes its files: when called, and when this process dies in whatever way. */
function removeAtEnd(folder) {
  const script = 'read -r _; for f in "$0"/*.pid; do [ -f "$f" ] && kill -9 "$(cat "$f")"; done; rm -rf "$0"';
  const guard = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise((resolve) => guard.once('exit', resolve));
  guard.unref();
  return async () => {
    guard.ref();
    guard.stdin.end();
    await ended;
  };
}

/** Asked for at the same time, so that they differ. */
async function freePorts(count) {
  const holders = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve) => {
          const holder = createServer().listen(0, '127.0.0.1', () => resolve(holder));
        }),
    ),
  );
  const ports = holders.map((holder) => holder.address().port);
  await Promise.all(holders.map((holder) => new Promise((resolve) => holder.close(resolve))));
  return ports;
}
