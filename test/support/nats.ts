import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findProgram } from './installed.ts';

/** Where nats-server is; it is installed first where that can be done. Undefined: tests that need it are skipped. */
export const natsServer: string | undefined = await findProgram(['nats-server'], 'nats-server');
/** Part of the name of what is skipped then: `describe.skipIf(natsServer === undefined)(`… ${NEEDS_NATS}`, …)`. */
export const NEEDS_NATS = '(needs nats-server in the PATH, such as by "apt-get install nats-server")';

export interface NatsOptions {
  /** One alone, or three that are one cluster. */
  servers?: 1 | 3;
  /** So many of them are not started yet: the last ones wait for their `restart`. */
  late?: number;
  /** Something stands before the servers: they do not tell clients their own addresses. */
  isRelayed?: boolean;
  /** More of the server's configuration, such as its users or TLS; the same for every server. */
  config?: string;
}

export interface TestNatsServer {
  /** As `stream info` names it as a leader. */
  readonly name: string;
  readonly url: string;
  /** Where its files are. */
  readonly folder: string;
  /** Where it tells of itself over HTTP. */
  readonly monitorPort: number;
  readonly pid: number;
  /** Ends it as the death of its machine does, and waits until it has gone. */
  kill(): Promise<void>;
  /** Holds it still (SIGSTOP): its connections stay open, and nobody answers. */
  stop(): void;
  /** Lets it go on (SIGCONT). */
  continue(): void;
  /** Starts it again, with the same files and ports, after its end or instead of it. */
  restart(): Promise<void>;
  /** What it has printed. */
  log(): string;
}

export interface TestNats {
  /** The first server. */
  url: string;
  urls: string[];
  servers: TestNatsServer[];
  /** Resolves when every server answers, and JetStream has a leader. */
  ready(): Promise<void>;
  /** Ends all of it and removes its files. */
  stop(): Promise<void>;
}

const PATIENCE = 60_000;
const RESTARTS = 3;

/** Real NATS servers with JetStream on files, in a temporary folder and on free ports of loopback. */
export async function startNats(options: NatsOptions = {}): Promise<TestNats> {
  for (let tries = 1; ; tries++) {
    const nats = await prepare(options);
    try {
      const { late = 0 } = options;
      await Promise.all(nats.servers.slice(0, nats.servers.length - late).map((server) => server.restart()));
      if (late === 0) await nats.ready();
      return nats;
    } catch (error) {
      await nats.stop();
      // Somebody else may have taken a port meanwhile.
      if (tries === 3) throw error;
    }
  }
}

async function prepare({
  servers: count = 1,
  isRelayed = false,
  config = '',
}: NatsOptions): Promise<TestNats> {
  if (natsServer === undefined) throw new Error(`There is no NATS server ${NEEDS_NATS}`);
  const folder = mkdtempSync(join(tmpdir(), 'infold-nats-'));
  const ports = await freePorts(3 * count);
  const places = Array.from({ length: count }, (_, index) => ({
    name: `n${index + 1}`,
    client: ports[3 * index]!,
    monitor: ports[3 * index + 1]!,
    route: ports[3 * index + 2]!,
  }));
  const routes = places.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(', ');
  const servers = places.map((place) => {
    const cluster =
      count > 1 &&
      `cluster { name: infold, no_advertise: ${isRelayed}, listen: "127.0.0.1:${place.route}", routes: [${routes}] }`;
    return new Server(join(folder, place.name), place, [cluster || '', config].join('\n'));
  });
  const endsWithUs = removeAtEnd(folder);
  const urls = servers.map(({ url }) => url);
  return {
    url: urls[0]!,
    urls,
    servers,
    ready: async () => {
      await Promise.all(servers.map((server) => server.ready(count)));
    },
    stop: async () => {
      await Promise.all(servers.map((server) => server.kill()));
      await endsWithUs();
    },
  };
}

class Server implements TestNatsServer {
  readonly name: string;
  readonly url: string;
  readonly folder: string;
  readonly monitorPort: number;
  #process: ChildProcess | undefined;

