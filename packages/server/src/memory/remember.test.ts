import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { FORGETTERS } from '../cli/services/forgetters.ts';
import { Agent, PROJECT } from '../fold/fixture.suite.ts';
import type { TransientEvent } from '../transient/events.ts';
import { forget } from '../trust/forget.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { relate } from './actions/relate.ts';
import { idsOf, itemsOf, startMemory, tablesOf } from './fixture.suite.ts';
import { searchItems, showItem } from './search.ts';

const reader = { caller: localOwner, projectId: null, agentId: null };

describe('remember', () => {
  test('keeps everything that it was told, word for word', async () => {
    verifies('PACK-07');
    const { agent } = await startMemory();
    const content = '  Line one\n\n\tLine two with “quotes” and 日本語のテキスト  ';
    const { id, created, conflicts } = await agent.remember(content, {
      title: 'Verbatim',
      kind: 'procedure',
      domain: 'texts',
      tags: ['a', 'b c'],
      author: 'Ada',
      thread: 't1',
      ordinal: 4,
      at: '8 May 2023 1:56 pm',
      source: 'file://x',
      metadata: { deep: { list: [1, 'two'] } },
    });
    expect({ created, conflicts }).toEqual({ created: true, conflicts: [] });
    const [item] = itemsOf(await agent.context('日本語 テキスト'));
    expect(item).toMatchObject({ id, content, source: 'file://x', type: 'procedure' });
    expect(item!.metadata).toEqual({
      scope: 'private',
      domain: 'texts',
      tags: ['a', 'b c'],
      author: 'Ada',
      thread: 't1',
      ordinal: 4,
      at: '2023-05-08T13:56:00.000Z',
      deep: { list: [1, 'two'] },
    });
  });

  test('is one item for one key, and refuses the key for another', async () => {
    verifies('PACK-07');
    const { agent } = await startMemory();
    const first = await agent.remember('Ship on Friday.', { idempotency_key: 'k1' });
    expect(await agent.remember('Ship on Friday.', { idempotency_key: 'k1' })).toEqual(first);
    expect(
      await agent.refusal('remember', { content: 'Ship on Monday.', idempotency_key: 'k1' }),
    ).toMatchObject({
      error: 'idempotency_key was already used for a different request; use a new key',
      code: 'conflict',
    });
    expect(await agent.remember('Ship on Friday.')).toMatchObject({ id: first.id, created: false });
    expect((await agent.context('ship on')).total_items).toBe(1);
  });

  test('tells of conflicts: the same name, and what it contradicts', async () => {
    verifies('PACK-07');
    const { agent } = await startMemory();
    const old = await agent.remember('Use MySQL.', { title: 'Database', kind: 'decision' });
    const other = await agent.remember('Use Postgres.', { title: 'database', kind: 'decision' });
    expect(other.conflicts).toMatchObject([
      { id: old.id, title: 'Database', reason: expect.stringContaining('supersedes') },
    ]);
    const third = await agent.remember('Neither is needed.', {
      relations: [{ type: 'contradicts', id: old.id }],
    });
    expect(third.conflicts).toMatchObject([{ id: old.id, reason: expect.stringContaining('contradicts') }]);
    const pack = await agent.context('use MySQL or Postgres database');
    const mysql = itemsOf(pack).find(({ id }) => id === old.id)!;
    expect(mysql.metadata.contradicted_by).toEqual([third.id]);
    expect(mysql.score).toBeLessThan(itemsOf(pack).find(({ id }) => id === other.id)!.score);
    expect(pack.markdown).toContain(`Contradicted by: ${third.id}`);
  });

  test('what is superseded never occurs again, in any role', async () => {
    verifies('PACK-04', 'PACK-07');
    const { agent, services } = await startMemory();
    const old = await agent.remember('The port is 8080.', { title: 'Port' });
    const friend = await agent.remember('Firewalls know the port.', {
      relations: [{ type: 'requires', id: old.id }],
    });
    const replacing = await agent.remember('The port is 9090.', {
      relations: [{ type: 'supersedes', id: old.id }],
    });
    for (const layer of ['wake', 'recall', 'deep_search']) {
      const pack = await agent.context('which port', { layer });
      expect(idsOf(pack).sort()).toEqual([friend.id, replacing.id].sort());
      expect(itemsOf(pack).flatMap(({ related }) => related.map(({ id }) => id))).not.toContain(old.id);
    }
    const { database } = services.journal;
    const found = await searchItems(database, { query: 'port', domain: null, limit: 10, now: 0, reader });
    expect(found.map(({ id }) => id)).not.toContain(old.id);
    expect(showItem(database, reader, old.id)).toMatchObject({ superseded_by: replacing.id });
    expect((await agent.plan('port', { sources: [old.id] })).gaps).toContain(
      `required source not found: ${old.id}`,
    );
  });

  test('superseding what is superseded already supersedes its current version: a chain has one head', async () => {
    verifies('PACK-04', 'PACK-07');
    const { agent, services } = await startMemory();
    const superseding = (id: string) => ({ relations: [{ type: 'supersedes', id }] });
    const first = await agent.remember('The port is 8080.', { title: 'Port' });
    const second = await agent.remember('The port is 9090.', superseding(first.id));
    const third = await agent.remember('The port is 7070.', superseding(first.id));
    expect(third.conflicts).toMatchObject([{ id: second.id, reason: expect.stringContaining(first.id) }]);
    const fourth = await agent.remember('The port is 6060.', {
      relations: [first, second, third].map(({ id }) => ({ type: 'supersedes', id })),
    });
    expect(idsOf(await agent.context('which port'))).toEqual([fourth.id]);
    const { database } = services.journal;
    const heads = [first, second, third].map(({ id }) => showItem(database, reader, id).superseded_by);
    expect(heads).toEqual([second.id, third.id, fourth.id]);
  });

  test('relating to a superseded item reaches the head of its chain, which may be the item itself', async () => {
    const { agent } = await startMemory();
    const [first, second, other] = [
      await agent.remember('The port is 8080.'),
      await agent.remember('The port is 9090.'),
      await agent.remember('The port is 7070.'),
    ];
    const supersede = (item: string, id: string) => agent.act(relate, { item, type: 'supersedes', id });
    expect(await supersede(second.id, first.id)).toEqual({ related: true });
    expect(await supersede(other.id, first.id)).toEqual({ related: true });
    expect(await supersede(other.id, first.id)).toEqual({ related: false });
    expect(await supersede(second.id, first.id)).toEqual({ related: false });
    await expect(supersede(first.id, second.id)).rejects.toThrow('cycle');
    expect(idsOf(await agent.context('which port'))).toEqual([other.id]);
  });

  test.each([
    [{ content: '' }, 'content'],
    [{ content: 'x', kind: 'Not A Kind' }, 'kind'],
    [{ content: 'x', relations: [{ type: 'supersedes', id: 'mem_missing' }] }, 'does not exist: mem_missing'],
    [{ content: 'x', relations: [{ type: 'likes', id: 'y' }] }, 'relations'],
    [{ content: 'x', scope: 'project' }, 'needs a project'],
    [{ content: 'x', scope: 'diary' }, 'agent_id'],
    [{ content: 'x', at: 'soon' }, 'is not a time'],
    [{ content: 'x', title: 'a\nb' }, 'title'],
    [{ content: 'x'.repeat(262_145) }, 'longer than'],
  ])('refuses %j with nothing half-written', async (input, expected) => {
    verifies('PACK-07');
    const { agent, services } = await startMemory();
    const before = services.journal.head().seq;
    const refusal = await agent.refusal('remember', input);
    expect(refusal.error).toContain(expected);
    expect(services.journal.head().seq).toBe(before);
  });

  test('a narrower scope cannot take an item from its other readers', async () => {
    const { agent } = await startMemory();
    const project = await agent.project('p');
    const shared = await agent.remember('Shared.', { project });
    expect(
      await agent.refusal('remember', {
        content: 'Mine.',
        relations: [{ type: 'supersedes', id: shared.id }],
      }),
    ).toMatchObject({ code: 'forbidden' });
  });

  test('long content is found by any of its passages and answers as one item', async () => {
    const { agent } = await startMemory();
    const filler = 'Nothing much is said in this sentence about anything at all. '.repeat(200);
    const { id } = await agent.remember(
      `# Guide\n\n${filler}\n\n## Kiln\n\nThe kiln reaches 1280 degrees.\n\n${filler}`,
    );
    const pack = await agent.context('how hot is the kiln');
    expect(idsOf(pack)).toEqual([id]);
    expect(itemsOf(pack)[0]!.content).toContain('1280 degrees');
    expect(itemsOf(pack)[0]!.content).toMatch(/^Nothing much is said/);
    expect(itemsOf(pack)[0]!.metadata.excerpt).toMatchObject({ length: expect.any(Number) });
  });

  test('secrets do not reach the store', async () => {
    const { agent, services } = await startMemory();
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    await agent.remember(`The token is ${secret}`);
    await agent.import([{ content: `again ${secret}` }]);
    expect(JSON.stringify(services.journal.entriesAfter(0, 10))).not.toContain(secret);
    expect(JSON.stringify(itemsOf(await agent.context('token again')))).not.toContain(secret);
  });
});

