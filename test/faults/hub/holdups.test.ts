import { describe, expect, test } from 'vitest';
import type { JournalEvent } from '../../../packages/server/src/journal/journal.ts';
import { commentDraft, declineDraft } from '../../../packages/server/src/library/actions/review.ts';
import { commentsOf } from '../../../packages/server/src/library/queries/drafts.ts';
import { searchMemory } from '../../../packages/server/src/memory/actions/search.ts';
import { verifies } from '../../requirements.ts';
import {
  fakeHub,
  hubFolder,
  passingOn,
  receivedBy,
  type TestAgent,
  TestEdge,
  TestHub,
} from '../../support/hub.ts';

const FILES = { 'coding/STYLE.md': '# Style\n\n## Naming\n\n- Whole words\n' };

async function startHub(flags: Parameters<typeof TestHub.start>[2] = {}) {
  const hub = await TestHub.start(hubFolder(), 0, flags);
  await hub.publish('shop', FILES);
  return { hub, ...(await hub.token('alice')) };
}

async function submitDraft(agent: TestAgent, path: string, body = '# New\n\n## A\n\n- b\n') {
  await agent.call('draft', { resource: 'rule', op: { create: { path, body } } });
  await agent.call('draft', { resource: 'rule', op: { submit: { id: path } } });
}

const inReview = (hub: TestHub) =>
  hub.services.journal.database.all<{ id: string; path: string }>(
    "SELECT id, path FROM library_draft WHERE status = 'in_review' ORDER BY path",
  );

/** Writes an entry into the journal of an edge as an agent's session would, whatever it holds. */
async function write(edge: TestEdge, type: string, data: object, agent?: string): Promise<number> {
  const { journal } = edge.services;
  const { stream, actor, events } = journal
    .entriesAfter(0, Number.MAX_SAFE_INTEGER)
    .findLast(({ events }) => events[0]?.type === 'attest.setup')!;
  const { session_id, workspace_id } = events[0]!.data as { session_id: string; workspace_id: string };
  const event = { type, data: { session_id, workspace_id, ...data } } as JournalEvent;
  const { entry } = await journal.commit({
    ...{ stream, actor: { ...actor, ...(agent !== undefined && { agent }) } },
    decide: () => ({ events: [event], answer: null }),
  });
  return entry!.seq;
}

const received = (hub: TestHub) => receivedBy(hub).map(({ seq }) => seq);

