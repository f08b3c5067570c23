import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { temporaryFolder } from '../support/program.ts';
import { type Arrived, openUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { events } from '../support/upstream.ts';
import {
  axe,
  axeInBothThemes,
  type ConsoleServer,
  describeInBrowser,
  fits,
  focused,
  openConsole,
  settled,
  startConsoleServer,
  unique,
} from './support.ts';

/** What somebody would write into a record to get at who looks at it. */
const HOSTILE = [
  '<img src=x onerror="document.title=\'taken\'">',
  '<script>document.title="taken"</script>',
  '![pixel](http://evil.example/pixel.png)',
  '[click](javascript:document.title="taken")',
  `\u202Eright to left\u202C ${'W'.repeat(400)}`,
  '"><svg onload=document.title="taken">',
];

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const accordions = (page: Page) => page.locator('[data-phase="collapsed"]');

async function showHints(page: Page, isOn = true): Promise<void> {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('switch', { name: 'Show context hints' }).click();
  await page.getByRole('switch', { name: 'Show context hints', checked: isOn }).waitFor();
  await page.getByRole('link', { name: 'Conversation', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Conversation' }).waitFor();
}

async function runDemo(page: Page): Promise<void> {
  await button(page, 'Run all').click();
  await page.getByText('Done: 9 pages read').waitFor({ timeout: 60_000 });
}

describeInBrowser('the conversation', () => {
  let server: ConsoleServer;
  /** With tokens: ada may write, eve may only read. */
  let guarded: ConsoleServer;
  let script: ScriptedUpstream;
  let answer: (request: Arrived, response: ServerResponse) => void = () => {};

  beforeAll(async () => {
    const folder = temporaryFolder();
    const rows = HOSTILE.map((title, id) => `${JSON.stringify({ id, title, [`<b>${id}</b>`]: title })}\n`);
    writeFileSync(join(folder, 'hostile.jsonl'), rows.join(''));
    const config = join(folder, 'infold.config.json');
    const sources = { hostile: { type: 'jsonl', path: 'hostile.jsonl', id: 'id' } };
    writeFileSync(config, JSON.stringify({ sources }));
    script = await openUpstream((request, response) => answer(request, response));
    const upstreams = [`claude=anthropic+${script.url}`, `local=openai+${script.url}`];
    const args = upstreams.flatMap((upstream) => ['--upstream', upstream]);
    [server, guarded] = await Promise.all([
      startConsoleServer({ args: ['--config', config, ...args] }),
      startConsoleServer({ args, tokens: { ada: ['read', 'write'], eve: ['read'] } }),
    ]);
    await createApi({ url: server.url }).loadSamples();
    await createApi({ url: guarded.url, token: guarded.tokens.ada! }).loadSamples();
  });
  afterAll(() => script.close());

  test('says what to do first, and loads the sample data', async () => {
    const page = await openConsole(await startConsoleServer(), { path: '/conversation' });
    await page.getByText('No tool has been called yet').waitFor();
    await button(page, 'Load sample data').click();
    await button(page, 'Run all').waitFor();
  });

  test('collapses nine pages to gray accordions while the demo runs', async () => {
    verifies('TCP-15', 'TCP-17', 'TCP-18');
    const page = await openConsole(server, { path: '/conversation' });
    await button(page, 'Step').click();
    await page.getByText('Next: search_records').waitFor();
    await button(page, 'Step').click();
    // In full until it is used.
    const first = page.getByRole('article', { name: 'search_records', exact: true });
    await first.getByRole('cell', { name: '72', exact: true }).waitFor();
    expect(await accordions(page).count()).toBe(0);
    await page.getByText('Next: store_analysis_memory').waitFor();
    await button(page, 'Step').click();
    await page.getByText('15 sample_activities records (page 1/9, IDs: 72, 73, 74…)').waitFor();
    await expect.poll(() => accordions(page).count()).toBe(1);
    await expect.poll(() => first.count()).toBe(0);

    await runDemo(page);
    await expect.poll(() => accordions(page).count()).toBe(9);
    const grays = await accordions(page).evaluateAll((elements) =>
      elements.map((element) => getComputedStyle(element).backgroundColor),
    );
    expect(grays.map(hueIn)).toEqual(Array(9).fill('gray'));
    expect(await page.getByText(/^\[(transient|consumed|collapsed)\]$/).count()).toBe(0);

    // TCP-15: the original, to be read and nothing else.
    const bar = accordions(page).first().getByRole('button').first();
    await expect.poll(() => bar.getAttribute('aria-expanded')).toBe('false');
    await bar.press('Enter');
    const original = page.getByRole('region', { name: 'Original, read-only' });
    await original.getByRole('cell', { name: '86', exact: true }).waitFor();
    expect(await original.locator('input, textarea, select, [contenteditable]').count()).toBe(0);
    await bar.press('Enter');
    await original.waitFor({ state: 'detached' });

    await expect.poll(() => shareSent(page)).toBeLessThan(1 / 5);
    await button(page, 'As a table').click();
    const table = page.getByRole('table', { name: 'Estimated prompt tokens per turn' });
    await expect.poll(() => table.getByRole('row').count()).toBe(22);
  });

  test('tells the server what collapsed, and says what was found', async () => {
    verifies('TCP-17');
    const page = await openConsole(server, { path: '/conversation' });
    await runDemo(page);
    await page
      .getByText(/\d+ of 132 activities move: \d+ to Web Dev, \d+ to AI and \d+ to Support\./)
      .waitFor();
    await page.getByText('What moves where', { exact: true }).first().click();
    const moves = page.getByRole('table', { name: 'What moves where' });
    await expect.poll(() => moves.getByRole('row').count()).toBe(4);
    await button(page, 'Run again').waitFor();
    const api = createApi({ url: server.url });
    const [session] = (await api.listSessions({})).sessions;
    const state = async () => (await api.readSession({ id: session!.id })).context_state;
    await expect.poll(async () => (await state()).collapsible).toBe(0);
    const { total_tokens } = await state();
    expect(total_tokens).toBeGreaterThan(1000);
    expect(total_tokens).toBeLessThan(7000);
  });

  test('goes on over a restart', async () => {
    const first = await startConsoleServer();
    const api = createApi({ url: first.url });
    await api.loadSamples();
    const project = (await api.listProjects({})).projects.find(({ name }) => name === 'Sample');
    const page = await openConsole(first, { path: '/conversation?tool=context', tolerates: [/ERR_/] });
    const goal = page.getByLabel('goal (required)');
    await goal.fill('What is known');
    await first.stop();
    await page.getByText('Reconnecting').waitFor();
    await button(page, 'Run').click();
    await page.getByText('context failed: The server does not answer.').waitFor();
    expect(await goal.inputValue()).toBe('What is known');
    // What was not listed before cannot be now.
    await page.evaluate((path) => history.pushState(null, '', path), `/conversation?project=${project!.id}`);
    await page.getByText('The tools could not be listed').waitFor();
    await page.getByText('The server does not answer.', { exact: true }).waitFor();
    await startConsoleServer({ data: first.data, args: ['--port', String(first.port)] });
    await page.getByRole('link', { name: /^context / }).click();
    await goal.fill('What is known');
    await button(page, 'Run').click();
    await page.getByText('context answered.').waitFor({ state: 'attached' });
  });

  test('ends its session where the protocol has some, and begins another when the server forgot it', async () => {
    const page = await openConsole(server, { path: '/settings', tolerates: [/404/, /400/] });
    let session = '';
    page.on('response', (response) => {
      session = response.headers()['mcp-session-id'] ?? session;
    });
    await page.route('**/mcp*', (route) =>
      route.request().postData()?.includes('server/discover')
        ? route.fulfill({ status: 404, body: '' })
        : route.continue(),
    );
    const ask = (method: 'DELETE' | 'POST', body?: object) =>
      fetch(new URL('/mcp', server.url), {
        method,
        headers: {
          'mcp-session-id': session,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    const statusOfPing = async () =>
      (await ask('POST', { jsonrpc: '2.0', id: 'ping', method: 'ping' })).status;
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await page.getByRole('link', { name: /^infold_status/ }).click();
    await expect.poll(() => session).not.toBe('');
    expect(await statusOfPing()).toBe(200);
    expect((await ask('DELETE')).status).toBe(200);
    const forgotten = session;
    await button(page, 'Run').click();
    await page.getByText('infold_status answered.').waitFor({ state: 'attached' });
    await expect.poll(() => session).not.toBe(forgotten);
    expect(await statusOfPing()).toBe(200);
    await page.goto('about:blank');
    await expect.poll(statusOfPing).toBe(404);
  });

  test('says what is not there, what was refused, and fills in the project', async () => {
    const page = await openConsole(server, { path: '/conversation?tool=nope' });
    await page.getByText('There is no tool called “nope”').waitFor();
    await page.goto(new URL('/conversation?tool=memory.setup', server.url).href);
    await page.getByRole('heading', { name: 'memory_setup' }).waitFor();
    await page.goto(new URL('/conversation?tool=context_return', server.url).href);
    const project = page.getByLabel('project_path (required)');
    expect(await project.inputValue()).toBe('');
    await page.getByLabel('Project', { exact: true }).selectOption('Sample');
    await expect.poll(() => project.inputValue()).toMatch(/^proj_/);
    await page.getByLabel('message (required)').fill('Done');
    await button(page, 'Run').click();
    await page.getByText('context_return refused: Cannot fold branch: branch is not active').waitFor();
    await project.fill('no/such/place');
    await button(page, 'Run').click();
    await page.getByText('context_return refused: "no/such/place" is a relative path').waitFor();
    expect(await page.getByText('context_return answered.').count()).toBe(0);
  });

  test('has badges when they are asked for, in the colours of the protocol', async () => {
    verifies('TCP-18');
    const page = await openConsole(server, { path: '/conversation' });
    await button(page, 'Step').click();
    await page.getByText('Next: search_records').waitFor();
    await button(page, 'Step').click();
    await page.getByText('Next: store_analysis_memory').waitFor();
    const badge = (name: string) => page.getByText(`[${name}]`, { exact: true });
    expect(await badge('transient').count()).toBe(0);
    await showHints(page);
    await badge('transient').waitFor();
    expect(await hueOf(page, 'transient')).toBe('amber');
    await button(page, 'Step').click();
    await badge('collapsed').waitFor();
    await expect.poll(() => badge('transient').count()).toBe(0);
    expect(await hueOf(page, 'consumed')).toBe('green');
    expect(await hueOf(page, 'collapsed')).toBe('gray');
    await showHints(page, false);
    await accordions(page).first().waitFor();
    expect(await page.getByText(/^\[(transient|consumed|collapsed)\]$/).count()).toBe(0);
    await button(page, 'Stop').click();
    await button(page, 'Run all').waitFor();
  });

  test('stops where a call fails, with the server’s sentence, and goes on from there', async () => {
    const page = await openConsole(server, { path: '/conversation', tolerates: [/503/] });
    await button(page, 'Step').click();
    await page.getByText('Next: search_records').waitFor();
    await page.route('**/mcp*', (route) =>
      route.fulfill({ status: 503, contentType: 'text/plain', body: 'The server is being moved' }),
    );
    await button(page, 'Run all').click();
    await page.getByRole('alert').filter({ hasText: 'The server is being moved' }).waitFor();
    await page.unroute('**/mcp*');
    await button(page, 'Try again').click();
    await page.getByText('Next: store_analysis_memory').waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('makes a form of each tool’s schema, and says what is wrong before anything is sent', async () => {
    const page = await openConsole(server, { path: '/conversation' });
    await page.getByLabel('Find a tool').fill('findings store');
    await expect
      .poll(() => page.getByRole('search').getByRole('link').first().textContent())
      .toMatch(/^store_analysis_memory/);
    await page.getByLabel('Find a tool').press('ArrowDown');
    await focused(page.getByRole('search').getByRole('link').first());
    await page.keyboard.press('Enter');
    await page.waitForURL(/tool=store_analysis_memory/);
    await focused(page.getByRole('heading', { name: 'store_analysis_memory' }));
    await button(page, 'Add findings').click();
    await button(page, 'Run').click();
    await expect.poll(() => page.getByText('This is required.').count()).toBe(2);
    const analysis = unique('by-hand');
    const id = page.getByLabel('analysis_id (required)');
    await focused(id);
    await id.fill(analysis);
    await page.getByLabel('finding (required)', { exact: true }).fill('72 to AI');
    await page.getByLabel('metadata').fill('{"sure": true');
    await button(page, 'Run').click();
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('metadata').fill('{"sure": true}');
    await page.getByText('6 optional fields').click();
    await page.getByLabel('persistent').selectOption('no');
    await button(page, 'As JSON').click();
    expect(JSON.parse(await page.getByLabel('Input as JSON').inputValue())).toEqual({
      analysis_id: analysis,
      findings: [{ finding: '72 to AI', metadata: { sure: true } }],
      persistent: false,
    });
    await button(page, 'Run').click();
    await page.getByText('Stored 1 analysis finding').waitFor();

    // Choices, numbers and defaults.
    await page.goto(new URL('/conversation?tool=context', server.url).href);
    await page.getByLabel('goal (required)').fill('What is known');
    await page.getByText(/optional fields/).click();
    expect(await page.getByLabel('limit', { exact: true }).inputValue()).toBe('24');
    await page.getByLabel('layer').selectOption('wake');
    await page.getByLabel('token_budget').fill('0');
    await button(page, 'Run').click();
    await page.getByText('More than 0.').waitFor();
    await page.getByLabel('token_budget').fill('500');
    await button(page, 'Run').click();
    await page.getByRole('article', { name: 'context' }).waitFor();

    await page.goBack();
    await page.waitForURL(/tool=store_analysis_memory/);
  });

  test('shows hostile answers as what they are', async () => {
    verifies('CON-05');
    const page = await openConsole(server, { path: '/conversation?tool=remember', width: 360 });
    await page.getByLabel('content (required)').fill(`# Heading ${unique('of')}\n\n${HOSTILE.join('\n\n')}`);
    await button(page, 'Run').click();
    await page.getByRole('article', { name: 'remember' }).waitFor();
    await page.getByRole('link', { name: 'All tools' }).click();
    await page.getByRole('link', { name: /^context / }).click();
    await page.getByLabel('goal (required)').fill('Heading click pixel');
    await button(page, 'Run').click();
    const pack = page.getByRole('article', { name: 'context' });
    await pack.getByText('[picture: pixel, http://evil.example/pixel.png]').first().waitFor();
    await page.getByRole('link', { name: 'All tools' }).click();
    await page.getByRole('link', { name: /^search_records/ }).click();
    await page.getByLabel('model', { exact: true }).fill('hostile');
    await button(page, 'Run').click();
    const records = page.getByRole('article', { name: 'search_records' });
    await records.getByText(HOSTILE[0]!, { exact: true }).first().waitFor();
    expect(await page.title()).toBe('Conversation · Infold');
    expect(
      await page.locator('main').locator('img, script, svg[onload], a[href^="javascript"]').count(),
    ).toBe(0);
    await fits(page);
    await axe(page);
  });

  test('keeps from who may only read what writes, and says why', async () => {
    verifies('CON-06');
    const page = await openConsole(guarded, {
      path: '/conversation?tool=remember',
      token: guarded.tokens.eve!,
    });
    await page.getByText('Your token may only read, and this tool writes.').waitFor();
    expect(await page.getByText('Run the demo').count()).toBe(0);
    expect(await button(page, 'Run').isDisabled()).toBe(true);
    expect(await button(page, 'Run all').count()).toBe(0);
    expect(await button(page, 'Load sample data').count()).toBe(0);
    await page.getByRole('link', { name: 'All tools' }).click();
    await page.getByRole('link', { name: /^infold_status/ }).click();
    await button(page, 'Run').click();
    await page.getByRole('article', { name: 'infold_status' }).getByText('eve').first().waitFor();
    await axe(page);
  });

  test.each([
    ['claude', 'whoever opens the page', '/v1/messages', anthropicAnswers],
    ['local', 'a token', '/v1/chat/completions', openaiAnswers],
    ['claude', 'a cookie', '/v1/messages', anthropicAnswers],
  ] as const)(
    'chats with a model by way of the window door (%s, as %s)',
    async (upstream, who, path, answers) => {
      const key = ['sk', 'test', upstream].join('-');
      const turns = answers();
      answer = (_, response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(turns.shift());
      script.arrived.length = 0;
      const isOwner = who === 'whoever opens the page';
      const page = await openConsole(isOwner ? server : guarded, {
        path: '/conversation',
        tolerates: [/401/],
        ...(!isOwner && { token: guarded.tokens.ada!, keep: who === 'a cookie' }),
      });
      await page.getByRole('link', { name: 'Settings, Model' }).click();
      await page.getByLabel('Provider').selectOption(upstream);
      await page.getByRole('textbox', { name: 'Model', exact: true }).fill('scripted-1');
      await page.getByLabel('API key').fill(key);
      await page.getByRole('link', { name: 'Conversation', exact: true }).click();
      await page.getByLabel('Message to scripted-1').fill('What do you know?');
      await page.keyboard.press('Enter');
      await page.getByText('I know eight tools.').waitFor();
      await expect.poll(() => page.getByRole('article', { name: 'search_records' }).count()).toBe(1);
      const asked = script.arrived.map(({ url, headers, body }) => ({
        url,
        headers,
        body: JSON.parse(body.toString()) as { model: string; messages: object[]; tools: object[] },
      }));
      expect(asked.map(({ url, body }) => [url, body.model])).toEqual(Array(2).fill([path, 'scripted-1']));
      expect(JSON.stringify(asked[0]!.headers)).toContain(key);
      expect(JSON.stringify(asked[0]!.headers)).not.toMatch(/infold-(token|console)|cookie|inf_/i);
      expect(asked[0]!.body.tools.length).toBeGreaterThan(10);
      expect(JSON.stringify(asked[1]!.body.messages)).toContain('search_records');

      // What it says when it does not want to, without the key.
      answer = (_, response) =>
        response
          .writeHead(401, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: `Bad key ${key}` } }));
      await page.getByLabel('Message to scripted-1').fill('And now?');
      await button(page, 'Send').click();
      await page.getByText('The model’s API answered 401: Bad key …').waitFor();
      // Slowly, and stopped.
      answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(begun(path));
      };
      await button(page, 'Ask again').click();
      await page.getByText('Let me think').waitFor();
      await button(page, 'Stop').click();
      await button(page, 'Send').waitFor();
      // Nothing of it is kept.
      expect(
        await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
      ).not.toContain(key);
      await page.reload();
      await page
        .getByRole(who === 'a token' ? 'textbox' : 'link', { name: /Token|Settings, Model/ })
        .waitFor();
    },
  );

  test('is accessible in both themes, and fits a narrow page', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: '/conversation', width: 360 });
    await settled(page);
    await axeInBothThemes(page);
    await showHints(page);
    await runDemo(page);
    await accordions(page).first().getByRole('button').first().click();
    await page.getByRole('region', { name: 'Original, read-only' }).waitFor();
    await axeInBothThemes(page);
    await fits(page);
    await page.getByRole('link', { name: /^remember/ }).click();
    await page.getByLabel('content (required)').waitFor();
    await axeInBothThemes(page);
    await fits(page);
  });
});

/** What of all tokens is sent, as the page counts them. */
async function shareSent(page: Page): Promise<number> {
  const figure = async (name: string) => {
    const text = await page.locator('dl > div', { hasText: name }).locator('dd').textContent();
    return Number(text!.replaceAll(/\D/g, ''));
  };
  return (await figure('With collapsing')) / (await figure('Without'));
}

/** What somebody would call the colour of a badge's ground. */
async function hueOf(page: Page, hint: string): Promise<string> {
  const colour = await page
    .getByText(`[${hint}]`, { exact: true })
    .first()
    .evaluate((element) => getComputedStyle(element).color);
  return hueIn(colour);
}

function hueIn(colour: string): string {
  const [, chroma, hue] = /^oklch\([\d.]+ ([\d.]+) ([\d.]+)\)$/.exec(colour)?.map(Number) ?? [];
  if (chroma === undefined || hue === undefined) return colour;
  if (chroma < 0.03) return 'gray';
  return hue > 50 && hue < 100 ? 'amber' : hue > 130 && hue < 170 ? 'green' : colour;
}

const CALL = { model: 'sample_activities', per_page: 5 };

function anthropicAnswers(): string[] {
  const text = (words: string, index = 0): [string, object][] => [
    [
      'content_block_start',
      { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
    ],
    ...words.split(' ').map((word, at): [string, object] => [
      'content_block_delta',
      {
        ...{ type: 'content_block_delta', index },
        delta: { type: 'text_delta', text: at === 0 ? word : ` ${word}` },
      },
    ]),
  ];
  const call = { type: 'tool_use', id: 'toolu_1', name: 'search_records', input: {} };
  const json = { type: 'input_json_delta', partial_json: JSON.stringify(CALL) };
  return [
    events(
      ...text('I look it up.'),
      ['content_block_start', { type: 'content_block_start', index: 1, content_block: call }],
      ['content_block_delta', { type: 'content_block_delta', index: 1, delta: json }],
      ['message_delta', { type: 'message_delta', delta: { stop_reason: 'tool_use' } }],
    ),
    events(...text('I know eight tools.'), [
      'message_delta',
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    ]),
  ];
}

function openaiAnswers(): string[] {
  const chunk = (delta: object, finish_reason: string | null = null): [undefined, object] => [
    undefined,
    { choices: [{ index: 0, delta, finish_reason }] },
  ];
  const call = (part: object) => chunk({ tool_calls: [{ index: 0, ...part }] });
  return [
    events(
      call({ id: 'call_1', type: 'function', function: { name: 'search_records', arguments: '' } }),
      call({ function: { arguments: JSON.stringify(CALL) } }),
      chunk({}, 'tool_calls'),
      [undefined, '[DONE]'],
    ),
    events(chunk({ content: 'I know ' }), chunk({ content: 'eight tools.' }), chunk({}, 'stop'), [
      undefined,
      '[DONE]',
    ]),
  ];
}

/** The beginning of an answer that does not go on. */
function begun(path: string): string {
  return path.endsWith('/messages')
    ? events([
        'content_block_delta',
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me think' } },
      ])
    : events([undefined, { choices: [{ index: 0, delta: { content: 'Let me think' } }] }]);
}
