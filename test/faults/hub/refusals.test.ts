import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readHubStatus } from '../../../packages/server/src/library/edge/actions.ts';
import { searchMemory } from '../../../packages/server/src/memory/actions/search.ts';
import { listProjects } from '../../../packages/server/src/trust/identity/queries.ts';
import { verifies } from '../../requirements.ts';
import { passingOn, receivedBy, TestEdge, TestHub } from '../../support/hub.ts';

/** What a hub does not take of one project, while it takes the rest. */

const FILES = { 'coding/STYLE.md': '# Style\n\n## Naming\n\n- Whole words\n' };

async function startHub() {
  const hub = await TestHub.start();
  for (const project of ['shop', 'crm']) await hub.publish(project, FILES);
  const projects = listProjects(hub.services.journal.database, 'local');
  const idOf = (name: string) => projects.find((project) => project.name === name)!.id;
  return { hub, shop: idOf('shop'), crm: idOf('crm') };
}

/** Takes away what the token opens as long as the switch is on, and lets everything else pass. */
async function refusing(hub: TestHub, isRefused: (request: { path: string; body: string }) => boolean) {
  const gate = { isOn: false };
  const front = await passingOn(hub, (request) =>
    gate.isOn && isRefused(request)
      ? { status: 404, body: { error: 'There is no such route', code: 'not_found' } }
      : false,
  );
  return { gate, front };
}

const reports = (hub: TestHub) =>
  receivedBy(hub).flatMap(({ events }) =>
    events.flatMap(({ type, data }) => (type === 'attest.agent_report' ? [data.summary] : [])),
  );
const ofProject = (hub: TestHub, project: string) =>
  receivedBy(hub).filter(({ project_id }) => project_id === project);

async function expectOnceAndInOrder(hub: TestHub): Promise<void> {
  const received = receivedBy(hub);
  expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
  for (const project of new Set(received.map(({ project_id }) => project_id))) {
    const positions = ofProject(hub, project).map(({ seq }) => seq);
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
  }
  // What the hub has of each line goes on from where it was, without a gap.
  const batches = [...new Set(received.map(({ batch }) => batch))];
  for (const edge of new Set(batches.map(({ edge_id }) => edge_id))) {
    const line = batches.filter(({ edge_id }) => edge_id === edge);
    for (const [index, { after }] of line.entries()) {
      if (index > 0) expect(after).toEqual(line[index - 1]!.upto);
    }
  }
}

