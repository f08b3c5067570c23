import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JournalEvent } from '../../../packages/server/src/journal/journal.ts';
import type { Flags } from '../../../packages/server/src/kernel/config.ts';
import { createDraft } from '../../../packages/server/src/library/actions/draft.ts';
import { importLibrary } from '../../../packages/server/src/library/actions/folders.ts';
import { publishDraft } from '../../../packages/server/src/library/actions/publish.ts';
import {
  approveDraft,
  commentDraft,
  declineDraft,
  submitDraft,
} from '../../../packages/server/src/library/actions/review.ts';
import { searchMemory } from '../../../packages/server/src/memory/actions/search.ts';
import { forget } from '../../../packages/server/src/system/actions/forget.ts';
import { projectById } from '../../../packages/server/src/trust/identity/queries.ts';
import { verifies } from '../../requirements.ts';
import { hubFolder, receivedBy, TestEdge, TestHub } from '../../support/hub.ts';

const STYLE = '# Style\n\n## Naming\n\n- Whole words\n- No abbreviations\n';
const FILES = {
  'META_PROMPT.md': '# The shop\n\nLoad the rules that a task touches.\n',
  'coding/STYLE.md': STYLE,
  'workflow/RELEASE.md': '# Release\n\n## Steps\n\n- Run the tests\n',
};