describe('memory of other doors', () => {
  test('a folded summary is found by later packs of its project, and goes when the fold is undone', async () => {
    verifies('FOLD-11', 'PACK-10');
    const { agent, services } = await startMemory();
    const fold = new Agent(services);
    const { branch_id } = await fold.branch('Why checkout fails', 'look into it');
    await fold.fold('Checkout fails because the tax table has no row for Åland.');
    const pack = await agent.context('tax table of checkout', { project: PROJECT });
    expect(itemsOf(pack)).toMatchObject([
      { id: branch_id, type: 'session', name: 'Why checkout fails', source: `infold://branch/${branch_id}` },
    ]);
    await fold.rollback('main');
    expect(idsOf(await agent.context('tax table of checkout', { project: PROJECT }))).toEqual([]);
  });

  test('persistent findings are found by later packs until they are cleared; others are not', async () => {
    verifies('PACK-10');
    const { agent, services } = await startMemory();
    const project = await agent.project('study');
    const place = {
      session_id: 'sess_x',
      org: 'local',
      principal: 'owner',
      project_id: project,
      analysis_id: 'a1',
    };
    const write = (event: TransientEvent) =>
      services.journal.commit({
        stream: 'session.test',
        actor: localOwner.actor,
        decide: () => ({ events: [event], answer: null }),
      });
    const stored = (id: string, finding: string, persistent: boolean) =>
      write({
        type: 'finding.stored',
        data: {
          ...place,
          ids: [id],
          findings: [{ id, finding, category: 'churn', metadata: { n: 1 } }],
          persistent,
          expires_at: persistent ? null : 9e12,
          sources: [],
          secrets: 0,
        },
      });
    await stored('find_1', 'Churn doubles after the second invoice.', true);
    await stored('find_2', 'Churn is a word.', false);
    const pack = await agent.context('why does churn double', { project });
    expect(itemsOf(pack)).toMatchObject([
      {
        id: 'find_1',
        type: 'claim',
        source: 'analysis:a1',
        metadata: { analysis_id: 'a1', n: 1, tags: ['churn'] },
      },
    ]);
    await write({ type: 'finding.cleared', data: { ...place, ids: ['find_1'] } });
    expect((await agent.context('churn', { project })).total_items).toBe(0);
  });
});

