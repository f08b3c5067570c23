import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callsOf } from '../../cli/services/calls.ts';
import { PROJECTIONS } from '../../cli/services/projections.ts';
import { Projector, tablesOf } from '../../journal/projections/projector.ts';
import { digestsOf } from '../../journal/projections/tables.ts';
import { callerNamed, HOUR } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { compilePack } from '../actions/context.ts';
import { readItem } from '../actions/read-item.ts';
import { relate } from '../actions/relate.ts';
import { idsOf, itemsOf, MemoryAgent, startMemory } from '../fixture.suite.ts';
import { mentions } from './mentions.ts';
import { useProjection } from './projection.ts';
import { type Exposure, exposuresOf } from './queries.ts';
import { standingOf } from './standing.ts';

const DAY = 24 * HOUR;
const GOAL = 'How is the kiln lit?';
const SHOP = '/home/me/shop';

/** Notes about the kiln that fit the goal about as well as each other, the first ones a little better. */
async function startWithNotes(count = 6) {
  const started = await startMemory();
  const { services, clock } = started;
  const agent = new MemoryAgent(services, localOwner, SHOP);
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const content = `The kiln is lit by hand, as note ${index} says${', and again'.repeat(index)}.`;
    ids.push((await agent.remember(content)).id);
  }
  const projectId = (await agent.context(GOAL, { project: SHOP })).project!;
  /** Another agent of the project, with a session of its own. */
  const someone = () => new MemoryAgent(services, localOwner, SHOP);
  const exposures = (id: string) => exposuresOf(services.journal.database, projectId, id);
  /** In the order of their scores. */
  const order = async (more: Record<string, unknown> = {}) => {
    const pack = await someone().context(GOAL, more);
    return itemsOf(pack)
      .sort((one, other) => other.score - one.score)
      .map(({ id }) => id);
  };
  return { ...started, agent, someone, clock, ids, exposures, order, projectId };
}

describe('an item counts as used', () => {
  test('where it is named by a relation, read or expanded after a pack, once', async () => {
    const { someone, exposures, ids, services } = await startWithNotes();
    const agent = someone();
    const [related, read, expanded, superseded, left] = ids as [string, string, string, string, string];
    await agent.context(GOAL);
    const latest = (id: string) => exposures(id)[0];
    expect(ids.map((id) => latest(id)?.used)).toEqual(ids.map(() => false));
    const relations = [{ type: 'supports', id: related }];
    await agent.remember('Matches are in the drawer.', { relations });
    await agent.act(readItem, { id: read });
    await agent.call('context_expand', { handle: expanded });
    const fresh = await agent.remember('The kiln is lit by a switch.');
    await agent.act(relate, { item: fresh.id, type: 'supersedes', id: superseded });
    expect([related, read, expanded, superseded, left].map((id) => latest(id)?.used)).toEqual([
      ...[true, true, true, true, false],
    ]);
    // Reading it again says nothing new.
    const { seq } = services.journal.head();
    await agent.act(readItem, { id: read });
    expect(services.journal.head().seq).toBe(seq);
  });

  test('where a folded summary or a report names it', async () => {
    const { someone, exposures, ids } = await startWithNotes();
    const agent = someone();
    await agent.call('context_branch', { description: 'Look', prompt: 'Look', project_path: SHOP });
    await agent.call('memory.setup', { session_id: 'thread' });
    await agent.context(GOAL);
    await agent.call('context_return', {
      message: `It is as ${ids[0]} says, not (${ids[1]}).`,
      project_path: SHOP,
    });
    await agent.call('memory.submit', { summary: `Lit by hand: ${ids[2]}`, session_id: 'thread' });
    expect(ids.slice(0, 4).map((id) => exposures(id)[0]?.used)).toEqual([true, true, true, false]);
  });

  test('only after a pack showed it, and only to the session that was shown it', async () => {
    const { someone, exposures, ids, clock, services } = await startWithNotes();
    const [agent, other] = [someone(), someone()];
    await agent.context(GOAL);
    await other.remember('Ash is grey.', { relations: [{ type: 'supports', id: ids[0]! }] });
    expect(exposures(ids[0]!).some(({ used }) => used)).toBe(false);
    // A command has no session: it acts for the one that was shown the item last, for a day.
    clock.advance(2 * DAY);
    const command = callsOf(services, localOwner);
    await command(readItem, { id: ids[0]! });
    expect(exposures(ids[0]!).some(({ used }) => used)).toBe(false);
    await agent.context(GOAL);
    await callsOf(services, callerNamed('ben'))(readItem, { id: ids[0]! });
    expect(exposures(ids[0]!).some(({ used }) => used)).toBe(false);
    await command(readItem, { id: ids[0]! });
    expect(exposures(ids[0]!).some(({ used }) => used)).toBe(true);
  });
});

