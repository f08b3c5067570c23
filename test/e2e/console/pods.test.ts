import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from '@infold/client/api';
import type { PodConnection } from '@infold/client/gateway';
import type { Envelope } from '@infold/protocol';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { SEED_MESSAGES } from '../support/gateway.ts';
import { temporaryFolder } from '../support/program.ts';
import { fillPod, joinPod, talkInPod } from './pods.ts';
import {
  addressed,
  axe,
  axeInBothThemes,
  axeWhereNarrow,
  type ConsoleServer,
  changeAddress,
  cleanEverywhere,
  describeInBrowser,
  dismiss,
  fits,
  openConsole,
  settled,
  signIn,
  startConsoleServer,
  unique,
  visit,
} from './support.ts';

const grid = (page: Page | Locator) => page.getByRole('treegrid');
/** The first that says this, and that too. */
const row = (page: Page | Locator, text: string | RegExp, also: string | RegExp = '') =>
  page.getByRole('row').filter({ hasText: text }).filter({ hasText: also }).first();
/** The texts of what is shown, from the top. */
const shown = (page: Page) =>
  page.getByRole('row').evaluateAll((rows) =>
    rows
      .map((one) => ({
        place: Number(one.ariaRowIndex),
        text: [...one.querySelectorAll('bdi')].at(-1)?.textContent,
      }))
      .sort((one, other) => one.place - other.place)
      .map(({ text }) => text),
  );
const write = (page: Page) => page.getByRole('form', { name: 'Send a message' });

const CONFIG = {
  gateway: {
    templates: {
      reasoning: { description: 'Thinking aloud', kinds: ['reflection', 'conclusion', 'chat', 'mcp/*'] },
      review: { depth: 2 },
    },
    rules: [{ effect: 'deny', kind: 'veto', context: 'main' }],
  },
};

