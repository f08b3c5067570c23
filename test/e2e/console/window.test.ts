import { createApi } from '@infold/client/api';
import type { WindowTurnView, WindowView } from '@infold/protocol';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { runJson, until } from '../support/program.ts';
import { WindowTalk } from './conversations.ts';
import { WorkSession } from './sessions.ts';
import { bugHunt, codeReview, contentHere, PROJECT, treeOfWork } from './stories.ts';
import {
  addressed,
  axe,
  axeInBothThemes,
  axeWhereNarrow,
  type ConsoleServer,
  describeInBrowser,
  dismiss,
  openConsole,
  settled,
  startConsoleServer,
  unique,
} from './support.ts';

/** The turn of the hunt in whose request the folded branch is gone. */
const FOLDED_AT = 9;

const slider = (page: Page) => page.getByRole('slider', { name: 'Turn' });
const figure = (page: Page, name: string) =>
  page.getByRole('term').filter({ hasText: name }).locator('..').getByRole('definition').first();
const blocks = (page: Page) => page.getByRole('list', { name: /blocks?, \d+ of them not sent whole/ });
const left = (page: Page) => page.getByRole('list', { name: 'What left' });

async function conversationOf(server: ConsoleServer, talk: WindowTalk): Promise<string> {
  return (await createApi({ url: server.url }).readWindow({ id: talk.session })).id;
}

