import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Api, createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { runJson, temporaryFolder } from '../support/program.ts';
import { joinPod } from './pods.ts';
import { WorkSession } from './sessions.ts';
import {
  axe,
  type ConsoleServer,
  describeInBrowser,
  dismiss,
  fits,
  focused,
  openConsole,
  openPalette,
  runCommand,
  settled,
  startConsoleServer,
} from './support.ts';

const example = (path: string) => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url));
const PROJECT = '/home/ada/atlas';
const RUN = 'window.ran=1';

describeInBrowser('the palette, from anywhere', () => {
  let server: ConsoleServer;
  let api: Api;
  let item: string;
  let branch: { id: string; session_id: string };
  beforeAll(async () => {
    const data = temporaryFolder();
    for (const folder of ['library-workflow', 'library']) {
      await runJson(data, 'library', 'import', example(folder), '--project', PROJECT, '--publish');
    }
    const tokens = { ada: ['read', 'write', 'review', 'admin'], eve: ['read'] } as const;
    const config = join(example('records'), 'infold.config.json');
    server = await startConsoleServer({ data, tokens, args: ['--config', config] });
    const token = server.tokens.ada!;
    api = createApi({ url: server.url, token });
    const work = await WorkSession.begin({
      url: server.url,
      token,
      session: 'night-shift-7',
      project: PROJECT,
    });
    await work.do({ description: 'Trace the flaky upload', prompt: 'Find out why', deeds: [] });
    const { branches } = await api.searchBranches({ q: 'flaky upload' });
    branch = branches[0]!;
    // More sessions than are known without a search.
    for (let place = 0; place < 22; place++) {
      const operations = [{ call_id: `c${place}`, tool: 'Read', input: {}, output: 'x' }];
      await api.reportOperations({ id: `later-${place}`, project: PROJECT, operations });
    }
    const stored = await api.remember({
      content: `Backups are kept for ninety days. <img src=x onerror="${RUN}">`,
      title: `Keep backups <img src=x onerror="${RUN}">`,
    });
    item = stored.id;
    const pod = await joinPod({ url: server.url, pod: 'night-talk', token });
    await pod.chat('Is the upload still flaky?');
    pod.close();
    await work.close();
  });

  const open = (token: string, path = '/settings') =>
    openConsole(server, { path, token, keep: true, tolerates: [/40[34]/] });
  const shows = (page: Page, name: string | RegExp) =>
    page.locator('[cmdk-item]').filter({ hasText: name }).first().waitFor();

  test('any memory item, file, branch, session, source, workflow and setting is found by name, and opens', async () => {
    verifies('CON-01');
    const page = await open(server.tokens.ada!);
    await settled(page);
    const { items } = await api.searchLibraries({ q: 'reclassify' });
    const file = items[0]!;
    const { workflows } = await api.listWorkflows();
    const cases: [words: string, name: string | RegExp, address: RegExp][] = [
      ['keep backups', 'Keep backups', new RegExp(`/memory/item\\?id=${item}`)],
      ['RECLASSIFY.md', file.path, new RegExp(`/library/files\\?project=${file.project_id}&item=${file.id}`)],
      [
        'flaky upload',
        'Trace the flaky upload',
        new RegExp(`/tree/${branch.session_id}\\?node=${branch.id}`),
      ],
      ['night-shift', 'night-shift-7', new RegExp(`/tree/${branch.session_id}$`)],
      ['night-talk', 'night-talk', /\/pods\/night-talk$/],
      ['client csv', 'client', /\/records\/source\/client$/],
      [
        'reclassify activities',
        'Reclassify activities',
        new RegExp(`/records/workflows/${workflows[0]!.id}`),
      ],
      ['recordsPerPage', 'recordsPerPage', /\/system\/limits\?find=.*recordsPerPage/],
      ['settings theme', 'Settings: Theme', /\/settings$/],
      ['system denials', 'System: Denials', /\/system\/denials$/],
    ];
    for (const [words, name, address] of cases) {
      await runCommand(page, words, name);
      await page.waitForURL(address);
      await settled(page);
      // It lies over what is open.
      if (words === 'flaky upload')
        await focused(page.getByRole('dialog', { name: 'Trace the flaky upload' }));
    }
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBe(undefined);
    // What was opened is there at once the next time, the last first.
    const palette = await openPalette(page);
    const recent = palette.getByRole('group', { name: 'Recent' }).locator('[cmdk-item]');
    await expect
      .poll(async () => (await recent.allTextContents()).slice(0, 2).map((text) => text.slice(0, 15)))
      .toEqual([...['System: Denials', 'Settings: Theme']]);
    await axe(page);
    await palette.getByRole('combobox').fill('e');
    await expect
      .poll(async () => {
        const groups = await palette.getByRole('group').all();
        return Promise.all(groups.map((group) => group.locator('[cmdk-item]').count()));
      })
      .toSatisfy((counts: number[]) => counts.length > 2 && counts.every((count) => count > 0 && count <= 8));
    await page.setViewportSize({ width: 360, height: 740 });
    await fits(page);
    await axe(page);
    await palette.getByRole('combobox').fill('zzzz nothing');
    await palette.getByText('Nothing matches.').waitFor();
    await dismiss(palette);
  });

  test('asks the server once for what is typed in one go', async () => {
    const page = await open(server.tokens.ada!);
    await settled(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/memory/search') asked.push(searchParams.get('q')!);
    });
    await openPalette(page);
    await page.evaluate(() => {
      const input = document.querySelector<HTMLInputElement>('[cmdk-input]')!;
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
      for (const text of ['ni', 'nin', 'nine', 'ninet', 'ninety', 'ninety days']) {
        set.call(input, text);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }
    });
    // By its content, since its name says nothing of days.
    await shows(page, 'Keep backups');
    expect(asked).toEqual(['ninety days']);
  });

  test('finds nothing that the token may not read, and offers nothing that it may not do', async () => {
    verifies('CON-06');
    const page = await open(server.tokens.eve!);
    await page.getByText('read only').waitFor();
    const palette = await openPalette(page);
    const input = palette.getByRole('combobox');
    const items = palette.locator('[cmdk-item]');
    const answered = () => page.waitForResponse((response) => response.url().includes('/api/branches'));
    for (const words of ['flaky upload', 'night-shift']) {
      const answer = answered();
      await input.fill(words);
      await answer;
      await palette.getByText('Nothing matches.').waitFor();
      expect(await items.count()).toBe(0);
    }
    for (const [words, name] of [
      ['sample', 'Load sample data'],
      ['token', 'New token'],
    ] as const) {
      const answer = answered();
      await input.fill(words);
      await (await answer).finished();
      expect(await items.filter({ hasText: name }).count()).toBe(0);
    }
    await input.fill('reclassify');
    await shows(page, 'RECLASSIFY.md');
  });
});
