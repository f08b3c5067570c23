import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Scope } from '@infold/protocol';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { findChromium, NEEDS_CHROMIUM, startBrowser } from '../support/browser.ts';
import {
  runJson,
  type Server,
  type ServerOptions,
  startServer,
  temporaryFolder,
} from '../support/program.ts';
import { type Models, openModels } from './conversations.ts';

const chromium = await findChromium();
if (chromium === undefined) console.warn(`The console is not tested in a browser ${NEEDS_CHROMIUM}`);

/** Like `describe`; skipped where there is no browser, and that is said. */
export const describeInBrowser = (name: string, tests: () => void) =>
  describe.skipIf(chromium === undefined)(`${name} ${NEEDS_CHROMIUM}`, tests);

let browser: Promise<Browser> | undefined;
/** One for the file. It finds this machine alone: what a page would wrongly ask of others fails here. */
const theBrowser = () => {
  browser ??= startBrowser(chromium!, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
  return browser;
};

export interface ConsoleServer extends Server {
  models: Models;
  /** By the names that were asked for. */
  tokens: Record<string, string>;
}

export interface ConsoleServerOptions extends ServerOptions {
  /** A token for each name, with these scopes. Without any, whoever opens the page is the owner. */
  tokens?: Record<string, readonly Scope[]>;
}

/** `infold serve` with models behind its window door. Call it in `beforeAll`: it lasts as long as the file. */
export async function startConsoleServer(options: ConsoleServerOptions = {}): Promise<ConsoleServer> {
  const { tokens: wanted = {}, data = temporaryFolder(), args = [], ...more } = options;
  const tokens: Record<string, string> = {};
  for (const [name, scopes] of Object.entries(wanted)) {
    const create = ['token', 'create', '--name', name, '--scope', scopes.join(',')];
    tokens[name] = (await runJson<{ token: string }>(data, ...create)).token;
  }
  const models = await openModels();
  const server = await startServer({ data, args: [...models.args, ...args], ...more });
  // The models end with the server, and that with the file.
  void server.ended.then(() => models.close());
  return { ...server, models, tokens };
}

export type Theme = 'light' | 'dark';
export const THEMES: readonly Theme[] = ['light', 'dark'];

export interface ConsoleOptions {
  /** `/window` and so on; the start page otherwise. */
  path?: string;
  theme?: Theme;
  width?: number;
  height?: number;
  /** Signs in with it, by the form. */
  token?: string;
  /** With `token`: stays signed in, by the cookie. */
  keep?: boolean;
  /** Messages of the browser that are no fault here, such as `/401/`. */
  tolerates?: readonly RegExp[];
}

/**
 * The console in a browser of its own (nothing is left of an earlier one). When the test ends, it fails if the page asked
 * anything of another origin, threw, or had the browser complain: of its content security policy too.
 */
export async function openConsole(server: { url: string }, options: ConsoleOptions = {}): Promise<Page> {
  const { path = '/', theme = 'light', width = 1280, height = 900, token, keep = false } = options;
  const context = await (await theBrowser()).newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(60_000);
  const faults = watch(context, server.url, options.tolerates ?? []);
  onTestFinished(async () => {
    await context.close();
    expect(faults.filter(({ isTolerated }) => !isTolerated).map(({ text }) => text)).toEqual([]);
  });
  const page = await context.newPage();
  await page.goto(new URL(path, server.url).href);
  if (token !== undefined) await signIn(page, token, keep);
  return page;
}

export async function signIn(page: Page, token: string, keep = false): Promise<void> {
  await page.getByLabel('Token').fill(token);
  if (keep) await page.getByRole('switch', { name: 'Stay signed in' }).click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

interface Fault {
  text: string;
  isTolerated: boolean;
}

/** Asked before anybody signed in, and answered so: that is how the page learns that it has to ask for a token. */
const SIGNED_OUT = /status of 401/;

function watch(context: BrowserContext, url: string, tolerated: readonly RegExp[]): Fault[] {
  const { origin } = new URL(url);
  const faults: Fault[] = [];
  const add = (text: string) =>
    faults.push({ text, isTolerated: [SIGNED_OUT, ...tolerated].some((one) => one.test(text)) });
  context.on('request', (request) => {
    const asked = new URL(request.url());
    const isOwn = asked.origin === origin || asked.protocol === 'data:' || asked.protocol === 'blob:';
    if (!isOwn) faults.push({ text: `A request left for ${request.url()}`, isTolerated: false });
  });
  context.on('weberror', (error) => add(`The page threw ${error.error().stack ?? error.error()}`));
  context.on('console', (message) => {
    const { url: place, lineNumber } = message.location();
    if (message.type() === 'error') add(`The browser said: ${message.text()} (${place}:${lineNumber})`);
  });
  return faults;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What WCAG 2.2 AA finds on the page as it stands: rule, element, and what the rule says of it. */
export async function axe(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async (tags) => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    const results = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary, html }) => ({
        rule: id,
        element: target.join(' '),
        html: html.slice(0, 200),
        text: failureSummary,
      })),
    );
  }, TAGS);
  expect(violations).toEqual([]);
}

/** That nothing is wider than the page, however narrow it is. Says what is. */
export async function fits(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 0.5)
      .map((element) => `${element.tagName}.${element.className} ${element.textContent?.slice(0, 60)}`)
      .slice(0, 10)
      .concat(`The page is ${scrollWidth} wide where ${clientWidth} are there`);
  });
  expect(wide).toEqual([]);
}

/** Waits until nothing on the page says that it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}
