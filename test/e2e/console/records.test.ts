import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Api, createApi } from '@infold/client/api';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { runJson, temporaryFolder, until } from '../support/program.ts';
import {
  addressed,
  arrive,
  axe,
  axeInBothThemes,
  axeWhereNarrow,
  type ConsoleServer,
  cleanEverywhere,
  describeInBrowser,
  dismiss,
  fits,
  focused,
  openConsole,
  settled,
  startConsoleServer,
  unique,
  visit,
} from './support.ts';

const example = (path: string) => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url));
const PROJECT = '/home/ada/atlas';
const MANY = 120_000;
const CATEGORIES = ['AI', 'Support', 'Web Dev'];

/** Each would run, ask something of another site, or spoil the page, if it were more than text. */
const RUN = 'window.ran=(window.ran||0)+1';
const HOSTILE = [
  `<img src=x onerror="${RUN}">`,
  `<script>${RUN}</script>`,
  '__proto__',
  'constructor',
  'a,-b, c',
  '-desc',
  '\u202Edesrever',
  '<style>*{display:none!important}</style>',
  '![x](https://elsewhere.example/pixel.png)',
  'w'.repeat(300),
];

/** A folder with files to read, and the configuration that names them. */
function writeSources(): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  copyFileSync(example('records/activities.jsonl'), join(folder, 'activities.jsonl'));
  const many = Array.from({ length: MANY }, (_, place) =>
    [place + 1, `Number ${place + 1}`, CATEGORIES[place % 3], (place * 7919) % 1000].join(','),
  );
  writeFileSync(join(folder, 'many.csv'), `id,title,category,minutes\n${many.join('\n')}\n`);
  const strange = HOSTILE.map(
    (text, place) =>
      // By text, since an object literal would take `__proto__` for something else.
      `{${HOSTILE.map((column) => `${JSON.stringify(column)}:${JSON.stringify(`${text} ${place}`)}`).join(',')}}`,
  );
  writeFileSync(join(folder, 'strange.jsonl'), `${strange.join('\n')}\n`);
  const sources = {
    activity: { type: 'jsonl', path: 'activities.jsonl', id: 'id' },
    many: { type: 'csv', path: 'many.csv' },
    strange: { type: 'jsonl', path: 'strange.jsonl' },
    missing: { type: 'csv', path: 'not-there.csv' },
  };
  const config = join(folder, 'infold.config.json');
  writeFileSync(config, JSON.stringify({ sources }));
  return config;
}

const grid = (page: Page) => page.getByRole('grid');
const rows = (page: Page) => grid(page).locator('tbody tr');
const shown = (page: Page, text: string | RegExp) =>
  page.locator('main [role="status"]').filter({ hasText: text }).waitFor();
const filterFor = async (page: Page, column: string, condition: string, value?: string) => {
  await page.getByRole('button', { name: 'Add filter' }).click();
  const dialog = page.getByRole('dialog', { name: 'Filter the records' });
  await dialog.getByLabel('Column').selectOption(column);
  await dialog.getByLabel('Condition').selectOption({ label: condition });
  if (value !== undefined) await dialog.getByLabel(/^Values?$/).fill(value);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await settled(page);
};
/** The cells of a column, from the first row on. */
const cells = async (page: Page, place: number) =>
  rows(page).evaluateAll((all, at) => all.map((row) => row.children[at]?.textContent ?? ''), place);
const isHarmless = async (page: Page) => {
  expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBe(undefined);
  expect(await page.locator('main :is(script, style, img, iframe, object, embed)').count()).toBe(0);
  expect(await page.locator('main').isVisible()).toBe(true);
};
const active = (page: Page) =>
  grid(page).evaluate((table) => {
    const row = document.getElementById(table.getAttribute('aria-activedescendant') ?? '');
    return row?.children[0]?.textContent;
  });

