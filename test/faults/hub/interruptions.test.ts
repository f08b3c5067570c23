import { cpSync, rmSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JournalEvent } from '../../../packages/server/src/journal/journal.ts';
import { revokeToken } from '../../../packages/server/src/system/actions/tokens.ts';
import { startServer } from '../../e2e/support/program.ts';
import { verifies } from '../../requirements.ts';
import { hubFolder, passingOn, receivedBy, TestEdge, TestHub } from '../../support/hub.ts';
import { afterThisFile } from '../../support/leftovers.ts';

const FILES = {
  'META_PROMPT.md': '# The shop\n',
  'coding/STYLE.md': '# Style\n\n## Naming\n\n- Whole words\n',
};
const DAY = 24 * 60 * 60_000;

async function startHub(): Promise<{ hub: TestHub; token: string; id: string }> {
  const hub = await TestHub.start();
  await hub.publish('shop', FILES);
  return { hub, ...(await hub.token('alice')) };
}

/** Much work of an agent, as its session's entries. Answers their ids, in order. */
async function workOffline(edge: TestEdge, entries: number, eventsEach = 1): Promise<string[]> {
  const agent = await edge.agent(`long-${entries}`);
  await agent.loadAll();
  const { journal } = edge.services;
  const { stream, actor, events } = journal
    .entriesAfter(0, Number.MAX_SAFE_INTEGER)
    .findLast(({ events }) => events[0]?.type === 'attest.load')!;
  const { session_id, workspace_id } = events[0]!.data as { session_id: string; workspace_id: string };
  const data = { session_id, workspace_id, file: 'AGENTS.md', hash: 'a'.repeat(64), reason: null };
  const event: JournalEvent = { type: 'attest.instructions', data: { ...data, rule_id: null, path: null } };
  const repeated = Array.from({ length: eventsEach }, () => event);
  const written = await Promise.all(
    Array.from({ length: entries }, () =>
      journal.commit({ stream, actor, group: true, decide: () => ({ events: repeated, answer: null }) }),
    ),
  );
  return written.map(({ entry }) => entry!.id);
}

/** Each once, in the order of the edge's journal, and none is missing. */
async function expectAll(hub: TestHub, edge: TestEdge): Promise<void> {
  const { id } = (await edge.edge.status())!;
  const got = receivedBy(hub).filter(({ batch }) => batch.edge_id === id);
  const own = edge.services.journal
    .entriesAfter(0, Number.MAX_SAFE_INTEGER)
    .filter(({ events }) => events.some(({ type }) => type.startsWith('attest.')));
  expect(got.map((entry) => entry.id)).toEqual(own.map((entry) => entry.id));
  for (const { seq, hash } of got) expect(edge.services.journal.hashAt(seq)).toBe(hash);
}