describe('at an edge', () => {
  test('a draft that the hub refuses holds up neither other drafts nor evidence', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub({ limits: { libraryFileBytes: 1000 } });
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    const agent = await edge.agent('one');
    await submitDraft(agent, 'coding/BIG.md', `# Big\n\n## A\n\n- ${'x'.repeat(2000)}\n`);
    await submitDraft(agent, 'coding/SMALL.md');
    for (const drafts of [1, 0]) {
      await agent.call('memory.submit', { summary: 'Done' });
      const report = await edge.edge.sync();
      expect(report).toMatchObject({ drafts, problems: [expect.stringContaining('coding/BIG.md')] });
      expect(report.sent).toBeGreaterThan(0);
    }
    expect(inReview(hub).map(({ path }) => path)).toEqual(['coding/SMALL.md']);
    expect(await edge.edge.status()).toMatchObject({ drafts_waiting: 1, upload: { waiting: 0 } });
  });

  test('a library that it refuses holds up neither drafts nor evidence', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const edge = await TestEdge.open({ limits: { hubFiles: 2 } });
    await edge.join(hub, token);
    const agent = await edge.agent('one');
    await submitDraft(agent, 'coding/NEW.md');
    await hub.publish('shop', { 'a/A.md': '# A\n', 'a/B.md': '# B\n' });
    await expect(edge.edge.sync()).rejects.toMatchObject({ code: 'hub_invalid' });
    expect(inReview(hub).map(({ path }) => path)).toEqual(['coding/NEW.md']);
    expect(received(hub)).toHaveLength(1);
    expect(await edge.edge.status()).toMatchObject({
      ...{ state: 'stopped', problem: expect.stringContaining('limits.hubFiles'), drafts_waiting: 0 },
      upload: { waiting: 0 },
    });
  });

  test('an entry that cannot be sent is passed over and told, and all others arrive', async () => {
    verifies('LIB-18');
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const { hub, token } = await startHub();
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    await edge.agent('one');
    const item = {
      ...{ id: 'p-1', kind: 'rule', path: 'a/A.md', hash: `sha256:${'a'.repeat(64)}` },
      ...{ changed: true, draft: false },
    };
    const reject = (agent?: string) => write(edge, 'attest.reject', { reason: null }, agent);
    const load = (items: object[]) => write(edge, 'attest.load', { items });
    const sent = [await reject(), await reject(secret)];
    await load([{ ...item, path: `a/${secret}.md` }]);
    sent.push(await reject());
    await load(Array.from({ length: 10_001 }, () => item));
    sent.push(await reject());
    const report = await edge.edge.sync();
    expect(report).toMatchObject({
      sent: 5,
      problems: [expect.stringMatching(/^2 entries stay here.*path contains a secret/)],
    });
    expect(received(hub).slice(1)).toEqual(sent);
    expect(JSON.stringify(receivedBy(hub))).not.toContain(secret);
    expect(receivedBy(hub).map(({ agent }) => agent)).toEqual([null, null, null, null, null]);
    const last = await reject();
    expect(await edge.edge.sync()).toMatchObject({ sent: 1, problems: [] });
    expect(received(hub).at(-1)).toBe(last);
  });

  test('batches are as small as the hub takes them', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub({ limits: { hubBatchEntries: 10, hubBatchBytes: 3000 } });
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    await edge.agent('one');
    const sent: number[] = [];
    for (let count = 0; count < 40; count++) {
      if (count === 20) await write(edge, 'attest.agent_report', { summary: 'x'.repeat(5000) });
      sent.push(await write(edge, 'attest.reject', { reason: null }));
    }
    expect(await edge.edge.sync()).toMatchObject({
      sent: 41,
      problems: [expect.stringMatching(/^1 entries stay here.*holds \d+ bytes/)],
    });
    expect(received(hub).slice(1)).toEqual(sent);
  });

  test('what an older hub does not understand waits for a newer one, with all after it', async () => {
    const { hub, token } = await startHub();
    let isOld = true;
    const refusal = { status: 400, body: { error: 'entries.0: unknown', code: 'invalid_arguments' } };
    const front = await passingOn(hub, ({ path, body }) =>
      isOld && path === '/api/hub/events' && body.includes('attest.agent_report') ? refusal : false,
    );
    const edge = await TestEdge.open();
    await edge.join(front, token);
    await edge.agent('one');
    const sent = [await write(edge, 'attest.reject', { reason: null })];
    const waiting = [
      await write(edge, 'attest.agent_report', { summary: 'Done' }),
      await write(edge, 'attest.reject', { reason: null }),
    ];
    for (let times = 0; times < 2; times++) {
      expect((await edge.edge.sync()).problems).toEqual([expect.stringContaining('unknown')]);
      expect(received(hub).slice(1)).toEqual(sent);
      expect(await edge.edge.status()).toMatchObject({ state: 'stopped', upload: { waiting: 2 } });
    }
    isOld = false;
    await edge.edge.sync();
    expect(received(hub).slice(1)).toEqual([...sent, ...waiting]);
  });

  test('a hub that asks to be left alone for a while is left alone, and no longer than that', async () => {
    let [now, asked] = [Date.now(), 600];
    const busy = await fakeHub(() => ({
      ...{ status: 429, headers: { 'Retry-After': String(asked) }, body: { error: 'busy', code: 'rate' } },
    }));
    const edge = await TestEdge.open({ clock: () => now, hub: { url: busy.url, token: 'a token' } });
    const look = () => edge.edge.syncIfDue(1000, '/shop').catch(({ code }: { code: string }) => code);
    expect(await look()).toBe('hub_unreachable');
    now += 599_000;
    expect(await look()).toBeUndefined();
    expect(busy.asked).toHaveLength(1);
    asked = 1e9;
    now += 2000;
    expect(await look()).toBe('hub_unreachable');
    now += 15 * 60_000;
    expect(await look()).toBe('hub_unreachable');
    expect(busy.asked).toHaveLength(3);
  });
});