describe('forgetting an item', () => {
  test('takes it out of packs and the journal, and a rebuild gives the same tables', async () => {
    verifies('PACK-04');
    const { agent, services } = await startMemory();
    const { journal } = services;
    const first = await agent.remember('The old door code is a palindrome.', { author: 'Ann', thread: 't' });
    const gone = await agent.remember('The door code is a prime.', {
      author: 'Bea',
      thread: 't',
      relations: [{ type: 'supersedes', id: first.id }],
    });
    await agent.import(
      Array.from({ length: 5 }, (_, index) => ({
        id: `d${index}`,
        content: `Door talk ${index}`,
        thread: 'u',
        author: 'Cy',
      })),
    );
    await forget(journal, localOwner, { kind: 'item', id: gone.id, org: 'local' }, FORGETTERS);
    await forget(journal, localOwner, { kind: 'item', id: 'd2', org: 'local' }, FORGETTERS);
    const pack = await agent.context('door code talk');
    expect(idsOf(pack).sort()).toEqual(['d0', 'd1', 'd3', 'd4']);
    expect(JSON.stringify(journal.entriesAfter(0, 100))).not.toContain('prime');
    expect((await journal.verify()).ok).toBe(true);
    const tables = () => tablesOf(services);
    const before = tables();
    await journal.rebuild();
    expect(tables()).toEqual(before);
    expect(before.memory_author!.map(({ name }) => name)).toEqual(['Cy']);
  });
});
