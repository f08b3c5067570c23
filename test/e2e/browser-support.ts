import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll } from 'vitest';

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

/** A browser without a window, gone when the file's tests end. */
export async function startBrowser(program: string, ...flags: string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--no-proxy-server',
      ...flags,
    ],
  });
  leftovers.push(() => browser.close());
  return browser;
}

/** Waits for the title that the page gives itself at this point. */
export async function titled(page: Page, title: string, milliseconds = 15_000): Promise<void> {
  try {
    await page.waitForFunction((wanted) => document.title === wanted, title, { timeout: milliseconds });
  } catch {
    const body = await page.textContent('body');
    throw new Error(`The page did not get to "${title}": it is at "${await page.title()}" with ${body}`);
  }
}
