import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { benchmark } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';
import { importSource } from '../support/typescript.mjs';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {import('../../test/e2e/console/sessions.ts').WorkSession} WorkSession
 * @typedef {import('../harness.mjs').Row} Row
 *
 * @typedef {object} Setting
 * @property {import('playwright-core').Browser} browser
 * @property {string} url
 * @property {WorkSession} work a session in which work goes on
 * @property {any} sources what tests share
 * @property {boolean} quick
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROJECT = '/home/ada/atlas';
const RATES = ['ENVELOPES_PER_MINUTE', 'CONTEXT_ENVELOPES_PER_MINUTE', 'CONTEXTS_PER_MINUTE'].map(
  (name) => `INFOLD_LIMITS_${name}`,
);
const ALLOWED = { against: 'the most that is allowed', limit: { ratioAtMost: 1 } };

/** The page in a real browser, on a server with real work on it. */
export default benchmark({
  target:
    '180 kB of JavaScript; usable in 1 s; a change on screen in 200 ms; no long task in a tree of 10,000, a pod of 50,000 or a diff of 5,000 lines; memory flat over 36,000 events',
  async run({ quick }) {
    const sources = {
      ...(await importSource('test/e2e/support/chromium.ts')),
      ...(await importSource('test/e2e/console/conversations.ts')),
      ...(await importSource('test/e2e/console/libraries.ts')),
      ...(await importSource('test/e2e/console/pods.ts')),
      ...(await importSource('test/e2e/console/scripts.ts')),
      ...(await importSource('test/e2e/console/seed.ts')),
      ...(await importSource('test/e2e/console/sessions.ts')),
      ...(await importSource('test/e2e/console/stories.ts')),
    };
    const program = await sources.findChromium();
    if (program === undefined) throw new Error(`There is no browser ${sources.NEEDS_CHROMIUM}`);
    const models = await sources.openModels();
    // One participant fills a pod as fast as it can.
    for (const name of RATES) process.env[name] = '10000000';
    const server = await ServerProcess.start(PROGRAM, [
      ...['serve', '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn', ...models.args],
    ]);
    for (const name of RATES) delete process.env[name];
    const browser = await sources.launchChromium(program, ['--js-flags=--expose-gc']);
    try {
      const { work } = await sources.seed(server, undefined, root);
      const setting = { browser, url: server.url, work, sources, quick };
      const rows = [];
      for (const part of wanted) rows.push(...(await PARTS[part](setting)));
      return rows;
    } finally {
      await browser.close();
      await server.stop();
      models.close();
    }
  },
});

const PARTS = { first: firstView, change: changes, tree: largeTree, pod: largePod, diff: largeDiff, memory };
/** `CONSOLE=tree` measures that alone. */
const wanted = /** @type {(keyof typeof PARTS)[]} */ (process.env.CONSOLE?.split(',') ?? Object.keys(PARTS));

/** @param {Page} page */
const isReady = (page) =>
  page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null &&
      document.querySelector('[aria-busy="true"]') === null &&
      performance.now(),
    undefined,
    { polling: 'raf' },
  );

/**
 * @param {Setting} setting
 * @param {string} path
 */
async function open({ browser, url }, path) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(url + path);
  await isReady(page);
  await page
    .getByRole('banner')
    .getByRole('status')
    .filter({ hasText: 'Live' })
    .waitFor({ state: 'attached' });
  return page;
}

/**
 * What travels until the first view can be used, and how long that takes with nothing in any cache.
 *
 * @param {Setting} setting
 * @returns {Promise<Row[]>}
 */
