import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { askMemory } from '../actions/ask.ts';
import { readItem } from '../actions/read-item.ts';
import { searchMemory } from '../actions/search.ts';
import { idsOf, itemsOf, MemoryAgent, startMemory } from '../fixture.suite.ts';

const GOAL = 'Which retry budget does the payment client have?';

/** Two projects with something on the goal, and an agent in each; and one who is in neither. */
async function startWithProjects() {
  const { agent: nowhere, services } = await startMemory();
  await nowhere.project('shop');
  await nowhere.project('bank');
  const shop = new MemoryAgent(services, nowhere.caller, 'shop');
  const bank = new MemoryAgent(services, nowhere.caller, 'bank');
  const inShop = await shop.remember('The payment client has a retry budget of three.', { kind: 'decision' });
  const inBank = await bank.remember('The payment client of the bank has no retry budget.', { kind: 'rule' });
  const own = await nowhere.remember('I read about retry budgets of a payment client.', { scope: 'private' });
  return { nowhere, shop, bank, services, ids: { shop: inShop.id, bank: inBank.id, own: own.id } };
}

describe('a call without a project', () => {
  test('is about that of its connection, with what is the caller’s own', async () => {
    verifies('PACK-06');
    const { shop, ids } = await startWithProjects();
    const pack = await shop.context(GOAL);
    expect(idsOf(pack).sort()).toEqual([ids.shop, ids.own].sort());
    expect(pack.project).toBe(itemsOf(pack).find(({ id }) => id === ids.shop)!.quality.project_id);
    for (const { metadata } of itemsOf(pack)) expect(metadata).not.toHaveProperty('project');
    const { items } = await shop.act(searchMemory, { q: GOAL });
    expect(items.map(({ id }) => id).sort()).toEqual([ids.shop, ids.own].sort());
    const { passages } = await shop.act(askMemory, { q: GOAL });
    expect(passages.map(({ id }) => id)).not.toContain(ids.bank);
    expect(JSON.stringify(await shop.plan(GOAL))).not.toContain(ids.bank);
  });

  test('sees every project where the connection has none, and each item says which it is of', async () => {
    verifies('PACK-06');
    const { nowhere, ids } = await startWithProjects();
    const pack = await nowhere.context(GOAL);
    expect(idsOf(pack).sort()).toEqual(Object.values(ids).sort());
    const projects = itemsOf(pack).map(({ id, metadata }) => [id, metadata.project]);
    expect(Object.fromEntries(projects)).toEqual({
      ...{ [ids.shop]: 'shop', [ids.bank]: 'bank', [ids.own]: undefined },
    });
    expect(pack.notices).toBeUndefined();
  });

  test('still finds an item of another project by its id', async () => {
    const { shop, ids } = await startWithProjects();
    expect(await shop.act(readItem, { id: ids.bank })).toMatchObject({ id: ids.bank });
  });
});

