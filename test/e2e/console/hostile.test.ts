import { type Api, createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { WindowTalk } from './conversations.ts';
import { type Used, WorkSession } from './sessions.ts';
import { bugHunt, contentHere } from './stories.ts';
import {
  axe,
  type ConsoleServer,
  describeInBrowser,
  fits,
  openConsole,
  settled,
  startConsoleServer,
  visit,
} from './support.ts';

/** Each would set `window.ran`, ask something of another site, or spoil the page, if it were more than text. */
const ELSEWHERE = 'https://elsewhere.example';
const RUN = 'window.ran=(window.ran||0)+1';
const HOSTILE = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `"><svg/onload=${RUN}>`,
  `<img src="${ELSEWHERE}/pixel.png">`,
  `![picture](${ELSEWHERE}/pixel.png)`,
  `[press me](javascript:${RUN})`,
  `[or me](data:text/html,<script>${RUN}</script>)`,
  `<a href="javascript:${RUN}">press</a>`,
  `<style>*{display:none!important}</style>`,
  `<link rel=stylesheet href=${ELSEWHERE}/a.css>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `<base href="${ELSEWHERE}/">`,
  '{{constructor.constructor("window.ran=1")()}}',
  '\u202Edesrever si siht\u2066 and not closed',
  '\u001b[31mred\u001b[0m\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007\u0000\u0008',
  '__proto__',
  'Z̸̡̢̛̮̗͔̪̹̳̹̳̰̠a̶̛̹̺̼̗̠l̵g̸o̷'.repeat(10),
];
const ALL = HOSTILE.join(' ');
/** Prompts and summaries with control characters are refused. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const SAID = ALL.replaceAll(/[\u0000-\u001f]/g, '');
const LONG_WORD = 'w'.repeat(100_000);
const short = (most: number) => ALL.slice(0, most);
const PROJECT = `/home/ada/${HOSTILE[1]}`;

describeInBrowser('text from agents', () => {
  let server: ConsoleServer;
  let api: Api;
  beforeAll(async () => {
    server = await startConsoleServer();
    api = createApi(server);
    await seedHostile(server.url);
  });

  /**
   * What opens is opened, what tells more when it is hovered or focused is told so; nothing that changes something is pressed.
   * By script: what one opens lies over the next, and a pointer would wait for it to go.
   */
  async function lookAtEverything(page: Page): Promise<void> {
    const closed = page.locator('main [aria-expanded="false"]:visible, main [role="row"]:visible');
    await closed.evaluateAll((all) => {
      for (const one of all.slice(0, 6)) (one as HTMLElement).click();
    });
    await settled(page);
    const parts = page.locator('main button:visible, main a:visible, main [tabindex]:visible');
    await parts.evaluateAll((all) => {
      for (const one of all.slice(0, 8)) {
        for (const type of ['pointerover', 'pointerenter', 'pointermove', 'mouseover', 'mousemove']) {
          one.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse' }));
        }
        (one as HTMLElement).focus();
      }
    });
  }

  async function holds(page: Page): Promise<void> {
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBe(undefined);
    const wrong = await page.evaluate(() =>
      [
        ...document.querySelectorAll(
          'a[href], iframe, object, embed, base, style, meta[http-equiv], main img',
        ),
      ]
        .filter((element) => !(element instanceof HTMLAnchorElement && element.origin === location.origin))
        .filter(
          (element) =>
            !(
              element instanceof HTMLAnchorElement &&
              /^https?:$/.test(element.protocol) &&
              element.rel.includes('noreferrer')
            ),
        )
        .map(({ outerHTML }) => outerHTML.slice(0, 200)),
    );
    expect(wrong).toEqual([]);
    expect(await page.locator('main').isVisible()).toBe(true);
    await fits(page);
  }

  const places = async () => {
    const { windows } = await api.listWindows();
    const { sessions } = await api.listSessions();
    return [
      ...windows.map(({ id }) => `/window/${id}`),
      ...sessions.map(({ id }) => `/tree/${id}`),
      '/window',
      '/tree',
      '/conversation',
      '/system',
    ];
  };

  test('runs no script, asks nothing of others, and does not break the page, wherever it is shown', async () => {
    verifies('CON-05');
    const page = await openConsole(server, { path: '/settings' });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of await places()) {
        await visit(page, path);
        await lookAtEverything(page);
        await settled(page);
        await holds(page);
        if (width === 1280) await axe(page);
      }
    }
  }, 600_000);

  test('is shown as it is where it is read: each original, whole', async () => {
    verifies('CON-05', 'TCP-15');
    const { sessions } = await api.listSessions();
    const page = await openConsole(server, { path: `/tree/${sessions[0]!.id}` });
    await settled(page);
    await page.getByText(HOSTILE[0]!, { exact: false }).first().waitFor();
    await holds(page);
  });
});

async function seedHostile(url: string): Promise<void> {
  const used = (tool: string, output: string, collapsesTo?: string): Used => ({
    tool,
    input: { file_path: `/home/ada/${short(150)}`, [HOSTILE[1]!]: HOSTILE[0] },
    output,
    ...(collapsesTo !== undefined && { collapsesTo }),
  });
  const work = await WorkSession.begin({
    ...{ url, project: PROJECT },
    // Ids are letters; as many as there may be, without a place to break.
    session: `__proto__${'w'.repeat(119)}`,
    host: HOSTILE[2]!,
  });
  await work.do(
    used(short(200), ALL),
    ...HOSTILE.map((text) => used(text.slice(0, 250), text)),
    used('Read', LONG_WORD, LONG_WORD.slice(0, 9_000)),
    used('Bash', ALL, ALL),
    { description: short(200), prompt: SAID, deeds: [used('Grep', ALL)], folds: SAID },
    {
      description: LONG_WORD.slice(0, 200),
      prompt: LONG_WORD,
      deeds: [used('w'.repeat(256), ALL)],
      isDiscarded: true,
    },
    { description: HOSTILE[14]!, prompt: SAID, deeds: [used('Edit', ALL)] },
  );
  await work.close();
  const content = contentHere();
  const file = (path: string) => `${ALL}\n${LONG_WORD.slice(0, 30_000)}\n${content.file(path)}`;
  const output = (name: Parameters<typeof content.output>[0]) => `${ALL}\n${content.output(name)}`;
  const script = bugHunt({ file, output }, 'hostile');
  await new WindowTalk({ url, script, agent: `${short(50)}/1` }).finish();
  const strange = {
    model: ALL,
    system: ALL,
    tools: [{ name: 'w'.repeat(64), description: ALL, input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: ALL },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: HOSTILE[1], name: HOSTILE[0], input: { [ALL]: ALL } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: HOSTILE[1], content: ALL }] },
    ],
  };
  await fetch(`${url}/model/anthropic/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-claude-code-session-id': encodeURIComponent(short(60)),
    },
    body: JSON.stringify(strange),
  });
}