describeInBrowser('records', () => {
  let server: ConsoleServer;
  let api: Api;
  beforeAll(async () => {
    const data = temporaryFolder();
    const folder = example('library-workflow');
    await runJson(data, 'library', 'import', folder, '--project', PROJECT, '--publish');
    server = await startConsoleServer({ data, args: ['--config', writeSources()] });
    api = createApi(server);
    // Read into its index before anybody waits for it.
    await until(() =>
      api.searchRecords({ model: 'many', per_page: 1 }).then(
        () => true,
        () => false,
      ),
    );
  });

  const source = (model: string, search = '') => `/records/source/${model}${search}`;

  test('sources tell their columns, types and counts; one that cannot be read says why', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/records', tolerates: [/503/] });
    await arrive(page, 'Records');
    const card = (name: string) =>
      page.getByRole('list', { name: 'Sources' }).locator('> li', { hasText: name });
    await card('activity').getByRole('link').click();
    await shown(page, '1–100 of 132 records');
    await page.getByRole('link', { name: 'Sources' }).click();
    await expect.poll(() => card('activity').textContent()).toContain('132');
    const columns = page.getByRole('list', { name: 'Columns of activity' });
    await columns.getByRole('listitem').filter({ hasText: 'minutesnumber' }).waitFor();
    await columns.getByRole('listitem').filter({ hasText: 'idnumber, id' }).waitFor();
    await columns.getByRole('listitem').filter({ hasText: 'tagsjson' }).waitFor();
    expect(await card('many').textContent()).toContain('120K');
    expect(await card('missing').textContent()).toMatch(/unavailable.*there is no such file/s);
    await page.goto(new URL(source('nothing'), server.url).href);
    await page.getByRole('heading', { name: 'There is no such source' }).waitFor();
    await page.goto(new URL(source('missing'), server.url).href);
    await page.getByRole('alert').filter({ hasText: 'there is no such file' }).waitFor();
  });

  test('are filtered, sorted and chosen by column, and the address holds all of it', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: source('activity') });
    await shown(page, 'of 132 records');
    await filterFor(page, 'minutes', 'is at least', '150');
    await addressed(page, 'where', '[["minutes","gte",150]]');
    await filterFor(page, 'billable', 'is');
    await filterFor(page, 'category', 'is one of', 'AI\nSupport');
    const filters = {
      ...{ minutes: { gte: 150 }, billable: { eq: true } },
      category: { in: ['AI', 'Support'] },
    };
    const { pagination } = await api.searchRecords({ model: 'activity', filters });
    await shown(page, `of ${pagination!.total} records`);
    await page.getByRole('button', { name: 'minutes', exact: true }).click();
    await addressed(page, 'sort', 'minutes');
    await page.getByRole('button', { name: 'minutes', exact: true }).click();
    await addressed(page, 'sort', '-minutes');
    await page
      .getByRole('columnheader', { name: 'minutes' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await settled(page);
    const minutes = (await cells(page, 4)).map(Number);
    expect(minutes).toEqual(minutes.toSorted((one, other) => other - one));
    await page.getByRole('button', { name: '9 of 9 columns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    for (const name of ['title', 'notes', 'tags']) await dialog.getByLabel(name).uncheck();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: '6 of 9 columns' }).waitFor();
    await page.reload();
    await settled(page);
    await shown(page, `of ${pagination!.total} records`);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      ...['id', 'category', 'project', 'minutes', 'started_at', 'billable'],
    ]);
    // A condition is changed, and removed.
    await page
      .getByRole('list', { name: 'Filters' })
      .getByRole('button', { name: /^minutes/ })
      .click();
    const change = page.getByRole('dialog', { name: 'Change the filter' });
    await change.getByLabel('Value').fill('a lot');
    await change.getByRole('button', { name: 'Apply' }).click();
    await change.getByText('This column holds numbers').waitFor();
    await change.getByLabel('Value').fill('9999');
    await change.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { name: 'No record is like that' }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await shown(page, 'of 132 records');
    await filterFor(page, 'notes', 'has a value or none');
    await addressed(page, 'where', '[["notes","is_null",true]]');
    await page.getByRole('button', { name: /^Remove the filter notes/ }).click();
    await addressed(page, 'where', undefined);
    // An address that asks for what is not there says so, and leads out.
    const lost = `?where=${encodeURIComponent('[["colour","eq",1]]')}`;
    const stale = await openConsole(server, { path: source('activity', lost), tolerates: [/400/] });
    await stale.getByRole('alert').filter({ hasText: 'Unknown filter "colour"' }).waitFor();
    await stale.getByRole('link', { name: /Show all records/ }).click();
    await shown(stale, 'of 132 records');
  });

  test('a hundred thousand are paged through by keys, from any page of them', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: source('many', '?page=600') });
    await shown(page, '59,901–60,000 of 120,000 records');
    await grid(page).focus();
    const keys = async (...names: string[]) => {
      for (const name of names) await page.keyboard.press(name);
    };
    await keys('PageDown');
    await addressed(page, 'page', '601');
    await shown(page, '60,001–60,100 of');
    await keys('End');
    await expect.poll(() => active(page)).toBe('60100');
    await keys('ArrowDown');
    await addressed(page, 'page', '602');
    await expect.poll(() => active(page)).toBe('60101');
    await keys('ArrowUp');
    await addressed(page, 'page', '601');
    await expect.poll(() => active(page)).toBe('60100');
    await keys('Control+End');
    await shown(page, '119,901–120,000 of');
    await expect.poll(() => active(page)).toBe('120000');
    await keys('Control+Home');
    await shown(page, '1–100 of');
    await expect.poll(() => active(page)).toBe('1');
    await page.getByLabel('Page', { exact: false }).and(page.locator('input')).fill('1000');
    await page.keyboard.press('Enter');
    await shown(page, '99,901–100,000 of');
    await page.goBack();
    await shown(page, '1–100 of');
    // Sorted, the same page is another one.
    await page.goto(new URL(source('many', '?page=600&sort=-minutes'), server.url).href);
    await shown(page, '59,901–60,000 of');
    const { records } = await api.searchRecords({
      model: 'many',
      page: 600,
      per_page: 100,
      sort: '-minutes',
    });
    expect((await cells(page, 0)).map(Number)).toEqual(records!.map(({ id }) => id));
  });

  test('a row opens as a record with all of its fields, by its id or by its place', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: source('activity', '?columns=["title"]') });
    await shown(page, 'of 132 records');
    await grid(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await addressed(page, 'record', '73');
    const sheet = page.getByRole('dialog', { name: 'activity 73' });
    for (const name of ['category', 'notes', 'tags', 'started_at']) {
      await sheet.locator('dt', { hasText: name }).waitFor();
    }
    await sheet.getByRole('button', { name: 'Next' }).click();
    await addressed(page, 'record', '74');
    const next = page.getByRole('dialog', { name: 'activity 74' });
    await axe(page);
    await next.getByRole('button', { name: 'Only records with this category' }).click();
    await addressed(page, 'where', /"category","eq"/);
    await next.waitFor({ state: 'hidden' });
    await page.goto(new URL(source('activity', '?record=190'), server.url).href);
    await dismiss(page.getByRole('dialog', { name: 'activity 190' }));
    await addressed(page, 'record', undefined);
    await page.goto(new URL(source('strange', '?row=3'), server.url).href);
    await page.getByRole('dialog', { name: 'strange row 3' }).getByText('__proto__ 2').first().waitFor();
    const none = await openConsole(server, { path: source('activity', '?record=9999'), tolerates: [/404/] });
    await none.getByRole('dialog').getByRole('alert').filter({ hasText: 'not found' }).waitFor();
  });

  test('columns and values of any kind are text, can be filtered and sorted by, and run nothing', async () => {
    verifies('CON-05');
    const page = await openConsole(server, { path: source('strange') });
    for (const [width, names] of [
      [1280, ['a,-b, c', '-desc', 'constructor']],
      [360, ['constructor']],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await visit(page, source('strange'));
      await shown(page, '1–10 of 10 records');
      await isHarmless(page);
      await fits(page);
      if (width === 1280) await axe(page);
      else await axeWhereNarrow(page);
      await filterFor(page, '__proto__', 'contains', HOSTILE[1]!);
      await shown(page, '1–1 of 1 record');
      for (const name of names) {
        await visit(page, source('strange'));
        const heading = page.getByRole('columnheader').filter({ hasText: name }).first();
        await heading.getByRole('button').click();
        await heading.and(page.locator('[aria-sort=ascending]')).waitFor();
        await heading.getByRole('button').click();
        await heading.and(page.locator('[aria-sort=descending]')).waitFor();
        await settled(page);
        const { records } = await api.searchRecords({ model: 'strange', sort: `-${name}` });
        expect(await cells(page, HOSTILE.indexOf(name))).toEqual(
          records!.map(
            (record) =>
              (record[name] as string).slice(0, 199) + ((record[name] as string).length > 200 ? '…' : ''),
          ),
        );
      }
      await rows(page).first().click();
      await page.getByRole('dialog').locator('dt').first().waitFor();
      await isHarmless(page);
      if (width === 1280) await axe(page);
      else await axeWhereNarrow(page);
      await dismiss(page.getByRole('dialog'));
    }
  });

  test('a workflow is drawn with its loop, its decision and what is used up where, and read step by step', async () => {
    verifies('CON-01', 'TCP-05');
    const page = await openConsole(server, { path: '/records/workflows' });
    await page.waitForURL(/\/records\/workflows\/.+project=proj_/);
    await page.getByRole('heading', { name: 'Reclassify activities' }).waitFor();
    const steps = page.getByRole('list', { name: 'Steps' });
    const step = (order: number) => steps.getByRole('listitem').nth(order - 1);
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(5);
    expect(await step(2).textContent()).toMatch(
      /Fetch activities.*search_records.*transient until step 3.*every page.*in the loop fetch-analyze/s,
    );
    expect(await step(3).textContent()).toMatch(/store_analysis_memory.*consumes step 2/s);
    expect(await step(4).textContent()).toContain('decides: 2 ways');
    // From top to bottom, and the loop around its two.
    const boxes = await Promise.all([1, 2, 3, 4, 5].map(async (order) => (await step(order).boundingBox())!));
    expect(boxes.map(({ y }) => y)).toEqual(boxes.map(({ y }) => y).toSorted((one, other) => one - other));
    const loop = (await page.getByText('Repeat: fetch-analyze').locator('..').boundingBox())!;
    for (const [place, isInside] of [false, true, true, false, false].entries()) {
      const { y, height } = boxes[place]!;
      expect(y > loop.y && y + height < loop.y + loop.height).toBe(isInside);
    }
    // Four from step to step, the loop, the way back of the decision, and what is used up.
    expect(await page.locator('section[aria-label="Workflow"] svg g').count()).toBe(7);
    await step(1).getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await focused(step(2));
    await page.keyboard.press('Enter');
    await addressed(page, 'step', '2');
    const details = page.getByRole('complementary', { name: 'Step 2' });
    await details.getByText('Its result is transient').waitFor();
    await details.getByRole('figure', { name: 'Its arguments' }).filter({ hasText: 'per_page' }).waitFor();
    await details.getByRole('link', { name: 'step 3' }).click();
    await page
      .getByRole('complementary', { name: 'Step 3' })
      .getByText('Pass the handle of the page')
      .waitFor();
    await page.goto(page.url().replace('step=3', 'step=4'));
    const decides = page.getByRole('complementary', { name: 'Step 4' });
    await decides.getByText('Does the user agree?').waitFor();
    await decides.getByRole('link', { name: 'step 2' }).click();
    await addressed(page, 'step', '2');
    await page.getByRole('link', { name: 'activity', exact: true }).click();
    await shown(page, 'of 132 records');
  });

  test('a workflow that is published is there at once, also one of hostile words', async () => {
    verifies('CON-01', 'CON-05');
    const page = await openConsole(server, { path: '/records/workflows' });
    await page.getByRole('heading', { name: 'Reclassify activities' }).waitFor();
    const say = (text: string) => JSON.stringify(text);
    const strange = HOSTILE.filter((text) => !text.includes('\u202E'));
    const steps = strange.map((text, place) => {
      const group =
        place < 3
          ? `, parallelGroup: ${say(strange[0]!)}`
          : place === 4
            ? `, loopGroup: ${say(strange[1]!)}`
            : '';
      return `  - { order: ${place + 1}, title: ${say(text)}, description: ${say(`${text} **bold**`)}, tool: ${say(text)}, tips: [${say(text)}]${group} }`;
    });
    // One that is tried again finds what its first try left, under another name.
    const title = `${strange[0]!} ${unique('try')}`;
    const body = `---\ntitle: ${say(title)}\ndescription: ${say(strange[1]!)}\ntags: [${say(strange[0]!)}]\nsteps:\n${steps.join('\n')}\n---\n\n# Strange\n`;
    const op = { create: { path: `workflow/${unique('STRANGE')}.md`, body } };
    const { draft } = await api.createDraft({ project: PROJECT, resource: 'rule', op });
    await api.submitDraft({ id: draft.id });
    await api.approveDraft({ id: draft.id });
    await api.publishDraft({ id: draft.id });
    const list = page.getByRole('list', { name: 'Workflows' });
    await list.getByRole('link', { name: title }).click();
    await expect
      .poll(() => page.getByRole('list', { name: 'Steps' }).getByRole('listitem').count())
      .toBe(strange.length);
    await isHarmless(page);
    await fits(page);
    await axe(page);
    await axeWhereNarrow(page);
    await isHarmless(page);
  });

  test('every page passes axe in both themes, and fits a screen of 360 pixels', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/records' });
    const filtered = `?where=${encodeURIComponent('[["minutes","gte",60],["category","ne","AI"]]')}&sort=-minutes`;
    for (const path of ['/records', '/records/workflows', source('activity', filtered)]) {
      await visit(page, path);
      await cleanEverywhere(page);
    }
    await page.setViewportSize({ width: 360, height: 780 });
    for (const [button, title] of [
      ['Add filter', 'Filter the records'],
      ['9 of 9 columns', 'Columns'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      const dialog: Locator = page.getByRole('dialog', { name: title });
      await dialog.waitFor();
      await axeInBothThemes(page);
      await dismiss(dialog);
    }
  }, 600_000);

  test('what the page read counts as nobody’s call, and was kept for no window', async () => {
    const { tools } = await api.listTools();
    const used = tools.filter(({ door, calls }) => door === 'transient' && calls > 0);
    expect(used).toEqual([]);
    expect(await api.searchRecords({ model: 'activity' })).not.toHaveProperty('handle');
  });
});

