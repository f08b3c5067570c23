import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ServerTool {
  name: string;
  description?: string;
  inputSchema: unknown;
}

export interface CallResult {
  content?: readonly { type: string; text?: string }[];
  isError?: boolean;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const PROTOCOL = '2025-06-18';
/** `npx` may have to fetch Infold first. */
const START = 60_000;
/** A server that does not end when it is told to. */
const PATIENCE = 2_000;

/** Infold as a process of this host: as much of an MCP client as its tools need, over the process's streams. */
export class Server {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #ended: Error | undefined;

  private constructor(child: ChildProcess) {
    this.#process = child;
    createInterface({ input: child.stdout! }).on('line', (line) => this.#hear(line));
    child.on('error', (error) => this.#end(error));
    child.on('exit', (code) =>
      this.#end(new Error(`Infold ended (exit code ${code}); /reload starts it again`)),
    );
    child.stdin!.on('error', (error) => this.#end(error));
  }

  static async start(command: readonly string[], folder: string): Promise<Server> {
    const [program, ...args] = command;
    const child = spawn(program!, args, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      // npx is a script there.
      shell: process.platform === 'win32' && program === 'npx',
    });
    const server = new Server(child);
    try {
      const clientInfo = { name: 'pi', version: '1' };
      await server.#ask(
        'initialize',
        { protocolVersion: PROTOCOL, capabilities: {}, clientInfo },
        AbortSignal.timeout(START),
      );
      server.#write({ method: 'notifications/initialized' });
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  async tools(): Promise<readonly ServerTool[]> {
    const tools: ServerTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#ask('tools/list', cursor === undefined ? {} : { cursor });
      const { tools: more = [], nextCursor } = page as { tools?: ServerTool[]; nextCursor?: string };
      tools.push(...more);
      cursor = nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  async call(name: string, input: unknown, meta: object, signal?: AbortSignal): Promise<CallResult> {
    const params = { name, arguments: input ?? {}, _meta: meta };
    return (await this.#ask('tools/call', params, signal)) as CallResult;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null || this.#ended) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin!.end();
    const timer = setTimeout(() => this.#process.kill(), PATIENCE);
    await ended;
    clearTimeout(timer);
  }

  #ask(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      const stop = () => {
        this.#waiting.delete(id);
        this.#write({ method: 'notifications/cancelled', params: { requestId: id } });
        reject(new Error('The call was stopped'));
      };
      const settle =
        <Value>(done: (value: Value) => void) =>
        (value: Value) => {
          signal?.removeEventListener('abort', stop);
          done(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      signal?.addEventListener('abort', stop, { once: true });
      this.#write({ id, method, params });
    });
  }

  #write(message: object): void {
    if (!this.#ended) this.#process.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #hear(line: string): void {
    let message: { id?: unknown; method?: string; result?: unknown; error?: { message?: string } };
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    // What the server asks of a client is nothing that this one has.
    if (message.method !== undefined) {
      const error = { code: -32601, message: 'Not offered here' };
      if (message.id !== undefined) this.#write({ id: message.id, error });
      return;
    }
    const waiting = this.#waiting.get(message.id as number);
    this.#waiting.delete(message.id as number);
    if (message.error) waiting?.reject(new Error(message.error.message ?? 'Infold refused the call'));
    else waiting?.resolve(message.result);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