describe('an edge', () => {
  let hub: TestHub;
  let token: string;
  beforeAll(async () => {
    hub = await TestHub.start();
    await hub.publish('shop', FILES);
    token = (await hub.token('alice')).token;
  });

  test('has the library of its hub, by its ids and hashes, and only what changed comes again', async () => {
    verifies('LIB-18');
    const edge = await TestEdge.open();
    const { synced } = await edge.join(hub, token);
    expect(synced.projects).toEqual([{ project: 'shop', revision: 1, changed: 3 }]);
    const agent = await edge.agent('first');
    expect((await agent.loadAll()).get('coding/STYLE.md')).toContain('Whole words');
    await hub.publish('shop', { 'coding/STYLE.md': `${STYLE}- Plain words\n` });
    const again = await edge.edge.sync();
    expect(again.projects).toEqual([{ project: 'shop', revision: 2, changed: 1 }]);
    expect((await agent.loadAll()).get('coding/STYLE.md')).toContain('Plain words');
    expect((await edge.edge.sync()).projects).toEqual([{ project: 'shop', revision: 2, changed: 0 }]);
    expect((await edge.services.journal.verify()).ok).toBe(true);
    expect((await edge.services.journal.verifyTables()).different).toEqual([]);
    expect(statSync(join(edge.data, 'hub.json')).mode & 0o077).toBe(0);
  });

  test('keeps its own library aside, publishes nothing in the copy, and has its own again when it leaves', async () => {
    const edge = await TestEdge.open();
    const own = await TestHub.start(edge.data).catch(() => undefined);
    await own?.publish('shop', { 'own/RULE.md': '# Own\n\n## A\n\n- b\n' });
    await own?.stop();
    const { set_aside } = await edge.join(hub, token);
    expect(set_aside).toBe(1);
    const agent = await edge.agent('second');
    expect([...(await agent.loadAll()).keys()]).not.toContain('own/RULE.md');
    const folder = hubFolder();
    writeFileSync(join(folder, 'NEW.md'), '# New\n');
    await expect(edge.call(importLibrary, { project: '/shop', folder, publish: true })).rejects.toMatchObject(
      { code: 'forbidden' },
    );
    await edge.edge.leave();
    const back = await edge.agent('third');
    expect([...(await back.loadAll()).keys()]).toEqual(['own/RULE.md']);
  });

  test('sends what agents did, once, in order, with its place in the chain; and nothing of other projects', async () => {
    verifies('LIB-18');
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    const agent = await edge.agent('fourth');
    await agent.loadAll();
    const elsewhere = await edge.agent('fifth', 'private');
    await elsewhere.loadAll();
    const [ruleId] = await agent.ids();
    const refs = [{ ruleId, constraintId: 'Naming', ruleHash: 'as I remember it', reason: 'x'.repeat(2000) }];
    await agent.call('memory.refer', { refs });
    await agent.call('memory.submit', { summary: 'Renamed the variables' });
    const { sent } = await edge.edge.sync();
    expect(sent).toBe(6);
    expect((await edge.edge.sync()).sent).toBe(0);
    const { id: edgeId } = (await edge.edge.status())!;
    const received = receivedBy(hub).filter(({ batch }) => batch.edge_id === edgeId);
    expect(received.map(({ events }) => events[0]!.type)).toEqual([
      ...['attest.setup', 'attest.discover', 'attest.load', 'attest.discover', 'attest.refer'],
      'attest.agent_report',
    ]);
    for (const { seq, hash, id, batch } of received) {
      expect(edge.services.journal.hashAt(seq)).toBe(hash);
      expect(edge.services.journal.entryAt(seq)!.id).toBe(id);
      expect(batch.principal).toBe('alice');
    }
  });

  test('sends what its configuration selects, without what it leaves out, and no secrets', async () => {
    verifies('LIB-18');
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const work = async (upload: NonNullable<Flags['hub']>['upload']) => {
      const edge = await TestEdge.open({ hub: { upload } });
      await edge.join(hub, token);
      const agent = await edge.agent('narrow');
      await agent.call('memory.discover', { query: 'release steps' });
      await agent.call('memory.submit', { summary: 'Done' });
      await agent.call('remember', { title: 'Tide', content: 'The tide turns at six.', project: '/shop' });
      const report = await edge.edge.sync();
      const { id } = (await edge.edge.status())!;
      return { report, entries: receivedBy(hub).filter(({ batch }) => batch.edge_id === id), edge };
    };
    const nothing = await work(false);
    expect([nothing.report.sent, nothing.entries]).toEqual([0, []]);
    expect((await work({ projects: ['other'] })).report.sent).toBe(0);
    const narrow = await work({ what: ['attestation'], without: ['attest.discover.query', 'agent'] });
    const types = narrow.entries.flatMap(({ events }) => events.map(({ type }) => type));
    expect(types).toEqual(['attest.setup', 'attest.discover']);
    expect(JSON.stringify(narrow.entries)).not.toContain('release steps');
    const all = await work({ what: ['attestation', 'reports', 'memory'] });
    expect([all.report.sent, all.report.memory]).toEqual([3, 1]);
    const { items } = await hub.call(searchMemory, { q: 'tide turns', project: '/shop' });
    expect(JSON.stringify(items)).toContain('The tide turns at six.');
    // What the journal of an edge has from before the scrubber knew a kind of secret does not leave it.
    const { journal } = all.edge.services;
    const { stream, actor, events } = journal
      .entriesAfter(0, 1000)
      .find(({ events }) => events[0]?.type === 'attest.agent_report')!;
    const data = { ...(events[0]!.data as object), summary: `The key is ${secret}` };
    const event = { type: 'attest.agent_report', data } as JournalEvent;
    await journal.commit({ stream, actor, decide: () => ({ events: [event], answer: null }) });
    expect((await all.edge.edge.sync()).sent).toBe(1);
    expect(JSON.stringify(receivedBy(hub))).not.toContain(secret);
    expect(JSON.stringify(receivedBy(hub))).toContain('The key is');
  });

  test('has the libraries of several projects, as its configuration says, and sends for each to its own', async () => {
    verifies('LIB-18');
    await hub.publish('board', { 'plans/PLANS.md': '# Plans\n\n## A\n\n- Few\n' });
    const projects = { '/shop': 'shop', '/desk': 'board', '/none': 'nowhere' };
    const edge = await TestEdge.open({ hub: { url: hub.url, token, projects } });
    const report = await edge.edge.sync();
    expect(report.projects.map(({ project }) => project)).toEqual(['board', 'shop']);
    expect(report.problems).toEqual([expect.stringContaining('no project "nowhere"')]);
    const [shop, desk] = [await edge.agent('of-shop'), await edge.agent('of-desk', 'desk')];
    expect([...(await shop.loadAll()).keys()]).toContain('coding/STYLE.md');
    expect([...(await desk.loadAll()).keys()]).toEqual(['plans/PLANS.md']);
    await edge.edge.sync();
    const status = (await edge.edge.status())!;
    expect(status.projects).toMatchObject([
      { project: 'desk', hub_project: 'board', files: 1 },
      { project: 'shop', hub_project: 'shop' },
    ]);
    const { database } = hub.services.journal;
    const nameOf = (id: string) => projectById(database, 'local', id)!.name;
    const sent = receivedBy(hub).filter(({ batch }) => batch.edge_id === status.id);
    const paths = sent.flatMap(({ project_id, events }) =>
      events.flatMap((event) =>
        event.type === 'attest.load' ? event.data.items.map(({ path }) => [nameOf(project_id), path]) : [],
      ),
    );
    expect(paths).toContainEqual(['board', 'plans/PLANS.md']);
    expect(paths).toContainEqual(['shop', 'coding/STYLE.md']);
    expect(paths).not.toContainEqual(['shop', 'plans/PLANS.md']);
  });

  test('takes a draft back at its hub that was changed or discarded after it was sent', async () => {
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    const agent = await edge.agent('withdrawing');
    const draft = (op: object) => agent.call('draft', { resource: 'rule', op });
    const path = 'coding/MAYBE.md';
    const there = () =>
      hub.services.journal.database
        .all<{ status: string }>('SELECT status FROM library_draft WHERE path = ?', path)
        .map(({ status }) => status);
    await draft({ create: { path, body: '# Maybe\n\n## A\n\n- b\n' } });
    await draft({ submit: { id: path } });
    expect((await edge.edge.sync()).drafts).toBe(1);
    expect(there()).toEqual(['in_review']);
    // Changed, and not submitted yet.
    await draft({ update: { id: path, body: '# Maybe\n\n## A\n\n- c\n' } });
    expect((await edge.edge.status())!.drafts_waiting).toBe(1);
    expect((await edge.edge.sync()).drafts).toBe(1);
    expect(there()).toEqual(['discarded']);
    expect(await edge.edge.sync()).toMatchObject({ drafts: 0, problems: [] });
    expect((await edge.edge.status())!.drafts_waiting).toBe(0);
  });

  test('sends drafts of every kind, also about files that were moved at the hub since', async () => {
    const hub = await TestHub.start();
    const { token } = await hub.token('alice');
    await hub.publish('kinds', {
      ...{ 'a/A.md': '# A\n\n## A\n\n- a\n', 'a/B.md': '# B\n\n## B\n\n- b\n' },
      ...{ 'context/C.md': '# C\n\nText\n', 'a/D.md': '# D\n\n## D\n\n- d\n' },
    });
    const edge = await TestEdge.open();
    await edge.join(hub, token, 'kinds');
    const agent = await edge.agent('kinds', 'kinds');
    const { items } = await agent.call<{ items: { id: string; path: string }[] }>('memory.discover', {});
    const idOf = (path: string) => items.find((item) => item.path === path)!.id;
    const draft = async (resource: string, id: string, op: object) => {
      await agent.call('draft', { resource, op });
      await agent.call('draft', { resource, op: { submit: { id } } });
    };
    await draft('rule', idOf('a/A.md'), { rename: { id: idOf('a/A.md'), new_path: 'a/MOVED.md' } });
    await draft('rule', idOf('a/B.md'), { delete: { id: idOf('a/B.md') } });
    await draft('context', idOf('context/C.md'), {
      update: { id: idOf('context/C.md'), body: '# C\n\nMore\n' },
    });
    await draft('rule', idOf('a/D.md'), { update: { id: idOf('a/D.md'), body: '# D\n\n## D\n\n- e\n' } });
    await draft('mpf', 'META_PROMPT.md', { update: { id: 'META_PROMPT.md', body: '# Load the rules\n' } });
    const owner = hub.call;
    const { draft: moving } = await owner(createDraft, {
      ...{ project: '/kinds', resource: 'rule' },
      op: { rename: { id: idOf('a/D.md'), new_path: 'b/D.md' } },
    });
    for (const step of [submitDraft, approveDraft, publishDraft]) await owner(step, { id: moving.id });
    expect(await edge.edge.sync()).toMatchObject({ drafts: 5, problems: [] });
    const there = hub.services.journal.database.all<{ op: string; path: string }>(
      "SELECT op, path FROM library_draft WHERE status = 'in_review' ORDER BY path",
    );
    expect(there.map(({ op, path }) => `${op} ${path}`)).toEqual([
      ...['update META_PROMPT.md', 'rename a/A.md', 'delete a/B.md', 'update a/D.md', 'update context/C.md'],
    ]);
  });

  test('is forgotten at its hub: what its agents wrote goes, and what they used stays', async () => {
    const { token: gone } = await hub.token('ghost');
    const edge = await TestEdge.open();
    await edge.join(hub, gone);
    const agent = await edge.agent('haunted');
    await agent.loadAll();
    await agent.call('memory.submit', { summary: 'Pipit was here' });
    await edge.edge.sync();
    expect(JSON.stringify(receivedBy(hub))).toContain('Pipit');
    await hub.call(forget, { kind: 'principal', id: 'ghost' });
    expect(JSON.stringify(receivedBy(hub))).not.toContain('Pipit');
    const left = receivedBy(hub).filter(({ batch }) => batch.principal === 'ghost');
    expect(left.map(({ events }) => events[0]!.type)).toContain('attest.load');
    expect((await hub.services.journal.verify()).ok).toBe(true);
    expect((await hub.services.journal.verifyTables()).different).toEqual([]);
  });

  test('sends drafts for review, and hears what became of them', async () => {
    verifies('LIB-18');
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    const agent = await edge.agent('sixth');
    const { items } = await agent.call<{ items: { id: string; path: string }[] }>('memory.discover', {});
    const id = items.find(({ path }) => path === 'workflow/RELEASE.md')!.id;
    const draft = (op: object) => agent.call('draft', { resource: 'rule', op });
    await draft({ update: { id, body: '# Release\n\n## Steps\n\n- Run the tests twice\n' } });
    await draft({ submit: { id } });
    await draft({ create: { path: 'coding/BAD.md', body: '# Bad\n\n## Bad\n\n- Bad\n' } });
    await draft({ submit: { id: 'coding/BAD.md' } });
    expect((await edge.edge.sync()).drafts).toBe(2);
    const open = hub.services.journal.database.all<{ id: string; path: string; principal: string }>(
      "SELECT id, path, principal FROM library_draft WHERE status = 'in_review'",
    );
    expect(open.map(({ principal }) => principal)).toEqual(['alice', 'alice']);
    const idOf = (path: string) => open.find((one) => one.path === path)!.id;
    const rita = hub.as('rita');
    await rita(commentDraft, { id: idOf('coding/BAD.md'), text: 'We have this already' });
    await rita(declineDraft, { id: idOf('coding/BAD.md'), note: 'Not needed' });
    await rita(approveDraft, { id: idOf('workflow/RELEASE.md') });
    await rita(publishDraft, { id: idOf('workflow/RELEASE.md') });
    expect((await edge.edge.sync()).reviews).toBeGreaterThanOrEqual(3);
    const { reviews } = await agent.call<{ reviews: object[] }>('memory.discover', {});
    expect(reviews).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ draft_path: 'coding/BAD.md', status: 'declined', note: 'Not needed' }),
        expect.objectContaining({ draft_path: 'workflow/RELEASE.md', status: 'published' }),
      ]),
    );
    expect(JSON.stringify(reviews)).toContain(`rita@${new URL(hub.url).host}`);
    expect((await agent.loadAll()).get('workflow/RELEASE.md')).toContain('twice');
    expect((await edge.edge.sync()).reviews).toBe(0);
    expect((await edge.services.journal.verifyTables()).different).toEqual([]);
    expect((await hub.services.journal.verifyTables()).different).toEqual([]);
  });
});
