import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** `bin/hook.mjs` and the plugins of hosts find the same address by the same rule. */
const PATH_BYTES = 100;

export function socketAddress(folder: string): string {
  const near = join(folder, 'hooks.sock');
  if (process.platform !== 'win32' && Buffer.byteLength(near) <= PATH_BYTES) return near;
  const name = `infold-${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(privateFolder(), `${name}.sock`);
}

/** Where a data folder's own path is too long for a socket. */
function privateFolder(): string {
  const owner = process.getuid?.() ?? 0;
  const folder = `/tmp/infold-${owner}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== owner || (stats.mode & 0o077) !== 0) {
    throw new Error(
      `${folder} is accessible to other users, so no hook socket is opened there; restrict it to yourself (chmod 700)`,
    );
  }
  return folder;
}

/**
 * A message of one line; the answer is written to the socket, or the socket is destroyed and the hook keeps the message.
 * The signal says when nobody waits for it any more.
 */
export type SocketAnswer = (line: string, gone: AbortSignal) => Promise<string | undefined>;

/** Of everything that is being said at once; what is more, hooks keep for later. */
const HELD_BYTES = 64 * 1024 * 1024;
const CONNECTIONS = 64;
/** Who connects and says nothing is not waited for. */
const PATIENCE = 5000;

/** The place where hooks are heard, while this process has it. */
export class HookSocket {
  readonly #address: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #inode: number | undefined;

  private constructor(address: string, server: Server, open: Set<Socket>, inode: number | undefined) {
    this.#address = address;
    this.#server = server;
    this.#open = open;
    this.#inode = inode;
  }

  /**
   * Listens, unless another process does and `takesOver` is false: undefined then. What a process that was killed left
   * behind is replaced. The name is changed in one step, so that a hook finds one listener or the other.
   */
  static async listen(
    address: string,
    answer: SocketAnswer,
    takesOver: boolean,
  ): Promise<HookSocket | undefined> {
    const isPipe = process.platform === 'win32';
    if (!isPipe && !takesOver && (await isHeard(address))) return undefined;
    const open = new Set<Socket>();
    const held = { bytes: 0 };
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      hear(socket, answer, held);
    });
    server.maxConnections = CONNECTIONS;
    if (isPipe)
      return (await begins(server, address)) ? new HookSocket(address, server, open, undefined) : undefined;
    const own = `${address.slice(0, -'.sock'.length)}.${process.pid}`;
    rmSync(own, { force: true });
    if (!(await begins(server, own))) return undefined;
    chmodSync(own, 0o600);
    const { ino } = statSync(own);
    renameSync(own, address);
    return new HookSocket(address, server, open, ino);
  }

  /** False once another process took the name over, or somebody removed it. */
  get isHeard(): boolean {
    if (this.#inode === undefined) return this.#server.listening;
    return statSync(this.#address, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Lets who is being answered have the answer. */
  async close(patience: number): Promise<void> {
    if (this.#inode !== undefined && this.isHeard) rmSync(this.#address, { force: true });
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const timer = setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, patience);
    await closed;
    clearTimeout(timer);
  }
}

function begins(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(address, () => resolve(true));
    // A host that has gone ends us; this is no reason to stay.
    server.unref();
  });
}

function isHeard(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const settle = (heard: boolean) => {
      socket.destroy();
      resolve(heard);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function hear(socket: Socket, answer: SocketAnswer, held: { bytes: number }): void {
  const chunks: Buffer[] = [];
  let size = 0;
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  const gone = new AbortController();
  socket.on('close', () => {
    held.bytes -= size;
    gone.abort();
  });
  socket.on('data', function take(chunk: Buffer) {
    size += chunk.length;
    held.bytes += chunk.length;
    if (held.bytes > HELD_BYTES) return void socket.destroy();
    chunks.push(chunk);
    if (chunk[chunk.length - 1] !== NEWLINE) return;
    socket.off('data', take);
    const line = Buffer.concat(chunks.splice(0)).toString();
    void answer(line, gone.signal).then(
      (text) => (text === undefined ? socket.destroy() : socket.end(`${text}\n`)),
      () => socket.destroy(),
    );
  });
}

const NEWLINE = 10;
