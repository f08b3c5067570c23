import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterThisFile } from '../../support/leftovers.ts';
import { launchChromium } from './chromium.ts';

export { findChromium, NEEDS_CHROMIUM } from './chromium.ts';

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
  afterThisFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A browser without a window, gone when the file's tests end. */
export async function startBrowser(program: string, ...flags: string[]): Promise<Browser> {
  const browser = await launchChromium(program, flags);
  afterThisFile(() => browser.close());
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