describe('a hub that was restored', () => {
  test('is sent the memory and the drafts again that it had for a moment only', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const edge = await TestEdge.open({ hub: { upload: { what: ['memory'] } } });
    await edge.join(hub, token);
    const agent = await edge.agent('one');
    await hub.losing(async () => {
      await submitDraft(agent, 'coding/NEW.md');
      await agent.call('remember', { title: 'Tide', content: 'The tide turns at six.', project: '/shop' });
      expect(await edge.edge.sync()).toMatchObject({ memory: 1, drafts: 1 });
    });
    expect(inReview(hub)).toEqual([]);
    expect(await edge.edge.sync()).toMatchObject({ restored: true, memory: 1, drafts: 1 });
    expect(inReview(hub).map(({ path }) => path)).toEqual(['coding/NEW.md']);
    const { items } = await hub.call(searchMemory, { q: 'tide turns', project: '/shop' });
    expect(JSON.stringify(items)).toContain('The tide turns at six.');
    expect(await edge.edge.sync()).toMatchObject({ restored: false, memory: 0, drafts: 0 });
  });

  test('has its comments heard, also those in the place of others, and however many', async () => {
    const { hub, token } = await startHub();
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    const agent = await edge.agent('one');
    await submitDraft(agent, 'coding/NEW.md');
    await edge.edge.sync();
    const { id } = inReview(hub)[0]!;
    const say = async (count: number, what: string) => {
      for (let index = 0; index < count; index++)
        await hub.as('ri\u001b[2J\nta')(commentDraft, { id, text: `${what} ${index}` });
    };
    const heard = () => {
      const { database } = edge.services.journal;
      const own = database.get<{ id: string }>("SELECT id FROM library_draft WHERE path = 'coding/NEW.md'")!;
      return commentsOf(database, own.id);
    };
    await say(150, 'first');
    await hub.losing(async () => {
      await say(1, 'lost');
      await edge.edge.sync();
    });
    await say(100, 'second');
    await edge.edge.sync();
    expect(heard().map(({ text }) => text)).toEqual([
      ...Array.from({ length: 150 }, (_, index) => `first ${index}`),
      'lost 0',
      ...Array.from({ length: 100 }, (_, index) => `second ${index}`),
    ]);
    expect(new Set(heard().map(({ principal }) => principal))).toEqual(
      new Set([`ri [2J ta@${new URL(hub.url).host}`]),
    );
    await edge.edge.sync();
    expect(heard()).toHaveLength(251);
    await hub.as('rita')(declineDraft, { id, note: 'No' });
    expect((await edge.edge.sync()).reviews).toBe(1);
  });
});

describe('an edge', () => {
  test.each(['at once', 'after it had left'])(
    'that joins under another name, %s, sends what was never sent, and nothing again',
    async (when) => {
      verifies('LIB-18');
      const { hub, token } = await startHub();
      const edge = await TestEdge.open();
      await edge.join(hub, token);
      const { id } = (await edge.edge.status())!;
      const agent = await edge.agent('one');
      await agent.loadAll();
      await edge.edge.sync();
      await agent.call('memory.submit', { summary: 'Done' });
      if (when !== 'at once') await edge.edge.leave();
      await edge.join(hub, (await hub.token('bob')).token);
      expect((await edge.edge.status())!.id).not.toBe(id);
      const entries = receivedBy(hub);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      expect(entries.map(({ batch }) => batch.principal)).toEqual(['alice', 'alice', 'alice', 'bob']);
    },
  );

  test('sends nothing from before it joined, whatever its hub says that it has', async () => {
    const { hub, token } = await startHub();
    const remembered: string[] = [];
    const position = { seq: 0, hash: '0'.repeat(64) };
    const edge = await TestEdge.open({ hub: { upload: { what: ['memory'] } } });
    const agent = await edge.agent('one');
    await agent.call('remember', { title: 'Tide', content: 'The tide turns at six.', project: '/shop' });
    expect((await edge.join(hub, token)).synced.memory).toBe(0);
    const { database } = edge.services.journal;
    const link = database.get<Record<string, string>>('SELECT * FROM library_link')!;
    const copy = database.get<{ digest: string }>('SELECT digest FROM library_mirror')!;
    const lying = await passingOn(hub, ({ path, body }) => {
      if (path.startsWith('/api/memory/import')) remembered.push(body);
      if (!path.startsWith('/api/hub/manifest')) return false;
      return {
        body: {
          hub: {
            ...{
              id: link.hub_id,
              org: 'local',
              principal: 'alice',
              scopes: ['read', 'write'],
              now: Date.now(),
            },
            head: hub.services.journal.head(),
          },
          ...{
            project: { id: link.hub_project_id, name: 'shop' },
            revision: 1,
            since: 1,
            files: [],
            news: 0,
          },
          ...{ digest: copy.digest, seen: hub.services.journal.head().hash, position, next: null },
        },
      };
    });
    await edge.join(lying, token);
    await agent.call('remember', { title: 'Moon', content: 'The moon is new.', project: '/shop' });
    await edge.edge.sync();
    expect(remembered.join()).toContain('The moon is new.');
    expect(remembered.join()).not.toContain('The tide turns');
  });
});
