import { type Api, createApi } from '@infold/client/api';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { type Memories, rememberMuch } from './memories.ts';
import { WorkSession } from './sessions.ts';
import { PROJECT } from './stories.ts';
import {
  addressed,
  axe,
  type ConsoleServer,
  cleanEverywhere,
  describeInBrowser,
  fits,
  focused,
  openConsole,
  settled,
  signIn,
  startConsoleServer,
  unique,
  visit,
} from './support.ts';

const itemPath = (id: string, more = '') => `/memory/item?id=${encodeURIComponent(id)}${more}`;
const results = (page: Page) => page.getByRole('list', { name: 'Results' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search memory' });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
/** What was just done, and the button that takes it back. */
const told = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

describeInBrowser('memory, for the owner of the machine', () => {
  let server: ConsoleServer;
  let api: Api;
  let known: Memories;
  let project: string;
  beforeAll(async () => {
    server = await startConsoleServer();
    api = createApi(server);
    ({ known, project } = await remembered(PROJECT));
  });

  /** All of it once more, in a project of its own: a test that changes it, or is tried again, meets nothing of another. */
  const remembered = async (path: string) => {
    const all = await rememberMuch(api, path);
    return { known: all, project: (await api.readMemoryItem({ id: all.store })).project_id! };
  };
  const inProject = (path: string, id = project) => `${path}${path.includes('?') ? '&' : '?'}project=${id}`;

  test('finds as one types, says why, and keeps the words in the address', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: inProject('/memory') });
    await search(page).pressSequentially('refre');
    await results(page).getByRole('link', { name: 'Refresh tokens rotate' }).waitFor();
    await search(page).pressSequentially('sh tokens');
    const first = results(page).getByRole('listitem').first();
    await first.getByText(/matches .*refresh/).waitFor();
    expect(await first.locator('mark').first().textContent()).toMatch(/refresh/i);
    await addressed(page, 'q', 'refresh tokens');
    // What was superseded is not found.
    expect(await results(page).getByText('30 days').count()).toBe(0);
    await page.reload();
    await results(page).getByRole('link', { name: 'Refresh tokens rotate' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Lifetime of refresh tokens' }).waitFor();
    await page.goBack();
    await expect.poll(() => search(page).inputValue()).toBe('refresh tokens');
    await search(page).fill('zzyzx');
    await page.getByRole('heading', { name: 'Nothing here says anything about that' }).waitFor();
  });

  test('a pack says why each item is in it, and changes when one is superseded in the page', async () => {
    verifies('CON-01', 'PACK-04');
    const own = await remembered(`/home/ada/${unique('pack')}`);
    const page = await openConsole(server, { path: inProject('/memory/pack', own.project) });
    await page.getByRole('heading', { name: 'No pack yet' }).waitFor();
    await page.getByLabel('What is to be accomplished').fill('How long do refresh tokens live?');
    await page.keyboard.press('Enter');
    await addressed(page, 'goal', 'How long do refresh tokens live?');
    const inPack = page.getByRole('list', { name: 'In the pack' });
    const lifetime = inPack.getByRole('listitem').filter({ hasText: '14 days' });
    await lifetime.locator('summary').click();
    await lifetime.getByText(/= \(?words [\d.]+/).waitFor();
    await lifetime.getByRole('button', { name: 'Supersede' }).click();
    const form = dialog(page, 'A new version');
    await expect.poll(() => form.getByLabel('What to remember').inputValue()).toContain('14 days');
    await form.getByLabel('What to remember').fill('Refresh tokens live for 7 days.');
    await form.getByRole('button', { name: 'Supersede' }).click();
    await form.waitFor({ state: 'hidden' });
    await inPack.getByText('Refresh tokens live for 7 days.').waitFor();
    await expect.poll(() => inPack.getByText('14 days').count()).toBe(0);
    // And back: the pack is as it was.
    await told(page, 'was superseded').getByRole('button', { name: 'Undo' }).click();
    await inPack.getByText('14 days').waitFor();
    await expect.poll(() => inPack.getByText('7 days').count()).toBe(0);
  });

  test('what was left out of a pack is told, with the reason, and every choice is in the address', async () => {
    const goal = encodeURIComponent('tokens');
    const page = await openConsole(server, {
      path: inProject(`/memory/pack?goal=${goal}&limit=1&tab=out`),
      tolerates: [/status of 400/],
    });
    const leftOut = page.getByRole('list', { name: 'Left out' });
    await leftOut.getByText('over the limit').first().waitFor();
    // What is typed and not sent yet stays, whatever is chosen meanwhile.
    const typed = page.getByLabel('What is to be accomplished');
    await typed.fill('Something else');
    const wake = page.getByRole('button', { name: 'wake' });
    await wake.click();
    await addressed(page, 'layer', 'wake');
    await focused(wake);
    await page.getByRole('combobox', { name: 'Intent' }).selectOption('debug');
    await addressed(page, 'intent', 'debug');
    expect(await typed.inputValue()).toBe('Something else');
    await page.getByRole('tab', { name: 'What the model reads' }).click();
    await addressed(page, 'tab', 'text');
    await expect
      .poll(() => page.getByRole('figure', { name: 'What the model reads' }).textContent())
      .toContain('tokens');
    // An address that somebody made up is refused in words.
    await visit(page, `/memory/pack?goal=${goal}&layer=nowhere`);
    await page.getByRole('alert').filter({ hasText: 'layer' }).waitFor();
  });

  test('an item shows its text, passages, source, history and relations', async () => {
    verifies('CON-01');
    const page = await openConsole(server, { path: itemPath(known.guide) });
    await page.getByRole('heading', { name: 'How we release' }).waitFor();
    await page.getByRole('link', { name: 'https://example.com/handbook/releasing' }).waitFor();
    await page.getByRole('button', { name: 'Passages' }).click();
    await addressed(page, 'tab', 'passages');
    const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem');
    expect(await passages.count()).toBeGreaterThan(2);
    await passages.filter({ hasText: 'Signing' }).first().waitFor();
    await visit(page, itemPath(known.oldLifetime));
    await page.getByText('No pack holds this any more').waitFor();
    await page.locator('[aria-current="true"]', { hasText: 'superseded' }).waitFor();
  });

  test('relations are a graph that the keyboard walks and opens', async () => {
    verifies('CON-03');
    const { known, project } = await remembered(`/home/ada/${unique('graph')}`);
    const page = await openConsole(server, { path: inProject(itemPath(known.store), project) });
    const graph = page.getByRole('region', { name: 'Relations as a graph' });
    await graph.getByRole('link', { name: 'Token store', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await focused(graph.getByRole('link', { name: 'Refresh tokens rotate' }));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await addressed(page, 'open', JSON.stringify([known.rotation]));
    await graph.getByRole('link', { name: 'Lifetime of refresh tokens' }).waitFor();
    await page.reload();
    await graph.getByRole('link', { name: 'Lifetime of refresh tokens' }).waitFor();
    const relation = page.getByRole('list', { name: 'Relations' }).getByRole('listitem');
    await relation
      .filter({ hasText: 'Sign out everywhere' })
      .getByRole('button', { name: 'Take back' })
      .click();
    await expect.poll(() => relation.filter({ hasText: 'Sign out everywhere' }).count()).toBe(0);
    await told(page, 'was taken back').getByRole('button', { name: 'Undo' }).click();
    await relation.filter({ hasText: 'Sign out everywhere' }).waitFor();
    // And a new one.
    await page.getByRole('button', { name: 'Relate', exact: true }).click();
    const form = dialog(page, 'Relate it to another item');
    await form.getByRole('combobox', { name: 'How' }).selectOption('supports');
    await form.getByRole('button', { name: 'Relate' }).click();
    await form.getByText('Choose one of the items that are found.').waitFor();
    await form.getByLabel('Which item').fill('clock skew');
    await form.getByRole('radio', { name: 'Clocks differ' }).first().check();
    await axe(page);
    await form.getByRole('button', { name: 'Relate' }).click();
    await form.waitFor({ state: 'hidden' });
    await relation.filter({ hasText: 'supports' }).filter({ hasText: 'Clocks differ' }).waitFor();
    await told(page, 'supports “Clocks differ”').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => relation.filter({ hasText: 'Clocks differ' }).count()).toBe(0);
  });

  test('what came from a session leads there', async () => {
    const session = unique('fold');
    const work = await WorkSession.begin({ url: server.url, session, project: PROJECT });
    const folds = 'The pagination of invoices skips the last page when it is full.';
    await work.do({ description: 'Look at invoices', prompt: 'Look', deeds: [], folds });
    const page = await openConsole(server, { path: '/memory?q=pagination+invoices' });
    await results(page).getByRole('link', { name: 'Look at invoices' }).click();
    await page.getByRole('link', { name: 'the branch in its session' }).click();
    await page.waitForURL(`**/tree/${await work.id()}?node=br_*`);
    await work.close();
  });

  test('something is remembered, merged with something else, and the merge undone', async () => {
    verifies('PACK-07');
    const page = await openConsole(server, { path: '/memory' });
    const word = unique('heron').replaceAll('-', '');
    for (const content of [`The ${word} nests in the reeds.`, `A ${word} eats fish.`]) {
      await page.getByRole('button', { name: 'Remember' }).click();
      const form = dialog(page, 'Remember something');
      await form.getByRole('button', { name: 'Remember' }).click();
      await form.getByText('Write what is to be remembered.').waitFor();
      await form.getByLabel('What to remember').fill(content);
      await form.getByRole('button', { name: 'Remember' }).click();
      await form.waitFor({ state: 'hidden' });
    }
    await search(page).fill(word);
    await expect.poll(() => results(page).getByRole('listitem').count()).toBe(2);
    for (const box of await results(page).getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Merge into one' }).click();
    const form = dialog(page, 'Merge into one');
    await form.getByLabel('Title').fill('Herons');
    await form.getByRole('button', { name: 'Merge', exact: true }).click();
    await form.waitFor({ state: 'hidden' });
    await results(page).getByRole('link', { name: 'Herons' }).click();
    await page.getByText('Merged 2 into one.').waitFor();
    await page.getByRole('button', { name: 'Undo the merge' }).click();
    await page.getByText('No pack holds this any more').waitFor();
    await visit(page, `/memory?q=${word}`);
    await expect.poll(() => results(page).getByRole('listitem').count()).toBe(2);
    expect(await results(page).getByRole('link', { name: 'Herons' }).count()).toBe(0);
  });

  test('forgetting says what goes, asks first, and cannot be undone', async () => {
    const word = unique('gannet').replaceAll('-', '');
    const { id } = await api.remember({ content: `The ${word} lives at number four.` });
    const page = await openConsole(server, {
      path: itemPath(id, '&write=forget'),
      // Whatever else still asks for it is answered so.
      tolerates: [/status of 404/],
    });
    const asked = dialog(page, 'Forget this for good?');
    await asked.getByText('Forgetting cannot be undone.').waitFor();
    await asked.getByRole('button', { name: 'Keep it' }).click();
    await asked.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Forget' }).click();
    await asked.getByText(word).waitFor();
    await asked.getByRole('button', { name: 'Forget it for good' }).click();
    await told(page, 'This cannot be undone').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await expect(api.readMemoryItem({ id })).rejects.toMatchObject({ status: 404 });
    await search(page).fill(word);
    await page.getByRole('heading', { name: 'Nothing here says anything about that' }).waitFor();
  });

  test('the timeline goes back day by day, by kind and author, and what comes is on top', async () => {
    const page = await openConsole(server, { path: inProject('/memory/timeline') });
    await page.getByRole('link', { name: 'Refresh tokens rotate' }).waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('guide');
    await addressed(page, 'kind', 'guide');
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Refresh tokens' }).count()).toBe(0);
    await page.getByRole('link', { name: 'How we release' }).waitFor();
    const name = unique('A new guide');
    await api.remember({ title: name, content: 'Read it.', kind: 'guide', project: PROJECT });
    await page.getByRole('link', { name }).waitFor();
    await page.getByLabel('Author').fill('Ada');
    await addressed(page, 'author', 'Ada');
    await expect.poll(() => page.getByRole('link', { name }).count()).toBe(0);
    await page.getByLabel('Up to').fill('2020-01-01');
    await page.getByRole('heading', { name: 'Nothing was remembered here' }).waitFor();
  });

  test('a diary is found by its agent, read day by day, and its items open, change and stay in it', async () => {
    verifies('PACK-07');
    const agent_id = unique('runner');
    const place = { agent_id, project };
    const { id } = await api.remember({ title: 'Rehearsal three', content: 'The index failed.', ...place });
    await api.remember({ title: 'Rehearsal four', content: 'It went well.', agent_id });
    const page = await openConsole(server, { path: '/memory/timeline' });
    await page.getByRole('link', { name: 'How we release' }).first().waitFor();
    expect(await page.getByText('Rehearsal').count()).toBe(0);
    const diaries = page.getByRole('navigation', { name: 'Memory' }).getByRole('link', { name: 'Diaries' });
    await diaries.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: new RegExp(`${agent_id} 2`) }).waitFor();
    await page.getByRole('link', { name: agent_id }).focus();
    await page.keyboard.press('Enter');
    await addressed(page, 'agent', agent_id);
    await page.getByRole('link', { name: 'Rehearsal four' }).waitFor();
    // Nothing but what is in it.
    expect(await page.getByRole('link', { name: 'How we release' }).count()).toBe(0);
    await api.remember({ title: 'Rehearsal five', content: 'It went well again.', agent_id });
    await page.getByRole('link', { name: 'Rehearsal five' }).waitFor();
    await page.getByRole('link', { name: 'Rehearsal three' }).click();
    await page.getByRole('heading', { name: 'Rehearsal three' }).waitFor();
    await page.getByText('its writer, and one agent of theirs').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Rehearsal three' }).waitFor();
    await page.getByRole('button', { name: 'Supersede' }).click();
    await dialog(page, 'A new version').getByLabel('What to remember').fill('The index step was too slow.');
    await dialog(page, 'A new version').getByRole('button', { name: 'Supersede' }).click();
    await told(page, 'was superseded').waitFor();
    const old = await api.readMemoryItem({ id, ...place });
    expect(await api.readMemoryItem({ id: old.superseded_by!, ...place })).toMatchObject({
      ...{ scope: 'diary', agent_id },
    });
    await told(page, 'was superseded').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await api.readMemoryItem({ id, ...place })).superseded_by).toBe(null);
    await page.getByRole('link', { name: agent_id }).click();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('');
    await page.getByRole('row', { name: new RegExp(agent_id) }).waitFor();
  });

  test('upkeep lists what is contradicted, doubled and stale, and settles it', async () => {
    const { known, project } = await remembered(`/home/ada/${unique('upkeep')}`);
    const page = await openConsole(server, { path: inProject('/memory/upkeep', project) });
    const panel = (name: RegExp) => page.getByRole('region', { name });
    await panel(/Contradictions/)
      .getByRole('link', { name: 'Token store in Redis' })
      .waitFor();
    await panel(/Rests on something old/)
      .getByText('which was superseded since')
      .waitFor();
    await panel(/Valid long ago/)
      .getByText('nothing says that it still is')
      .waitFor();
    await page.getByRole('button', { name: 'Doubled' }).click();
    await addressed(page, 'find', 'doubled');
    await panel(/Exact doubles/)
      .getByRole('button', { name: 'Merge all of them' })
      .click();
    await told(page, '1 double was superseded').waitFor();
    await expect.poll(() => panel(/Exact doubles/).count()).toBe(0);
    await told(page, '1 double was superseded').getByRole('button', { name: 'Undo' }).click();
    await panel(/Exact doubles/).waitFor();
    await page.getByRole('button', { name: 'Contradicted' }).click();
    const rivals = panel(/Contradictions/).getByRole('listitem');
    await rivals
      .filter({ hasText: 'Postgres, hashed' })
      .last()
      .getByRole('button', { name: 'Keep this one' })
      .click();
    await told(page, '“Token store” supersedes the other one').waitFor();
    await expect.poll(() => panel(/Contradictions/).count()).toBe(0);
    expect((await api.readMemoryItem({ id: known.rival, project })).superseded_by).toBe(known.store);
    await told(page, 'supersedes').getByRole('button', { name: 'Undo' }).click();
    await panel(/Contradictions/).waitFor();
  });

  const places = () => [
    inProject('/memory?q=tokens'),
    inProject('/memory/pack?goal=refresh+tokens'),
    itemPath(known.store, `&open=${encodeURIComponent(JSON.stringify([known.rotation]))}`),
    inProject('/memory/timeline'),
    inProject('/memory/upkeep'),
    '/memory/diaries',
    '/memory/diaries?agent=keeper',
    '/memory/diaries?agent=nobody',
    '/memory?write=remember',
  ];

  test('holds to WCAG 2.2 AA in both themes, wide and narrow', async () => {
    verifies('CON-03');
    await api.remember({ title: 'Of the keeper', content: 'Kept.', agent_id: 'keeper' });
    const page = await openConsole(server, { path: '/settings' });
    for (const path of places()) {
      await visit(page, path);
      const why = page.locator('main summary').first();
      if ((await why.count()) > 0 && (await page.getByRole('dialog').count()) === 0) await why.click();
      await cleanEverywhere(page);
    }
  }, 300_000);

  test('an address of Memory that is no page says so there', async () => {
    const page = await openConsole(server, { path: '/memory/nope' });
    await page.getByRole('heading', { name: 'There is no such page in Memory' }).waitFor();
    await page.getByRole('navigation', { name: 'Memory' }).getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('link', { name: 'How we release' }).first().waitFor();
  });
});

