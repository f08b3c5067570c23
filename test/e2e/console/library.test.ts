import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Api, createApi } from '@infold/client/api';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { temporaryFolder } from '../support/program.ts';
import { ATLAS_FILES, publishFiles, seedLibrary } from './libraries.ts';
import {
  addressed,
  axe,
  axeInBothThemes,
  type ConsoleServer,
  describeInBrowser,
  dismiss,
  fits,
  focused,
  openConsole,
  settled,
  startConsoleServer,
  unique,
  visit,
} from './support.ts';

const ELSEWHERE = 'https://elsewhere.example';
const RUN = 'window.ran=(window.ran||0)+1';
/** Each would run, fetch or restyle something if it were more than text. */
const HOSTILE = `<script>${RUN}</script> <img src=x onerror="${RUN}"> ![p](${ELSEWHERE}/p.png) [go](javascript:${RUN}) <style>*{display:none!important}</style> \u202Edesrever`;

const LONG = 'w'.repeat(3000);
const HOSTILE_FILE = `---
description: '${HOSTILE.replaceAll("'", '')}'
"<img src=x onerror='${RUN}'>": "<script>${RUN}</script>"
nested: {deep: [1, {"</dd><script>": "${ELSEWHERE}"}]}
__proto__: polluted
---
# ${HOSTILE}

## ${HOSTILE}

- ${HOSTILE}
- ${LONG}

<iframe srcdoc="<script>parent.ran=1</script>"></iframe>
`;

