import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { verifies } from '../../requirements.ts';
import { connectHttp, runJson, temporaryFolder } from '../support/program.ts';
import { type Seeded, seed } from './seed.ts';
import {
  axe,
  type ConsoleServer,
  describeInBrowser,
  fits,
  openConsole,
  settled,
  startConsoleServer,
  THEMES,
} from './support.ts';

const PAGES = ['connections', 'tools', 'figures', 'journal', 'tokens', 'denials', 'limits', 'configuration'];

const row = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const paletteField = (page: Page) => page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox');
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
    await page.getByRole('heading', { name: '3 connections now' }).waitFor();
    expect(await row(page, 'claude-code 2.1.0').textContent()).toContain('MCP');
    expect(await row(page, 'codex').textContent()).toContain('model');
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
    await page.getByRole('heading', { name: '3 connections now' }).waitFor();
    await seeded.work.api.reportOperations({
      id: 'somebody-else',
      project: '/home/ada/elsewhere',
      operations: [{ tool: 'bash', input: 'ls', tokens: 5 }],
    });
    await page.getByRole('heading', { name: '4 connections now' }).waitFor({ timeout: 60_000 });
  });

  test('clients that look alike are one row each, however often they are asked for', async () => {
    const page = await openConsole(server, { path: '/system/connections' });
    const alike = async () => {
      const client = await connectHttp(`${server.url}/mcp`, '2025', undefined, fetch, 'twin');
      await client.callTool({ name: 'infold_status', arguments: {} });
      return client;
    };
    const twins = [await alike(), await alike(), await alike()];
    const first = () => twins[0]!.callTool({ name: 'infold_status', arguments: {} });
    const other = () =>
      seeded.work.api.reportOperations({
        id: 'somebody-else',
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
    await expect.poll(() => row(page, 'twin').count()).toBe(twins.length);
    for (const client of twins) await client.close();
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
    await client.callTool({ name: 'infold_status', arguments: {} });
    const page = await openConsole(server, { path: '/system', width: 360 });
    const cell = page.getByRole('row').filter({ hasText: '<img src=x' });
    await cell.waitFor();
    await fits(page);
    await axe(page);
    expect(await page.title()).toBe('System · Infold');
    expect(await page.locator('main img').count()).toBe(0);
    await client.close();
  });

  test('tells what tools cost, in any order', async () => {
    const page = await openConsole(server, { path: '/system/tools' });
    await settled(page);
    const first = async () => await page.getByRole('row').nth(1).getByRole('link').textContent();
    const tokens = async () =>
      Number((await page.getByRole('row').nth(1).getByRole('cell').nth(2).textContent())!.replace(/\D/g, ''));
    const dearest = await tokens();
    expect(dearest).toBeGreaterThan(100);
    await page.getByRole('button', { name: 'Calls' }).click();
    expect(['context_branch', 'infold_status']).toContain(await first());
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-Calls');
    await page.getByRole('button', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Tokens' }).click();
    expect(await tokens()).toBeLessThan(dearest);
    expect(await page.getByRole('columnheader', { name: 'Tokens' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await page.getByText('npx infold serve --toolsets fold').waitFor();
    await page.getByRole('link', { name: 'context_expand' }).click();
    await page.waitForURL('**/conversation?tool=context_expand');
  });

  test('shows figures as they come, and the whole text', async () => {
    const page = await openConsole(server, { path: '/system/figures' });
    await settled(page);
    expect(Number(await tile(page, 'Journal head').locator('dd').first().textContent())).toBeGreaterThan(10);
    expect(await tile(page, 'Answers from models').textContent()).toMatch(/\d+all successful/);
    // With the second reading there is a rate, and a line.
    await tile(page, 'Memory').locator('path').first().waitFor({ state: 'attached' });
    expect(await tile(page, 'Calls a second').locator('dd').first().textContent()).toMatch(/^\d/);
    expect(await tile(page, 'Open streams').locator('dd').first().textContent()).toMatch(/^[1-9]/);
    await page.getByRole('button', { name: 'All figures as text' }).click();
    await page.getByText('# HELP infold_journal_head').waitFor();
    await axe(page);
  });

  test('limits and configuration are found by words in any order', async () => {
    const page = await openConsole(server, { path: '/system/limits' });
    await page.getByRole('searchbox').fill('bytes request');
    await page.waitForURL('**/limits?find=*');
    const limits = await page.getByRole('row').allInnerTexts();
    expect(limits.slice(1).every((text) => /request/i.test(text) && /bytes/i.test(text))).toBe(true);
    expect(limits.some((text) => text.includes('4,194,304 (4 MB)'))).toBe(true);
    await page.goto(`${server.url}/system/configuration?find=flag`);
    expect(await row(page, 'window.upstreams').textContent()).toContain('INFOLD_WINDOW_UPSTREAMS');
    expect(await row(page, /^port/).count()).toBe(1);
    expect(await row(page, /^port/).textContent()).toMatch(/^port\d+flag/);
    await page.getByRole('searchbox').fill('nothing has this');
    await page.getByText('contains these words').waitFor();
  });

  test('every page is for everybody, in both themes, and as narrow as a telephone', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/system' });
    const pages = page.getByRole('navigation', { name: 'System' });
    for (const id of PAGES) {
      await pages.getByRole('link', { name: new RegExp(id, 'i') }).click();
      await settled(page);
      // Each of many rows is like the others.
      if (await page.getByRole('searchbox').isVisible()) await page.getByRole('searchbox').fill('request');
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme });
        await axe(page);
      }
    }
    const narrow = await openConsole(server, { path: '/system', width: 360 });
    for (const id of PAGES) {
      await narrow.getByLabel('Page', { exact: true }).selectOption(id);
      await narrow.waitForURL(`**/system/${id}`);
      await settled(narrow);
      await fits(narrow);
    }
    await axe(narrow);
  });

  test('the palette leads everywhere, by words in any order', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/system' });
    const palette = async (words: string) => {
      await page.keyboard.press('Control+k');
      await paletteField(page).fill(words);
    };
    await settled(page);
    await palette('journ syst');
    await page.getByRole('option', { name: /^System: Journal/ }).waitFor();
    await axe(page);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/system/journal');
    await palette('expand context');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/conversation?tool=context_expand');
    await palette('setup memory');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/conversation?tool=memory_setup');
    await palette('atlas project');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tree/${await seeded.work.id()}`);
    await palette('dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await palette('data sample');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/window\/conv_/);
    await palette('no such thing at all');
    await page.getByText('Nothing matches.').waitFor();
  });

  test('a healthy journal verifies, from the palette; a damaged one names the first bad entry', async () => {
    verifies('CON-01', 'KERN-03');
    const page = await openConsole(server, { path: '/tree' });
    await settled(page);
    await page.keyboard.press('Control+k');
    await paletteField(page).fill('verify');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/system/journal');
    await page.getByText('Every entry is as it was written').waitFor();
    const database = await openDatabase(join(server.data, 'infold.db'));
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
  let first = '';
  let second = '';
  beforeAll(async () => {
    const data = temporaryFolder();
    await runJson(data, 'project', 'add', '--name', 'atlas');
    server = await startConsoleServer({ data });
  });

  const shown = async (page: Page, name: string) => {
    const dialog = page.getByRole('dialog', { name: `The token of ${name}` });
    await dialog.getByText('it is shown only once').waitFor();
    return (await dialog.getByRole('figure').textContent())!.trim();
  };

  test('the first one says what it changes, signs its maker in, and is shown once', async () => {
    verifies('CON-06');
    const page = await openConsole(server, { path: '/system/tokens' });
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
    first = await shown(page, 'ada');
    expect(first).toMatch(/^inf_/);
    await axe(page);
    await page.getByText('You are signed in with it as ada').waitFor();
    // It cannot be seen again: only its button closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
    expect(await shown(page, 'ada')).toBe(first);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await row(page, 'ada').textContent()).toMatch(/in force[\s\S]*read, write, review, admin/);
    expect(await page.content()).not.toContain(first);
    expect((await fetch(`${server.url}/api/status`)).status).toBe(401);
    // By the cookie, which it was asked to keep.
    await page.reload();
    await row(page, 'ada').waitFor();
    expect(await page.content()).not.toContain(first);
  });

  test('others get what they need, can be signed in with, and see what they may', async () => {
    verifies('CON-06');
    const page = await openConsole(server, { path: '/system/tokens', token: first });
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('bob');
    await page.getByLabel('write', { exact: true }).uncheck();
    await page.getByRole('checkbox', { name: 'atlas' }).check();
    await page.getByLabel('Ends after').selectOption('One week');
    await page.getByRole('button', { name: 'Make the token' }).click();
    second = await shown(page, 'bob');
    await page.getByRole('button', { name: 'Sign in with it' }).click();
    await page.getByText('Tokens needs the scope “admin”').waitFor();
    await page.getByText('You are signed in as bob, with read.').waitFor();
    await axe(page);
    for (const id of ['figures', 'journal', 'denials', 'configuration']) {
      await page
        .getByRole('navigation', { name: 'System' })
        .getByRole('link', { name: new RegExp(id, 'i') })
        .click();
      await page.getByText('needs the scope “admin”').waitFor();
    }
    await page.getByRole('link', { name: 'Limits' }).click();
    await row(page, 'requestBytes').first().waitFor();
    await page.getByRole('link', { name: 'Tools' }).click();
    await row(page, 'context_branch').first().waitFor();
    await page.keyboard.press('Control+k');
    await paletteField(page).fill('journal');
    await page.getByText('Nothing matches.').waitFor();
  });

  test('who was refused is counted, and a token ends when it is revoked', async () => {
    verifies('CON-06');
    const asBob = { headers: { authorization: `Bearer ${second}` } };
    expect((await fetch(`${server.url}/api/tokens`, asBob)).status).toBe(403);
    const page = await openConsole(server, { path: '/system/denials', token: first });
    expect(await row(page, 'bob').first().textContent()).toContain('listTokens');
    await page.getByRole('link', { name: 'Tokens' }).click();
    await row(page, 'bob').getByText('atlas').waitFor();
    expect(await row(page, 'bob').textContent()).toMatch(/in force[\s\S]*read[\s\S]*atlas/);
    expect(await page.content()).not.toContain(second);
    await page.getByRole('button', { name: 'Revoke the token of bob' }).click();
    expect(await page.getByText('last token with “admin”').count()).toBe(0);
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Revoke the token of bob' }).click();
    await axe(page);
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await row(page, 'bob').getByText('revoked').waitFor();
    expect((await fetch(`${server.url}/api/status`, asBob)).status).toBe(401);
  });

  test('what others have connected is listed, and leads nowhere for who may not see it', async () => {
    verifies('CON-06');
    const { token: third } = await runJson<{ token: string }>(
      server.data,
      'token',
      'create',
      '--name',
      'eve',
    );
    const clients = [await connectHttp(`${server.url}/mcp`, '2025', third, fetch, 'of-eve')];
    clients.push(await connectHttp(`${server.url}/mcp`, '2025', first, fetch, 'of-ada'));
    for (const client of clients) {
      const input = { project_path: 'atlas', description: 'Work', prompt: 'Go on' };
      const result = await client.callTool({ name: 'context_branch', arguments: input });
      expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
    }
    const page = await openConsole(server, { path: '/system/connections', token: first });
    await row(page, 'of-ada').getByRole('link', { name: 'Tree' }).waitFor();
    await row(page, 'of-eve').getByText('private to them').waitFor();
    expect(await row(page, 'of-eve').getByRole('link').count()).toBe(0);
    for (const client of clients) await client.close();
  });

  test('who revokes their own is signed out', async () => {
    const page = await openConsole(server, { path: '/system/tokens', token: first });
    await page.getByRole('button', { name: 'Revoke the token of ada' }).click();
    await page.getByText('you are signed out at once').waitFor();
    await page.getByText('This is the last token with “admin”.').waitFor();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByRole('heading', { name: 'Sign in to Infold' }).waitFor();
    await page.getByLabel('Token').fill(first);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
  });
});