describe('a project that the token no longer opens', () => {
  async function edgeOfBoth(hub: TestHub, more: Parameters<typeof TestEdge.open>[0] = {}) {
    const wide = await hub.token('alice');
    const edge = await TestEdge.open(more);
    await edge.join(hub, wide.token, 'shop');
    await edge.join(hub, wide.token, 'crm');
    const agents = { shop: await edge.agent('in-shop', 'shop'), crm: await edge.agent('in-crm', 'crm') };
    await edge.edge.sync();
    return { edge, agents, wide };
  }

  test('waits at the edge, is told, and arrives once and in order when it is open again', async () => {
    verifies('LIB-18');
    const { hub, shop, crm } = await startHub();
    const { edge, agents, wide } = await edgeOfBoth(hub);
    const narrow = await hub.token('alice', { projects: ['shop'] });
    await edge.join(hub, narrow.token, 'shop');
    for (let count = 0; count < 3; count++) {
      await agents.crm.call('memory.submit', { summary: `crm ${count}` });
      await agents.shop.call('memory.submit', { summary: `shop ${count}` });
      const report = await edge.edge.sync();
      expect(report.problems.join('\n')).toContain('The evidence of crm waits here');
    }
    expect(reports(hub)).toEqual(['shop 0', 'shop 1', 'shop 2']);
    expect(await edge.edge.status()).toMatchObject({
      ...{ state: 'current', problem: expect.stringContaining('crm') },
      upload: {
        waiting: 3,
        held: [{ project: 'crm', what: 'evidence', waiting: 3, problem: expect.stringContaining(crm) }],
      },
    });
    // It is told where it matters, and nowhere else.
    for (const agent of [agents.crm, agents.shop]) await agent.call('memory.discover', {});
    expect(agents.crm.notices.join()).toContain('Project access denied');
    expect(agents.shop.notices).toEqual([]);
    // It is kept in the journal, and not in what a round writes down for people.
    rmSync(join(edge.data, 'hub-state.json'));
    await edge.edge.sync();
    await edge.join(hub, wide.token, 'shop');
    expect(reports(hub).slice(3)).toEqual(['crm 0', 'crm 1', 'crm 2']);
    await agents.crm.call('memory.submit', { summary: 'crm 3' });
    await agents.shop.call('memory.submit', { summary: 'shop 3' });
    expect(await edge.edge.sync()).toMatchObject({ sent: 2, problems: [] });
    expect(await edge.edge.sync()).toMatchObject({ sent: 0, problems: [] });
    expect(await edge.edge.status()).toMatchObject({ problem: null, upload: { waiting: 0, held: [] } });
    await expectOnceAndInOrder(hub);
    expect(ofProject(hub, shop)).toHaveLength(6);
    expect(ofProject(hub, crm)).toHaveLength(6);
    const { edges } = await hub.call(readHubStatus, {});
    const { id } = (await edge.edge.status())!;
    expect(edges.map(({ part_of }) => part_of).filter(Boolean)).toEqual([{ edge: id, project: 'crm' }]);
  });

  test('goes on where it was after the hub was restored, and under another name', async () => {
    verifies('LIB-18');
    const { hub, crm } = await startHub();
    const { edge, agents, wide } = await edgeOfBoth(hub);
    const narrow = await hub.token('alice', { projects: ['shop'] });
    await edge.join(hub, narrow.token, 'shop');
    await agents.crm.call('memory.submit', { summary: 'crm 0' });
    await agents.shop.call('memory.submit', { summary: 'shop 0' });
    await edge.edge.sync();
    await hub.losing(async () => {
      await edge.join(hub, wide.token, 'shop');
      expect(reports(hub)).toEqual(['shop 0', 'crm 0']);
    });
    expect(reports(hub)).toEqual(['shop 0']);
    expect(await edge.edge.sync()).toMatchObject({ sent: 1 });
    expect(reports(hub)).toEqual(['shop 0', 'crm 0']);
    // What alice could not send is behind what she did: bob sends it.
    await edge.join(hub, narrow.token, 'shop');
    await agents.crm.call('memory.submit', { summary: 'crm 1' });
    await agents.shop.call('memory.submit', { summary: 'shop 1' });
    await edge.edge.sync();
    await edge.join(hub, (await hub.token('bob', { projects: ['shop'] })).token, 'shop');
    await agents.crm.call('memory.submit', { summary: 'crm 2' });
    await agents.shop.call('memory.submit', { summary: 'shop 2' });
    await edge.edge.sync();
    await edge.edge.leave();
    const open = (await hub.token('bob')).token;
    await edge.join(hub, open, 'shop');
    await edge.join(hub, open, 'crm');
    expect(reports(hub)).toEqual(['shop 0', 'crm 0', 'shop 1', 'shop 2', 'crm 1', 'crm 2']);
    await expectOnceAndInOrder(hub);
    expect(ofProject(hub, crm).map(({ batch }) => batch.principal)).toEqual([
      ...['alice', 'alice', 'bob', 'bob'],
    ]);
  });
});

test('a hub that was restored while a project was closed is found out when it is open again', async () => {
  verifies('LIB-18');
  const { hub } = await startHub();
  const wide = await hub.token('alice');
  const narrow = await hub.token('alice', { projects: ['shop'] });
  const edge = await TestEdge.open();
  for (const project of ['shop', 'crm']) await edge.join(hub, wide.token, project);
  const agent = await edge.agent('in-crm', 'crm');
  const inReview = () =>
    hub.services.journal.database.all("SELECT path FROM library_draft WHERE status = 'in_review'");
  await hub.losing(async () => {
    await agent.call('draft', { resource: 'rule', op: { create: { path: 'a/NEW.md', body: '# New\n' } } });
    await agent.call('draft', { resource: 'rule', op: { submit: { id: 'a/NEW.md' } } });
    expect(await edge.edge.sync()).toMatchObject({ drafts: 1 });
    await edge.join(hub, narrow.token, 'shop');
  });
  expect(await edge.edge.sync()).toMatchObject({ restored: true });
  // The rest is not compared again and again for it.
  expect(await edge.edge.sync()).toMatchObject({ restored: false });
  expect(inReview()).toEqual([]);
  expect((await edge.join(hub, wide.token, 'shop')).synced).toMatchObject({ restored: true, drafts: 1 });
  expect(inReview()).toEqual([{ path: 'a/NEW.md' }]);
});