/** Each would set `window.ran`, ask something of another site, or spoil the page, if it were more than text. */
const RUN = 'window.ran=(window.ran||0)+1';
const ELSEWHERE = 'https://elsewhere.example';
const HOSTILE = [
  `<script>${RUN}</script><img src=x onerror="${RUN}"><svg/onload=${RUN}>`,
  `![picture](${ELSEWHERE}/pixel.png) [press](javascript:${RUN}) <style>*{display:none!important}</style>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe><base href="${ELSEWHERE}/">`,
  '\u202Edesrever si siht\u2066 and not closed __proto__ constructor',
  'w'.repeat(280),
].map((text) => text.slice(0, 200));

describeInBrowser('memory from the beginning', () => {
  let server: ConsoleServer;
  beforeAll(async () => {
    server = await startConsoleServer();
  });

  test('where nothing is remembered, it says how to begin', async () => {
    const page = await openConsole(server, { path: '/memory' });
    await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
    await axe(page);
    // What comes is there without asking.
    await createApi(server).remember({ title: 'The first', content: 'It is there.' });
    await page.getByRole('link', { name: 'The first' }).waitFor();
  });

  test('what is remembered is text, wherever it is shown, however it is made', async () => {
    verifies('CON-05');
    const api = createApi(server);
    const project = `/home/ada/${HOSTILE[0]!.slice(0, 60)}`;
    const ids: string[] = [];
    for (const [place, title] of HOSTILE.entries()) {
      const { id } = await api.remember({
        ...{ title, project, kind: 'decision', domain: title.slice(0, 90) },
        content: `hostile ${place} ${HOSTILE.join('\n\n')}`,
        ...{ author: title.slice(0, 150), tags: [title.slice(0, 90)], thread: title.slice(0, 150) },
        ...{ source: title, url: place === 0 ? `javascript:${RUN}` : `${ELSEWHERE}/${place}` },
        metadata: { [title.slice(0, 150)]: title, session_id: title },
        relations: ids.map((other) => ({ type: place % 2 === 0 ? 'contradicts' : 'requires', id: other })),
      });
      ids.push(id);
    }
    await api.importMemory({
      project,
      items: HOSTILE.map((text, place) => ({
        id: `__proto__${place}/../<b>`,
        content: `hostile import ${text}`,
      })),
    });
    await api.remember({
      ...{ title: HOSTILE[1]!, content: 'hostile heir', project },
      relations: [{ type: 'supersedes', id: ids[1]! }],
    });
    const agents = HOSTILE.map((text) => text.slice(0, 120));
    const written = await Promise.all(
      agents.map((agent_id, place) =>
        api.remember({ title: HOSTILE[place]!, content: `hostile ${place}`, agent_id }),
      ),
    );
    const agent = encodeURIComponent(agents[0]!);
    const opened = encodeURIComponent(JSON.stringify(ids.slice(0, 3)));
    const page = await openConsole(server, { path: '/settings' });
    for (const path of [
      '/memory?q=hostile',
      '/memory/pack?goal=hostile',
      itemPath(ids[0]!, `&open=${opened}&tab=text`),
      itemPath(ids[1]!, `&open=${opened}`),
      itemPath('__proto__1/../<b>', '&tab=passages'),
      itemPath(ids[4]!, '&write=supersede'),
      '/memory/timeline',
      '/memory/diaries',
      `/memory/diaries?agent=${agent}`,
      itemPath(written[0]!.id, `&agent=${agent}`),
      '/memory/upkeep',
    ]) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await visit(page, path);
      await page.locator('main details').evaluateAll((all) => {
        for (const one of all) (one as HTMLDetailsElement).open = true;
      });
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBe(undefined);
        const wrong = await page
          .locator('main iframe, main style, main base, main img, main a[href^="javascript"], main script')
          .count();
        expect([path, wrong]).toEqual([path, 0]);
        const links = await page
          .locator('main a[target="_blank"]')
          .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).rel));
        expect(links.every((rel) => rel.includes('noreferrer'))).toBe(true);
        await fits(page);
        if (width === 360) await axe(page);
      }
    }
  }, 600_000);
});