describeInBrowser('the window', () => {
  let server: ConsoleServer;
  const content = contentHere();
  const begin = (name: string) => new WindowTalk({ url: server.url, script: bugHunt(content, unique(name)) });
  beforeAll(async () => {
    server = await startConsoleServer();
    await begin('first').ask(FOLDED_AT);
  });

  test('says what to do first while there is nothing, and shows the first conversation by itself', async () => {
    verifies('CON-01');
    const unused = await startConsoleServer();
    const page = await openConsole(unused, { path: '/window' });
    await page.getByRole('heading', { name: 'No conversation goes through the window yet' }).waitFor();
    await page.getByText(`export ANTHROPIC_BASE_URL=${unused.url}/model/anthropic`).waitFor();
    await page.getByRole('button', { name: 'Load sample data' }).waitFor();
    await axe(page);
    // A host that only calls tools here is metered, and marked as that.
    const work = await WorkSession.begin({ url: unused.url, session: 'metered', project: PROJECT });
    await work.do(...treeOfWork(content));
    await page.getByRole('link', { name: 'metered' }).click();
    await page.getByRole('heading', { level: 1, name: 'metered' }).waitFor();
    await page.getByText('What the model really holds is not known').waitFor();
    await page.getByRole('meter').waitFor();
    await axe(page);
    await page.goBack();
    await page.waitForURL('**/window');
    const talk = new WindowTalk({ url: unused.url, script: codeReview(content), host: 'codex' });
    await talk.ask(1);
    await page.getByRole('heading', { level: 1, name: 'codex' }).waitFor();
    await talk.finish();
  });

  test('shrinks while it is watched, and what left is one click from its original', async () => {
    verifies('CON-02', 'TCP-15');
    const talk = begin('watched');
    await talk.ask(1);
    const id = await conversationOf(server, talk);
    const page = await openConsole(server, { path: `/window/${id}` });
    await settled(page);
    await talk.ask(FOLDED_AT - 2);
    const before = await turnShown(page, FOLDED_AT - 1);
    await talk.ask(1);
    const after = await turnShown(page, FOLDED_AT);
    expect(after.sent).toBeLessThan(before.sent / 2);
    await expect.poll(() => left(page).getByRole('button').first().textContent()).toMatch(/folded/);

    // What is on the page by events is what the server would tell.
    const api = createApi({ url: server.url });
    const turns: WindowTurnView[] = [];
    for await (const turn of api.listWindowTurns.all({ id })) turns.push(turn);
    expect(after.sent).toBe(turns.at(-1)!.tokens.sent);
    await until(
      async () => (await figure(page, 'Cost').textContent()) === dollars(await api.readWindow({ id })),
    );

    const folded = blocks(page).getByRole('button').filter({ hasText: 'folded' }).first();
    await folded.scrollIntoViewIfNeeded();
    await folded.click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('Its branch was folded').waitFor();
    await sheet.getByRole('button', { name: 'The original in the archive' }).click();
    await sheet.getByRole('figure', { name: 'Original' }).waitFor();
    await addressed(page, 'handle', /^win_/);
    await expect
      .poll(() => sheet.getByRole('figure', { name: 'Original' }).textContent())
      .toContain('collapser');
    expect(await sheet.getByRole('textbox').count()).toBe(0);
    await axe(page);
    // The address is enough to come back to it.
    await page.reload();
    await sheet.getByRole('figure', { name: 'Original' }).waitFor();
    await dismiss(sheet);
    await page.goBack();
    await sheet.waitFor();
    await dismiss(sheet);

    // Entries tell long texts in brief; who opens one reads all of it.
    await talk.ask(1);
    await turnShown(page, FOLDED_AT + 1);
    await left(page).getByRole('button').filter({ hasText: 'shortened' }).first().click();
    const { decisions } = await api.listWindowDecisions({ id });
    const { text } = decisions.findLast(({ rule }) => rule === 'shortened')!;
    expect(text!.length).toBeGreaterThan(1000);
    const instead = page.getByRole('dialog').getByRole('figure', { name: 'Placeholder' });
    await expect.poll(() => instead.locator('pre').textContent()).toBe(text);
  });

  test('is reached and read by keyboard', async () => {
    verifies('CON-01');
    const talk = begin('keys');
    await talk.ask(12);
    const page = await openConsole(server, { path: `/window/${await conversationOf(server, talk)}` });
    await settled(page);
    await slider(page).focus();
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => slider(page).getAttribute('aria-valuetext'))
      .toMatch(/^Turn 11 of 12, about [\d,]+ tokens sent/);
    await addressed(page, 'turn', '11');
    await page.getByRole('heading', { name: 'Turn 11 of 12' }).waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: 'Turn 1 of 12' }).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: 'Turn 12, the last one' }).waitFor();
    await addressed(page, 'turn', undefined);
    // Rows are one stop, and arrows go along them.
    const focusedRow = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
    await blocks(page).getByRole('button').first().focus();
    for (let step = 1; step <= 20; step++) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(focusedRow).toBe(String(step));
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await addressed(page, 'block', '20');
    await dismiss(page.getByRole('dialog'));
    await expect.poll(focusedRow).toBe('20');
    // Everything the chart shows is in a table.
    await page.getByRole('button', { name: 'As table' }).click();
    await page.getByRole('table', { name: 'All turns, in tokens' }).waitFor();
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(13);
  });

  test('tells what it cost with a receipt, and can be switched off', async () => {
    verifies('WIN-06');
    const talk = begin('receipt');
    await talk.ask(10);
    const id = await conversationOf(server, talk);
    const api = createApi({ url: server.url });
    const page = await openConsole(server, { path: `/window/${id}` });
    await settled(page);
    await page.getByRole('button', { name: 'Receipt' }).click();
    const sheet = page.getByRole('dialog', { name: 'Receipt' });
    const receipt = await api.readWindowReceipt({ id });
    await sheet.getByRole('row').filter({ hasText: 'Prompts, tokens' }).waitFor();
    const rows = await sheet.getByRole('row').allTextContents();
    expect(rows.find((row) => row.startsWith('Prompts, tokens'))).toContain(
      receipt.tokens.prompt.toLocaleString('en'),
    );
    for (const { rule } of receipt.gone) expect(rows.some((row) => row.includes(`Left, ${rule}`))).toBe(true);
    expect(rows.find((row) => row.startsWith('Saved'))).toContain('≈');
    expect(rows.find((row) => row.startsWith('Cost$'))).not.toContain('≈');
    await sheet.getByText(/none yet: \d+ entries to go/).waitFor();
    await axe(page);
    await dismiss(sheet);
    const off = page.getByRole('complementary').locator(`a[href$="${id}"]`).getByText('off', { exact: true });
    await page.getByRole('switch', { name: 'Window' }).click();
    await until(async () => !(await api.readWindow({ id })).enabled);
    await off.waitFor();
    await talk.ask(1);
    await page.getByText('switched off').waitFor();
    // Somebody else turns it on again.
    await api.switchWindow({ id, enabled: true });
    await off.waitFor({ state: 'detached' });
  });

  test('is clean in both themes, and fits, wide and narrow', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/window', width: 1440 });
    await settled(page);
    await blocks(page).waitFor();
    await axeInBothThemes(page);
    await axeWhereNarrow(page);
    await page.getByRole('button', { name: 'All conversations' }).click();
    await page.getByRole('dialog').getByRole('link').first().waitFor();
    await axeInBothThemes(page);
  });

  test('a token that may read sees it and cannot switch it', async () => {
    verifies('CON-06');
    const guarded = await startConsoleServer({ tokens: { ada: ['read', 'write'], eve: ['read'] } });
    const { ada, eve } = guarded.tokens as { ada: string; eve: string };
    const others = await openConsole(guarded, { path: '/window', token: eve });
    await others.getByRole('heading', { name: 'No conversation goes through the window yet' }).waitFor();
    expect(await others.getByRole('button', { name: 'Load sample data' }).count()).toBe(0);
    // The same person with a token that may read alone.
    const create = ['token', 'create', '--name', 'ada', '--scope', 'read'];
    const { token } = await runJson<{ token: string }>(guarded.data, ...create);
    const page = await openConsole(guarded, { path: '/window', token });
    await new WindowTalk({ url: guarded.url, token: ada, script: codeReview(content) }).finish();
    await page.getByRole('heading', { level: 1, name: 'claude-code' }).waitFor();
    await page.getByText('window on').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    // Of another's conversation nothing is heard, and at its address nothing is found.
    expect(await others.getByRole('heading', { level: 1 }).textContent()).toBe('Window');
    const [view] = (await createApi({ url: guarded.url, token: ada }).listWindows()).windows;
    const path = `/window/${view!.id}`;
    const lost = await openConsole(guarded, { path, token: eve, tolerates: [/404/] });
    await lost.getByText('The conversation could not be read').waitFor();
  });

  test('goes on over a restart, and says what is no longer held', async () => {
    verifies('CON-02');
    const first = await startConsoleServer();
    const talk = new WindowTalk({ url: first.url, script: bugHunt(content, 'restarted') });
    await talk.ask(FOLDED_AT);
    const page = await openConsole(first, { path: '/window', tolerates: [/ERR_/] });
    await blocks(page).waitFor();
    await first.stop();
    await page.getByText('Reconnecting').waitFor();
    const second = await startConsoleServer({ data: first.data, args: ['--port', String(first.port)] });
    expect(second.url).toBe(first.url);
    await page.getByText('The blocks of the last prompt are no longer kept.').waitFor();
    // What it was made of, and the originals, are still there.
    await turnShown(page, FOLDED_AT);
    await left(page).getByRole('button').first().click();
    await page.getByRole('dialog').getByRole('figure', { name: 'Original' }).waitFor();
    await dismiss(page.getByRole('dialog'));
    await talk.ask(1);
    await turnShown(page, FOLDED_AT + 1);
    await blocks(page).waitFor();
  });
});

async function turnShown(page: Page, turn: number): Promise<{ sent: number }> {
  await expect
    .poll(() => slider(page).getAttribute('aria-valuetext'), { timeout: 60_000 })
    .toMatch(new RegExp(`^Turn ${turn} of `));
  const [, sent] = /about ([\d,]+) tokens sent/.exec((await slider(page).getAttribute('aria-valuetext'))!)!;
  return { sent: Number(sent!.replaceAll(',', '')) };
}

function dollars({ totals }: WindowView): string {
  const { actual } = totals.money!;
  return `$${actual.toFixed(actual >= 1 ? 2 : actual >= 0.01 ? 3 : 4)}`;
}