  constructor(folder: string, place: { name: string; client: number; monitor: number }, config: string) {
    this.name = place.name;
    this.url = `nats://127.0.0.1:${place.client}`;
    this.folder = folder;
    this.monitorPort = place.monitor;
    mkdirSync(folder);
    writeFileSync(this.#path('log'), '');
    writeFileSync(
      this.#path('nats.conf'),
      `server_name: ${this.name}
listen: "127.0.0.1:${place.client}"
http: "127.0.0.1:${place.monitor}"
log_file: "${this.#path('log')}"
pid_file: "${this.#path('pid')}"
jetstream { store_dir: "${folder}", max_file_store: 8GB, max_memory_store: 256MB }
${config}
`,
    );
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  #path(name: string): string {
    return join(this.folder, name);
  }

  async restart(): Promise<void> {
    for (let tries = 1; ; tries++) {
      await this.kill();
      this.#start();
      try {
        await this.#until('answers', async () => (await this.#ask('/varz')) !== undefined);
        return;
      } catch (error) {
        // A connection that ended this instant may still have one of its ports.
        if (tries === RESTARTS) throw error;
        await wait(500);
      }
    }
  }

  /** As a supervisor does: nats-server 2.9 ends itself now and then where a key of a bucket is read while it is written. */
  #start(): void {
    const child = spawn(natsServer!, ['-c', this.#path('nats.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    let said = '';
    child.stderr!.on('data', (chunk) => {
      said += chunk;
    });
    child.once('exit', () => {
      if (this.#process !== child || !/panic: .*nil pointer/.test(said)) return;
      process.stderr.write(`${this.name} ended itself and is started again: ${said.slice(0, 300)}\n`);
      this.#start();
    });
  }

  /** In a cluster each server must have heard of the others, and of their leader. */
  async ready(servers: number): Promise<void> {
    await this.#until('has JetStream', async () => {
      const health = await this.#ask('/healthz');
      if (health?.status !== 'ok') return false;
      if (servers === 1) return true;
      const meta = (await this.#ask('/jsz'))?.meta_cluster as
        | { leader?: string; cluster_size: number; replicas?: { current: boolean; offline?: boolean }[] }
        | undefined;
      if (!meta?.leader || meta.cluster_size !== servers) return false;
      const followers = meta.replicas ?? [];
      return (
        meta.leader !== this.name ||
        (followers.length === servers - 1 && followers.every(({ current, offline }) => current && !offline))
      );
    });
  }

  async #ask(path: string): Promise<Record<string, unknown> | undefined> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.monitorPort}${path}`, {
        signal: AbortSignal.timeout(5_000),
      });
      return (await answer.json()) as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + PATIENCE;
    while (!(await holds())) {
      const ended = !this.#process || hasEnded(this.#process);
      if (ended || performance.now() > deadline) {
        throw new Error(`${this.name} ${ended ? 'ended before it' : 'never'} ${what}:\n${this.log()}`);
      }
      await wait(25);
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(this.#path('pid'), { force: true });
  }

  stop(): void {
    this.#process!.kill('SIGSTOP');
  }

  continue(): void {
    this.#process!.kill('SIGCONT');
  }

  log(): string {
    return readFileSync(this.#path('log'), 'utf8');
  }
}

/** Ends the servers of a folder and removes it: when called, and when this process dies in whatever way. */
function removeAtEnd(folder: string): () => Promise<void> {
  const script = 'read -r _; for f in "$0"/*/pid; do kill -9 "$(cat "$f")"; done; rm -rf "$0"';
  const guard = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  const ended = new Promise((resolve) => guard.once('exit', resolve));
  return async () => {
    guard.ref();
    guard.stdin!.end();
    await ended;
  };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/**
 * Below the range from which the system gives ports to whoever asks for any: there, another process may have one of these while
 * its server is being started again.
 */
const PORTS = { from: 10_000, to: 32_000 };

async function freePorts(count: number): Promise<number[]> {
  const holders = new Map<number, NetServer>();
  while (holders.size < count) {
    const port = randomInt(PORTS.from, PORTS.to);
    const holder = await hold(port);
    if (holder) holders.set(port, holder);
  }
  await Promise.all([...holders.values()].map((holder) => new Promise((resolve) => holder.close(resolve))));
  return [...holders.keys()];
}

/** Held until all are found, so that they differ; undefined where somebody has it. */
function hold(port: number): Promise<NetServer | undefined> {
  return new Promise((resolve) => {
    const holder = createServer();
    holder.once('error', () => resolve(undefined));
    holder.listen(port, '127.0.0.1', () => resolve(holder));
  });
}
