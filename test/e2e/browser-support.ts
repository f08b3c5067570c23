import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll } from 'vitest';
import { temporaryFolder, until } from './support.ts';

const leftovers: (() => unknown)[] = [];
afterAll(async () => {
  for (const clean of leftovers.splice(0).reverse()) await clean();
});

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
export const NEEDS_CHROMIUM = '(needs Chromium in the PATH, such as by "apt-get install chromium")';

/** Where Chromium is; it is installed first where that can be done. Undefined: tests are skipped. */
export async function findChromium(): Promise<string | undefined> {
  const found = installedAt();
  if (found || !mayInstall()) return found;
  const aptGet = (...args: string[]) =>
    promisify(execFile)('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 300_000,
    });
  // A list that is there already may do, and another test may be installing something at this moment.
  await aptGet('update').catch(() => {});
  const install = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=240', 'chromium'];
  await aptGet(...install).catch(() => {});
  return installedAt();
}

function mayInstall(): boolean {
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return process.getuid?.() === 0 && /^ID=debian$/m.test(system);
}

function installedAt(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One script as a web page gets it: with everything that it imports, and nothing that only Node has. */
export async function bundleForBrowsers(entry: string): Promise<string> {
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    onLog: (_level, { message }) => {
      throw new Error(`The bundle is not fit for browsers: ${message}`);
    },
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const [chunk] = output;
  if (output.length > 1 || chunk.imports.length > 0) throw new Error(`It needs ${chunk.imports.join(', ')}`);
  return chunk.code;
}

/** A web site of one page with one script; answers its port. */
export async function servePage(script: string): Promise<number> {
  const page = '<!doctype html><meta charset="utf-8"><title>loading</title><body></body>';
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : `${page}<script type="module" src="/page.js"></script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  leftovers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface Reply {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

/** A browser without a window, spoken to over a pipe in the DevTools protocol: JSON with a zero byte after each. */
export class Browser {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #calls = 0;

  private constructor(program: string, flags: readonly string[]) {
    this.#process = spawn(
      program,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-proxy-server',
        `--user-data-dir=${temporaryFolder()}`,
        '--remote-debugging-pipe',
        ...flags,
      ],
      // A group of its own, since it is many processes and all of them are to end.
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
    );
    this.#ended = new Promise((resolve) => {
      this.#process.once('exit', () => resolve());
      this.#process.once('error', () => resolve());
    });
    void this.#ended.then(() => {
      for (const answer of this.#waiting.values()) answer({ error: { message: 'The browser ended' } });
    });
    this.#to.on('error', () => {});
    this.#listen(this.#process.stdio[4] as Readable);
  }

  static async start(program: string, ...flags: string[]): Promise<Browser> {
    const browser = new Browser(program, flags);
    leftovers.push(() => browser.#stop());
    await browser.#call('Browser.getVersion');
    return browser;
  }

  async open(url: string): Promise<Page> {
    const { targetId } = await this.#call<{ targetId: string }>('Target.createTarget', { url });
    const target = { targetId, flatten: true };
    const { sessionId } = await this.#call<{ sessionId: string }>('Target.attachToTarget', target);
    return new Page((method, params) => this.#call(method, params, sessionId));
  }

  get #to(): Writable {
    return this.#process.stdio[3] as Writable;
  }

  #call<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(result as Result);
      });
      this.#to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #listen(from: Readable): void {
    let text = '';
    from.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (text + chunk).split('\0');
      text = messages.pop()!;
      for (const message of messages) {
        const reply = JSON.parse(message) as Reply;
        if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
      }
    });
  }

  async #stop(): Promise<void> {
    try {
      process.kill(-this.#process.pid!, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
    await this.#ended;
  }
}

type Call = <Result>(method: string, params: object) => Promise<Result>;

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { exception?: { description?: string } };
}

export class Page {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async read<Value>(expression: string): Promise<Value> {
    const evaluated = await this.#call<Evaluated>('Runtime.evaluate', { expression, returnByValue: true });
    const { result, exceptionDetails } = evaluated;
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'The page threw');
    return result.value as Value;
  }

  /** Waits for the title that the page gives itself at this point. */
  async titled(title: string, milliseconds = 15_000): Promise<void> {
    let last = '';
    try {
      await until(async () => {
        last = await this.read<string>('document.title');
        return last === title;
      }, milliseconds);
    } catch {
      const body = await this.read<string>('document.body.textContent');
      throw new Error(`The page did not get to "${title}": it is at "${last}" with ${body}`);
    }
  }
}