describeInBrowser('the library', () => {
  let server: ConsoleServer;
  let ada: Api;
  let rita: Api;

  beforeAll(async () => {
    server = await startConsoleServer({
      tokens: { ada: ['read', 'write'], rita: ['read', 'write', 'review'], eve: ['read'] },
    });
    const apiOf = (name: string) => createApi({ url: server.url, token: server.tokens[name]! });
    [ada, rita] = [apiOf('ada'), apiOf('rita')];
  });

  /** Its own for each test, so that tests do not meet. */
  const projectWith = async (files: Readonly<Record<string, string>>) => {
    const project = unique('atlas');
    await ada.addProject({ name: project });
    await publishFiles(rita, project, files);
    return project;
  };

  const open = async (
    who: 'ada' | 'rita' | 'eve',
    path: string,
    options: Partial<Parameters<typeof openConsole>[1]> = {},
  ) => {
    const page = await openConsole(server, { path, token: server.tokens[who]!, ...options });
    await settled(page);
    return page;
  };

  const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
  const link = (page: Page | Locator, name: string) => page.getByRole('link', { name, exact: true });
  const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

  /** Takes a step with a draft, through its dialog. */
  const step = async (page: Page, name: string, note?: { label: string; text: string }) => {
    await button(page, name).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    if (note) await dialog.getByLabel(note.label).fill(note.text);
    await button(dialog, name).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  const holds = async (page: Page) => {
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBe(undefined);
    expect(await page.locator('main iframe, main img[src], main script, main style, base').count()).toBe(0);
    expect(await page.locator('main a[href^="javascript:"]').count()).toBe(0);
    expect(await page.locator('main').isVisible()).toBe(true);
    await fits(page);
  };

  test('a draft goes from the editor to publication by two people, each of whom sees what the other does', async () => {
    verifies('CON-04', 'CON-01');
    const project = await projectWith(ATLAS_FILES);
    const author = await open('ada', `/library/files?project=${project}&item=coding%2FNAMING.md`);
    const reviewer = await open('rita', `/library/drafts?project=${project}`);
    await reviewer.getByText('Nothing waits for anybody').waitFor();
    await link(author, 'Edit').click();
    const editor = textbox(author, 'Text');
    await editor.click();
    await author.keyboard.press('Control+End');
    // Keys that lead elsewhere on the page (“g t”, “?”) are letters here.
    await author.keyboard.type('- great things, right? g w\n');
    expect(await author.getByRole('dialog').count()).toBe(0);
    expect(new URL(author.url()).pathname).toBe('/library/files');
    await author.keyboard.type('- Names that only their author understands\n');
    await author.getByRole('region', { name: 'Preview' }).getByText('only their author').waitFor();
    await author.getByText('Not saved', { exact: true }).waitFor();
    await author.getByLabel('What changes, and why (optional)').fill('Seen in the last review');
    await button(author, 'Save as draft').click();
    await author.getByText('not submitted').waitFor();
    await textbox(author, 'Draft').getByText('only their author').waitFor();
    // To others it is not there before it is submitted.
    expect(await reviewer.getByText('Nothing waits for anybody').isVisible()).toBe(true);
    await step(author, 'Submit');
    await author.getByText('in review', { exact: true }).waitFor();

    await link(reviewer, 'coding/NAMING.md').click();
    await reviewer.getByText('Seen in the last review').waitFor();
    const drafted = textbox(reviewer, 'Draft');
    await drafted.getByText('only their author').click();
    await reviewer.keyboard.press('Enter');
    const dialog = reviewer.getByRole('dialog', { name: /^Comment on line 1[89]$/ });
    await dialog.getByText('only their author').waitFor();
    await dialog.getByLabel('Comment').fill('Say which ones');
    await button(dialog, 'Comment').click();
    await dialog.waitFor({ state: 'hidden' });
    const said = author.getByRole('list', { name: 'Comments' });
    await said.getByText('Say which ones').waitFor();
    expect(await said.textContent()).toMatch(/rita.*line 1[89]/);
    await said.getByRole('button', { name: /^line/ }).click();
    const isReached = (it: Element) => (it.getRootNode() as ShadowRoot).activeElement === it;
    await expect.poll(() => textbox(author, 'Draft').evaluate(isReached)).toBe(true);

    await step(reviewer, 'Approve', { label: 'Note (optional)', text: 'Short and good' });
    await author.getByText('Short and good').waitFor();
    await step(reviewer, 'Publish');
    await author.getByText('published', { exact: true }).waitFor();
    await visit(author, `/library/files?project=${project}&item=coding%2FNAMING.md&show=history`);
    const last = author.getByRole('list', { name: 'Revisions' }).getByRole('listitem').first();
    await last.waitFor();
    expect(await last.textContent()).toMatch(/Revision 2.*Written byada.*Approved byrita.*Published byrita/);
    await textbox(author, 'Revision 2').getByText('only their author').waitFor();
    // Who wrote it may not restore.
    expect(await button(author, 'Restore').count()).toBe(0);
    const { content } = await ada.readLibraryItem({ project, id: 'coding/NAMING.md' });
    expect(content).toContain('- great things, right? g w\n- Names that only their author understands\n');
    expect(content.startsWith('---\ndescription: How things are called\n')).toBe(true);
  }, 300_000);

  test('a reviewer declines with a reason, and restores an earlier revision', async () => {
    verifies('CON-04');
    const project = await projectWith(ATLAS_FILES);
    await publishFiles(rita, project, { 'coding/ERRORS.md': '# Errors\n\n- Now shorter\n' });
    const op = { delete: { id: 'coding/ERRORS.md' } };
    const { draft } = await ada.createDraft({ project, resource: 'rule', op });
    await ada.submitDraft({ id: draft.id });
    const page = await open('rita', `/library/drafts?project=${project}&draft=${draft.id}`);
    await button(page, 'Decline').click();
    const dialog = page.getByRole('dialog');
    await button(dialog, 'Decline').click();
    await dialog.getByText('Say why').waitFor();
    await axe(page);
    await dialog.getByLabel('Why').fill('Somebody needs it');
    // What is written is not thrown away by chance.
    await page.keyboard.press('Escape');
    await dialog.getByText('Only “Cancel” throws it away').waitFor();
    await button(dialog, 'Decline').click();
    await page.getByText('Somebody needs it').waitFor();
    await page.getByText('declined', { exact: true }).waitFor();
    expect(await button(page, 'Approve').count()).toBe(0);

    await link(page, 'Files').click();
    await link(page, 'ERRORS.md').click();
    await page.getByRole('tab', { name: 'History' }).click();
    await addressed(page, 'show', 'history');
    await link(page, 'Revision 1').click();
    await addressed(page, 'revision', '1');
    await textbox(page, 'Revision 1').getByText('Say whether to try again').waitFor();
    await button(page, 'Restore').click();
    await button(page.getByRole('dialog'), 'Publish it again').click();
    await link(page, 'Revision 3').waitFor();
    const { content } = await ada.readLibraryItem({ project, id: 'coding/ERRORS.md' });
    expect(content).toBe(ATLAS_FILES['coding/ERRORS.md']);
  }, 300_000);

  test('an approval that would not count is not offered, and it is said why', async () => {
    verifies('LIB-12');
    const folder = temporaryFolder();
    const config = join(folder, 'infold.config.json');
    writeFileSync(config, JSON.stringify({ library: { selfApproval: false } }));
    const strict = await startConsoleServer({
      tokens: { rita: ['read', 'write', 'review'], sam: ['read', 'write', 'review'] },
      args: ['--config', config],
    });
    const api = createApi({ url: strict.url, token: strict.tokens.rita! });
    await api.addProject({ name: 'atlas' });
    const op = { create: { path: 'coding/NEW.md', body: '# New\n' } };
    const { draft } = await api.createDraft({ project: 'atlas', resource: 'rule', op });
    await api.submitDraft({ id: draft.id });
    const path = `/library/drafts?project=atlas&draft=${draft.id}`;
    const own = await openConsole(strict, { path, token: strict.tokens.rita! });
    await own.getByText('You wrote it: somebody else approves it.').waitFor();
    expect(await button(own, 'Approve').count()).toBe(0);
    expect(await button(own, 'Decline').count()).toBe(1);
    await axeInBothThemes(own);
    const other = await openConsole(strict, { path, token: strict.tokens.sam! });
    await step(other, 'Approve');
    await button(other, 'Publish').waitFor();
    // Whoever wrote it may publish what somebody else approved.
    await button(own, 'Publish').waitFor();
  }, 120_000);

  test('a draft that is out of date shows three sides, and what is taken of them becomes the draft', async () => {
    verifies('CON-04', 'LIB-12');
    const file = (second: string, last: string) =>
      `# A\n\n- one\n- ${second}\n- three\n- four\n- five\n- ${last}\n`;
    const project = await projectWith({ 'a/A.md': file('two', 'six') });
    const body = file('two of the draft', 'six');
    const op = { update: { id: 'a/A.md', body } };
    const { draft } = await ada.createDraft({ project, resource: 'rule', op });
    const page = await open('ada', `/library/drafts?project=${project}&draft=${draft.id}`);
    await button(page, 'Submit').waitFor();
    await publishFiles(rita, project, { 'a/A.md': file('two of the others', 'six of the others') });
    // It follows the journal: nobody loads the page again.
    await page.getByRole('heading', { name: 'Conflict' }).waitFor();
    expect(await button(page, 'Submit').count()).toBe(0);
    const places = page.getByRole('list', { name: 'Places that differ' });
    const both = places.getByRole('listitem').filter({ hasText: 'changed by both' });
    for (const side of ['- two', '- two of the others', '- two of the draft']) {
      await both.getByText(side, { exact: true }).waitFor();
    }
    await places.getByText('changed by what was published').waitFor();
    expect(await button(page, 'Save into the draft').isDisabled()).toBe(true);
    await axe(page);
    await button(both, 'Both').click();
    const result = textbox(page, 'Result');
    await result.getByText('two of the draft').waitFor();
    await result.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('- seven, by hand\n');
    await page.getByText('You have changed the result by hand').waitFor();
    // What was made by hand outlives another publication, and other pages; it is saved over nothing that nobody saw.
    await publishFiles(rita, project, { 'a/A.md': file('two of the others', 'six of others still') });
    await page.getByText('It was published again since you changed the result by hand').waitFor();
    expect(await button(page, 'Save into the draft').isDisabled()).toBe(true);
    await axe(page);
    await link(page, 'Import').click();
    const note = page.getByRole('list', { name: 'Unsaved texts' });
    await link(note, 'Go on writing').click();
    await result.getByText('seven, by hand').waitFor();
    await button(page, 'I have seen it: save mine over it').click();
    await button(page, 'Save into the draft').click();
    await page.getByRole('heading', { name: 'Conflict' }).waitFor({ state: 'detached' });
    expect(await note.count()).toBe(0);
    await step(page, 'Submit');
    await page.getByText('in review', { exact: true }).waitFor();
    const merged = await ada.readDraft({ id: draft.id });
    expect(merged.content).toBe(
      '# A\n\n- one\n- two of the others\n- two of the draft\n- three\n- four\n- five\n- six of the others\n- seven, by hand\n',
    );
    expect(merged.conflict).toBe(null);
  }, 300_000);

  test('what is written outlives refusals and other pages, and is said until it is saved or thrown away', async () => {
    verifies('CON-01');
    const project = await projectWith(ATLAS_FILES);
    const page = await open('ada', `/library/files?project=${project}&make=rule`, { tolerates: [/40\d/] });
    await page.getByLabel('Path').fill('../../etc/passwd.md');
    await textbox(page, 'Text').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('# Kept\n\n- This must not be lost');
    await page.keyboard.press('Control+s');
    await page.getByText('The draft was not saved; your text is kept').waitFor();
    await page.getByText('unsafe path').waitFor();
    await axe(page);
    await link(page, 'Attestation').click();
    await page.getByText('No agent has used this library yet').waitFor();
    const note = page.getByRole('list', { name: 'Unsaved texts' });
    await note.getByText('../../etc/passwd.md').waitFor();
    await axe(page);
    await link(page, 'Window').click();
    await settled(page);
    await page.goBack();
    await link(note, 'Go on writing').click();
    await textbox(page, 'Text').getByText('This must not be lost').waitFor();
    await page.getByLabel('Path').fill('rules/KEPT.md');
    await button(page, 'Save as draft').click();
    await page.getByText('not submitted').waitFor();
    expect(await note.count()).toBe(0);
    const { drafts } = await ada.listDrafts({ project });
    expect(drafts).toMatchObject([{ draft_path: 'rules/KEPT.md', op: 'create' }]);
    // Files are renamed and deleted by drafts, too.
    await link(page, 'Files').click();
    await link(page, 'SECRETS.md').click();
    await button(page, 'Rename').click();
    await page.getByLabel('New path').fill('security/KEYS.md');
    await button(page.getByRole('dialog'), 'Save as draft').click();
    await page.getByText('rename a file, now').waitFor();
    await step(page, 'Discard');
    await page.getByText('discarded', { exact: true }).waitFor();
  }, 300_000);

  test('who publishes while somebody writes is not overwritten unseen', async () => {
    const project = await projectWith({ 'a/A.md': '# A\n\n- one\n' });
    const page = await open('ada', `/library/files?project=${project}&item=a%2FA.md&edit=true`, {
      tolerates: [/404/],
    });
    await textbox(page, 'Text').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('- mine\n');
    await publishFiles(rita, project, { 'a/A.md': '# A\n\n- one\n- theirs\n' });
    await textbox(page, 'Now').getByText('theirs').waitFor();
    expect(await button(page, 'Save as draft').isDisabled()).toBe(true);
    await button(page, 'I have seen it: save mine over it').click();
    await button(page, 'Save as draft').click();
    await page.getByText('not submitted').waitFor();
    // Another text of the same file would replace this draft, and says so.
    await visit(page, `/library/files?project=${project}&item=a%2FA.md&edit=true`);
    await page.getByText('You have a draft of this file already').waitFor();
    await textbox(page, 'Text').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('- mine, too\n');
    // Where the file goes, the text stays.
    const [own] = (await ada.listDrafts({ project })).drafts;
    await ada.discardDraft({ id: own!.id });
    await page.getByText('You have a draft of this file already').waitFor({ state: 'detached' });
    const op = { delete: { id: 'a/A.md' } };
    const deletion = await rita.createDraft({ project, resource: 'rule', op });
    await rita.submitDraft({ id: deletion.draft.id });
    await rita.approveDraft({ id: deletion.draft.id });
    await rita.publishDraft({ id: deletion.draft.id });
    await page.getByText('is gone since you began').waitFor();
    await textbox(page, 'Text').getByText('mine, too').waitFor();
    await axe(page);
    await button(page, 'Save as a new file').click();
    await page.getByText('add a file').waitFor();
  }, 120_000);

  /** As a person does it: files of this machine, over the page. */
  const dropOn = async (page: Page, zone: Locator, folder: string) => {
    const { x, y, width, height } = (await zone.boundingBox())!;
    const devtools = await page.context().newCDPSession(page);
    const at = { x: x + width / 2, y: y + height / 2 };
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
    }
  };

  const folderOf = (files: Readonly<Record<string, string | Uint8Array>>) => {
    const folder = temporaryFolder();
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return folder;
  };

  test('a folder is dropped, reported on and imported; names that mean harm are refused and shown as text', async () => {
    verifies('CON-05', 'LIB-15', 'LIB-16');
    const project = await projectWith(ATLAS_FILES);
    const hostile = [
      `<img src=x onerror=${RUN}>.md`,
      'a\u202Egpj.md',
      '..%2f..%2fup.md',
      'con.md',
      ' space.md',
    ];
    const folder = folderOf({
      'coding/ERRORS.md': ATLAS_FILES['coding/ERRORS.md']!,
      'coding/NAMING.md': '# Naming\n\n- Otherwise\n',
      'coding/NEW.md': HOSTILE_FILE,
      '.cursor/rules/types.mdc': 'Use types\n',
      '.git/hooks/evil.md': '# no\n',
      'logo.png': new Uint8Array([137, 80, 78, 71]),
      'broken.md': new Uint8Array([0xff, 0xfe, 0]),
      ...Object.fromEntries(hostile.map((name) => [`deep/${name}`, '# x\n'])),
    });
    const page = await open('ada', `/library/import?project=${project}`);
    const zone = page.getByText('Drop a folder of Markdown here');
    await dropOn(page, zone, folder);
    const table = page.getByRole('table', { name: 'Files' });
    await table.waitFor();
    await holds(page);
    await axe(page);
    const row = (name: string) => table.getByRole('row').filter({ hasText: name });
    for (const name of hostile.slice(1).map((one) => one.trim())) {
      expect(await row(name).textContent()).toContain('refused');
    }
    expect(await row('broken.md').textContent()).toContain('is not valid UTF-8');
    expect(await row('coding/NEW.md').textContent()).toContain('new');
    expect(await row('cursor/rules/types.mdc').textContent()).toContain('new');
    expect(await row('coding/NAMING.md').textContent()).toContain('changed');
    expect(await row('coding/ERRORS.md').textContent()).toContain('unchanged');
    expect(await page.getByText('evil').count()).toBe(0);
    // Nothing was changed yet, and without the scope nothing is published.
    expect((await ada.listDrafts({ project })).drafts).toEqual([]);
    expect(await button(page, 'Publish now').count()).toBe(0);
    await button(page, 'Save as drafts').click();
    await link(page, 'Go to the drafts').waitFor();
    expect((await ada.listDrafts({ project })).drafts.length).toBeGreaterThanOrEqual(3);

    const reviewer = await open('rita', `/library/import?project=${project}`, { width: 360 });
    // By the field, which keyboards reach.
    await reviewer.getByLabel('Folder', { exact: true }).setInputFiles(folder);
    await button(reviewer, 'Publish now').click();
    await link(reviewer, 'Go to the files').click();
    await link(reviewer, 'NEW.md').click();
    await reviewer.getByText('Constraints').first().waitFor();
    await settled(reviewer);
    await holds(reviewer);
    const { items } = await ada.listLibraryItems({ project });
    expect(items.map(({ path }) => path)).toContain('cursor/rules/types.mdc');
    expect(items.some(({ path }) => path.includes('\u202E') || path.includes('%2f'))).toBe(false);
  }, 300_000);

  test('hostile Markdown, front matter, descriptions and comments are text on every page, wide and narrow', async () => {
    verifies('CON-05');
    const project = await projectWith({ 'a/HOSTILE.md': HOSTILE_FILE });
    const op = {
      update: { id: 'a/HOSTILE.md', body: `${HOSTILE_FILE}\n${HOSTILE}\n`, description: HOSTILE },
    };
    const { draft } = await ada.createDraft({ project, resource: 'rule', op });
    await ada.submitDraft({ id: draft.id });
    await rita.commentDraft({ id: draft.id, text: HOSTILE, line: 3 });
    await publishFiles(rita, project, { 'a/HOSTILE.md': `${HOSTILE_FILE}\n- ${HOSTILE} and more\n` });
    const query = `project=${project}`;
    const page = await open('rita', '/settings');
    for (const path of [
      `/library/files?${query}&item=a%2FHOSTILE.md`,
      `/library/files?${query}&item=a%2FHOSTILE.md&show=history`,
      `/library/files?${query}&item=a%2FHOSTILE.md&show=usage`,
      `/library/files?${query}&item=a%2FHOSTILE.md&edit=true`,
      `/library/drafts?${query}`,
      `/library/drafts?${query}&draft=${draft.id}`,
    ]) {
      await visit(page, path);
      await page.locator('main').getByText('HOSTILE.md').filter({ visible: true }).first().waitFor();
      await settled(page);
      await holds(page);
      await axe(page);
      await page.setViewportSize({ width: 360, height: 780 });
      await settled(page);
      await holds(page);
      await page.setViewportSize({ width: 1280, height: 900 });
    }
  }, 300_000);

  test('a token that may read alone sees what is published, and is offered nothing else', async () => {
    verifies('CON-06');
    const project = await projectWith(ATLAS_FILES);
    const op = { update: { id: 'coding/NAMING.md', body: '# Secret plans\n' } };
    const { draft } = await ada.createDraft({ project, resource: 'rule', op });
    const page = await open('eve', `/library/files?project=${project}&item=coding%2FNAMING.md`);
    await page.getByText('Names are read far more often').waitFor();
    for (const name of ['Edit', 'Rename', 'Delete', 'New file', 'Restore']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
      expect(await link(page, name).count()).toBe(0);
    }
    await page.getByRole('tab', { name: 'History' }).click();
    await link(page, 'Revision 1').waitFor();
    expect(await button(page, 'Restore').count()).toBe(0);
    await link(page, 'Drafts').click();
    await page.getByText('Nothing waits for anybody').waitFor();
    expect(await link(page, 'Write a file').count()).toBe(0);
    await link(page, 'Import').click();
    await page.getByText('Importing needs the scope “write”').waitFor();
    await axe(page);
    const denied = await open('eve', `/library/drafts?project=${project}&draft=${draft.id}`, {
      tolerates: [/404/],
    });
    await denied.getByText('The draft could not be read').waitFor();
    expect(await denied.content()).not.toContain('Secret plans');
  }, 120_000);

  test('every page is clean in both themes, fits a narrow one, and is reached by keys', async () => {
    verifies('CON-01');
    const project = unique('atlas');
    await ada.addProject({ name: project });
    const { outOfDate } = await seedLibrary(server, project, server.tokens.rita!);
    const query = `project=${project}`;
    const text = (words: string) => `text="${words}" >> visible=true`;
    const tab = (name: string) => `[role=tab][aria-selected=true]:has-text("${name}")`;
    const places: [path: string, mark: string][] = [
      [`/library?${query}`, text('Lately published')],
      [`/library/files?${query}&item=coding%2FNAMING.md`, 'text=Names are read far more often'],
      [`/library/files?${query}&item=coding%2FERRORS.md&show=history`, text('Written by')],
      [`/library/files?${query}&item=coding%2FERRORS.md&show=usage`, text('Turns that used it')],
      [`/library/files?${query}&item=META_PROMPT.md`, 'text=meta prompt'],
      [`/library/files?${query}&make=workflow`, text('Save as draft')],
      [`/library/drafts?${query}&state=all`, text('out of date')],
      [`/library/drafts?${query}&draft=${outOfDate}`, 'figcaption:has-text("Base")'],
      [`/library/import?${query}`, text('Drop a folder of Markdown here')],
      ...['Rules', 'Constraints', 'Projects', 'Agents', 'Models', 'Turns', 'Claims', 'Days'].map(
        (part): [string, string] => [
          `/library/attestation?${query}&evidence=${part.toLowerCase()}`,
          tab(part),
        ],
      ),
    ];
    const page = await open('rita', '/settings');
    for (const [path, mark] of places) {
      await visit(page, path);
      await page.locator('main').locator(mark).first().waitFor();
      await settled(page);
      await axeInBothThemes(page);
      await fits(page);
      await page.setViewportSize({ width: 360, height: 780 });
      await settled(page);
      await fits(page);
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    // A name breaks after a folder, and not into letters.
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, `/library/attestation?${query}`);
    const { height } = (await link(page, 'security/SECRETS.md').boundingBox())!;
    expect(height).toBeLessThan(60);
    const figure = page.getByRole('columnheader', { name: 'Referred to' });
    expect(((await figure.boundingBox())?.x ?? 390) < 390).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    // What agents did is shown as it is counted.
    await visit(page, `/library/attestation?${query}&evidence=claims`);
    await page.getByRole('table', { name: 'Claims without a load' }).getByText('Fields/1').waitFor();
    await page.getByRole('tab', { name: 'Models' }).focus();
    await page.keyboard.press('Enter');
    await addressed(page, 'evidence', 'models');
    await page.getByRole('table', { name: 'Use by model' }).getByText('not known').waitFor();
    await page.getByRole('tab', { name: 'Constraints' }).click();
    await page.getByRole('table', { name: 'Use of constraints' }).getByText('Fields/1').waitFor();
    await page.getByRole('tab', { name: 'Rules' }).click();
    await page.getByRole('button', { name: /^Dead/ }).click();
    await addressed(page, 'only', 'dead');
    await page.getByText('not enough was seen yet').waitFor();
    await page.getByRole('button', { name: /^Never referred to/ }).click();
    await addressed(page, 'only', 'unused');
    await link(page, 'security/SECRETS.md').click();
    await page.getByText('there is nothing to compare with yet').waitFor();
    await visit(page, `/library/files?${query}`);
    const find = page.getByLabel('Find a file');
    await find.focus();
    await page.keyboard.type('naming');
    await addressed(page, 'find', 'naming');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await focused(link(page, 'NAMING.md'));
    await page.keyboard.press('Enter');
    const constraints = page.getByRole('list', { name: 'Constraints' });
    await expect.poll(() => constraints.textContent()).toMatch(/Words\/1.*referred to 2×/);
    await find.fill('');
    await page.getByRole('button', { name: /^coding/ }).press('ArrowLeft');
    await link(page, 'ERRORS.md').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^coding/ }).press('ArrowRight');
    await link(page, 'ERRORS.md').waitFor();
    await link(page, 'SECRETS.md').click();
    await button(page, 'Delete').click();
    await dismiss(page.getByRole('dialog'));
  }, 300_000);
});
