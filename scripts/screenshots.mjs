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

/** What an agent keeps for itself. */
const DIARY = [
  ['Rehearsal three', 'The index step took 40 minutes: it ran before the bulk load.'],
  ['Rehearsal four', 'With the index after the load it took 6 minutes. Keep that order.'],
];

/**
 * @typedef {object} View
 * @property {string} name
 * @property {string} path
 * @property {(page: import('playwright-core').Page) => Promise<unknown>} [before] what somebody does there first
 */

/** @type {{ findChromium(): Promise<string | undefined>, launchChromium(program: string): Promise<import('playwright-core').Browser>, NEEDS_CHROMIUM: string }} */
const { findChromium, launchChromium, NEEDS_CHROMIUM } = await importSource('test/e2e/support/chromium.ts');
const { openModels } = await importSource('test/e2e/console/conversations.ts');
const { rememberMuch } = await importSource('test/e2e/console/memories.ts');
const { seed } = await importSource('test/e2e/console/seed.ts');
const { talkInPod } = await importSource('test/e2e/console/pods.ts');
const { seedLibrary } = await importSource('test/e2e/console/libraries.ts');

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
  const { store, rotation } = await rememberMuch(work.api);
  for (const [title, content] of DIARY)
    await work.api.remember({ title, content, agent_id: 'migration-runner' });
  const { windows } = await work.api.listWindows();
  const talks = [await talkInPod(server.url, 'release'), await talkInPod(server.url, 'incident')];
  const project = '/home/ada/atlas';
  const { outOfDate } = await seedLibrary(server, project);
  const library = `project=${encodeURIComponent(project)}`;
  const { drafts } = await work.api.listDrafts({ project, status: 'in_review' });
  /** @type {View[]} */
  const views = [
    { name: 'window', path: `/window/${windows.find(({ host }) => host === 'claude-code').id}` },
    { name: 'tree', path: `/tree/${await work.id()}` },
    { name: 'records', path: '/records' },
    { name: 'records-table', path: '/records/source/activity?where=[["minutes","gte",60]]&sort=-minutes' },
    { name: 'records-record', path: '/records/source/activity?record=72', before: seeDialog },
    { name: 'workflows', path: '/records/workflows/reclassify?project=Sample&step=2' },
    { name: 'palette', path: '/records', before: openPalette },
    { name: 'library', path: `/library/files?${library}&item=coding%2FNAMING.md`, before: isRendered },
    { name: 'library-history', path: `/library/files?${library}&item=coding%2FERRORS.md&show=history` },
    { name: 'library-use', path: `/library/files?${library}&item=coding%2FERRORS.md&show=usage` },
    { name: 'library-editor', path: `/library/files?${library}&item=workflow%2FRELEASE.md&edit=true` },
    { name: 'library-drafts', path: `/library/drafts?${library}` },
    { name: 'library-review', path: `/library/drafts?${library}&draft=${drafts[0].id}` },
    { name: 'library-conflict', path: `/library/drafts?${library}&draft=${outOfDate}` },
    { name: 'library-import', path: `/library/import?${library}` },
    { name: 'library-attestation', path: `/library/attestation?${library}` },
    { name: 'memory', path: '/memory?q=refresh+tokens' },
    { name: 'memory-pack', path: '/memory/pack?goal=Add+refresh-token+rotation+to+the+auth+service' },
    { name: 'memory-item', path: `/memory/item?id=${store}&open=${encodeURIComponent(`["${rotation}"]`)}` },
    { name: 'memory-timeline', path: '/memory/timeline' },
    { name: 'memory-diaries', path: '/memory/diaries' },
    { name: 'memory-diary', path: '/memory/diaries?agent=migration-runner' },
    { name: 'memory-upkeep', path: '/memory/upkeep' },
    { name: 'system', path: '/system' },
    { name: 'pods', path: '/pods/release' },
    { name: 'pods-beside', path: '/pods/release?beside=incident&contexts=main' },
    { name: 'settings', path: '/settings' },
    // The last one: it connects, and is in the list of connections from then on.
    { name: 'conversation', path: '/conversation', before: runDemo },
  ];
  mkdirSync(out, { recursive: true });
  for (const view of views.filter(({ name }) => positionals.length === 0 || positionals.includes(name)))
    for (const theme of THEMES) for (const size of WIDTHS) await take(view, theme, size);
  for (const { planner, coder } of talks) for (const one of [planner, coder]) one.close();
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
 * What renders Markdown is loaded when it is needed.
 *
 * @param {import('playwright-core').Page} page
 */
async function isRendered(page) {
  await page.locator('article ul').first().waitFor();
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

/** @param {import('playwright-core').Page} page */
async function seeDialog(page) {
  await page.getByRole('dialog').locator('dt').first().waitFor();
}

/** @param {import('playwright-core').Page} page */
async function openPalette(page) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('rec');
  await page.getByRole('group', { name: 'Library' }).waitFor();
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