async function firstView({ browser, url, sources, quick }) {
  const times = [];
  let bytes = 0;
  for (let round = quick ? 2 : -1; round < (quick ? 5 : 12); round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const count = sources.countScripts(page);
    await page.goto(`${url}/`, { waitUntil: 'commit' });
    const seen = page.waitForFunction(
      () => document.querySelector('main')?.textContent?.includes('claude-code') && performance.now(),
      undefined,
      { polling: 'raf' },
    );
    const ready = Number(await (await isReady(page)).jsonValue());
    const shown = Number(await (await seen).jsonValue());
    if (round >= 0) times.push(Math.max(ready, shown));
    bytes = await count();
    await context.close();
  }
  return [
    {
      what: 'JavaScript that the first view of the console loads, gzipped',
      unit: 'bytes',
      ours: [bytes],
      floor: [180_000],
      ...ALLOWED,
    },
    {
      what: 'first view of the console, nothing cached: from the start of the navigation to its data on screen',
      unit: 'ms',
      ours: times,
      floor: times.map(() => 1000),
      ...ALLOWED,
    },
  ];
}

/**
 * From the commit of an entry to its being on screen.
 *
 * @param {Setting} setting
 * @returns {Promise<Row[]>}
 */
async function changes(setting) {
  const { url, sources, quick } = setting;
  /** @type {WorkSession} */
  const work = await sources.WorkSession.begin({ url, session: 'watched', project: PROJECT });
  await work.do({ tool: 'Read', input: {}, output: 'The beginning' });
  const page = await open(setting, `/tree/${await work.id()}`);
  const rows = Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'));
  /** @type {number[]} */
  const delays = [];
  // As many as are shown one by one.
  for (let number = 1; number <= (quick ? 10 : 40); number++) {
    const seen = page.waitForFunction(
      (wanted) =>
        Number(document.querySelector('[role="treegrid"]')?.getAttribute('aria-rowcount')) >= wanted &&
        Date.now(),
      rows + number,
      { polling: 'raf', timeout: 10_000 },
    );
    const tool = `Change${number}`;
    await work.do({ tool, input: {}, output: `What number ${number} came to` });
    const at = Number(await (await seen).jsonValue());
    delays.push(at - (await committedAt(work, tool)));
    // Sometimes alone, sometimes within what is gathered.
    await sleep(number % 3 === 0 ? 400 : 20);
  }
  await work.close();
  await page.context().close();
  return [
    {
      what: 'from the commit of an operation to its being in the tree on screen: p95',
      unit: 'ms',
      ours: [percentile(delays, 0.95)],
      floor: [200],
      ...ALLOWED,
    },
  ];
}

/**
 * @param {WorkSession} work
 * @param {string} tool
 */
async function committedAt(work, tool) {
  const id = await work.id();
  for await (const { at, events } of work.api.listSessionEntries.all({ id, limit: 1000 })) {
    if (events.some(({ data }) => /** @type {{ tool?: string }} */ (data).tool === tool))
      return Date.parse(at);
  }
  throw new Error(`Nothing was committed of ${tool}`);
}

/**
 * Scrolling a tree of 10,000 operations from one end to the other, and one more operation in it.
 *
 * @param {Setting} setting
 * @returns {Promise<Row[]>}
 */
async function largeTree(setting) {
  const { url, sources, quick } = setting;
  const count = quick ? 2_000 : 10_000;
  const work = await sources.WorkSession.begin({ url, session: 'large', project: PROJECT });
  const operations = sources.manyOperations();
  const branches = count / operations.length;
  for (let number = 1; number <= branches; number++) {
    const branch = { description: `Part ${number}`, prompt: 'Go on' };
    const { branch_id } = await work.call('context_branch', branch);
    await work.useMany(operations);
    if (number < branches)
      await work.call('context_return', { message: `Part ${number} is done`, branch_id });
  }
  const page = await open(setting, `/tree/${await work.id()}`);
  await openAll(page, branches);
  const longest = await longestTask(setting, page, () => scrollThrough(page, page.getByRole('treegrid')));
  const updates = await updateCost(page, work, quick ? 10 : 40);
  await work.close();
  await page.context().close();
  return [
    {
      what: `longest task while a tree of ${count.toLocaleString('en')} operations is scrolled through, CPU`,
      unit: 'ms',
      ours: [longest],
      floor: [50],
      ...ALLOWED,
    },
    {
      what: 'one more operation in that tree: script, style and layout, CPU',
      unit: 'ms',
      ours: [updates],
      floor: [16],
      ...ALLOWED,
    },
  ];
}

