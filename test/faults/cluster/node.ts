import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@infold/protocol';

const script = fileURLToPath(new URL('./node.mjs', import.meta.url));

export interface NodeOrder {
  name: string;
  folder: string;
  urls: readonly string[];
  replicas: number;
  /** When it makes snapshots, and compares its tables with those of the others. */
  upkeep?: { snapshotEntries?: number; look?: number; audit?: number };
  /** Limits the size of any file that it writes, in units of 1024 bytes: a disk that is full. */
  blocks?: number;
}

/** What a node answered instead; or nothing did, because it died. */
export class Refusal extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, retryable: boolean, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
    this.retryable = retryable;
  }
}

type Answers = {
  append: { answer: number; seq: number; replayed: boolean };
  read: { answer: string[]; seq: number };
  head: { seq: number; hash: string };
  reached: unknown;
  endAt: unknown;
  inspect: Inspection;
  spoil: unknown;
  snapshot: unknown;
  audit: unknown;
};

export interface Inspection {
  head: { seq: number; hash: string };
  digests: Record<string, string>;
  report: { ok: boolean; entries: number; first?: unknown };
  tables: { ok: boolean; different: string[] };
  entries: { seq: number; id: string; stream: string; rev: number }[];
}

/** A process of test/faults/cluster/node.mjs. */
export class TestNode {
  readonly name: string;
  /** What it said went wrong, without being asked. */
  readonly problems: string[] = [];
  readonly ended: Promise<NodeJS.Signals | number | null>;
  /** Resolves once it serves. */
  readonly ready: Promise<void>;
  isRunning = true;
  readonly #process: ReturnType<typeof spawn>;
  readonly #waiting = new Map<number, { resolve(line: never): void; reject(error: Refusal): void }>();
  #requests = 0;
  #stderr = '';

  constructor({ blocks, ...order }: NodeOrder) {
    this.name = order.name;
    const command = [process.execPath, script, JSON.stringify({ ...order, limits: LIMITS })];
    const limited = ['bash', '-c', `ulimit -f ${blocks} && exec "$@"`, 'bash', ...command];
    const [program, ...args] = blocks === undefined ? command : limited;
    const child = spawn(program!, args, { stdio: 'pipe' });
    this.#process = child;
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk) => {
      this.#stderr += chunk;
    });
    let begin = () => {};
    let fail = (_: Error) => {};
    this.ready = new Promise<void>((resolve, reject) => {
      begin = resolve;
      fail = reject;
    });
    this.ready.catch(() => {});
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = readLine(text);
      if ('ready' in line) begin();
      else if ('problem' in line) this.problems.push(line.problem);
      else {
        const waiting = this.#waiting.get(line.request);
        this.#waiting.delete(line.request);
        if (!line.error) waiting?.resolve(line as never);
        else waiting?.reject(new Refusal(line.error.code, line.error.retryable === true, line.error.message));
      }
    });
    this.ended = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        this.isRunning = false;
        fail(new Error(`${this.name} ended with ${signal ?? code} before it served:\n${this.#stderr}`));
        for (const { reject } of this.#waiting.values()) reject(this.#gone());
        this.#waiting.clear();
        resolve(signal ?? code);
      });
    });
  }

  get pid(): number {
    return this.#process.pid!;
  }

  #gone(): Refusal {
    return new Refusal('gone', true, `${this.name} is not running. ${this.#stderr}`);
  }

  ask<To extends keyof Answers>(to: To, input: object = {}): Promise<Answers[To]> {
    if (!this.isRunning) return Promise.reject(this.#gone());
    const request = ++this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(request, { resolve, reject });
      this.#process.stdin!.write(`${JSON.stringify({ request, to, ...input })}\n`);
    });
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  /** Lets it close its journal. */
  async end(): Promise<void> {
    this.#process.stdin!.end();
    await this.ended;
  }
}

/** The last line of a node that was killed may be half of one; whoever waits for it is told that the node is gone. */
function readLine(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return { problem: `half a line of ${text.length} characters` };
  }
}
