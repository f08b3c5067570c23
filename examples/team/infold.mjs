import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The program as a person starts it. Nothing in this example imports it. */
const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/infold.mjs', import.meta.url));
const CONFIG = fileURLToPath(new URL('infold.config.json', import.meta.url));
export const LIBRARY = fileURLToPath(new URL('library', import.meta.url));

/** Without the reader's own settings, so that every run gives the same. */
const env = { PATH: process.env.PATH ?? '', HOME: tmpdir() };
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** Undone at the end, the last first, also when somebody stops the example halfway. */
const cleanups = [];
process.once('exit', () => {
  for (const clean of cleanups.reverse()) clean();
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** A data folder that is gone afterwards. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'infold-team-'));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** What a command prints. Its exit code is an error unless it is 0. */
export async function commandText(data, ...args) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, ...args, '--data', data, '--config', CONFIG],
    { env, maxBuffer: LARGEST_ANSWER },
  );
  return stdout;
}

export async function command(data, ...args) {
  return JSON.parse(await commandText(data, ...args, '--json'));
}

/** `infold serve` on a free port, until it is stopped. */
export async function serve(data) {
  const child = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--port', '0', '--data', data, '--config', CONFIG, '--log-level', 'warn'],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  cleanups.push(() => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const line = await Promise.race([
    new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then((code) => Promise.reject(new Error(`infold serve ended with ${code}`))),
  ]);
  const stop = async () => {
    child.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`infold serve ended with ${code}`);
  };
  return { url: line.replace('infold listening on ', ''), stop };
}

/** The REST interface, as somebody who has this token. */
export function rest(url, token) {
  return async (path) => {
    const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
}

export async function until(found, what, milliseconds = 10_000) {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
