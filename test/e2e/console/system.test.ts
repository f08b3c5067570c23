import { join } from 'node:path';
import { createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { verifies } from '../../requirements.ts';
import { connectHttp, runJson, temporaryFolder } from '../support/program.ts';
import { type Seeded, seed } from './seed.ts';
import {
  addressed,
  axe,
  axeInBothThemes,
  axeWhereNarrow,
  type ConsoleServer,
  describeInBrowser,
  dismiss,
  fits,
  openConsole,
  openPalette,
  runCommand,
  settled,
  startConsoleServer,
  unique,
} from './support.ts';

const PAGES = ['connections', 'tools', 'figures', 'journal', 'tokens', 'denials', 'limits', 'configuration'];

const row = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
/** Goes to a page of System by its link, and waits until that is the page that is shown. */
const openPage = async (page: Page, id: string) => {
  const name = new RegExp(id, 'i');
  await page.getByRole('navigation', { name: 'System' }).getByRole('link', { name }).click();
  await page.locator('nav[aria-label="System"] [aria-current="page"]', { hasText: name }).waitFor();
  await settled(page);
};
const tile = (page: Page, name: string) =>
  page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });

describeInBrowser('the system, for the owner of the machine', () => {
  let server: ConsoleServer;
  let seeded: Seeded;
  beforeAll(async () => {
    server = await startConsoleServer();
    seeded = await seed(server);
  });

  test('tells who is connected and how to connect the others', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/system' });
    const { api } = seeded.work;
    const connected = async () =>
      (await api.listConnections()).connections.filter(({ is_open }) => is_open).length;
    expect(await connected()).toBeGreaterThan(1);
    await expect
      .poll(async () =>
        page.getByRole('heading', { name: `${await connected()} connections now`, exact: true }).count(),
      )
      .toBe(1);
    await row(page, 'claude-code 2.1.0').filter({ hasText: 'MCP' }).first().waitFor();
    await row(page, 'codex').filter({ hasText: 'model' }).first().waitFor();
    const seen = page.getByRole('tab', { name: /Claude Code/ });
    expect(await seen.textContent()).toContain('seen');
    const never = page.getByRole('tab', { name: /VS Code/ });
    expect(await never.textContent()).toContain('not seen yet');
    await never.click();
    await page.getByText('VS Code has not connected yet').waitFor();
    expect(new URL(page.url()).searchParams.get('host')).toBe('VS Code');
    const install = page.getByRole('figure', { name: 'VS Code, installed' });
    expect(await install.textContent()).toContain('install vscode');
    const settings = page.getByRole('figure', { name: 'VS Code, by this address' });
    expect(await settings.textContent()).toContain(`${server.url}/mcp`);
    await page.getByRole('figure', { name: 'VS Code, as a process of its own' }).waitFor();
    expect(await page.getByRole('figure', { name: 'The address for anthropic' }).textContent()).toBe(
      `${server.url}/model/anthropic`,
    );
    // As OpenAI's own clients want it, here and in the Window view.
    expect(await page.getByRole('figure', { name: 'The address for openai' }).textContent()).toBe(
      `${server.url}/model/openai/v1`,
    );
    expect(await page.getByRole('figure', { name: 'Run a host' }).textContent()).toBe(
      'npx infold run claude-code',
    );
  });

  test('shows who comes while it is watched', async () => {
    const page = await openConsole(server, { path: '/system/connections' });
    await row(page, 'codex').first().waitFor();
    const id = unique('somebody-else');
    const { api } = seeded.work;
    await api.reportOperations({
      id,
      project: '/home/ada/elsewhere',
      operations: [{ tool: 'bash', input: 'ls', tokens: 5 }],
    });
    const { id: session } = await api.readSession({ id });
    await page.locator(`tr a[href$="/tree/${session}"]`).waitFor();
  });

  test('clients that look alike are one row each, however often they are asked for', async () => {
    const page = await openConsole(server, { path: '/system/connections' });
    const twin = unique('twin');
    const alike = async () => {
      const client = await connectHttp(`${server.url}/mcp`, '2025', undefined, fetch, twin);
      onTestFinished(() => client.close());
      await client.callTool({ name: 'infold_status', arguments: {} });
      return client;
    };
    const twins = [await alike(), await alike(), await alike()];
    const first = () => twins[0]!.callTool({ name: 'infold_status', arguments: {} });
    const id = unique('somebody-else');
    const other = () =>
      seeded.work.api.reportOperations({
        id,
        project: '/home/ada/elsewhere',
        operations: [{ tool: 'bash', input: 'ls', tokens: 5 }],
      });
    // Rows change places among those that look alike.
    for (const deeds of [
      [first, other],
      [other, first],
    ]) {
      for (const deed of deeds) await deed();
      await page.waitForResponse('**/api/connections');
    }
    await expect.poll(() => row(page, twin).count()).toBe(twins.length);
  });

  test('an address of System that is no page says so there', async () => {
    const page = await openConsole(server, { path: '/system/nope' });
    await page.getByRole('heading', { name: 'There is no such page in System' }).waitFor();
    await axe(page);
    await page.getByRole('navigation', { name: 'System' }).getByRole('link', { name: 'Limits' }).click();
    await row(page, 'requestBytes').first().waitFor();
  });

  test('what a client calls itself is text, however it is made', async () => {
    verifies('CON-05');
    const hostile = `<img src=x onerror="document.title='ran'">\u202E${'wide'.repeat(400)}`;
    const client = await connectHttp(`${server.url}/mcp`, '2025', undefined, fetch, hostile);
    onTestFinished(() => client.close());
    await client.callTool({ name: 'infold_status', arguments: {} });
    const page = await openConsole(server, { path: '/system', width: 360 });
    await row(page, '<img src=x').first().waitFor();
    await fits(page);
    await axe(page);
    expect(await page.title()).toBe('System · Infold');
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('tells what tools cost, in any order', async () => {
    const page = await openConsole(server, { path: '/system/tools' });
    await settled(page);
    const first = async () => await page.getByRole('row').nth(1).getByRole('link').textContent();
    const tokens = async () =>
      Number((await page.getByRole('row').nth(1).getByRole('cell').nth(2).textContent())!.replace(/\D/g, ''));
    await expect.poll(tokens).toBeGreaterThan(100);
    const dearest = await tokens();
    await page.getByRole('button', { name: 'Calls' }).click();
    await addressed(page, 'sort', '-Calls');
    await expect.poll(first).toMatch(/^(context_branch|infold_status)$/);
    await page.getByRole('button', { name: 'Tokens' }).click();
    await addressed(page, 'sort', /^-?Tokens$|^$/);
    await page.getByRole('button', { name: 'Tokens' }).click();
    await page.locator('[aria-sort="ascending"]', { hasText: 'Tokens' }).waitFor();
    await expect.poll(tokens).toBeLessThan(dearest);
    await page.getByText('npx infold serve --toolsets fold').waitFor();
    await page.getByRole('link', { name: 'context_expand' }).click();
    await page.waitForURL('**/conversation?tool=context_expand');
  });

  test('shows figures as they come, and the whole text', async () => {
    const page = await openConsole(server, { path: '/system/figures' });
    await settled(page);
    const figure = (name: string) => tile(page, name).locator('dd').first().textContent();
    await expect.poll(async () => Number(await figure('Journal head'))).toBeGreaterThan(10);
    await expect.poll(() => tile(page, 'Answers from models').textContent()).toMatch(/\d+all successful/);
    // With the second reading there is a rate, and a line.
    await tile(page, 'Memory').locator('path').first().waitFor({ state: 'attached' });
    await expect.poll(() => figure('Calls a second')).toMatch(/^\d/);
    await expect.poll(() => figure('Open streams')).toMatch(/^[1-9]/);
    await page.getByRole('button', { name: 'All figures as text' }).click();
    await page.getByText('# HELP infold_journal_head').waitFor();
    await axe(page);
  });

  test('limits and configuration are found by words in any order', async () => {
    const page = await openConsole(server, { path: '/system/limits' });
    await page.getByRole('searchbox').fill('bytes request');
    await page.waitForURL('**/limits?find=*');
    const limits = async () => (await page.getByRole('row').allInnerTexts()).slice(1);
    await expect
      .poll(async () => (await limits()).filter((text) => !(/request/i.test(text) && /bytes/i.test(text))))
      .toEqual([]);
    await expect.poll(async () => (await limits()).join()).toContain('4,194,304 (4 MB)');
    await page.goto(`${server.url}/system/configuration?find=flag`);
    await row(page, 'window.upstreams').filter({ hasText: 'INFOLD_WINDOW_UPSTREAMS' }).waitFor();
    await expect
      .poll(() => row(page, /^port/).allTextContents())
      .toEqual([expect.stringMatching(/^port\d+flag/)]);
    await page.getByRole('searchbox').fill('nothing has this');
    await page.getByText('contains these words').waitFor();
  });

  test('every page is for everybody, in both themes, and as narrow as a telephone', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/system' });
    for (const id of PAGES) {
      await openPage(page, id);
      // Each of many rows is like the others.
      if (await page.getByRole('searchbox').isVisible()) await page.getByRole('searchbox').fill('request');
      await axeInBothThemes(page);
    }
    await page.setViewportSize({ width: 360, height: 780 });
    for (const id of PAGES) {
      await page.getByLabel('Page', { exact: true }).selectOption(id);
      await page.waitForURL(`**/system/${id}`);
      await settled(page);
      await fits(page);
    }
    await axeWhereNarrow(page);
  });

  test('the palette leads everywhere, by words in any order', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/system' });
    await settled(page);
    const palette = await openPalette(page);
    await palette.getByRole('combobox').fill('journ syst');
    await page.getByRole('option', { name: /^System: Journal/ }).waitFor();
    await axe(page);
    await dismiss(palette);
    await runCommand(page, 'journ syst', 'System: Journal');
    await page.waitForURL('**/system/journal');
    await runCommand(page, 'expand context', 'context_expand');
    await page.waitForURL('**/conversation?tool=context_expand');
    await runCommand(page, 'setup memory', 'memory.setup');
    await page.waitForURL('**/conversation?tool=memory_setup');
    await runCommand(page, 'atlas project', 'atlas');
    await page.waitForURL(`**/tree/${await seeded.work.id()}`);
    await runCommand(page, 'dark', 'Dark theme');
    await page.locator('html[data-theme=dark]').waitFor();
    await runCommand(page, 'data sample', 'Load sample data');
    await page.waitForURL(/\/window\/conv_/);
    await openPalette(page);
    await palette.getByRole('combobox').fill('no such thing at all');
    await page.getByText('Nothing matches.').waitFor();
  });

  test('a healthy journal verifies, from the palette; a damaged one names the first bad entry', async () => {
    verifies('CON-01', 'KERN-03');
    const damaged = await startConsoleServer();
    await seed(damaged);
    const page = await openConsole(damaged, { path: '/tree' });
    await settled(page);
    await runCommand(page, 'verify', 'Verify the journal');
    await page.waitForURL('**/system/journal');
    await page.getByText('Every entry is as it was written').waitFor();
    const database = await openDatabase(join(damaged.data, 'infold.db'));
    database.exec('UPDATE journal_entry SET at = at - 1 WHERE seq = 3');
    database.close();
    await page.getByRole('button', { name: 'Verify again' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Entry 3 is not as it was written').waitFor();
    expect(await alert.textContent()).toMatch(/2 entries before it are fine[\s\S]*Stream\s*session\./);
    await axe(page);
  });
});

describeInBrowser('tokens', () => {
  let server: ConsoleServer;
  let ada: string;
  beforeAll(async () => {
    const data = temporaryFolder();
    await runJson(data, 'project', 'add', '--name', 'atlas');
    server = await startConsoleServer({ data, tokens: { ada: ['read', 'write', 'review', 'admin'] } });
    ada = server.tokens.ada!;
  });

  const tokenOf = (page: Page, name: string) => page.getByRole('dialog', { name: `The token of ${name}` });
  const shown = async (page: Page, name: string) => {
    await tokenOf(page, name).getByText('it is shown only once').waitFor();
    return (await tokenOf(page, name).getByRole('figure').textContent())!.trim();
  };

  test('the first one says what it changes, signs its maker in, and is shown once', async () => {
    verifies('CON-06');
    const open = await startConsoleServer();
    const page = await openConsole(open, { path: '/system/tokens' });
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByText('From then on everybody needs a token').waitFor();
    await page.getByText('What was done so far belongs to the owner of this machine.').waitFor();
    expect(await page.getByLabel('Ends after').inputValue()).toBe('90d');
    await axe(page);
    await page.getByRole('button', { name: 'Make it and sign in' }).click();
    await page.getByText('Enter the name of whoever will use it').waitFor();
    await page.getByLabel('May send in pods').fill('chat <nonsense>');
    await page.getByRole('button', { name: 'Make it and sign in' }).click();
    await page.getByText('“<nonsense>” cannot be a kind of message').waitFor();
    await page.getByLabel('May send in pods').fill('');
    await page.getByLabel('Name').fill('ada');
    await page.getByRole('button', { name: 'Make it and sign in' }).click();
    const first = await shown(page, 'ada');
    expect(first).toMatch(/^inf_/);
    await axe(page);
    await page.getByText('You are signed in with it as ada').waitFor();
    // It cannot be seen again: only its button closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
    expect(await shown(page, 'ada')).toBe(first);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await tokenOf(page, 'ada').waitFor({ state: 'detached' });
    await expect
      .poll(() => row(page, 'ada').textContent())
      .toMatch(/in force[\s\S]*read, write, review, admin/);
    expect(await page.content()).not.toContain(first);
    expect((await fetch(`${open.url}/api/status`)).status).toBe(401);
    // By the cookie, which it was asked to keep.
    await page.reload();
    await row(page, 'ada').waitFor();
    expect(await page.content()).not.toContain(first);
  });

  test('others get what they need, can be signed in with, and see what they may', async () => {
    verifies('CON-06');
    const bob = unique('bob');
    const page = await openConsole(server, { path: '/system/tokens', token: ada });
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill(bob);
    await page.getByLabel('write', { exact: true }).uncheck();
    await page.getByRole('checkbox', { name: 'atlas' }).check();
    await page.getByLabel('Ends after').selectOption('One week');
    await page.getByRole('button', { name: 'Make the token' }).click();
    await shown(page, bob);
    await page.getByRole('button', { name: 'Sign in with it' }).click();
    await page.getByText('Tokens needs the scope “admin”').waitFor();
    await page.getByText(`You are signed in as ${bob}, with read.`).waitFor();
    await axe(page);
    for (const id of ['figures', 'journal', 'denials', 'configuration']) {
      await openPage(page, id);
      await page.getByText('needs the scope “admin”').waitFor();
    }
    await openPage(page, 'limits');
    await row(page, 'requestBytes').first().waitFor();
    await openPage(page, 'tools');
    await row(page, 'context_branch').first().waitFor();
    await (await openPalette(page)).getByRole('combobox').fill('journal');
    await page.getByText('Nothing matches.').waitFor();
  });

  test('who was refused is counted, and a token ends when it is revoked', async () => {
    verifies('CON-06');
    const bob = unique('bob');
    const api = createApi({ url: server.url, token: ada });
    const { token } = await api.createToken({ name: bob, scopes: ['read'], projects: ['atlas'] });
    const asBob = { headers: { authorization: `Bearer ${token}` } };
    expect((await fetch(`${server.url}/api/tokens`, asBob)).status).toBe(403);
    const page = await openConsole(server, { path: '/system/denials', token: ada });
    await row(page, bob).filter({ hasText: 'listTokens' }).first().waitFor();
    await openPage(page, 'tokens');
    await row(page, bob).getByText('atlas').waitFor();
    expect(await row(page, bob).textContent()).toMatch(/in force[\s\S]*read[\s\S]*atlas/);
    expect(await page.content()).not.toContain(token);
    const revoke = page.getByRole('button', { name: `Revoke the token of ${bob}` });
    const confirm = page.getByRole('dialog');
    await revoke.click();
    await confirm.getByRole('button', { name: 'Keep it' }).waitFor();
    expect(await page.getByText('last token with “admin”').count()).toBe(0);
    await confirm.getByRole('button', { name: 'Keep it' }).click();
    await confirm.waitFor({ state: 'hidden' });
    await revoke.click();
    await confirm.getByRole('button', { name: 'Revoke it' }).waitFor();
    await axe(page);
    await confirm.getByRole('button', { name: 'Revoke it' }).click();
    await confirm.waitFor({ state: 'hidden' });
    await row(page, bob).getByText('revoked').waitFor();
    expect((await fetch(`${server.url}/api/status`, asBob)).status).toBe(401);
  });

  test('what others have connected is listed, and leads nowhere for who may not see it', async () => {
    verifies('CON-06');
    const create = ['token', 'create', '--name', unique('eve')];
    const { token: eve } = await runJson<{ token: string }>(server.data, ...create);
    const [hers, own] = [unique('of-eve'), unique('of-ada')];
    for (const [token, name] of [
      [eve, hers],
      [ada, own],
    ] as const) {
      const client = await connectHttp(`${server.url}/mcp`, '2025', token, fetch, name);
      onTestFinished(() => client.close());
      const input = { project_path: 'atlas', description: 'Work', prompt: 'Go on' };
      const result = await client.callTool({ name: 'context_branch', arguments: input });
      expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
    }
    const page = await openConsole(server, { path: '/system/connections', token: ada });
    await row(page, own).getByRole('link', { name: 'Tree' }).waitFor();
    await row(page, hers).getByText('private to them').waitFor();
    expect(await row(page, hers).getByRole('link').count()).toBe(0);
  });

  test('who revokes their own is signed out', async () => {
    const alone = await startConsoleServer({ tokens: { ada: ['read', 'write', 'admin'] } });
    const token = alone.tokens.ada!;
    const page = await openConsole(alone, { path: '/system/tokens', token });
    await page.getByRole('button', { name: 'Revoke the token of ada' }).click();
    await page.getByText('you are signed out at once').waitFor();
    await page.getByText('This is the last token with “admin”.').waitFor();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByRole('heading', { name: 'Sign in to Infold' }).waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
  });
});