describeInBrowser('records, with a read token', () => {
  test('are read as far as the token may, and nothing is offered that changes something', async () => {
    verifies('CON-06');
    const data = temporaryFolder();
    const folder = example('library-workflow');
    await runJson(data, 'library', 'import', folder, '--project', PROJECT, '--publish');
    const config = join(temporaryFolder(), 'infold.config.json');
    const path = example('records/activities.jsonl');
    const sources = {
      activity: { type: 'jsonl', path },
      secret: { type: 'jsonl', path, projects: ['/home/ada/elsewhere'] },
    };
    writeFileSync(config, JSON.stringify({ sources }));
    const server = await startConsoleServer({
      data,
      args: ['--config', config],
      tokens: { boss: ['read', 'write', 'review', 'admin'] },
    });
    const boss = createApi({ url: server.url, token: server.tokens.boss! });
    await boss.addProject({ name: 'eves' });
    const narrow = await boss.createToken({ name: 'eve', scopes: ['read'], projects: ['eves'] });
    const page = await openConsole(server, {
      path: '/records',
      token: narrow.token,
      keep: true,
      tolerates: [/40[34]/],
    });
    await page.getByText('read only').waitFor();
    await page.getByRole('list', { name: 'Sources' }).getByRole('link', { name: 'activity' }).click();
    await shown(page, 'of 132 records');
    await page.goto(new URL('/records/source/secret', server.url).href);
    await page.getByRole('heading', { name: 'There is no such source' }).waitFor();
    await page.goto(new URL('/records/workflows', server.url).href);
    await page.getByRole('heading', { name: 'No workflow with steps yet' }).waitFor();
    expect(await page.getByRole('button', { name: /sample/i }).count()).toBe(0);
    await axe(page);
    const status = await page.evaluate(async () => {
      const ask = (address: string) => fetch(address).then((answer) => answer.status);
      return [await ask('/api/workflows/reclassify?project=%2Fhome%2Fada%2Fatlas')];
    });
    expect(status[0]).toBeGreaterThanOrEqual(403);
  });
});
