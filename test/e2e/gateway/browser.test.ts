import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  bundleForBrowsers,
  findChromium,
  NEEDS_CHROMIUM,
  servePage,
  startBrowser,
  titled,
} from '../support/browser.ts';
import { Peer } from '../support/gateway.ts';
import {
  runJson,
  type Server,
  type ServerOptions,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';
import type { Shown } from './browser-page.ts';

const chromium = await findChromium();
if (chromium === undefined) console.warn(`The gateway's client is not tested in a browser ${NEEDS_CHROMIUM}`);

/** A name that leads to this machine, in this browser alone. */
const ELSEWHERE = 'elsewhere.example';

describe.skipIf(chromium === undefined)(`the client in a browser ${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  let pagePort: number;

  beforeAll(async () => {
    const script = await bundleForBrowsers(fileURLToPath(new URL('browser-page.ts', import.meta.url)));
    pagePort = await servePage(script);
    browser = await startBrowser(chromium!, `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`);
  });

  const openPage = async (server: Server, token: string, host = '127.0.0.1') => {
    const query = new URLSearchParams({ server: server.url, token });
    const page = await browser.newPage();
    await page.goto(`http://${host}:${pagePort}/?${query}`);
    return page;
  };
  const shownBy = async (page: Page) => JSON.parse((await page.textContent('body'))!) as Shown;

  async function serverWithTokens(options: ServerOptions = {}) {
    const data = temporaryFolder();
    const create = (name: string) =>
      runJson<{ id: string; token: string }>(data, 'token', 'create', '--name', name);
    const page = await create('page');
    const watcher = await create('watcher');
    return { data, page, watcher, server: await startServer({ data, ...options }) };
  }

  test('joins with a token, nests contexts, and goes on after the server was restarted', async () => {
    verifies('SUB-14', 'SUB-09');
    const { data, page: own, watcher: other, server } = await serverWithTokens();
    const watcher = await Peer.join(server.url, { pod: 'review', token: other.token });
    const page = await openPage(server, own.token);
    await titled(page, 'sent');

    const before = await shownBy(page);
    expect(before).toMatchObject({ me: 'page', lookup: 42, lost: [], error: '' });
    const [reflection, proposal, conclusion, chat] = before.sent;
    await watcher.message(chat!.id);
    expect(watcher.said).toEqual(before.sent);
    const outer = { id: expect.stringMatching(/^ctx_/), type: 'reasoning' };
    expect(reflection).toMatchObject({ from: 'page', seq: 1, kind: 'reflection', context: outer });
    expect(proposal!.context).toEqual({
      id: expect.not.stringContaining(reflection!.context!.id),
      type: 'lookup',
      parent: reflection!.context!.id,
    });
    expect(conclusion).toMatchObject({ kind: 'conclusion', context: reflection!.context });
    expect(chat).toMatchObject({ seq: 4, to: ['watcher'], payload: { text: 'done — ✓ 漢字' } });
    expect(chat).not.toHaveProperty('context');

    await server.stop();
    await titled(page, 'away');
    for (const id of ['missed-1', 'missed-2']) {
      await runJson(data, 'pod', 'send', 'review', 'while nobody served', '--id', id);
    }
    const again = await startServer({ data, args: ['--port', String(server.port)] });
    const back = await Peer.join(again.url, { pod: 'review', token: other.token });
    // Its pauses double, so it may stay away about as long again as the server did.
    await titled(page, 'back', 30_000);
    back.send({ id: 'welcome back', kind: 'chat', payload: {} });
    await until(async () => (await shownBy(page)).heard.length === 8);

    const after = await shownBy(page);
    const ids = after.heard.map(({ id }) => id);
    expect(ids.slice(0, 4)).toEqual(before.sent.map(({ id }) => id));
    expect(ids.slice(4).sort()).toEqual(['meanwhile', 'missed-1', 'missed-2', 'welcome back']);
    expect(after.heard.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(after.sent.at(-1)).toMatchObject({ id: 'meanwhile', from: 'page', seq: expect.any(Number) });
    expect(after.lost[0]).toBe(1001);
    expect(after.gaps).toBe(0);
    expect(after.welcomes).toHaveLength(1);
    expect(after.addresses[0]).not.toContain('since=');
    const resumed = new URL(after.addresses.at(-1)!).searchParams;
    expect([resumed.get('since'), resumed.get('epoch')]).toEqual(['4', chat!.epoch]);

    await runJson(data, 'token', 'revoke', own.id);
    await titled(page, 'closed');
    expect((await shownBy(page)).lost.at(-1)).toBe(4001);
  });

  test('is turned away from a page of another site, until that is allowed', async () => {
    verifies('KERN-11');
    const guarded = await serverWithTokens();
    const refused = await openPage(guarded.server, guarded.page.token, ELSEWHERE);
    await titled(refused, 'failed');
    expect(await shownBy(refused)).toMatchObject({ me: '', error: expect.stringContaining('lost') });

    const open = await serverWithTokens({ env: { INFOLD_ALLOWED_HOSTS: ELSEWHERE } });
    const watcher = await Peer.join(open.server.url, { pod: 'review', token: open.watcher.token });
    // Without TLS, and so without what browsers keep for pages with it.
    const allowed = await openPage(open.server, open.page.token, ELSEWHERE);
    await titled(allowed, 'sent');
    watcher.send({ id: 'm-1', kind: 'chat', payload: {} });
    await until(async () => (await shownBy(allowed)).heard.some(({ id }) => id === 'm-1'));
    expect(await shownBy(allowed)).toMatchObject({ me: 'page', error: '' });
  });
});