describe('project "*"', () => {
  test('asks for all projects, names those of other projects, and puts the connection’s first', async () => {
    verifies('PACK-06');
    const { shop, ids } = await startWithProjects();
    const pack = await shop.context(GOAL, { project: '*' });
    expect(idsOf(pack).sort()).toEqual(Object.values(ids).sort());
    expect(pack.project).toBeNull();
    expect(pack.markdown).toMatch(
      new RegExp(`^- rule · \\d{4}-\\d\\d-\\d\\d · project bank \`${ids.bank}\`$`, 'm'),
    );
    const compact = await shop.context(GOAL, { project: '*', format: 'compact' });
    expect(compact.markdown).toContain('project bank');
    const { items } = await shop.act(searchMemory, { q: GOAL, project: '*' });
    expect(items.find(({ id }) => id === ids.bank)).toMatchObject({ project: 'bank' });
  });

  test('opens nothing that is not the caller’s', async () => {
    verifies('PACK-06');
    const { nowhere, services, ids } = await startWithProjects();
    const mine = await nowhere.project('shop');
    const { caller } = nowhere.as('bob', { projects: [mine], scopes: ['read', 'write'] });
    const bob = new MemoryAgent(services, caller, 'shop');
    const pack = await bob.context(GOAL, { project: '*' });
    expect(idsOf(pack)).toEqual([ids.shop]);
    const { notices = [], markdown } = await bob.context('which rule has the bank');
    expect(notices.join() + markdown).not.toMatch(/project "bank"|bank \(/);
  });

  test('begins the session in the connection’s project, as any call does', async () => {
    const { services, nowhere } = await startWithProjects();
    const agent = new MemoryAgent(services, nowhere.caller, 'bank');
    await agent.context(GOAL, { project: '*' });
    const started = services.journal
      .entriesAfter(0, 1000)
      .flatMap(({ events }) => events)
      .filter(({ type }) => type === 'session.started');
    expect(started.at(-1)!.data).toMatchObject({ project_id: await nowhere.project('bank') });
  });

  test('is no project to write to', async () => {
    const { shop } = await startWithProjects();
    expect(await shop.refusal('remember', { content: 'x', project: '*' })).toMatchObject({
      code: 'project_not_found',
    });
  });
});

describe('where the project has nothing or little', () => {
  test('other projects that have something are named with their counts, in text and data', async () => {
    verifies('PACK-17');
    const { nowhere, services } = await startWithProjects();
    await nowhere.import(
      [7, 8, 9].map((number) => ({ content: `Kiln ${number} is fired at dawn by the potter.` })),
      'bank',
    );
    await nowhere.import([{ content: 'The kiln in the yard is fired by the potter.' }], 'shop');
    await nowhere.project('empty');
    const agent = new MemoryAgent(services, nowhere.caller, 'empty');
    const notice =
      'Other projects have items that match: bank (3), shop (1); ask with project "bank", or "*" for all';
    const pack = await agent.context('When does the potter fire the kiln?');
    expect(pack.total_items).toBe(0);
    expect(pack.notices).toContain(notice);
    expect(pack.markdown).toContain(notice);
    expect(
      (await agent.context('When does the potter fire the kiln?', { format: 'compact' })).markdown,
    ).toContain(notice);
    const shop = new MemoryAgent(services, nowhere.caller, 'shop');
    // One is little for who named no project, and enough for who did.
    expect((await shop.context('When does the potter fire the kiln?')).notices?.join()).toContain('bank (3)');
    const named = await nowhere.context('When does the potter fire the kiln?', { project: 'shop' });
    expect(named.notices).toBeUndefined();
    expect((await agent.context('How high is the lighthouse?')).notices?.join()).not.toContain(
      'Other projects',
    );
  });

  test('what matters there is not shown, and what is archived does not count', async () => {
    const { nowhere, services } = await startWithProjects();
    await nowhere.remember('Repair the lighthouse lamp', {
      ...{ kind: 'task', project: 'bank', metadata: { status: 'archived' } },
    });
    const shop = new MemoryAgent(services, nowhere.caller, 'shop');
    const pack = await shop.context('Who repairs the lighthouse lamp?');
    expect(pack).toMatchObject({ total_items: 0 });
    expect(pack.notices?.join()).not.toContain('bank');
  });
});

describe('an empty pack', () => {
  test.each([
    ['debug', 'Why does the lamp flicker?', 'the cause and the fix'],
    ['decide', 'Which lamp should we buy?', 'decisions and their reasons'],
    ['plan', 'Renew the lamp', 'decisions and their reasons'],
    ['research', 'Lamps of lighthouses', 'findings with their sources'],
    ['build', 'Continue where we left off with the lamp', 'the next step'],
    ['general', 'How has the lamp changed?', 'each state with its day'],
  ])('for intent %s, "%s", says what would be worth remembering', async (intent, goal, worth) => {
    verifies('PACK-17');
    const { agent } = await startMemory();
    const { markdown, notices } = await agent.context(goal, { intent });
    expect(notices?.[0]).toMatch(/^Nothing is known about this yet\. Worth remembering once it is: /);
    expect(notices![0]).toContain(worth);
    expect(markdown).toContain(notices![0]);
  });

  test('names the domain that was asked for', async () => {
    const { agent } = await startMemory();
    await agent.remember('The lamp is red.');
    const { notices } = await agent.context('lamp', { domain: 'optics' });
    expect(notices?.[0]).toContain('Nothing is known about this yet in the domain "optics"');
  });
});