describe('an edge', () => {
  test('whose first copy was interrupted goes on with what has not arrived, over portions and pages', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const files = Object.fromEntries(
      Array.from({ length: 5200 }, (_, index) => [`many/N${index}.md`, `# Number ${index}\n`]),
    );
    await hub.publish('shop', files);
    let texts = 0;
    const isText = (path: string) => path.startsWith('/api/hub/files/');
    // So much that some portions have been written, and not all.
    const front = await passingOn(hub, ({ path }) => isText(path) && ++texts > 35);
    const edge = await TestEdge.open();
    await expect(edge.join(front, token)).rejects.toMatchObject({ code: 'hub_unreachable' });
    const { database } = edge.services.journal;
    const here = () => database.get<{ count: number }>('SELECT count(*) AS count FROM library_file')!.count;
    const arrived = here();
    expect(arrived).toBeGreaterThanOrEqual(1000);
    expect(arrived).toBeLessThan(5202);
    const revisionOf = async () => (await edge.edge.status())!.projects[0]!.revision;
    expect(await revisionOf()).toBeNull();
    texts = Number.NEGATIVE_INFINITY;
    front.seen.length = 0;
    const { projects } = await edge.edge.sync();
    expect(projects).toEqual([{ project: 'shop', revision: 2, changed: 5202 - arrived }]);
    const asked = front.seen.filter(({ path }) => isText(path)).flatMap(({ path }) => path.split(','));
    // A request may be sent twice where a connection had ended.
    expect(new Set(asked).size).toBe(5202 - arrived);
    expect(front.seen.filter(({ path }) => path.includes('cursor='))).toHaveLength(1);
    expect([here(), await revisionOf()]).toEqual([5202, 2]);
    expect((await edge.services.journal.verifyTables()).different).toEqual([]);
  });

  test('that was offline sends 50,000 events when its hub is back, each once and in order', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    await hub.stop();
    await workOffline(edge, 5000, 10);
    await expect(edge.edge.sync()).rejects.toMatchObject({ code: 'hub_unreachable', retryable: true });
    expect(await edge.edge.status()).toMatchObject({ state: 'offline', upload: { waiting: 5003 } });
    const agent = await edge.agent('offline');
    expect((await agent.loadAll()).size).toBe(1);
    expect(agent.notices.join()).toMatch(/copy of the hub.*cannot be reached/);
    await hub.restart();
    const { sent } = await edge.edge.sync();
    expect(sent).toBe(5006);
    await expectAll(hub, edge);
    expect(await hub.services.parts.edge.status()).toBeNull();
    expect((await hub.services.journal.verifyTables()).different).toEqual([]);
  });

  test('goes on from what a hub has that was killed in the middle of an upload', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    await workOffline(edge, 5000);
    await hub.stop();
    const port = new URL(hub.url).port;
    const process = await startServer({ data: hub.data, args: ['--port', port] });
    const sending = edge.edge.sync();
    const count = async () => {
      const headers = { Authorization: `Bearer ${token}` };
      const status = (await (await fetch(`${hub.url}/api/hub/status`, { headers })).json()) as {
        edges: { entries: number }[];
      };
      return status.edges[0]?.entries ?? 0;
    };
    await expect.poll(count, { interval: 5 }).toBeGreaterThan(0);
    process.process.kill('SIGKILL');
    await Promise.allSettled([sending, process.ended]);
    await hub.restart();
    await edge.edge.sync();
    await expectAll(hub, edge);
  });

  test('sends nothing twice where an answer was lost', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    let lost = 0;
    // Passes everything on, and drops the first answers to batches after the hub has taken them in.
    const front = createServer((request, response) => {
      const headers = { ...request.headers, host: new URL(hub.url).host };
      const passed = send(`${hub.url}${request.url}`, { method: request.method!, headers }, (answer) => {
        if (request.url === '/api/hub/events' && lost < 4) {
          lost++;
          answer.resume().on('end', () => request.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    afterThisFile(() => front.close());
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const edge = await TestEdge.open();
    await edge.join({ url }, token);
    await workOffline(edge, 1500);
    // Each is asked once more at once, in case that only its connection was old.
    await expect(edge.edge.sync()).rejects.toMatchObject({ code: 'hub_unreachable' });
    await expect(edge.edge.sync()).rejects.toMatchObject({ code: 'hub_unreachable' });
    await edge.edge.sync();
    expect(lost).toBe(4);
    await expectAll(hub, edge);
  });

  test('of a hub that was restored from an older backup has that library, and sends again what is missing there', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    await workOffline(edge, 100);
    await edge.edge.sync();
    await hub.stop();
    const backup = join(hubFolder(), 'hub');
    cpSync(hub.data, backup, { recursive: true });
    await hub.restart();
    await hub.publish('shop', { 'coding/STYLE.md': '# Style\n\n## Naming\n\n- Lost words\n' });
    const agent = await edge.agent('before');
    const draft = (op: object) => agent.call('draft', { resource: 'rule', op });
    await draft({ create: { path: 'coding/NEW.md', body: '# New\n\n## A\n\n- b\n' } });
    await draft({ submit: { id: 'coding/NEW.md' } });
    await workOffline(edge, 200);
    await edge.edge.sync();
    expect((await agent.loadAll()).get('coding/STYLE.md')).toContain('Lost words');
    await hub.stop();
    rmSync(hub.data, { recursive: true });
    cpSync(backup, hub.data, { recursive: true });
    await hub.restart();
    // The same revision as before, with another content; and one more.
    await hub.publish('shop', { 'coding/STYLE.md': '# Style\n\n## Naming\n\n- Found words\n' });
    await hub.publish('shop', { 'coding/MORE.md': '# More\n\n## A\n\n- b\n' });
    expect(await edge.edge.sync()).toMatchObject({ restored: true });
    const texts = await agent.loadAll();
    expect(texts.get('coding/STYLE.md')).toContain('Found words');
    expect(texts.has('coding/MORE.md')).toBe(true);
    expect(await edge.edge.sync()).toMatchObject({ restored: false, sent: 2, drafts: 0 });
    await expectAll(hub, edge);
    const sql = "SELECT count(*) AS count FROM library_draft WHERE status = 'in_review'";
    expect(hub.services.journal.database.get(sql)).toEqual({ count: 1 });
    expect((await edge.services.journal.verifyTables()).different).toEqual([]);
  });

  test.each([DAY, -DAY])(
    'whose clock is wrong by %i ms is corrected, and never ahead of its hub',
    async (wrong) => {
      const { hub, token } = await startHub();
      const edge = await TestEdge.open({ clock: () => Date.now() + wrong });
      await edge.join(hub, token);
      const began = Date.now();
      const agent = await edge.agent('late');
      await agent.loadAll();
      await edge.edge.sync();
      const [first, ...others] = receivedBy(hub);
      for (const { at, batch } of [first!, ...others]) {
        expect(at).toBeGreaterThanOrEqual(began - 5000);
        expect(at).toBeLessThanOrEqual(Date.now());
        expect(Math.abs(batch.skew + wrong)).toBeLessThan(60_000);
      }
    },
  );

  test('whose token was revoked goes on with its copy, says so, and sends everything with the next token', async () => {
    verifies('LIB-18');
    const { hub, token, id } = await startHub();
    const edge = await TestEdge.open();
    await edge.join(hub, token);
    const before = (await edge.edge.status())!.id;
    await hub.call(revokeToken, { id });
    const agent = await edge.agent('revoked');
    await expect(edge.edge.sync()).rejects.toMatchObject({ code: 'hub_refused' });
    expect(await edge.edge.status()).toMatchObject({
      state: 'refused',
      problem: expect.stringContaining('nothing is sent'),
    });
    expect((await agent.loadAll()).size).toBe(1);
    expect(agent.notices.join()).toContain('refuses the token');
    await edge.join(hub, (await hub.token('alice')).token);
    expect(await edge.edge.status()).toMatchObject({ id: before, state: 'current' });
    await expectAll(hub, edge);
  });

  test('whose token may only read has the library, and says that nothing is sent', async () => {
    const { hub } = await startHub();
    const edge = await TestEdge.open();
    const { synced } = await edge.join(hub, (await hub.token('reader', { scopes: ['read'] })).token);
    expect(synced.projects).toEqual([{ project: 'shop', revision: 1, changed: 2 }]);
    await edge.agent('reading');
    expect((await edge.edge.sync()).problems).toEqual([expect.stringContaining('nothing is sent')]);
    expect(await edge.edge.status()).toMatchObject({ state: 'refused' });
    expect(receivedBy(hub)).toEqual([]);
  });

  test('that was restored from an older backup is found out, and begins a new line when it joins again', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const data = hubFolder();
    const first = await TestEdge.open({ data });
    await first.join(hub, token);
    await workOffline(first, 50);
    await first.edge.sync();
    const { id } = (await first.edge.status())!;
    await first.close();
    const backup = join(hubFolder(), 'edge');
    cpSync(data, backup, { recursive: true });
    const lost = await TestEdge.open({ data });
    await workOffline(lost, 20);
    await lost.edge.sync();
    await lost.close();
    const edge = await TestEdge.open({ data: backup });
    await workOffline(edge, 30);
    const { problems } = await edge.edge.sync();
    expect(problems).toEqual([expect.stringMatching(/not what the hub was sent before/)]);
    expect(await edge.edge.status()).toMatchObject({ state: 'stopped' });
    await edge.edge.sync();
    const refused = hub.services.journal
      .entriesAfter(0, Number.MAX_SAFE_INTEGER)
      .flatMap(({ events }) => events.filter(({ type }) => type === 'hub.refused'));
    expect(refused).toEqual([
      expect.objectContaining({ data: expect.objectContaining({ reason: 'position' }) }),
    ]);
    await edge.join(hub, undefined);
    expect((await edge.edge.status())!.id).not.toBe(id);
    expect(await edge.edge.status()).toMatchObject({ state: 'current', upload: { waiting: 0 } });
    const received = receivedBy(hub).map((entry) => entry.id);
    expect(new Set(received).size).toBe(received.length);
    const own = edge.services.journal
      .entriesAfter(0, Number.MAX_SAFE_INTEGER)
      .filter(({ events }) => events.some(({ type }) => type.startsWith('attest.')));
    expect(received).toEqual(expect.arrayContaining(own.map((entry) => entry.id)));
  });

  test('is one of two of a principal: each has its own line, and neither holds up the other', async () => {
    verifies('LIB-18');
    const { hub, token } = await startHub();
    const edges = await Promise.all([TestEdge.open(), TestEdge.open()]);
    for (const edge of edges) await edge.join(hub, token);
    for (const edge of edges) await workOffline(edge, 1200);
    await Promise.all(edges.map((edge) => edge.edge.sync()));
    for (const edge of edges) await expectAll(hub, edge);
  });

  test('asks its hub from one process at a time', async () => {
    const { hub, token } = await startHub();
    const data = hubFolder();
    const [one, other] = [await TestEdge.open({ data }), await TestEdge.open({ data })];
    await one.join(hub, token);
    expect(await other.edge.syncIfDue(60_000, undefined)).toBeUndefined();
    const both = await Promise.all([one.edge.syncIfDue(0, undefined), other.edge.syncIfDue(0, undefined)]);
    expect(both.filter((report) => report !== undefined)).toHaveLength(1);
  });
});