/**
 * Scrolling through the draft of a file of 5,000 lines beside what is published, all lines shown, from one end to the other.
 *
 * @param {Setting} setting
 * @returns {Promise<Row[]>}
 */
async function largeDiff(setting) {
  const { url, sources, quick } = setting;
  const count = quick ? 1_000 : 5_000;
  const file = (/** @type {(line: number) => boolean} */ isOther) =>
    Array.from({ length: count }, (_, line) =>
      line % 50 === 0
        ? `\n## Part ${line / 50}\n`
        : `- Line ${line} says what ${isOther(line) ? 'the draft wants' : 'has always been so'}, in a few words more`,
    ).join('\n');
  const api = sources.createApi({ url });
  await sources.publishFiles(api, PROJECT, { 'large/FILE.md': file(() => false) });
  const { draft } = await api.createDraft({
    project: PROJECT,
    resource: 'rule',
    op: {
      update: {
        id: 'large/FILE.md',
        body: file((line) => line % 37 === 0 || (line > 2_000 && line < 2_200)),
      },
    },
  });
  const page = await open(
    setting,
    `/library/drafts?project=${encodeURIComponent(PROJECT)}&draft=${draft.id}`,
  );
  await page.getByRole('button', { name: 'All lines' }).click();
  const side = page.getByRole('textbox', { name: 'Draft', exact: true });
  await side.waitFor();
  await side.scrollIntoViewIfNeeded();
  await sleep(1_000);
  const longest = await longestTask(setting, page, () => scrollThrough(page, side));
  await page.context().close();
  return [
    {
      what: `longest task while two files of ${count.toLocaleString('en')} lines are scrolled through side by side, CPU`,
      unit: 'ms',
      ours: [longest],
      floor: [50],
      ...ALLOWED,
    },
  ];
}

/**
 * Scrolling up and down a pod of 50,000 messages while its older ones are read, and through all of them.
 *
 * @param {Setting} setting
 * @returns {Promise<Row[]>}
 */
async function largePod(setting) {
  const { url, sources, quick } = setting;
  const count = quick ? 5_000 : 50_000;
  const filler = await sources.fillPod(url, 'large', count);
  const page = await open(setting, '/pods/large');
  const grid = page.getByRole('treegrid');
  await grid.waitFor();
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('button', { name: 'Open all' }).click();
  await grid.focus();
  const longest = await longestTask(setting, page, async () => {
    // Until the first message is read: each page of older ones stands before what is seen.
    for (let tries = 0; tries < 200 && Number(await grid.getAttribute('aria-rowcount')) < count; tries++) {
      await page.keyboard.press('Home');
      await sleep(50);
    }
    await scrollThrough(page, grid);
  });
  const rows = Number(await grid.getAttribute('aria-rowcount'));
  if (rows < count) throw new Error(`The pod shows ${rows} rows alone`);
  filler.close();
  await page.context().close();
  return [
    {
      what: `longest task while a pod of ${count.toLocaleString('en')} messages is read to its beginning and scrolled through, CPU`,
      unit: 'ms',
      ours: [longest],
      floor: [50],
      ...ALLOWED,
    },
  ];
}

/**
 * Every branch, from the last one up, by keys.
 *
 * @param {Page} page
 * @param {number} branches
 */
async function openAll(page, branches) {
  const grid = page.getByRole('treegrid');
  await grid.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  for (let number = 1; number < branches; number++) {
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
  }
  const rows = Number(await grid.getAttribute('aria-rowcount'));
  if (rows < branches * 50) throw new Error(`The tree shows ${rows} rows alone`);
}

/**
 * CPU time of the longest task on the page's main thread. What else runs on the machine lengthens the tasks that the page can see,
 * and not this.
 *
 * @param {Setting} setting
 * @param {Page} page
 * @param {() => Promise<unknown>} work
 */