describe('packs', () => {
  test('of one session count once until the item is used', async () => {
    const { someone, exposures, ids } = await startWithNotes();
    const before = exposures(ids[0]!).length;
    const agent = someone();
    for (let count = 0; count < 4; count++) await agent.context(GOAL);
    expect(exposures(ids[0]!)).toHaveLength(before + 1);
    await agent.act(readItem, { id: ids[0]! });
    expect(exposures(ids[0]!)).toHaveLength(before + 1);
    await agent.context(GOAL);
    expect(exposures(ids[0]!)).toHaveLength(before + 2);
  });

  test('of people at the command line do not count', async () => {
    const { exposures, ids, services } = await startWithNotes();
    const before = exposures(ids[0]!).length;
    await callsOf(services, localOwner)(compilePack, { goal: GOAL, project: SHOP });
    expect(exposures(ids[0]!)).toHaveLength(before);
  });

  test('put first what agents used, say so, and let it fade', async () => {
    const { someone, ids, order, clock } = await startWithNotes();
    const plain = await order();
    const [first, second] = plain as [string, string];
    for (let count = 0; count < 4; count++) {
      const agent = someone();
      await agent.context(GOAL);
      await agent.act(readItem, { id: second });
      clock.advance(2 * HOUR);
    }
    expect((await order()).slice(0, 2)).toEqual([second, first]);
    const { explanation } = await someone().context(GOAL, { explain: true });
    const [best] = explanation!.items;
    expect(best).toMatchObject({ id: second, reason: expect.stringMatching(/; used after 4 packs$/) });
    const sum = Object.values(best!.lanes).reduce((all, amount) => all + amount, 0);
    expect(best!.lanes.use).toBeGreaterThan(0);
    expect(best!.lanes.use! / (sum - best!.lanes.use!)).toBeLessThanOrEqual(0.1);
    const lost = explanation!.items.find(({ id }) => id === first)!;
    expect(lost.reason).toMatch(/; not used after \d packs$/);
    expect(lost.lanes.use).toBeLessThan(0);
    // In another project nobody has used it.
    expect(await order({ project: undefined, agent_id: undefined })).toHaveLength(ids.length);
    clock.advance(2000 * DAY);
    expect(await order()).toEqual(plain);
  });

  test('leave work that is going on where it is', async () => {
    const { agent, someone, clock } = await startWithNotes();
    const doing = { kind: 'task', metadata: { status: 'doing' } };
    const task = await agent.remember('Find out how the kiln is lit.', doing);
    const goOn = `Continue: ${GOAL}`;
    const explain = async () => (await someone().context(goOn, { explain: true })).explanation!.items[0];
    const before = await explain();
    expect(before).toMatchObject({ id: task.id, pinned: true });
    const other = someone();
    await other.context(GOAL);
    await other.act(readItem, { id: task.id });
    clock.advance(2 * HOUR);
    expect(await explain()).toEqual(before);
  });

  test('are in their own order where the setting says so, and reads write nothing', async () => {
    const { someone, order, services, clock } = await startWithNotes();
    const plain = await order();
    for (let count = 0; count < 4; count++) {
      const agent = someone();
      await agent.context(GOAL);
      await agent.act(readItem, { id: plain[1]! });
      clock.advance(2 * HOUR);
    }
    services.config.memory = { rankByUse: false };
    expect(await order()).toEqual(plain);
    const agent = someone();
    await agent.context(GOAL);
    const { seq } = services.journal.head();
    await agent.act(readItem, { id: plain[1]! });
    expect(services.journal.head().seq).toBe(seq);
  });

  test('hold the same items however others were used, with a limit and with a budget', async () => {
    const { someone, services, clock } = await startWithNotes(30);
    const narrow = [{ limit: 5 }, { token_budget: 600 }, { layer: 'wake' }];
    const packs = async () => {
      const found = [];
      for (const more of narrow) found.push(idsOf(await someone().context(GOAL, more)).sort());
      return found;
    };
    services.config.memory = { rankByUse: false };
    const plain = await packs();
    services.config.memory = { rankByUse: true };
    const { sections } = await someone().context(GOAL, { limit: 50 });
    const worst = sections.flatMap(({ items }) => items).sort((one, other) => one.score - other.score);
    for (let count = 0; count < 8; count++) {
      const agent = someone();
      await agent.context(GOAL, { limit: 50 });
      for (const { id } of worst.slice(0, 10)) await agent.act(readItem, { id });
      clock.advance(2 * HOUR);
    }
    expect(await packs()).toEqual(plain);
  });
});

