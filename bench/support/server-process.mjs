import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

export const PROGRAM = path('../../packages/server/bin/infold.mjs');
export const BARE_HTTP = path('./bare-http.mjs');
export const BARE_STDIO = path('./bare-stdio.mjs');

/** @type {string[]} */
const folders = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone when the benchmarks end, however they end. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'infold-bench-'));
  folders.push(folder);
  return folder;
}

/**
 * @typedef {object} Usage
 * @property {number} cpuMicroseconds
 * @property {number} residentBytes
 */

/** An HTTP server in a process of its own. */
export class ServerProcess {
  /** @type {import('node:child_process').ChildProcess} */
  #child;
  /** Where it listens. */
  url = '';

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.#child = child;
  }

  /**
   * Starts a program that prints its address in its first line.
   *
   * @param {string} program
   * @param {string[]} [values]
   */
  static async start(program, values = []) {
    const child = fork(program, values, {
      execArgv: ['--import', new URL('./probe.mjs', import.meta.url).href],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const server = new ServerProcess(child);
    const [line] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
    const [url] = /http:\/\/\S+/.exec(String(line)) ?? [];
    if (!url) throw new Error(`${program} did not say where it listens: ${line}`);
    server.url = url;
    return server;
  }

  static startOurs() {
    return ServerProcess.start(PROGRAM, [
      'serve',
      ...['--port', '0', '--data', temporaryFolder(), '--log-level', 'warn'],
    ]);
  }

  static startBare() {
    return ServerProcess.start(BARE_HTTP);
  }

  /** @returns {Promise<Usage>} */
  usage() {
    return this.#ask('usage');
  }

  /**
   * The longest time since the last question that the event loop stood still, in milliseconds. For servers that were
   * started with `BENCH_STALLS` in the environment.
   *
   * @returns {Promise<number>}
   */
  stall() {
    return this.#ask('stall');
  }

  /** @param {'usage' | 'stall'} question */
  async #ask(question) {
    const answer = once(this.#child, 'message');
    this.#child.send(question);
    return (await answer)[0];
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
