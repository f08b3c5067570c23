import { createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { startServer } from '../support/program.ts';
import { type Seeded, seed } from './seed.ts';
import {
  arrive,
  axe,
  type ConsoleServer,
  cleanEverywhere,
  describeInBrowser,
  dismiss,
  fits,
  goByKeys,
  openConsole,
  openPalette,
  runCommand,
  settled,
  signIn,
  startConsoleServer,
  unique,
  visit,
} from './support.ts';

const PLACES = [
  ['Window', '/window', 'w'],
  ['Tree', '/tree', 't'],
  ['Conversation', '/conversation', 'c'],
  ['Library', '/library', 'l'],
  ['Memory', '/memory', 'm'],
  ['Pods', '/pods', 'p'],
  ['Records', '/records', 'r'],
  ['System', '/system', 's'],
  ['Settings', '/settings', ','],
] as const;

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const live = (page: Page, state: string) =>
  page
    .getByRole('banner')
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${state}$`) });

describeInBrowser('the frame of the console', () => {
  let server: ConsoleServer;
  let seeded: Seeded;
  let session: string;
  let conversation: string;
  beforeAll(async () => {
    server = await startConsoleServer();
    seeded = await seed(server);
    session = await seeded.work.id();
    const { windows } = await createApi(server).listWindows();
    conversation = windows[0]!.id;
  });

  test('begins with the window, and leads everywhere by its links, back and forward', async () => {
    verifies('CON-01');
    const page = await openConsole(server);
    await arrive(page, 'Window');
    expect(new URL(page.url()).pathname).toMatch(/^\/window/);
    const isTitled = async () =>
      (await page.title()).includes((await page.locator('h1').first().textContent())!);
    for (const [name, path] of PLACES) {
      const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });
      await link.click();
      await arrive(page, name);
      expect(new URL(page.url()).pathname).toContain(path);
      await expect.poll(isTitled).toBe(true);
    }
    await page.goBack();
    await heading(page, 'System').waitFor();
    await page.goForward();
    await heading(page, 'Settings').waitFor();
  });

  test('who has left a view before its list came is not called back', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/settings' });
    await heading(page, 'Settings').waitFor();
    const held: (() => void)[] = [];
    const hold = (pattern: RegExp) =>
      page.route(pattern, async (route) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await route.continue();
      });
    const link = (name: string) =>
      page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    const list = page.waitForResponse(/\/api\/windows(\?|$)/);
    await hold(/\/api\/windows(\?|$)/);
    await link('Window');
    await expect.poll(() => held.length).toBeGreaterThan(0);
    const [release] = held.splice(0);
    // The next view is on its way for as long as its code is.
    await hold(/\/assets\/.*\.js$/);
    await link('Tree');
    await expect.poll(() => held.length).toBeGreaterThan(0);
    release!();
    await (await list).finished();
    // The page has read it, and shown what it shows of it.
    await page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))),
        ),
    );
    await page.unroute(/\/assets\/.*\.js$/);
    for (const resolve of held) resolve();
    await arrive(page, 'Tree');
    expect(new URL(page.url()).pathname).toMatch(/^\/tree/);
  });

  test('every address opens by itself and again after a reload; one that is none says so', async () => {
    const page = await openConsole(server, { path: '/nothing/yet' });
    for (const [path, title] of [
      [`/tree/${session}`, 'Tree'],
      [`/window/${conversation}`, 'claude-code'],
      ['/system/tokens', 'System'],
      ['/settings', 'Settings'],
    ] as const) {
      await page.goto(new URL(path, server.url).href);
      await heading(page, title).waitFor();
      await page.reload();
      await heading(page, title).waitFor();
      expect(new URL(page.url()).pathname).toContain(path);
    }
    const lost = await openConsole(server, { path: '/nothing/here?at=1' });
    await heading(lost, 'Not found').waitFor();
    await lost.getByRole('main').getByRole('link').click();
    await arrive(lost, 'Window');
  });

  test('is gone about by keys alone: g and a letter, ?, and Tab to what is skipped to', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/settings' });
    await heading(page, 'Settings').waitFor();
    for (const [name, , key] of PLACES) {
      await goByKeys(page, key, name);
    }
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await dismiss(keys);
    // The first stop leads past the navigation.
    await page.reload();
    await heading(page, 'Settings').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('view');
    // Keys that somebody writes are no commands.
    const palette = await openPalette(page);
    await page.keyboard.type('gw?');
    await expect.poll(() => palette.getByRole('combobox').inputValue()).toBe('gw?');
    expect(new URL(page.url()).pathname).toBe('/settings');
    expect(await keys.count()).toBe(0);
  });

  test('its palette goes to places, sessions and conversations, and does things', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/settings' });
    await heading(page, 'Settings').waitFor();
    await runCommand(page, 'atlas-pairs', 'atlas-pairs');
    await page.waitForURL(`**/tree/${session}`);
    await runCommand(page, 'claude-code', 'claude-code');
    await page.waitForURL(`**/window/${conversation}`);
    await runCommand(page, 'system', 'System');
    await heading(page, 'System').waitFor();
    await runCommand(page, 'dark', 'Dark theme');
    await page.locator('html[data-theme=dark]').waitFor();
    const palette = await openPalette(page);
    await axe(page);
    await dismiss(palette);
  });

  test('follows the theme of the system until somebody chooses one, and remembers that', async () => {
    const page = await openConsole(server, { path: '/settings', theme: 'dark' });
    await heading(page, 'Settings').waitFor();
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(background).not.toBe(dark);
    const light = await background();
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await expect.poll(background).toBe(dark);
    await page.reload();
    await heading(page, 'Settings').waitFor();
    await expect.poll(background).toBe(dark);
    await page.getByRole('button', { name: 'Light theme' }).click();
    await expect.poll(background).toBe(light);
  });

  test('every view passes axe in both themes, and fits a screen of 360 pixels', async () => {
    verifies('CON-01');
    const paths = [
      // The views of `library`, `memory`, `pods` and `records` are looked at in files of their own, page by page.
      ...['/window', '/tree', '/conversation', '/system', '/settings'],
      `/window/${conversation}`,
      `/tree/${session}`,
      '/nothing/here',
    ];
    const page = await openConsole(server, { path: '/settings' });
    for (const path of paths) {
      await visit(page, path);
      await cleanEverywhere(page);
    }
  }, 600_000);

  test('is readable on a screen of 2560 pixels', async () => {
    const page = await openConsole(server, { path: `/window/${conversation}`, width: 2560, height: 1300 });
    await settled(page);
    await fits(page);
  });

  test('says when the server is away, and goes on where it was when it is back', async () => {
    verifies('CON-01');
    const own = await startConsoleServer();
    const { work } = await seed(own);
    const away = [/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_EMPTY_RESPONSE/];
    const id = await work.id();
    const page = await openConsole(own, { path: `/tree/${id}`, tolerates: away });
    await settled(page);
    await live(page, 'Live').waitFor();
    await own.stop();
    await live(page, 'Reconnecting').waitFor();
    const again = await startServer({ data: own.data, args: ['--port', String(own.port)] });
    await live(page, 'Live').waitFor({ timeout: 60_000 });
    const api = createApi(again);
    const { branches } = await api.listSessionBranches({ id });
    const open = branches.find(({ status }) => status === 'active')!;
    const operations = [
      { call_id: 'after', tool: 'AfterTheRestart', branch_id: open.id, input: {}, output: 'It goes on' },
    ];
    await api.reportOperations({ id: 'atlas-pairs', project: '/home/ada/atlas', operations });
    await page.getByText('AfterTheRestart').first().waitFor();
  });
});

describeInBrowser('the console of a server that nobody has used yet', () => {
  test('says in every view what to do first', async () => {
    const server = await startConsoleServer();
    const page = await openConsole(server, { path: '/settings' });
    for (const path of ['/tree', '/window']) {
      await visit(page, path);
      const main = page.getByRole('main');
      await main.getByRole('heading', { level: 2 }).first().waitFor();
      await main
        .getByRole('button', { name: /sample/i })
        .first()
        .waitFor();
      await axe(page);
    }
    await page
      .getByRole('main')
      .getByRole('button', { name: /sample/i })
      .first()
      .click();
    // It leads to the sample conversation, and must not do so later.
    await page.waitForURL(/\/window\/conv_/);
    await goByKeys(page, 't', 'Tree');
    await heading(page, 'Tree').waitFor();
    await page
      .getByRole('main')
      .getByText(/sample/i)
      .first()
      .waitFor();
  });
});

describeInBrowser('signing in', () => {
  let server: ConsoleServer;
  beforeAll(async () => {
    server = await startConsoleServer({
      tokens: { ada: ['read', 'write', 'admin'], eve: ['read'] },
    });
    await seed(server, server.tokens.ada);
  });

  const stored = (page: Page) =>
    page.evaluate(() =>
      JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie]),
    );

  test('takes a token that is right, and says what is wrong with others', async () => {
    verifies('CON-06');
    const page = await openConsole(server, { path: '/tree' });
    await heading(page, 'Sign in to Infold').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Paste a token').waitFor();
    await page.getByLabel('Token').fill(`inf_${'x'.repeat(43)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByText(/token/i)
      .filter({ hasText: /unknown|not known|invalid|revoked|no such/i })
      .first()
      .waitFor();
    await axe(page);
    await signIn(page, server.tokens.ada!);
    // Where one wanted to go.
    await heading(page, 'Tree').waitFor();
    expect(await stored(page)).not.toContain(server.tokens.ada!.slice(4));
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await heading(page, 'Sign in to Infold').waitFor();
  });

  test('stays signed in on request by a cookie that no script can read, until one signs out', async () => {
    verifies('CON-06');
    const page = await openConsole(server, { path: '/settings', token: server.tokens.ada!, keep: true });
    await heading(page, 'Settings').waitFor();
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(decodeURIComponent(cookie!.value)).not.toContain(server.tokens.ada!.slice(4));
    expect(await stored(page)).not.toContain(server.tokens.ada!.slice(4));
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.reload();
    await heading(page, 'Settings').waitFor();
    await live(page, 'Live').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in to Infold').waitFor();
    await expect.poll(() => page.context().cookies()).toEqual([]);
    await page.reload();
    await heading(page, 'Sign in to Infold').waitFor();
  });

  test('with a read token shows what it may see, and changes nothing, asked by the page or past it', async () => {
    verifies('CON-06');
    const page = await openConsole(server, {
      path: '/window',
      token: server.tokens.eve!,
      keep: true,
      tolerates: [/40[0-9]/],
    });
    await page.getByText('read only').waitFor();
    for (const [name, path] of PLACES) {
      await visit(page, path);
      await arrive(page, name);
      await axe(page);
    }
    // Changes that the page would ask for, with all that it would send.
    const answers = await page.evaluate(async () => {
      const change = async (method: string, path: string, body?: object, mark = true) => {
        const response = await fetch(path, {
          method,
          headers: { 'Content-Type': 'application/json', ...(mark && { 'X-Infold-Console': '1' }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        return response.status;
      };
      return {
        samples: await change('POST', '/api/samples', {}),
        token: await change('POST', '/api/tokens', { name: 'mallory', scopes: ['admin'] }),
        operations: await change('POST', '/api/sessions/theirs/operations', {
          operations: [{ tool: 'x', tokens: 1 }],
        }),
        remember: await change('POST', '/api/memory/items', { content: 'x' }),
        config: await change('GET', '/api/config'),
        verification: await change('POST', '/api/verification', {}),
      };
    });
    expect(answers).toEqual({
      samples: 403,
      token: 403,
      operations: 403,
      remember: 403,
      config: 403,
      verification: 403,
    });
  });

  test('a token that is revoked leads back to signing in', async () => {
    // Its stream is cut, perhaps in the midst of a frame.
    const api = createApi({ url: server.url, token: server.tokens.ada! });
    const { id, token } = await api.createToken({ name: unique('short'), scopes: ['read'] });
    const page = await openConsole(server, { path: '/system', token, tolerates: [/40[13]/, /net::ERR_/] });
    await heading(page, 'System').waitFor();
    await api.revokeToken({ id });
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await heading(page, 'Sign in to Infold').waitFor();
  });
});
