import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { listDiaries } from './actions/list-diaries.ts';
import { listItems } from './actions/list-items.ts';
import { idsOf, itemsOf, MemoryAgent, startMemory } from './fixture.suite.ts';

describe('what a pack may hold', () => {
  test('is decided before ranking: others neither show nor count', async () => {
    verifies('PACK-06');
    const { agent } = await startMemory();
    const [mine, theirs] = [await agent.project('mine'), await agent.project('theirs')];
    // Far better matches, more than any list is long, in a project that is not the caller's.
    await agent.import(
      Array.from({ length: 300 }, (_, index) => ({ content: `launch codes launch codes ${index}` })),
      'theirs',
    );
    const own = await agent.remember('The launch is on Friday.', { project: mine });
    const bob = agent.as('bob', { projects: [mine], scopes: ['read', 'write'] });
    for (const more of [{}, { project: mine }, { layer: 'deep_search' }]) {
      expect(idsOf(await bob.context('launch codes', more))).toEqual([own.id]);
    }
    expect(await bob.refusal('context', { goal: 'launch codes', project: theirs })).toMatchObject({
      error: `Project access denied: ${theirs}`,
    });
    expect(await bob.refusal('context', { goal: 'x', project: 'nowhere' })).toMatchObject({
      code: 'project_not_found',
    });
    expect(await bob.refusal('remember', { content: 'x', project: theirs })).toMatchObject({
      code: 'project_denied',
    });
  });

  test('does not follow relations out of what may be read', async () => {
    verifies('PACK-06', 'PACK-05');
    const { agent } = await startMemory();
    const [mine, theirs] = [await agent.project('mine'), await agent.project('theirs')];
    const hidden = await agent.remember('The merger closes in June.', { project: theirs });
    const open = await agent.remember('The calendar is full.', {
      project: mine,
      relations: [{ type: 'requires', id: hidden.id }],
    });
    const bob = agent.as('bob', { projects: [mine] });
    const pack = await bob.context('calendar', { project: mine });
    expect(idsOf(pack)).toEqual([open.id]);
    expect(itemsOf(pack)[0]!.related).toEqual([]);
    expect(pack.markdown).not.toContain('merger');
    const owner = await agent.context('calendar');
    expect(itemsOf(owner).find(({ id }) => id === open.id)!.related).toEqual([
      {
        id: hidden.id,
        type: 'episode',
        name: 'The merger closes in June.',
        relationship: 'requires',
        direction: 'outgoing',
        distance: 1,
      },
    ]);
  });

  test('keeps private memory and diaries to those they are for', async () => {
    verifies('PACK-06', 'PACK-07');
    const { agent } = await startMemory();
    const project = await agent.project('ship');
    const alice = agent.as('alice');
    const bob = agent.as('bob');
    const own = await alice.remember('The rehearsal password hint is a colour.');
    const diary = await alice.remember('Rehearsal three failed at the index step.', {
      agent_id: 'migration-runner',
      project,
    });
    for (const intent of ['build', 'plan', 'decide', 'ideate', 'general']) {
      const pack = await alice.context('continue the rehearsal', {
        intent,
        project,
        agent_id: 'migration-runner',
      });
      expect(idsOf(pack).sort()).toEqual([own.id, diary.id].sort());
    }
    expect(idsOf(await alice.context('continue the rehearsal', { project }))).toEqual([own.id]);
    expect(idsOf(await bob.context('continue the rehearsal', { project }))).toEqual([]);
    expect(await bob.refusal('context', { goal: 'x', agent_id: 'migration-runner' })).toMatchObject({
      code: 'forbidden',
      error: expect.stringContaining('Diary access denied: migration-runner'),
    });
    expect(idsOf(await bob.context('rehearsal', { agent_id: 'an-agent-without-a-diary' }))).toEqual([]);
  });

  test('lists the diaries of who asks, with what is in each of what is open to them', async () => {
    verifies('PACK-06', 'PACK-07');
    const { agent } = await startMemory();
    const [ship, barn] = [await agent.project('ship'), await agent.project('barn')];
    const alice = agent.as('alice');
    const write = (content: string, more: object) => alice.remember(content, { agent_id: 'runner', ...more });
    await write('The index step failed.', { project: ship });
    const second = await write('The barn is cold.', { project: barn });
    await write('It rains.', {});
    await alice.remember('Somebody else.', { agent_id: 'sweeper' });
    for (const project of [ship, barn]) await alice.remember('Of everybody.', { project });
    const listed = async (who: MemoryAgent, more: object = {}) =>
      (await who.act(listDiaries, more)).diaries.map(({ agent_id, items }) => [agent_id, items]);
    expect(await listed(alice)).toEqual([
      ['runner', 3],
      ['sweeper', 1],
    ]);
    expect(await listed(alice, { project: ship })).toEqual([
      ['runner', 2],
      ['sweeper', 1],
    ]);
    expect(await listed(agent.as('alice', { projects: [ship] }))).toEqual([
      ['runner', 2],
      ['sweeper', 1],
    ]);
    expect(await listed(agent.as('bob'))).toEqual([]);
    expect(await listed(agent.as('alice', { org: 'elsewhere' }))).toEqual([]);
    const inDiary = { agent_id: 'runner', scope: 'diary', project: barn };
    expect((await alice.act(listItems, inDiary)).items).toMatchObject([
      { agent_id: 'runner', scope: 'diary' },
      { id: second.id, agent_id: 'runner', project: 'barn' },
    ]);
    await expect(alice.act(listItems, { scope: 'diary' })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    await expect(agent.as('bob').act(listItems, inDiary)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('of the whole organisation needs more than the right to write', async () => {
    const { agent } = await startMemory();
    const bob = agent.as('bob', { scopes: ['read', 'write'] });
    expect(await bob.refusal('remember', { content: 'All hands', scope: 'organisation' })).toMatchObject({
      code: 'forbidden',
    });
    const { id } = await agent.remember('All hands at ten.', { scope: 'organisation' });
    expect(idsOf(await bob.context('all hands'))).toEqual([id]);
    const elsewhere = agent.as('carol', { org: 'elsewhere' });
    expect(idsOf(await elsewhere.context('all hands'))).toEqual([]);
  });

  test('is filtered by its domain', async () => {
    verifies('PACK-06');
    const { agent } = await startMemory();
    const inside = await agent.remember('Vectors are kept in int8.', { domain: 'Retrieval' });
    await agent.remember('Vectors of disease are mosquitoes.', { domain: 'biology' });
    await agent.remember('Vectors without a domain.');
    const pack = await agent.context('vectors', { domain: 'retrieval' });
    expect(idsOf(pack)).toEqual([inside.id]);
    expect(pack).toMatchObject({ query: 'vectors retrieval', domain: 'retrieval' });
  });

  test('goes to the project that the connection was opened for', async () => {
    const { agent, services } = await startMemory();
    const project = await agent.project('here');
    const local = new MemoryAgent(services, agent.caller, 'here');
    const { id } = await local.remember('The kettle is broken.');
    const pack = await agent.context('kettle', { project });
    expect(idsOf(pack)).toEqual([id]);
    expect(itemsOf(pack)[0]!.quality.project_id).toBe(project);
  });
});