describeInBrowser('memory with tokens', () => {
  test('who may only read is offered nothing that writes; who may write cannot forget', async () => {
    verifies('CON-06');
    const server = await startConsoleServer({
      tokens: { boss: ['read', 'write', 'review', 'admin'], reader: ['read'], writer: ['read', 'write'] },
    });
    // Of a second try, another one.
    const boss = createApi({ url: server.url, token: server.tokens.boss! });
    const { store } = await rememberMuch(boss, `/home/ada/${unique('tokens')}`);
    const buttons = async (page: Page) => {
      await settled(page);
      return (await page.locator('main button').allTextContents()).filter((text) =>
        /Remember|Supersede|Forget|Take back|Merge|Keep/.test(text),
      );
    };
    const reader = await openConsole(server, {
      path: itemPath(store, '&write=forget'),
      token: server.tokens.reader!,
    });
    await reader.getByRole('heading', { name: 'Token store' }).waitFor();
    expect(await buttons(reader)).toEqual([]);
    expect(await reader.getByRole('dialog').count()).toBe(0);
    for (const page of ['Search', 'Packs', 'Timeline', 'Diaries', 'Upkeep']) {
      await reader.getByRole('navigation', { name: 'Memory' }).getByRole('link', { name: page }).click();
      await reader.locator('nav[aria-label="Memory"] [aria-current="page"]', { hasText: page }).waitFor();
      expect([page, await buttons(reader)]).toEqual([page, []]);
    }
    expect(await reader.getByRole('checkbox').count()).toBe(0);
    const writer = await openConsole(server, {
      path: itemPath(store, '&write=forget'),
      token: server.tokens.writer!,
    });
    await writer.getByRole('button', { name: 'Supersede' }).waitFor();
    expect(await writer.getByRole('button', { name: 'Forget' }).count()).toBe(0);
    expect(await writer.getByRole('dialog').count()).toBe(0);
    // What one has done is told to nobody who signs in afterwards, and is not theirs to take back.
    await writer.getByRole('button', { name: 'Supersede' }).click();
    const form = dialog(writer, 'A new version');
    await form.getByLabel('What to remember').fill(unique('Tokens are kept elsewhere'));
    await form.getByRole('button', { name: 'Supersede' }).click();
    await told(writer, 'was superseded').getByRole('button', { name: 'Undo' }).waitFor();
    await writer.getByRole('button', { name: 'Sign out', exact: true }).click();
    await writer.getByRole('heading', { name: 'Sign in to Infold' }).waitFor();
    await signIn(writer, server.tokens.boss!);
    await writer.getByRole('button', { name: 'Forget' }).waitFor();
    expect(await told(writer, 'was superseded').count()).toBe(0);
    expect(await writer.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  });
});
