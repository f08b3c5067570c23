import { type Api, createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { runJson } from '../support/program.ts';
import { WorkSession } from './sessions.ts';
import {
  addressed,
  axe,
  axeInBothThemes,
  axeWhereNarrow,
  type ConsoleServer,
  changeAddress,
  describeInBrowser,
  dismiss,
  fits,
  focused,
  openConsole,
  settled,
  startConsoleServer,
  unique,
} from './support.ts';

const PROJECT = '/home/ada/atlas';
/** For what takes a while on a machine that does other things, too. */
const SLOWLY = { timeout: 120_000 };
const HOSTILE = '<img src=x onerror="document.title=1"> \u202Egnp.exe <script>alert(1)</script>';

const read = (path: string, collapsesTo?: string) => ({
  tool: 'Read',
  input: { file_path: path },
  output: `The text of ${path}\n`.repeat(30),
  ...(collapsesTo !== undefined && { collapsesTo }),
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/**
 * The longest task of the page meanwhile, in milliseconds of its own thread: what other programs of the machine take away
 * does not count.
 */
async function longestTask(page: Page, what: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel'] });
  await what();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threads = traceEvents.filter(({ args }) => args?.name === 'CrRendererMain');
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) =>
      name.includes('RunTask') && threads.some((thread) => thread.pid === pid && thread.tid === tid),
  );
  expect(tasks.length).toBeGreaterThan(0);
  return Math.max(...tasks.map(({ tdur, dur }) => (tdur ?? dur ?? 0) / 1000));
}

describeInBrowser('the tree', () => {
  let server: ConsoleServer;
  let reader: string;
  let keeper: Api;

  beforeAll(async () => {
    server = await startConsoleServer({ tokens: { ada: ['read', 'write'] } });
    keeper = createApi({ url: server.url, token: server.tokens.keeper! });
    // The same person, with another token: the owner of the machine alone can make that.
    const create = ['token', 'create', '--name', 'ada', '--scope', 'read'];
    reader = (await runJson<{ token: string }>(server.data, ...create)).token;
  });

  /** An agent with a session of its own, so that tests do not meet: neither each other nor their second try. */
  const begin = (name: string) =>
    WorkSession.begin({
      url: server.url,
      token: server.tokens.ada!,
      session: unique(name),
      project: PROJECT,
    });

  /** Branches that are folded, discarded and open, and a collapsed result. */
  const work = async (session: string) => {
    const agent = await begin(session);
    await agent.do(
      read('src/index.ts', 'It exports one thing'),
      {
        description: 'Search the logs',
        prompt: 'Find all errors',
        deeds: [read('a.log')],
        folds: 'Two errors',
      },
      { description: 'Try another way', prompt: 'Have a look', deeds: [read('b.ts')], isDiscarded: true },
      { description: 'Write the test', prompt: 'Begin with one that fails', deeds: [read('c.test.ts')] },
    );
    return agent;
  };

  const open = async (path: string, options: Partial<Parameters<typeof openConsole>[1]> = {}) => {
    const page = await openConsole(server, { path, token: server.tokens.ada!, ...options });
    await page.getByRole('treegrid').waitFor();
    await settled(page);
    return page;
  };

  const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name }).first();

  /** The figures that the page shows, by their names. */
  const figures = (page: Page) =>
    page
      .getByLabel('What it holds')
      .evaluate((list) =>
        Object.fromEntries(
          [...list.children].map((each) => [
            each.querySelector('dt')!.textContent,
            Number(each.querySelector('dd')!.firstChild!.textContent!.replaceAll(',', '')),
          ]),
        ),
      );

  /** What the API says at this moment, as the page names it. */
  const said = async (agent: WorkSession) => {
    const id = await agent.id();
    const { context_state, folded_total } = await agent.api.readSession({ id });
    const { branches } = await agent.api.listSessionBranches({ id });
    const { entries } = await agent.api.listSessionEntries({ id, limit: 1000 });
    return {
      at: entries.at(-1)!.seq,
      figures: {
        'In the window': context_state.total_tokens,
        'Main thread': context_state.main_thread_tokens,
        'Folded away': folded_total,
        'Could collapse': context_state.collapsible,
      },
      branches: branches.map(({ description, status, tokens }) => ({ description, status, tokens })),
    };
  };

  /** Branches as they stand on the page, in the order of their creation. */
  const shown = async (page: Page, names: readonly string[]) => {
    const rows = await page
      .getByRole('row')
      .evaluateAll((all) =>
        all.map((each) => [...each.children].map((cell) => (cell.querySelector('bdi') ?? cell).textContent)),
      );
    return names.flatMap((description) => {
      const found = rows.find(([what]) => what === description);
      return found ? [{ description, status: found[1], tokens: Number(found[2]!.replaceAll(',', '')) }] : [];
    });
  };

  test('grows while it is watched, with the figures of the server', async () => {
    verifies('CON-03');
    const agent = await work('grows');
    const page = await open(`/tree/${await agent.id()}`);
    await expect.poll(() => figures(page)).toEqual((await said(agent)).figures);
    await agent.do({
      description: 'One thing more',
      prompt: 'Do it',
      deeds: [{ tool: 'WebFetch', input: { url: 'x' }, output: 'words '.repeat(50) }],
    });
    await row(page, /^One thing more/).waitFor();
    await row(page, /^WebFetch/).waitFor();
    await expect.poll(() => figures(page)).toEqual((await said(agent)).figures);
    const { branches } = await said(agent);
    const names = branches.map(({ description }) => description);
    await expect.poll(() => shown(page, names)).toEqual(branches);
    // The address without a name opens the last one, and stays with it.
    await page.goto(`${server.url}/tree`);
    await page.getByLabel('Token').fill(server.tokens.ada!);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/tree/${await agent.id()}`);
  });

  test('shows every earlier moment as it was', async () => {
    verifies('CON-03');
    const agent = await begin('scrubbed');
    const moments = [];
    for (const deed of [
      read('one.ts'),
      { description: 'First', prompt: 'p', deeds: [read('two.ts')], folds: 'It was so' },
      { description: 'Second', prompt: 'p', deeds: [read('three.ts')], isDiscarded: true as const },
      read('four.ts', 'Nothing in it'),
      { description: 'Third', prompt: 'p', deeds: [read('five.ts')] },
    ]) {
      await agent.do(deed);
      moments.push(await said(agent));
    }
    const id = await agent.id();
    const page = await open(`/tree/${id}?at=${moments[0]!.at}`);
    const names = moments.at(-1)!.branches.map(({ description }) => description);
    for (const moment of [...moments].reverse()) {
      await changeAddress(page, `/tree/${id}?at=${moment.at}`);
      await expect.poll(() => figures(page)).toEqual(moment.figures);
      await expect.poll(() => shown(page, names)).toEqual(moment.branches);
    }
    await page.getByText('the past:').waitFor();
    await row(page, /^Main thread/).click();
    await page.getByText('This is the past').waitFor();
    expect(await page.getByRole('button', { name: 'Roll back to here' }).isDisabled()).toBe(true);
    await dismiss(page.getByRole('dialog'));
    await page.getByRole('slider').press('End');
    await addressed(page, 'at', String(moments.at(-1)!.at));
    await expect.poll(() => figures(page)).toEqual(moments.at(-1)!.figures);
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByText('the past:').waitFor({ state: 'hidden' });
    await addressed(page, 'at', undefined);
    // Slowly enough for a busy machine to see the past before it is over.
    await page.getByLabel('Speed').selectOption('4');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByText('the past:').waitFor();
    await page.getByLabel('Speed').selectOption('100');
    await page.getByText('the past:').waitFor({ state: 'hidden' });
    await expect.poll(() => figures(page)).toEqual(moments.at(-1)!.figures);
  });

  test('leads from what was folded, collapsed or discarded to its original', async () => {
    verifies('CON-03', 'TCP-15');
    const agent = await work('originals');
    const page = await open(`/tree/${await agent.id()}`);
    const original = page.getByRole('dialog');
    await row(page, /^Search the logs/).click();
    await original.getByText('Find all errors').waitFor();
    await original.locator('summary', { hasText: 'Read' }).click();
    await original.getByText('The text of a.log').first().waitFor();
    await dismiss(original);
    await row(page, /It exports one thing/).click();
    await original.getByText('The text of src/index.ts').first().waitFor();
    await page.goBack();
    await original.waitFor({ state: 'hidden' });
    await row(page, /^Try another way/).click();
    await original.locator('summary', { hasText: 'Read' }).click();
    await original.getByText('The text of b.ts').first().waitFor();
    expect(await original.getByRole('textbox').count()).toBe(0);
  });

  test('folds a branch, and says what the summary dropped', async () => {
    const agent = await begin('folds');
    await agent.do({
      description: 'Look at the store',
      prompt: 'Read src/store/index.ts and decide about ORDER-4711',
      deeds: [read('src/store/index.ts')],
    });
    const page = await open(`/tree/${await agent.id()}`, { tolerates: [/status of 4\d\d/] });
    await row(page, /^Look at the store/).click();
    await page.getByRole('button', { name: 'Fold' }).click();
    const form = page.getByRole('dialog', { name: /^Fold/ });
    await form.getByRole('button', { name: 'Fold' }).click();
    await form.getByText('Write a summary').waitFor();
    await form.getByLabel('Summary').fill('It can stay');
    await form.getByRole('button', { name: 'Fold' }).click();
    await page.getByLabel('Dropped').getByText('ORDER-4711').waitFor();
    const folded = page.getByRole('dialog', { name: 'Folded' });
    await folded.getByRole('button', { name: 'Close' }).last().click();
    await folded.waitFor({ state: 'hidden' });
    const { branches, figures: after } = await said(agent);
    expect(branches).toMatchObject([{ status: 'folded' }]);
    await expect.poll(() => figures(page)).toEqual(after);
  });

  test('loses nothing that was typed when the server refuses', async () => {
    const agent = await begin('refused');
    await agent.do({ description: 'Gone meanwhile', prompt: 'p', deeds: [read('x.ts')] });
    const page = await open(`/tree/${await agent.id()}`, { tolerates: [/status of 4\d\d/] });
    await row(page, /^Gone meanwhile/).click();
    await page.getByRole('button', { name: 'Fold' }).click();
    const form = page.getByRole('dialog', { name: /^Fold/ });
    await form.getByLabel('Summary').fill('What I wrote');
    await agent.call('context_return', { message: 'I was faster' });
    await form.getByRole('button', { name: 'Fold' }).click();
    await form.getByRole('alert').getByText('is folded').waitFor();
    expect(await form.getByLabel('Summary').inputValue()).toBe('What I wrote');
  });

  test('rolls back to a branch, and said before what that discards', async () => {
    const agent = await work('rolls');
    const id = await agent.id();
    const page = await open(`/tree/${id}`);
    await row(page, /^Search the logs/).click();
    await page.getByRole('button', { name: 'Roll back to here' }).click();
    const confirm = page.getByRole('dialog', { name: /^Roll back to/ });
    const told = await confirm.getByLabel('Will be discarded').textContent();
    expect(told).toContain('Write the test');
    expect(told).not.toContain('Try another way');
    await confirm.getByLabel('Will be opened again').getByText('Search the logs').waitFor();
    await confirm.getByRole('button', { name: 'Roll back' }).click();
    await confirm.waitFor({ state: 'hidden' });
    expect((await said(agent)).branches.map(({ status }) => status)).toEqual([
      'active',
      'discarded',
      'discarded',
    ]);
    await expect.poll(() => figures(page)).toEqual((await said(agent)).figures);
    await page.getByRole('button', { name: 'Abandon' }).click();
    await page
      .getByRole('dialog', { name: /^Abandon/ })
      .getByRole('button', { name: 'Abandon' })
      .click();
    await expect.poll(async () => (await said(agent)).branches[0]!.status).toBe('discarded');
    await page.getByRole('dialog', { name: /^Abandon/ }).waitFor({ state: 'hidden' });
    await dismiss(page.getByRole('dialog'));
    await agent.do({ description: 'Too much', prompt: 'p', deeds: [] });
    await row(page, /^Main thread/).click();
    await page.getByRole('button', { name: 'Roll back to here' }).click();
    await confirm.getByLabel('Will be discarded').getByText('Too much').waitFor();
    await confirm.getByRole('switch').click();
    await confirm.getByRole('button', { name: 'Roll back' }).click();
    await expect.poll(async () => (await said(agent)).branches.at(-1)!.status).toBe('discarded');
  });

  test('is walked by keys alone', async () => {
    verifies('CON-01');
    const agent = await work('keys');
    const page = await open(`/tree/${await agent.id()}`);
    const active = () =>
      page.getByRole('treegrid').evaluate((grid) => {
        const id = grid.getAttribute('aria-activedescendant')!;
        const at = document.getElementById(id)!;
        return `${at.querySelector('bdi')!.textContent} ${at.getAttribute('aria-expanded')}`;
      });
    await page.getByRole('treegrid').focus();
    await expect.poll(active).toBe('Main thread true');
    await page.keyboard.press('End');
    await expect.poll(active).toMatch(/^Read/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(active).toBe('Write the test true');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(active).toBe('Write the test false');
    await page.keyboard.type('sea');
    await expect.poll(active).toBe('Search the logs false');
    await page.keyboard.press('ArrowRight');
    await expect.poll(active).toBe('Search the logs true');
    await page.keyboard.press('ArrowRight');
    await expect.poll(active).toMatch(/^Read/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The text of a.log').first().waitFor();
    await dismiss(page.getByRole('dialog'));
    await focused(page.getByRole('treegrid'));
    await page.keyboard.press('Home');
    await expect.poll(active).toBe('Main thread true');
  });

  test('lets a token that may only read see everything and change nothing', async () => {
    verifies('CON-06');
    const agent = await work('read-only');
    const page = await open(`/tree/${await agent.id()}`, { token: reader });
    await row(page, /^Write the test/).click();
    await page.getByText('Your token may read, but not write.').waitFor();
    for (const name of ['Fold', 'Roll back to here', 'Abandon']) {
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    }
  });

  test('takes what agents write for text', async () => {
    verifies('CON-05');
    const agent = await begin('hostile');
    await agent.do(
      { tool: HOSTILE, input: { path: HOSTILE }, output: HOSTILE, collapsesTo: HOSTILE },
      { description: HOSTILE, prompt: HOSTILE, deeds: [], folds: HOSTILE },
      { description: 'W'.repeat(200), prompt: 'x', deeds: [] },
    );
    const page = await open(`/tree/${await agent.id()}`, { width: 360 });
    await fits(page);
    await page.getByRole('row').nth(3).click();
    await page.getByRole('dialog').getByText('onerror').first().waitFor();
    expect(await page.title()).toBe('Tree · Infold');
    await fits(page);
  });

  test('holds ten thousand calls: it scrolls, changes and goes back without making anybody wait', async () => {
    const agent = await begin('many');
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      tool: ['Read', 'Grep', 'Bash'][index % 3]!,
      input: { path: `src/${index}.ts` },
      output: 'one two three',
    }));
    await agent.do({ description: 'A long way', prompt: 'Go', deeds: [] });
    const beginning = await said(agent);
    await agent.useMany(many, 1000);
    const page = await open(`/tree/${await agent.id()}`);
    await expect.poll(() => figures(page), SLOWLY).toEqual((await said(agent)).figures);
    await page.getByRole('button', { name: 'Open all' }).click();
    const grid = page.getByRole('treegrid');
    await expect.poll(async () => Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(10_000);
    const scroll = () =>
      grid.evaluate(async (element) => {
        element.scrollTop = 0;
        for (let step = 0; step < 60; step++) {
          element.scrollTop += element.scrollHeight / 60;
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      });
    // Each is done until it was quick once: a machine can be busy, and a page that is slow stays slow.
    await expect.poll(() => longestTask(page, scroll), SLOWLY).toBeLessThan(50);
    await page.getByText('src/9999.ts').waitFor();
    let more = 0;
    const change = async () => {
      const path = `src/last-${++more}.ts`;
      await agent.useMany([{ tool: 'Read', input: { path }, output: 'four' }]);
      await page.getByText(path).waitFor();
    };
    await expect.poll(() => longestTask(page, change), SLOWLY).toBeLessThan(16);
    const live = page.getByRole('button', { name: 'Live' });
    const past = page.getByText('the past:');
    const goBack = async () => {
      for (const key of ['Home', 'PageUp', 'PageUp', 'ArrowRight']) await page.getByRole('slider').press(key);
      await past.waitFor();
    };
    const goBackAndForth = async () => {
      const longest = await longestTask(page, goBack);
      await live.click();
      await past.waitFor({ state: 'hidden' });
      return longest;
    };
    await expect.poll(goBackAndForth, SLOWLY).toBeLessThan(50);
    // More than the page holds: the oldest are read again when somebody asks for them.
    await agent.useMany(many.slice(0, 4000), 1000);
    await expect.poll(() => figures(page), SLOWLY).toEqual((await said(agent)).figures);
    await grid.press('Home');
    await row(page, /earlier operations/).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Read' }).first().click();
    await page.getByRole('dialog').getByText('src/0.ts').first().waitFor();
    await dismiss(page.getByRole('dialog'));
    await changeAddress(page, `/tree/${await agent.id()}?at=${beginning.at}`);
    await expect.poll(() => figures(page), SLOWLY).toEqual(beginning.figures);
  }, 600_000);

  test('is found to be in order by axe, in both themes, wide and narrow', async () => {
    verifies('CON-01');
    const agent = await work('axe');
    const id = await agent.id();
    const page = await open(`/tree/${id}`, { width: 1600 });
    await row(page, /^Search the logs/).click();
    await settled(page);
    await axeInBothThemes(page);
    await axeWhereNarrow(page);
    await dismiss(page.getByRole('dialog'));
    await axeWhereNarrow(page);
    await changeAddress(page, `/tree/${id}?at=1`);
    await page.getByText('the past').waitFor();
    await axeInBothThemes(page);
  });

  test('says how to begin where there is no session, and shows the sample data', async () => {
    verifies('CON-01');
    const { token } = await keeper.createToken({ name: unique('new'), scopes: ['read', 'write'] });
    const page = await openConsole(server, { path: '/tree', token });
    await page.getByRole('heading', { name: 'No session yet' }).waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Load sample data' }).click();
    await page.getByRole('treegrid').waitFor();
    for (const state of ['folded', 'discarded', 'collapsed']) {
      await page.getByRole('row', { name: state }).first().waitFor();
    }
  });
});
