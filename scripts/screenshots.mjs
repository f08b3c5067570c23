import { mkdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM, ServerProcess, temporaryFolder } from '../bench/support/server-process.mjs';
import { importSource } from '../bench/support/typescript.mjs';

/** `node scripts/screenshots.mjs [views…] [--out FOLDER]`: pictures of every view of the console, of a server with real work on it. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'docs/images' } },
});

const root = fileURLToPath(new URL('..', import.meta.url));
const out = resolve(root, values.out);
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const THEMES = /** @type {const} */ (['light', 'dark']);
/** A README should load fast. */
const MOST_BYTES = 250_000;

/**
 * @typedef {object} View
 * @property {string} name
 * @property {string} path
 * @property {(page: import('playwright-core').Page) => Promise<unknown>} [before] what somebody does there first
 */

/** @type {{ findChromium(): Promise<string | undefined>, launchChromium(program: string): Promise<import('playwright-core').Browser>, NEEDS_CHROMIUM: string }} */
const { findChromium, launchChromium, NEEDS_CHROMIUM } = await importSource('test/e2e/support/chromium.ts');
const { openModels } = await importSource('test/e2e/console/conversations.ts');
const { seed } = await importSource('test/e2e/console/seed.ts');

const program = await findChromium();
if (program === undefined) {
  process.stderr.write(`There is no browser to take pictures with ${NEEDS_CHROMIUM}\n`);
  process.exit(1);
}
const models = await openModels();
const records = join(root, 'examples/records/infold.config.json');
const server = await ServerProcess.start(PROGRAM, [
  ...['serve', '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn', '--config', records],
  ...models.args,
]);
const browser = await launchChromium(program);
try {
  const { work } = await seed(server, undefined, root);
  await work.api.loadSamples();
  const { windows } = await work.api.listWindows();
  /** @type {View[]} */
  const views = [
    { name: 'window', path: `/window/${windows.find(({ host }) => host === 'claude-code').id}` },
    { name: 'tree', path: `/tree/${await work.id()}` },
    { name: 'system', path: '/system' },
    { name: 'settings', path: '/settings' },
    // The last one: it connects, and is in the list of connections from then on.
    { name: 'conversation', path: '/conversation', before: runDemo },
  ];
  mkdirSync(out, { recursive: true });
  for (const view of views.filter(({ name }) => positionals.length === 0 || positionals.includes(name)))
    for (const theme of THEMES) for (const size of WIDTHS) await take(view, theme, size);
  await work.close();
} finally {
  await browser.close();
  await server.stop();
  models.close();
}

/**
 * Where this checkout is nobody needs to know.
 *
 * @param {import('playwright-core').Route} route
 */
async function hidePlace(route) {
  const response = await route.fetch();
  await route.fulfill({ response, body: (await response.text()).replaceAll(root, '/opt/infold/') });
}

/**
 * The scripted agent goes through its records, with what happens to each result marked.
 *
 * @param {import('playwright-core').Page} page
 */
async function runDemo(page) {
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText(/^Done: 9 pages/).waitFor({ timeout: 60_000 });
}

/**
 * @param {View} view
 * @param {'light' | 'dark'} theme
 * @param {{ width: number, height: number }} size
 */
async function take({ name, path, before }, theme, size) {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: size,
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.addInitScript(() =>
    localStorage.setItem('infold.settings', JSON.stringify({ showContextHints: true })),
  );
  await page.route(`${server.url}/`, hidePlace);
  await page.goto(server.url + path);
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await before?.(page);
  await page.evaluate(() => document.fonts.ready);
  const file = join(out, `console-${name}-${theme}-${size.width}.png`);
  await page.screenshot({ path: file });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
  const { size: bytes } = statSync(file);
  process.stdout.write(`${relative(root, file)} ${Math.round(bytes / 1000)} kB\n`);
  if (bytes > MOST_BYTES) process.exitCode = 1;
}