describeInBrowser('pods, for people with tokens', () => {
  let server: ConsoleServer;
  let narrow: string;
  beforeAll(async () => {
    const data = temporaryFolder();
    const config = join(data, 'pods.json');
    writeFileSync(config, JSON.stringify(CONFIG));
    server = await startConsoleServer({
      data,
      args: ['--config', config],
      tokens: {
        ...{ planner: ['read', 'write'], coder: ['read', 'write'] },
        ...{ ada: ['read', 'write'], reader: ['read'] },
      },
    });
    const keeper = createApi({ url: server.url, token: server.tokens.keeper! });
    const allowed = { scopes: ['read' as const, 'write' as const], capabilities: ['chat'] };
    narrow = (await keeper.createToken({ name: 'narrow', ...allowed })).token;
  });

  test('a person reads what two agents say, and says something to both', async () => {
    verifies('CON-01', 'SUB-04', 'SUB-05');
    const pod = unique('release');
    const { coder } = await talkInPod(server.url, pod, server.tokens);
    const heard: Envelope[] = [];
    coder.on('message', (message) => heard.push(message));
    const page = await openConsole(server, { path: `/pods/${pod}` });
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await signIn(page, server.tokens.ada!);
    await row(page, 'Tagging 1.4').waitFor();
    await page.getByText('live', { exact: true }).first().waitFor();
    const present = page.getByRole('list', { name: 'Present' });
    await expect.poll(() => present.textContent()).toMatch(/ada.*you/);
    expect(await present.textContent()).toMatch(/planner/);
    // Neither in the page's address nor in the socket's.
    expect(sockets.length).toBeGreaterThan(0);
    expect(sockets.join()).not.toContain(server.tokens.ada!);

    // Live.
    await coder.chat('The build is green');
    await row(page, 'The build is green').waitFor();
    const field = write(page).getByLabel('Message');
    await field.fill('Then ship it');
    await page.keyboard.press('Enter');
    await row(page, 'Then ship it', 'durable').waitFor();
    await expect
      .poll(() => heard.find(({ payload }) => (payload as { text?: string }).text === 'Then ship it'))
      .toMatchObject({ from: 'ada', kind: 'chat' });

    // In a context of one's own, to one of them, as JSON that is checked.
    await page.getByRole('button', { name: 'Options' }).click();
    await write(page).getByLabel('Context', { exact: true }).selectOption({ label: 'A new context' });
    await write(page).getByLabel('Type of the new context').fill('review');
    await write(page).getByRole('checkbox', { name: 'coder' }).check();
    await write(page).getByRole('switch', { name: 'Payload as JSON' }).click();
    await write(page).getByLabel('Payload, as JSON').fill('{"text": "Two eyes');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('This is not JSON', { exact: false }).waitFor();
    await write(page).getByLabel('Payload, as JSON').fill('{"text": "Two eyes", "weight": 2}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await row(page, 'Two eyes', 'durable').waitFor();
    await expect
      .poll(() => heard.at(-1))
      .toMatchObject({
        to: ['coder'],
        context: { type: 'review', id: expect.stringMatching(/^ctx_/) },
        payload: { text: 'Two eyes', weight: 2 },
      });

    // What the gateway refuses is shown where it was said, and can be changed.
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    await write(page).getByLabel('About').fill(secret);
    await write(page).getByLabel('Payload, as JSON').fill('{"text": "About nothing"}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const refused = row(page, 'About nothing', 'refused: secret_identifier');
    await refused.waitFor();
    await refused.click();
    await expect.poll(() => refused.count()).toBe(0);
    await expect.poll(() => write(page).getByLabel('About').inputValue()).toBe(secret);
  });

  test('a person who stayed signed in takes part by the cookie', async () => {
    const pod = unique('kept');
    await talkInPod(server.url, pod, server.tokens);
    const page = await openConsole(server, { path: `/pods/${pod}`, token: server.tokens.ada!, keep: true });
    await page.reload();
    await row(page, 'Tagging 1.4').waitFor();
    await expect.poll(() => page.getByRole('list', { name: 'Present' }).textContent()).toMatch(/ada.*you/);
    await write(page).getByLabel('Message').fill('Still here');
    await page.keyboard.press('Enter');
    await row(page, 'Still here', 'durable').waitFor();
  });

  test('whoever takes part already is not thrown out by a page', async () => {
    const pod = unique('twice');
    const agent = await joinPod({ url: server.url, pod, token: server.tokens.ada! });
    let isEnded = false;
    agent.on('closed', () => {
      isEnded = true;
    });
    await agent.chat('I am at work');
    const page = await openConsole(server, { path: `/pods/${pod}`, token: server.tokens.ada! });
    await page.getByText('takes part already', { exact: false }).waitFor();
    // What is said is seen all the same, by the journal.
    await agent.chat('And go on');
    await row(page, 'And go on').waitFor();
    expect(await write(page).count()).toBe(0);
    expect(isEnded).toBe(false);
    await page.getByRole('button', { name: 'Join here instead' }).click();
    await write(page).waitFor();
    await expect.poll(() => isEnded).toBe(true);
  });

  test('what a token or a rule does not allow is not offered', async () => {
    verifies('CON-06', 'SUB-07', 'SUB-11');
    const pod = unique('rules');
    const { planner } = await talkInPod(server.url, pod, server.tokens);
    await planner.inContext('review', (review) => review.send('veto', { text: 'Wait' }), {
      id: `veto-${pod}`,
    });
    const page = await openConsole(server, { path: `/pods/${pod}`, token: server.tokens.ada! });
    await row(page, 'Wait').waitFor();
    await page.getByRole('button', { name: 'Options' }).click();
    const kind = write(page).getByLabel('Kind', { exact: true });
    const kinds = async () => (await kind.getByRole('option').allTextContents()).join(' ');
    expect(await kinds()).toMatch(/chat.*vote/);
    expect(await kinds()).not.toContain('veto');
    const place = write(page).getByLabel('Context', { exact: true });
    await place.selectOption(`c:veto-${pod}`);
    await expect.poll(kinds).toContain('veto');
    // Its template takes four kinds alone.
    await place.selectOption(`c:limit-${pod}`);
    await expect.poll(kinds).not.toContain('vote');
    await page.getByRole('button', { name: 'About' }).click();
    const about = page.getByRole('dialog');
    await about.getByText('Thinking aloud').waitFor();
    await about.getByText('gateway.rules.0', { exact: false }).waitFor();
    await dismiss(about);

    const other = await openConsole(server, { path: `/pods/${pod}`, token: narrow });
    await row(other, 'Tagging 1.4').waitFor();
    await other.getByRole('button', { name: 'Options' }).click();
    await expect
      .poll(() => write(other).getByLabel('Kind', { exact: true }).getByRole('option').allTextContents())
      .toEqual(['chat']);
  });

  test('who may only read sees everything and is offered nothing to send', async () => {
    verifies('CON-06');
    const pod = unique('read');
    const { coder } = await talkInPod(server.url, pod, server.tokens);
    const page = await openConsole(server, { path: `/pods/${pod}`, token: server.tokens.reader! });
    await row(page, 'Tagging 1.4').waitFor();
    await expect.poll(() => page.getByRole('list', { name: 'Present' }).textContent()).toMatch(/reader.*you/);
    await coder.chat('Can you see this?');
    await row(page, 'Can you see this?').click();
    await page
      .getByRole('dialog', { name: /^Message \d+/ })
      .getByText('Can you see this?')
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Answer it' }).count()).toBe(0);
    await dismiss(page.getByRole('dialog'));
    expect(await write(page).count()).toBe(0);
    await axe(page);
  });
});

describeInBrowser('pods, for the owner of the machine', () => {
  let server: ConsoleServer;
  const many = unique('many');
  let filling: Promise<PodConnection> | undefined;
  /** Takes a while: it begins while other tests go on. */
  const fill = () => {
    filling ??= fillPod(server.url, many, 50_000);
    return filling;
  };
  beforeAll(async () => {
    const limits = ['ENVELOPES_PER_MINUTE', 'CONTEXT_ENVELOPES_PER_MINUTE', 'CONTEXTS_PER_MINUTE'];
    server = await startConsoleServer({
      env: Object.fromEntries(limits.map((name) => [`INFOLD_LIMITS_${name}`, '10000000'])),
    });
  });

  test('say how to begin where there are none, and begin with the first that somebody joins', async () => {
    verifies('CON-01');
    // A pod that nobody has used is not there, and the page asks.
    const page = await openConsole(server, { path: '/pods', tolerates: [/404/] });
    await settled(page);
    // Another try may have left some.
    if ((await page.getByRole('heading', { name: 'No pods yet' }).count()) > 0) await axe(page);
    const pod = unique('first');
    await page.getByLabel('Join a pod by name').fill('no such name!');
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByText('1 to 128 letters', { exact: false }).waitFor();
    await page.getByLabel('Join a pod by name').fill(pod);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing was said yet' }).waitFor();
    await write(page).getByLabel('Message').fill('Anybody here?');
    await page.keyboard.press('Enter');
    await row(page, 'Anybody here?', 'durable').waitFor();
    void fill();
  });

  test('the filters of the address give what they give on the seed’s messages', async () => {
    verifies('SUB-06', 'CON-01');
    const pod = unique('seed');
    const agent = await joinPod({ url: server.url, pod, participant: 'agent-1' });
    for (const { kind, payload, ...more } of SEED_MESSAGES) await agent.send(kind, payload, more);
    const lines = new Map<string, string>(
      SEED_MESSAGES.map(({ id, payload }) => [
        Object.values(payload)[0] === 'tools/call' ? JSON.stringify(payload) : Object.values(payload)[0]!,
        id,
      ]),
    );
    const page = await openConsole(server, { path: `/pods/${pod}?flat=true` });
    const expected: [search: string, wanted: (message: (typeof SEED_MESSAGES)[number]) => boolean][] = [
      ['', () => true],
      ['contexts=main', (m) => !m.context],
      ['contexts=type:reasoning', (m) => !m.context || m.context.type === 'reasoning'],
      ['contexts=type:workflow', (m) => !m.context],
      ['contexts=conclusions', (m) => m.context !== undefined && m.kind === 'conclusion'],
      ['contexts=id:reason-789', (m) => m.context?.id === 'reason-789'],
      ['contexts=id:reason-789&descendants=true', (m) => m.context !== undefined],
      ['kinds=mcp/*', (m) => m.kind.startsWith('mcp/')],
      ['kinds=reflection,conclusion&contexts=main', () => false],
      ['directed=true', () => true],
      ['find=security+analysis', (m) => /security analysis/i.test(JSON.stringify(m.payload))],
    ];
    for (const [search, wanted] of expected) {
      await changeAddress(page, `/pods/${pod}?flat=true&${search}`);
      const ids = SEED_MESSAGES.filter(wanted).map(({ id }) => id);
      await expect
        .poll(async () => (await shown(page)).map((text) => lines.get(text ?? '')), { message: search })
        .toEqual(ids);
    }
    // By hand, too.
    await changeAddress(page, `/pods/${pod}?flat=true`);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Contexts').selectOption({ label: 'Main, and type reasoning' });
    await addressed(page, 'contexts', 'type:reasoning');
    await page.getByLabel('Kinds').fill('reflection');
    await addressed(page, 'kinds', 'reflection');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(5);
  });

  test('contexts are a tree that keys open and close, and tell what they came to', async () => {
    verifies('CON-01', 'SUB-04');
    const pod = unique('tree');
    await talkInPod(server.url, pod);
    const page = await openConsole(server, { path: `/pods/${pod}` });
    await row(page, 'Tagging 1.4').waitFor();
    await expect.poll(() => row(page, `callers-${pod}`).getAttribute('aria-level')).toBe('2');
    await expect.poll(() => row(page, 'Three callers. Two').getAttribute('aria-level')).toBe('3');
    const count = async () => Number(await grid(page).getAttribute('aria-rowcount'));
    const before = await count();
    await grid(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(count).toBe(before - 6);
    await page.keyboard.press('Enter');
    await addressed(page, 'node', `c:limit-${pod}`);
    const details = page.getByRole('dialog', { name: 'reasoning' });
    await details.getByText('UP-214', { exact: false }).waitFor();
    await details.getByText('Count bytes while they come', { exact: false }).first().waitFor();
    await details.getByRole('link', { name: `${pod} 7` }).waitFor();
    await details.getByRole('link', { name: 'Show it alone' }).click();
    await addressed(page, 'contexts', `id:limit-${pod}`);
    await dismiss(details);
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Tagging 1.4' }).count()).toBe(0);
  });

  test('50,000 messages are there page by page, and who reads keeps the place while more come', async () => {
    verifies('CON-01');
    const pod = many;
    const filler = await fill();
    const page = await openConsole(server, { path: `/pods/${pod}?flat=true` });
    await row(page, 'Message 50000 ').waitFor();
    const scroller = grid(page);
    const count = async () => Number(await scroller.getAttribute('aria-rowcount'));
    const first = await count();
    expect(first).toBeLessThan(5000);
    await scroller.focus();
    await page.keyboard.press('Home');
    await expect.poll(count).toBeGreaterThan(first);
    // Somewhere in the middle of what is held.
    await scroller.evaluate((it) => {
      it.scrollTop = it.scrollHeight / 2;
    });
    const top = () =>
      scroller.evaluate((it) => {
        const { top: edge } = it.getBoundingClientRect();
        const rows = [...it.querySelectorAll('[role="row"]')];
        const seen = rows.filter((one) => one.getBoundingClientRect().top >= edge);
        seen.sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top);
        return seen[0]?.textContent;
      });
    await expect.poll(top).toMatch(/Message \d+/);
    const read = await top();
    const more = unique('One more');
    await filler.chat(more);
    await page.getByRole('button', { name: '1 new below' }).waitFor();
    expect(await top()).toBe(read);
    await page.getByRole('button', { name: '1 new below' }).click();
    await row(page, more).waitFor();
    // The first of all is one address away.
    await visit(page, `/pods/${pod}?node=m:1`);
    await page
      .getByRole('dialog', { name: 'Message 1' })
      .getByText('Message 1 ', { exact: false })
      .first()
      .waitFor();
  }, 300_000);

  test('the past is replayed from a position, step by step and at a pace, and says that it is the past', async () => {
    verifies('CON-01');
    const pod = unique('past');
    await talkInPod(server.url, pod);
    const page = await openConsole(server, { path: `/pods/${pod}?at=2&flat=true` });
    await page.getByText('the past', { exact: true }).waitFor();
    const count = async () => Number(await grid(page).getAttribute('aria-rowcount'));
    await expect.poll(count).toBe(2);
    expect(await write(page).count()).toBe(0);
    await page.getByRole('button', { name: 'One message forward' }).click();
    await expect.poll(count).toBe(3);
    await addressed(page, 'at', '3');
    await page.getByRole('button', { name: 'One message back' }).click();
    await expect.poll(count).toBe(2);
    await page.getByRole('slider', { name: 'Position in the pod' }).fill('5');
    await expect.poll(count).toBe(5);
    await axe(page);
    await page.getByLabel('Speed').selectOption('20 a second');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    // Behind the last one it is now again.
    await write(page).waitFor();
    await addressed(page, 'at', undefined);
    expect(await count()).toBe(9);
  });

  test('two pods stand side by side, each with its own messages', async () => {
    verifies('CON-01');
    const [one, other] = [unique('left'), unique('right')];
    await talkInPod(server.url, one);
    const { coder } = await talkInPod(server.url, other);
    const page = await openConsole(server, { path: `/pods/${one}?contexts=main` });
    await row(page, 'Tagging 1.4').waitFor();
    await page.getByRole('button', { name: 'Beside' }).click();
    await page.getByLabel('Beside it').selectOption(other);
    await addressed(page, 'beside', other);
    const panes = {
      left: page.getByRole('region', { name: one }),
      right: page.getByRole('region', { name: other }),
    };
    await row(panes.right, 'Tagging 1.4').waitFor();
    await coder.chat('Only on the right');
    await row(panes.right, 'Only on the right').waitFor();
    expect(await row(panes.left, 'Only on the right').count()).toBe(0);
    // What is chosen there is chosen there alone.
    await row(panes.right, 'Only on the right').click();
    await addressed(page, 'besideNode', /^m:\d+$/);
    await dismiss(page.getByRole('dialog'));
    await addressed(page, 'node', undefined);
    await axe(page);
    await panes.right.getByRole('button', { name: 'Close this pod' }).click();
    await addressed(page, 'beside', undefined);
  });

  test('names, kinds and texts of participants are text, however they are made', async () => {
    verifies('CON-05');
    const pod = unique('hostile');
    const run = 'window.ran=1';
    const hostile = [
      `<img src=x onerror="${run}">`,
      `<script>${run}</script>`,
      '\u202Egnihton\u2066',
      '__proto__',
      `[press](javascript:${run}) ![](https://elsewhere.example/a.png)`,
      'w'.repeat(120),
    ];
    for (const [number, text] of hostile.entries()) {
      const name = text.replaceAll(/\p{C}/gu, '').slice(0, 120);
      const agent = await joinPod({ url: server.url, pod, participant: name });
      await agent.send(
        text.slice(0, 200),
        { text: text.repeat(20), [`${text}!`]: text },
        { to: [text.slice(0, 250)] },
      );
      const context = { id: `${text}${number}`, type: text, metadata: { [`${text}!`]: text } };
      await agent.send('conclusion', { conclusion: text }, { context, correlation_id: text });
    }
    const page = await openConsole(server, {
      path: `/pods/${pod}?as=${encodeURIComponent(hostile[0]!)}0`,
    });
    // Which of them are in sight depends on where the page has scrolled to.
    await page.getByRole('row').first().waitFor();
    const places = [
      'about=true',
      'node=m:1',
      'node=m:9',
      `node=${encodeURIComponent(`c:${hostile[0]}0`)}`,
      'flat=true',
    ];
    for (const [number, place] of places.entries()) {
      await visit(page, `/pods/${pod}?as=ada${number}&${place}`);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        // A dialog hides what is behind it.
        await page.locator('[role="treegrid"]').waitFor({ state: 'attached' });
        await settled(page);
        expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBe(undefined);
        expect(await page.locator('main img, [role="dialog"] img, iframe, style').count()).toBe(0);
        expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
        await fits(page);
        if (width === 1280) await axe(page);
      }
    }
  }, 240_000);

  test('is clean in both themes, wide and narrow, with everything open', async () => {
    verifies('CON-01');
    const pod = unique('clean');
    await talkInPod(server.url, pod);
    const page = await openConsole(server, {
      path: `/pods/${pod}?as=first&node=c:limit-${pod}`,
      width: 1500,
    });
    await page.getByText('UP-214', { exact: false }).waitFor();
    await cleanEverywhere(page);
    await visit(page, `/pods/${pod}?as=second&contexts=id:limit-${pod}`);
    await write(page).waitFor();
    await page.getByRole('button', { name: 'Options' }).click();
    const filter = page.getByRole('button', { name: 'Filter (1)' });
    if (await filter.isVisible()) await filter.click();
    await fits(page);
    await axeInBothThemes(page);
    await page.setViewportSize({ width: 360, height: 900 });
    if ((await filter.isVisible()) && (await filter.getAttribute('aria-expanded')) !== 'true')
      await filter.click();
    await axeWhereNarrow(page);
  }, 180_000);
});