describe('memory that the hub does not take', () => {
  const titles = async (hub: TestHub) => {
    const { items } = await hub.call(searchMemory, { q: 'tide', project: '/shop', limit: 50 });
    return items.map(({ title }) => title).sort();
  };

  test('waits at the edge while evidence goes on, and arrives when it is taken', async () => {
    verifies('LIB-18');
    const { hub } = await startHub();
    const { gate, front } = await refusing(hub, ({ path }) => path.startsWith('/api/memory/'));
    const edge = await TestEdge.open({ hub: { upload: { what: ['memory', 'reports'] } } });
    await edge.join(front, (await hub.token('alice')).token);
    const agent = await edge.agent('one');
    const remember = (title: string) =>
      agent.call('remember', { title, content: `The tide, ${title}.`, project: '/shop' });
    await remember('one');
    await edge.edge.sync();
    gate.isOn = true;
    for (const name of ['two', 'three']) {
      await remember(name);
      await agent.call('memory.submit', { summary: name });
      const { problems, sent } = await edge.edge.sync();
      expect(sent).toBe(1);
      expect(problems).toEqual([expect.stringContaining('The memory of shop waits here')]);
    }
    expect(reports(hub)).toEqual(['two', 'three']);
    expect(await titles(hub)).toEqual(['one']);
    expect(await edge.edge.status()).toMatchObject({
      ...{ state: 'current', problem: expect.stringContaining('The memory of shop') },
      upload: {
        waiting: 2,
        held: [{ project: 'shop', what: 'memory', waiting: 2, problem: expect.stringContaining('route') }],
      },
    });
    rmSync(join(edge.data, 'hub-state.json'));
    gate.isOn = false;
    await edge.edge.sync();
    expect(await titles(hub)).toEqual(['one', 'three', 'two']);
    expect(await edge.edge.sync()).toMatchObject({ memory: 0, sent: 0, problems: [] });
    expect(await edge.edge.status()).toMatchObject({ problem: null, upload: { waiting: 0, held: [] } });
  });

  test('is sent again to a hub that was restored to before it had it', async () => {
    verifies('LIB-18');
    const { hub } = await startHub();
    const { gate, front } = await refusing(hub, ({ path }) => path.startsWith('/api/memory/'));
    const edge = await TestEdge.open({ hub: { upload: { what: ['memory', 'reports'] } } });
    await edge.join(front, (await hub.token('alice')).token);
    const agent = await edge.agent('one');
    gate.isOn = true;
    await agent.call('remember', { title: 'one', content: 'The tide turns.', project: '/shop' });
    await agent.call('memory.submit', { summary: 'Done' });
    await edge.edge.sync();
    await hub.losing(async () => {
      gate.isOn = false;
      await edge.edge.sync();
      expect(await titles(hub)).toEqual(['one']);
    });
    expect(await titles(hub)).toEqual([]);
    expect(await edge.edge.sync()).toMatchObject({ restored: true });
    expect(await titles(hub)).toEqual(['one']);
  });

  test('goes in smaller requests where it is too much at once', async () => {
    const { hub } = await startHub();
    const most = 2500;
    const front = await passingOn(hub, ({ path, body }) =>
      path.startsWith('/api/memory/') && body.length > most
        ? { status: 413, body: { error: 'Too large', code: 'too_large' } }
        : false,
    );
    const edge = await TestEdge.open({ hub: { upload: { what: ['memory'] } } });
    await edge.join(front, (await hub.token('alice')).token);
    const agent = await edge.agent('one');
    for (const [title, words] of [
      ['a', 10],
      ['b', 10],
      ['large', 1000],
      ['c', 10],
    ] as const) {
      await agent.call('remember', {
        title,
        content: `The tide ${'turns '.repeat(words)}`,
        project: '/shop',
      });
    }
    const { memory, problems } = await edge.edge.sync();
    expect(memory).toBe(3);
    expect(problems).toEqual([expect.stringContaining('1 memory items were not taken')]);
    expect(await titles(hub)).toEqual(['a', 'b', 'c']);
    expect((await edge.edge.status())!.upload).toMatchObject({ waiting: 0, held: [] });
  });
});
