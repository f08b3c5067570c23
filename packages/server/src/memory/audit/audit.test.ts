import type { AuditCriterion } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { Agent, PROJECT } from '../../fold/fixture.suite.ts';
import { audit, mergeDoubles } from '../actions/audit.ts';
import { readItem } from '../actions/read-item.ts';
import { unrelate } from '../actions/unrelate.ts';
import { type MemoryAgent, startMemory } from '../fixture.suite.ts';

const DAY = 86_400_000;

async function found(agent: MemoryAgent, criterion: AuditCriterion, more: object = {}) {
  const { findings } = await agent.act(audit, more);
  return findings
    .filter((finding) => finding.criterion === criterion)
    .map(({ items }) => items.map(({ id }) => id));
}

describe('an audit of memory', () => {
  test('finds nothing where nothing is wrong', async () => {
    const { agent } = await startMemory();
    await agent.remember('The lamp is green.');
    expect(await agent.act(audit, {})).toEqual({ checked: 1, counts: {}, findings: [] });
  });

  test('finds what contradicts something that stands, until one of them is superseded', async () => {
    const { agent } = await startMemory();
    const lamp = await agent.remember('The lamp is green.');
    const claim = await agent.remember('No lamp is green.', {
      relations: [{ type: 'contradicts', id: lamp.id }],
    });
    expect(await found(agent, 'contradiction')).toEqual([[claim.id, lamp.id]]);
    await agent.remember('Some lamps are green.', {
      relations: [lamp, claim].map(({ id }) => ({ type: 'supersedes', id })),
    });
    expect(await found(agent, 'contradiction')).toEqual([]);
  });

  test('finds decisions of one name of which only one can hold', async () => {
    const { agent } = await startMemory();
    const first = await agent.remember('Mondays.', { title: 'Deploy day', kind: 'decision' });
    const second = await agent.remember('Tuesdays.', { title: 'deploy day', kind: 'decision' });
    await agent.remember('Fridays.', { title: 'Deploy day', kind: 'note' });
    expect(await found(agent, 'same_name')).toEqual([[second.id, first.id]]);
  });

  test('finds doubles in one place, apart from what is said in conversations', async () => {
    const { agent } = await startMemory();
    const project = await agent.project('p');
    const first = await agent.remember('The lamp is green.', { source: 'a' });
    const second = await agent.remember('The lamp is green.', { source: 'b' });
    const third = await agent.remember('the  LAMP is green!');
    await agent.remember('The lamp is green.', { project });
    await agent.import(['s', 't'].map((thread) => ({ content: 'Thanks!', thread, author: 'Ann' })));
    expect(await found(agent, 'exact_double')).toEqual([[second.id, first.id]]);
    expect(await found(agent, 'same_words')).toEqual([[third.id, second.id]]);
    expect(await found(agent, 'exact_double', { kind: 'stale' })).toEqual([]);
  });

  test('finds what rests on something that was superseded', async () => {
    const { agent } = await startMemory();
    const basis = await agent.remember('The port is 8080.');
    const rule = await agent.remember('Open 8080.', { relations: [{ type: 'requires', id: basis.id }] });
    expect(await found(agent, 'replaced_basis')).toEqual([]);
    await agent.remember('The port is 9090.', { relations: [{ type: 'supersedes', id: basis.id }] });
    expect(await found(agent, 'replaced_basis')).toEqual([[rule.id, basis.id]]);
  });

  test('finds what was valid long ago, and work that nobody goes on with', async () => {
    const { agent, clock } = await startMemory();
    const priced = await agent.remember('It costs 4 euros.', { valid_at: clock.read() });
    const task = await agent.remember('Repair it.', { kind: 'task', metadata: { status: 'doing' } });
    await agent.remember('Think of it.', { kind: 'task', metadata: { status: 'done' } });
    expect((await agent.act(audit, {})).findings).toEqual([]);
    clock.advance(61 * DAY);
    expect(await found(agent, 'past_validity')).toEqual([[priced.id]]);
    expect(await found(agent, 'idle_task')).toEqual([[task.id]]);
    expect(await found(agent, 'idle_task', { days: 90 })).toEqual([]);
  });

  test('finds what packs showed to many sessions and none used', async () => {
    const { agent, services } = await startMemory();
    const { id } = await agent.remember('The kiln is cold.', { project: PROJECT });
    const other = await agent.remember('The kiln has a door.', { project: PROJECT });
    for (const place of [1, 2, 3, 4, 5]) {
      const session = new Agent(services);
      await session.branch(`Look ${place}`, 'Look');
      await session.call('context', { goal: 'kiln', project: PROJECT });
      if (place === 3) await session.fold(`It has a door, says ${other.id}`);
    }
    expect(await found(agent, 'never_used')).toEqual([[id]]);
  });

  test('tells each caller of what they may read alone, and how many more there are', async () => {
    const { agent } = await startMemory();
    for (const source of ['a', 'b']) await agent.remember('The lamp is green.', { source });
    for (const source of ['a', 'b']) await agent.remember('The lamp is red.', { source });
    expect(await agent.act(audit, { limit: 1 })).toMatchObject({
      counts: { exact_double: 2 },
      findings: [{ criterion: 'exact_double' }],
    });
    expect(await agent.as('stranger').act(audit, {})).toMatchObject({ checked: 0, findings: [] });
  });
});

describe('merging exact doubles', () => {
  test('lets the one that others name supersede the rest, once, and can be taken back', async () => {
    const { agent } = await startMemory();
    const ids: string[] = [];
    for (const source of ['a', 'b', 'c']) {
      ids.push((await agent.remember('The lamp is green.', { source })).id);
    }
    const alike = await agent.remember('The LAMP is green.');
    await agent.remember('Lamps matter.', { relations: [{ type: 'supports', id: ids[1]! }] });
    expect(await agent.act(mergeDoubles, { ids: ['mem_other'] })).toEqual({ merged: [] });
    const { merged } = await agent.act(mergeDoubles, {});
    expect(merged).toEqual([{ kept: ids[1], superseded: [ids[2], ids[0]] }]);
    expect(await agent.act(mergeDoubles, {})).toEqual({ merged: [] });
    const supersededBy = async (id: string) => (await agent.act(readItem, { id })).superseded_by;
    expect(await Promise.all([...ids, alike.id].map(supersededBy))).toEqual([ids[1], null, ids[1], null]);
    await agent.act(unrelate, { item: ids[1], type: 'supersedes', id: ids[0] });
    expect(await Promise.all(ids.map(supersededBy))).toEqual([null, null, ids[1]]);
  });
});