async function longestTask({ browser }, page, work) {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await work();
  /** @type {{ traceEvents: { name: string, pid: number, tid: number, tdur?: number, args: { name?: string } }[] }} */
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => /RunTask$/.test(name) && main.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('The trace holds no tasks');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/**
 * @param {Page} page
 * @param {import('playwright-core').Locator} part what scrolls
 */
async function scrollThrough(page, part) {
  const box = await part.boundingBox();
  if (!box) throw new Error('What is to be scrolled is not on screen');
  await page.mouse.move(box.x + box.width / 2, Math.min(box.y + box.height / 2, 600));
  for (const step of [400, 2000, -3000]) {
    for (let turn = 0; turn < 60; turn++) {
      await page.mouse.wheel(0, step);
      await sleep(16);
    }
  }
}

/**
 * Milliseconds of the page's own work for each of some operations, less what it does anyway in that time.
 *
 * @param {Page} page
 * @param {WorkSession} work
 * @param {number} times
 */
async function updateCost(page, work, times) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']
      .map((name) => metrics.find((metric) => metric.name === name)?.value ?? 0)
      .reduce((sum, value) => sum + value, 0);
  };
  const over = async (/** @type {() => Promise<unknown>} */ step) => {
    await sleep(1000);
    const before = await spent();
    for (let time = 0; time < times; time++) {
      await step();
      await sleep(150);
    }
    return ((await spent()) - before) * 1000;
  };
  const idle = await over(async () => {});
  let number = 0;
  const busy = await over(() =>
    work.do({ tool: 'Bash', input: { command: `make part-${++number}` }, output: 'done' }),
  );
  return Math.max(0, busy - idle) / times;
}

const EVENTS = 36_000;
const SESSIONS = 36;

/**
 * What views hold while the journal grows: what other sessions do must not stay in the page.
 *
 * @param {Setting} setting
 * @returns {Promise<Row[]>}
 */
async function memory(setting) {
  const { url, sources, quick } = setting;
  const events = quick ? 3_600 : EVENTS;
  const perReport = 20;
  const works = [];
  for (let number = 0; number < SESSIONS; number++) {
    const work = await sources.WorkSession.begin({ url, session: `busy-${number}`, project: PROJECT });
    await work.do({ tool: 'Bash', input: { command: 'true' }, output: '' });
    works.push(work);
  }
  const pages = new Map([
    ['window', await open(setting, '/window')],
    ['tree', await open(setting, `/tree/${await setting.work.id()}`)],
    ['system', await open(setting, '/system')],
  ]);
  /** @type {Map<string, number[]>} */
  const samples = new Map([...pages.keys()].map((name) => [name, []]));
  let sent = 0;
  for (let report = 0; sent < events; report++) {
    const used = Array.from({ length: perReport }, (_, index) => ({
      tool: ['Read', 'Bash', 'Grep'][index % 3],
      input: { file_path: `${PROJECT}/src/part-${index}.ts` },
      output: `export const part${index} = compute(${report});`,
    }));
    await works[report % SESSIONS].useMany(used, perReport);
    sent += perReport;
    if (report % 20 !== 0) continue;
    // So that the pages have them before more come.
    await sleep(300);
    if (sent < events / 2 || report % 100 !== 0) continue;
    for (const [name, page] of pages) samples.get(name)?.push(await heapOf(page));
  }
  for (const page of pages.values()) await page.context().close();
  for (const work of works) await work.close();
  return [...samples].map(([name, heaps]) => ({
    what: `heap of the ${name} view over the second half of ${events.toLocaleString('en')} events: most, after garbage collection`,
    unit: 'MB',
    against: 'least',
    ours: [Math.max(...heaps)],
    floor: [Math.min(...heaps)],
    limit: { ratioAtMost: 1.1 },
  }));
}

/** @param {Page} page */
async function heapOf(page) {
  const devtools = await page.context().newCDPSession(page);
  // Garbage that the page's script and its document hold together is not gone after one round, and is nothing that is held.
  let least = Infinity;
  for (let round = 0; round < 4; round++) {
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    least = Math.min(least, usedSize);
  }
  await devtools.detach();
  return least / 1_000_000;
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