describe('a few wrong uses', () => {
  test('do not bring what hardly fits before what fits', async () => {
    const { agent, someone, clock, order } = await startWithNotes(3);
    // Words that everything holds say nothing.
    await agent.import(
      Array.from({ length: 40 }, (_, index) => ({ content: `Ducks came on day ${index}.` })),
    );
    const far = `A kiln stands by the canal${', then a bridge, a mill and a wharf'.repeat(6)}. Is it lit?`;
    const wrong = await agent.remember(far);
    const plain = await order();
    expect(plain.at(-1)).toBe(wrong.id);
    const scores = itemsOf(await someone().context(GOAL)).map(({ score }) => score);
    const share = Math.min(...scores) / [...scores].sort((one, other) => one - other)[1]!;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.85);
    for (let count = 0; count < 5; count++) {
      const other = someone();
      await other.context(GOAL);
      await other.act(readItem, { id: wrong.id });
      clock.advance(2 * HOUR);
    }
    expect(await order()).toEqual(plain);
  });

  test('are outweighed by right ones, in a simulation of 40 sessions', async () => {
    const { someone, clock, ids, order } = await startWithNotes(5);
    const [right, wrong] = ids as [string, string];
    for (let count = 0; count < 40; count++) {
      const agent = someone();
      await agent.context(GOAL);
      await agent.act(readItem, { id: count % 8 === 0 ? wrong : right });
      clock.advance(3 * HOUR);
    }
    const now = await order();
    expect(now.indexOf(right)).toBeLessThan(now.indexOf(wrong));
  });
});

describe('what use is worth', () => {
  const now = 1000 * DAY;
  const exposure = fc.record({ at: fc.integer({ min: 0, max: now }), used: fc.boolean() });
  const many = (count: number, one: Exposure) => Array.from({ length: count }, () => one);

  test('stays within its bounds, whatever happened', () => {
    fc.assert(
      fc.property(fc.array(exposure, { maxLength: 40 }), (exposures) => {
        const { change, used, shown } = standingOf(exposures, now);
        expect(change).toBeGreaterThanOrEqual(-0.05);
        expect(change).toBeLessThanOrEqual(0.1);
        expect(used).toBeLessThanOrEqual(shown);
      }),
    );
    expect(standingOf([], now).change).toBe(0);
  });

  test('a use never harms, and one more pack without it never helps', () => {
    fc.assert(
      fc.property(fc.array(exposure, { maxLength: 30 }), exposure, (exposures, { at }) => {
        const { change } = standingOf(exposures, now);
        const after = (used: boolean) => standingOf([...exposures, { at, used }], now).change;
        expect(after(true)).toBeGreaterThanOrEqual(change);
        expect(after(false)).toBeLessThanOrEqual(change);
      }),
    );
  });

  test('one use is a third of the most, three are less than two thirds, and a month halves them', () => {
    expect(standingOf(many(1, { at: now, used: true }), now).change).toBeCloseTo(0.1 / 3);
    expect(standingOf(many(3, { at: now, used: true }), now).change).toBeLessThan(0.2 / 3);
    const old = standingOf(many(1, { at: now - 30 * DAY, used: true }), now).change;
    expect(old).toBeCloseTo(0.02);
  });

  test('what was shown just now is not yet unused', () => {
    expect(standingOf([{ at: now - HOUR / 2, used: false }], now).change).toBe(0);
    expect(standingOf([{ at: now - HOUR, used: false }], now).change).toBeLessThan(0);
  });
});

describe('a text mentions an item', () => {
  test.each([
    ['see mem_ab12', 'mem_ab12', true],
    ['(mem_ab12).', 'mem_ab12', true],
    ['mem_ab123', 'mem_ab12', false],
    ['xmem_ab12 and mem_ab12', 'mem_ab12', true],
    ['in D1:1 and D1:12', 'D1:1', true],
    ['in D1:12', 'D1:1', false],
    ['the kiln', 'kiln', false],
    ['in 2023', '2023', false],
    ['a1', 'a1', false],
  ])('%s: %s is %s', (text, id, expected) => {
    expect(mentions(text, id)).toBe(expected);
  });

  test('wherever it stands alone, and never within a word', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(mentions(`${before} mem_ab12 ${after}`, 'mem_ab12')).toBe(true);
        const apart = (some: string) => some.replaceAll('mem_ab12', '');
        expect(mentions(`${apart(before)}x_mem_ab12_x${apart(after)}`, 'mem_ab12')).toBe(false);
      }),
    );
  });
});

test('the tables are the same when they are made anew, also after something was forgotten', async () => {
  const { someone, ids, services, exposures } = await startWithNotes();
  const agent = someone();
  const { branch_id } = await agent.call<{ branch_id: string }>('context_branch', {
    ...{ description: 'Look', prompt: 'Look', project_path: SHOP },
  });
  await agent.context(GOAL);
  await agent.act(readItem, { id: ids[1]! });
  await agent.call('context_return', { message: `It is as ${ids[0]} says.`, project_path: SHOP });
  await agent.context(GOAL);
  const { journal } = services;
  const digests = async () => {
    const all = await digestsOf(journal.database, new Projector(PROJECTIONS));
    return tablesOf(useProjection).map((table) => all.get(table)!);
  };
  const same = async () => {
    const before = await digests();
    await journal.rebuild();
    expect(await digests()).toEqual(before);
  };
  expect(exposures(ids[0]!).filter(({ used }) => used)).toHaveLength(1);
  await same();
  const target = { kind: 'branch', id: branch_id, org: localOwner.org } as const;
  await forget(journal, localOwner, target, services.parts.forgetters);
  expect(exposures(ids[0]!).filter(({ used }) => used)).toHaveLength(0);
  expect(exposures(ids[1]!).filter(({ used }) => used)).toHaveLength(1);
  await same();
});
