import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { FORGETTERS } from '../cli/services/forgetters.ts';
import { forget } from '../trust/forget.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { forgetItem } from './actions/forget-item.ts';
import { readHistory } from './actions/history.ts';
import { listItems } from './actions/list-items.ts';
import { listRelated, readItem } from './actions/read-item.ts';
import { relate } from './actions/relate.ts';
import { unrelate } from './actions/unrelate.ts';
import { idsOf, type MemoryAgent, startMemory, tablesOf } from './fixture.suite.ts';

const superseding = (...ids: string[]) => ({ relations: ids.map((id) => ({ type: 'supersedes', id })) });

async function packOf(agent: MemoryAgent, goal: string): Promise<string[]> {
  return idsOf(await agent.context(goal)).sort();
}

describe('taking back a relation', () => {
  test('what was superseded stands again, word for word, and a rebuild gives the same tables', async () => {
    verifies('PACK-04');
    const { agent, services } = await startMemory();
    const long = `# Kiln\n\n${'The kiln is fired on the second of May 2024 by Ann. '.repeat(60)}`;
    const old = await agent.remember(long, { title: 'Kiln', author: 'Ann', thread: 't', tags: ['clay'] });
    const wish = await agent.remember('Nenne immer die Temperatur des Ofens.', { kind: 'rule' });
    const before = tablesOf(services);
    const newer = await agent.remember('The kiln is cold.', superseding(old.id, wish.id));
    expect(await packOf(agent, 'kiln')).toEqual([newer.id]);
    expect(await agent.act(unrelate, { item: newer.id, type: 'supersedes' })).toEqual({
      unrelated: [old.id, wish.id],
      withdrawn: false,
    });
    expect(await packOf(agent, 'kiln Temperatur')).toEqual([newer.id, old.id, wish.id].sort());
    const after = tablesOf(services);
    for (const table of [
      'memory_passage',
      'memory_wish',
      'memory_author',
      'memory_thread',
      'memory_moment',
    ]) {
      expect(after[table]).toEqual(expect.arrayContaining(before[table]!));
    }
    await services.journal.rebuild();
    expect(tablesOf(services)).toEqual(after);
  });

  test('a merge that is withdrawn leaves everything as before', async () => {
    verifies('PACK-04');
    const { agent } = await startMemory();
    const one = await agent.remember('The port is 8080.');
    const two = await agent.remember('The port of the gateway is 8080.');
    const merged = await agent.remember(
      'The port is 8080, also of the gateway.',
      superseding(one.id, two.id),
    );
    expect(await packOf(agent, 'which port')).toEqual([merged.id]);
    const undone = await agent.act(unrelate, { item: merged.id, type: 'supersedes', withdraw: true });
    expect(undone).toEqual({ unrelated: [one.id, two.id], withdrawn: true });
    expect(await packOf(agent, 'which port')).toEqual([one.id, two.id].sort());
    const { versions } = await agent.act(readHistory, { id: two.id });
    expect(versions.map(({ id }) => id)).toEqual([two.id]);
    const ofOne = await agent.act(readHistory, { id: one.id });
    expect(ofOne.versions.map(({ id, superseded_by }) => [id, superseded_by])).toEqual([
      [merged.id, one.id],
      [one.id, null],
    ]);
  });

  test('holds after the item is forgotten, and after a rebuild', async () => {
    verifies('PACK-04');
    const { agent, services } = await startMemory();
    const { journal } = services;
    const old = await agent.remember('The lamp is green.');
    const newer = await agent.remember('The lamp is red.', superseding(old.id));
    await agent.act(unrelate, { item: newer.id, type: 'supersedes', id: old.id });
    await forget(journal, localOwner, { kind: 'item', id: newer.id, org: 'local' }, FORGETTERS);
    expect(await packOf(agent, 'lamp')).toEqual([old.id]);
    const before = tablesOf(services);
    await journal.rebuild();
    expect(tablesOf(services)).toEqual(before);
  });

  test('what a forgotten item superseded by a later relation stays superseded in a rebuild', async () => {
    const { agent, services } = await startMemory();
    const { journal } = services;
    const old = await agent.remember('The lamp is green.');
    const newer = await agent.remember('The lamp is red.');
    await agent.act(relate, { item: newer.id, type: 'supersedes', id: old.id });
    await forget(journal, localOwner, { kind: 'item', id: newer.id, org: 'local' }, FORGETTERS);
    const before = tablesOf(services);
    expect(before.memory_item).toMatchObject([{ id: old.id, superseded_by: newer.id }]);
    await journal.rebuild();
    expect(tablesOf(services)).toEqual(before);
  });

  test('what was superseded by something that is forgotten does not stand again, and nothing is withdrawn for it', async () => {
    const { agent, services } = await startMemory();
    const old = await agent.remember('The lamp is green.');
    const gone = await agent.remember('The lamp is red.', superseding(old.id));
    await agent.act(forgetItem, { id: gone.id });
    const newer = await agent.remember('The lamp is blue.', superseding(old.id));
    const undo = (more: object) => agent.act(unrelate, { item: newer.id, type: 'supersedes', ...more });
    await expect(undo({ withdraw: true })).rejects.toMatchObject({ code: 'conflict' });
    await undo({});
    expect(await packOf(agent, 'lamp')).toEqual([newer.id]);
    const before = tablesOf(services);
    await services.journal.rebuild();
    expect(tablesOf(services)).toEqual(before);
  });

  test('is refused where there is none, and where readers would lose something', async () => {
    const { agent } = await startMemory();
    const project = await agent.project('p');
    const mine = await agent.remember('The lamp is mine.', { project, scope: 'private' });
    const ours = await agent.remember('The lamp is ours.', { project, ...superseding(mine.id) });
    const undo = (more: object) => agent.act(unrelate, { item: ours.id, type: 'supersedes', ...more });
    await expect(undo({ id: 'mem_other' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(agent.act(unrelate, { item: ours.id, type: 'requires' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(undo({ withdraw: true })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await undo({})).toEqual({ unrelated: [mine.id], withdrawn: false });
    const stranger = agent.as('stranger', { projects: [] });
    await expect(stranger.act(unrelate, { item: ours.id, type: 'supersedes' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('relations of other types go without a trace in what is related', async () => {
    const { agent } = await startMemory();
    const lamp = await agent.remember('The lamp is green.');
    const claim = await agent.remember('No lamp is green.', {
      relations: [{ type: 'contradicts', id: lamp.id }],
    });
    expect(await agent.act(readItem, { id: lamp.id })).toMatchObject({ contradicted_by: [claim.id] });
    await agent.act(unrelate, { item: claim.id, type: 'contradicts', id: lamp.id });
    expect(await agent.act(readItem, { id: lamp.id })).toMatchObject({ contradicted_by: [], related: [] });
  });
});

describe('the relations of an item', () => {
  test('superseded items are told of to who asks for them', async () => {
    const { agent } = await startMemory();
    const old = await agent.remember('The lamp is green.');
    const newer = await agent.remember('The lamp is red.', superseding(old.id));
    expect((await agent.act(listRelated, { id: newer.id })).related).toEqual([]);
    expect((await agent.act(listRelated, { id: newer.id, superseded: true })).related).toMatchObject([
      { id: old.id, relationship: 'supersedes', direction: 'outgoing', superseded_by: newer.id },
    ]);
  });
});

describe('what was remembered', () => {
  test('is listed the newest first, across places, page by page and by kind, author and time', async () => {
    const { agent, clock } = await startMemory();
    const project = await agent.project('p');
    const ids: string[] = [];
    for (const place of Array.from({ length: 7 }, (_, index) => index)) {
      clock.advance(86_400_000);
      const more = place % 2 === 0 ? { project } : {};
      const kind = place === 3 ? 'decision' : 'note';
      ids.unshift((await agent.remember(`Thing ${place}`, { ...more, kind, author: `A${place % 3}` })).id);
    }
    const pages: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await agent.act(listItems, { limit: 3, ...(cursor !== undefined && { cursor }) });
      pages.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(pages).toEqual(ids);
    const listed = async (more: object) => (await agent.act(listItems, more)).items.map(({ id }) => id);
    expect(await listed({ kind: 'decision' })).toEqual([ids[3]]);
    expect(await listed({ author: 'A0' })).toEqual([ids[0], ids[3], ids[6]]);
    const { items } = await agent.act(listItems, { limit: 3 });
    expect(await listed({ until: items[2]!.created_at })).toEqual(ids.slice(3));
    const stranger = agent.as('stranger', { projects: [] });
    expect((await stranger.act(listItems, {})).items).toEqual([]);
  });

  test('superseded items are listed as such, or left out', async () => {
    const { agent } = await startMemory();
    const old = await agent.remember('The lamp is green.');
    const newer = await agent.remember('The lamp is red.', superseding(old.id));
    expect((await agent.act(listItems, {})).items).toMatchObject([
      { id: newer.id, superseded_by: null },
      { id: old.id, superseded_by: newer.id },
    ]);
    expect((await agent.act(listItems, { superseded: false })).items).toMatchObject([{ id: newer.id }]);
  });
});

describe('forgetting an item by its address', () => {
  test('erases it', async () => {
    const { agent, services } = await startMemory();
    const { id } = await agent.remember('The door code is a prime.');
    expect(await agent.act(forgetItem, { id })).toEqual({ id, entries: expect.any(Number) });
    expect(JSON.stringify(services.journal.entriesAfter(0, 100))).not.toContain('prime');
    await expect(agent.act(forgetItem, { id })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is for administrators, and not for items that they cannot read', async () => {
    const { agent } = await startMemory();
    const [p, q] = [await agent.project('p'), await agent.project('q')];
    await agent.import([{ id: 'shared', content: 'In p.' }], 'p');
    await agent.import([{ id: 'shared', content: 'In q.' }], 'q');
    const limited = agent.as('ada', { projects: [p], scopes: ['read', 'write', 'admin'] });
    await expect(limited.act(forgetItem, { id: 'shared' })).rejects.toMatchObject({ code: 'forbidden' });
    const writer = agent.as('ben', { projects: [p, q], scopes: ['read', 'write'] });
    await expect(writer.act(forgetItem, { id: 'shared' })).rejects.toMatchObject({ code: 'forbidden' });
    const admin = agent.as('cleo', { projects: [p, q], scopes: ['read', 'write', 'admin'] });
    expect(await admin.act(forgetItem, { id: 'shared' })).toMatchObject({ entries: 2 });
  });
});
