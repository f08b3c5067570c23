import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createApi } from '@infold/client/api';
import type { Scope } from '@infold/protocol';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { afterThisFile } from '../../support/leftovers.ts';
import { findChromium, NEEDS_CHROMIUM, startBrowser } from '../support/browser.ts';
import { type Server, type ServerOptions, startServer, temporaryFolder, until } from '../support/program.ts';
import { type Models, openModels } from './conversations.ts';

const chromium = await findChromium();
if (chromium === undefined) console.warn(`The console is not tested in a browser ${NEEDS_CHROMIUM}`);

/** Like `describe`; skipped where there is no browser, and that is said. */
export const describeInBrowser = (name: string, tests: () => void) =>
  describe.skipIf(chromium === undefined)(`${name} ${NEEDS_CHROMIUM}`, tests);

let browser: Promise<Browser> | undefined;
/** One for the file. It finds this machine alone: what a page would wrongly ask of others fails here. */
const theBrowser = () => {
  if (browser === undefined) {
    browser = startBrowser(chromium!, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
    afterThisFile(() => {
      browser = undefined;
    });
  }
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
  const models = await openModels();
  const server = await startServer({ data, args: [...models.args, ...args], ...more });
  // The models end with the server, and that with the file.
  void server.ended.then(() => models.close());
  return { ...server, models, tokens: await makeTokens(server.url, wanted) };
}

const ALL_SCOPES: readonly Scope[] = ['read', 'write', 'review', 'admin'];

/** The owner of the machine makes the first one, and that makes the others. If none of them may, it is one more: `keeper`. */
async function makeTokens(url: string, wanted: Record<string, readonly Scope[]>) {
  const tokens: Record<string, string> = {};
  const rest = Object.entries(wanted).map(([name, scopes]) => ({ name, scopes: [...scopes] }));
  if (rest.length === 0) return tokens;
  const needed = new Set<Scope>(['admin', ...rest.flatMap(({ scopes }) => scopes)]);
  const place = rest.findIndex(({ scopes }) => [...needed].every((scope) => scopes.includes(scope)));
  const first = place < 0 ? { name: 'keeper', scopes: [...ALL_SCOPES] } : rest.splice(place, 1)[0]!;
  const { token } = await createApi({ url }).createToken(first);
  tokens[first.name] = token;
  const api = createApi({ url, token });
  for (const one of rest) tokens[one.name] = (await api.createToken(one)).token;
  return tokens;
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
    const wrong = faults.filter(({ isTolerated }) => !isTolerated).map(({ text }) => text);
    // Reports leave out why something had to be tried again.
    if (wrong.length > 0) process.stderr.write(`${wrong.join('\n')}\n`);
    expect(wrong, wrong.join('\n')).toEqual([]);
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

/** What another theme changes. */
const CONTRAST = ['color-contrast'];
/** What less room changes: what is hidden, and named by nothing else; what scrolls; what is too small to press. */
const ROOM = [
  ...['target-size', 'scrollable-region-focusable', 'aria-hidden-focus', 'nested-interactive'],
  ...['button-name', 'link-name', 'label', 'select-name', 'aria-input-field-name', 'aria-toggle-field-name'],
  ...['aria-dialog-name', 'aria-command-name', 'aria-required-children', 'aria-required-parent', 'list'],
  ...['aria-valid-attr-value', 'duplicate-id-aria', 'color-contrast'],
];

/** What WCAG 2.2 AA finds on the page as it stands: rule, element, and what the rule says of it. */
export async function axe(page: Page, rules?: readonly string[]): Promise<void> {
  // It stays until the page is loaded anew.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axeSource);
  const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: [...rules] };
  const violations = await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    // Of rules that nothing breaks, the details of every element would cost more than the rules.
    const results = await axe.run({ runOnly, resultTypes: ['violations'] });
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary, html }) => ({
        rule: id,
        element: target.join(' '),
        html: html.slice(0, 200),
        text: failureSummary,
      })),
    );
  }, runOnly);
  expect(violations).toEqual([]);
}

/** By every rule, and in the other theme by those that colors change. The theme is as it was afterwards. */
export async function axeInBothThemes(page: Page): Promise<void> {
  await axe(page);
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' });
  await axe(page, CONTRAST);
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
}

/** That it fits a narrow page, and holds there to what less room changes. The page stays narrow. */
export async function axeWhereNarrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 780 });
  await settled(page);
  await fits(page);
  await axe(page, ROOM);
}

/** That the page, as it stands, holds to WCAG 2.2 AA in both themes, and fits, wide and narrow. It is wide again afterwards. */
export async function cleanEverywhere(page: Page): Promise<void> {
  const wide = page.viewportSize()!;
  await fits(page);
  await axeInBothThemes(page);
  await axeWhereNarrow(page);
  await page.setViewportSize(wide);
}

/** Changes the address as a link would. Wait for a sign of it then. */
export const changeAddress = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

/**
 * Goes to an address within the page: nothing is loaded again, and nobody signs in again. The way leads over Settings: once
 * their heading is gone, what is on the page is of the address.
 */
export async function visit(page: Page, path: string): Promise<void> {
  const settings = page.locator('h1', { hasText: /^Settings$/ });
  await changeAddress(page, '/settings');
  await settings.waitFor();
  await settled(page);
  if (path === '/settings') return;
  await changeAddress(page, path);
  await settings.waitFor({ state: 'detached' });
  await settled(page);
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

/** A name that nothing on the server has yet. A test that is tried again must not meet what its first try left there. */
export const unique = (name: string): string => `${name}-${randomUUID()}`;

/** Waits until keys reach something: what has just come into sight does not listen yet. */
export async function focused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((it) => it.contains(document.activeElement))).toBe(true);
}

/** Closes a dialog with Escape, and waits until it is gone: the next key or click must not reach it. */
export async function dismiss(dialog: Locator): Promise<void> {
  await focused(dialog);
  await dialog.page().keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
}

/** Waits for a value of the page's address; undefined: that it has none. */
export async function addressed(page: Page, name: string, value: RegExp | string | undefined): Promise<void> {
  const shown = () => new URL(page.url()).searchParams.get(name) ?? undefined;
  if (value instanceof RegExp) await expect.poll(shown).toMatch(value);
  else await expect.poll(shown).toBe(value);
}

/** Opens the palette, and waits until it takes what is typed. */
export async function openPalette(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await focused(palette.getByRole('combobox'));
  return palette;
}

/** Types words into the palette, and runs what they find once that is what Enter takes. */
export async function runCommand(page: Page, words: string, wanted: string | RegExp): Promise<void> {
  const palette = await openPalette(page);
  await palette.getByRole('combobox').fill(words);
  await palette.locator('[cmdk-item][data-selected="true"]', { hasText: wanted }).waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

/** Waits until the navigation says that one is in a view, and the view has loaded. */
export async function arrive(page: Page, view: string, timeout?: number): Promise<void> {
  await page
    .locator('nav[aria-label="Views"] [aria-current="page"]', { hasText: view })
    .waitFor(timeout === undefined ? {} : { timeout });
  await settled(page);
}

/** Goes to a view by “g” and a letter; again where the machine was so busy that the letter came too late for the “g”. */
export async function goByKeys(page: Page, key: string, view: string): Promise<void> {
  await until(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    return arrive(page, view, 5_000).then(
      () => true,
      () => false,
    );
  });
}
