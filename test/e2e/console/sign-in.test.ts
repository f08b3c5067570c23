import { createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { findChromium, servePage, startBrowser } from '../support/browser.ts';
import {
  type ConsoleServer,
  describeInBrowser,
  openConsole,
  signIn,
  startConsoleServer,
  unique,
} from './support.ts';

const form = (page: Page) => page.getByRole('button', { name: 'Sign in' });
const views = (page: Page) => page.getByRole('navigation', { name: 'Views' });

/** Everything that a script of the page could read. */
const readable = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      location.href,
      history.state,
    ]),
  );

describeInBrowser('signing in', () => {
  let server: ConsoleServer;
  beforeAll(async () => {
    server = await startConsoleServer({ tokens: { ada: ['read', 'write', 'admin'], reader: ['read'] } });
  });

  test('lasts until the page is loaded again, and leaves nothing behind', async () => {
    const token = server.tokens.ada!;
    const page = await openConsole(server, { path: '/tree', token });
    expect(new URL(page.url()).pathname).toBe('/tree');
    expect(await readable(page)).not.toContain(token);
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await form(page).waitFor();
  });

  test('with a cookie lasts until one signs out, and no script can read it', async () => {
    verifies('CON-06');
    const token = server.tokens.ada!;
    const page = await openConsole(server, { token, keep: true });
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(cookie!.value).not.toContain(token);
    expect(await readable(page)).not.toContain(cookie!.value);
    await page.reload();
    await views(page).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await form(page).waitFor();
    await expect.poll(() => page.context().cookies()).toEqual([]);
    await page.reload();
    await form(page).waitFor();
  });

  test('of somebody else in another tab shows nothing of who was there before', async () => {
    verifies('CON-06');
    const secret = unique('Only Ada knows');
    await createApi({ url: server.url, token: server.tokens.ada! }).remember({
      title: secret,
      content: 'It is blue.',
    });
    const page = await openConsole(server, { path: '/memory', token: server.tokens.ada!, keep: true });
    await page.getByRole('link', { name: secret }).waitFor();
    const other = await page.context().newPage();
    await other.goto(new URL('/settings', server.url).href);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await form(page).waitFor();
    await signIn(other, server.tokens.reader!, true);
    await page.getByText('read only').waitFor();
    await page.getByRole('searchbox', { name: 'Search memory' }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
  });

  test('says what is wrong with a token', async () => {
    const page = await openConsole(server);
    await page.getByLabel('Token').fill(['inf', 'nobody'].join('_'));
    await form(page).click();
    await page.getByText('The bearer token is not known here').waitFor();
    await page.getByLabel('Token').fill('');
    await signIn(page, server.tokens.reader!);
  });

  test('a page on another port changes nothing in the name of who is signed in', async () => {
    verifies('CON-06');
    const browser = await startBrowser((await findChromium())!);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(server.url);
    await signIn(page, server.tokens.ada!, true);
    const seen: number[] = [];
    context.on('response', (response) => {
      if (response.url().startsWith(`${server.url}/`) && response.request().method() !== 'GET')
        seen.push(response.status());
    });
    const other = await context.newPage();
    // To browsers it is of the same site.
    await other.goto(`http://127.0.0.1:${await servePage('')}/`);
    const submitted = other.waitForResponse(`${server.url}/api/sign-out`);
    await other.evaluate(async (url) => {
      const body = JSON.stringify({ name: 'forged' });
      const type = (value: string) => ({ 'content-type': value });
      const tries: RequestInit[] = [
        { mode: 'no-cors', headers: type('text/plain') },
        { headers: type('application/json') },
        { headers: { ...type('application/json'), 'x-infold-console': '1' } },
      ];
      for (const one of tries) {
        await fetch(`${url}/api/projects`, { method: 'POST', body, credentials: 'include', ...one }).catch(
          () => {},
        );
      }
      const forged = document.createElement('form');
      Object.assign(forged, { method: 'post', action: `${url}/api/sign-out`, enctype: 'text/plain' });
      document.body.append(forged);
      forged.submit();
    }, server.url);
    await submitted;
    await expect.poll(() => seen.length).toBeGreaterThan(1);
    expect(seen.every((status) => status >= 400)).toBe(true);
    const { projects } = await createApi({ url: server.url, token: server.tokens.ada! }).listProjects();
    expect(projects.map(({ name }) => name)).not.toContain('forged');
    await page.reload();
    await views(page).waitFor();
  });
});
