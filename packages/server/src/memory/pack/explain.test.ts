import { type ContextPack, contextOutput, type ExplainedItem } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { idsOf, type MemoryAgent, startMemory } from '../fixture.suite.ts';
import { sentenceEnd } from '../text/sentences.ts';

type Explained = ContextPack & { explanation: NonNullable<ContextPack['explanation']> };

const explained = (agent: MemoryAgent, goal: string, more: Record<string, unknown> = {}) =>
  agent.context(goal, { explain: true, ...more }) as Promise<Explained>;

/** What the figures of an item come to. */
function scoreOf({ lanes, factors }: ExplainedItem): number {
  const sum = Object.values(lanes).reduce((all, amount) => all + amount, 0);
  return Object.values(factors).reduce((product, factor) => product * factor, sum);
}

describe('an explained pack', () => {
  test('says how each item came to its score, and by which passage', async () => {
    verifies('PACK-04');
    const { agent } = await startMemory();
    const filler = 'The weather of that day was dull and nobody went out. '.repeat(40);
    const long = await agent.remember(`${filler}The kiln is lit at noon on Thursdays. ${filler}`, {
      kind: 'rule',
      title: 'Workshop',
    });
    const short = await agent.remember('The kiln was repaired.', { kind: 'note' });
    const pack = await explained(agent, 'When is the kiln lit?');
    expect(contextOutput.strict().parse(pack)).toEqual(pack);
    const { items, left_out, considered } = pack.explanation;
    expect(items.map(({ id }) => id)).toEqual([long.id, short.id]);
    expect([left_out, considered]).toEqual([[], 2]);
    for (const item of items) expect(scoreOf(item)).toBeCloseTo(item.score, 3);
    const [first] = items;
    expect(first).toMatchObject({ facet: 'constraints', pinned: false, factors: { intent: 1.12 } });
    expect(first!.lanes.text).toBeGreaterThan(0);
    expect(Object.values(first!.lanes)).not.toContain(0);
    expect(first!.words).toEqual(expect.arrayContaining(['kiln']));
    expect(first!.passage.text).toContain('The kiln is lit at noon on Thursdays.');
    expect(first!.passage.begin).toBeGreaterThan(0);
    expect(first!.reason).toBe(pack.sections.flatMap((section) => section.items)[0]!.reason);
  });

  test('has the same items as one that is not', async () => {
    const { agent } = await startMemory();
    for (let index = 0; index < 20; index++) await agent.remember(`Kiln ${index} is lit at noon.`);
    const plain = await agent.context('Which kiln is lit?', { limit: 5 });
    expect(plain).not.toHaveProperty('explanation');
    const { explanation, ...pack } = await explained(agent, 'Which kiln is lit?', { limit: 5 });
    expect(pack).toEqual(plain);
    expect(explanation.items.map(({ id }) => id).sort()).toEqual(idsOf(plain).sort());
  });

  test('says of the best ten others why they were left out', async () => {
    const { agent } = await startMemory();
    const archived = await agent.remember('The kiln is lit at noon by the kiln keeper.', {
      kind: 'task',
      metadata: { status: 'archived' },
    });
    const project = await agent.project('pottery');
    const same = { content: 'The kiln keeper lights the kiln at noon.', kind: 'note' };
    await agent.remember(same.content, same);
    await agent.remember(same.content, { ...same, project });
    for (let index = 0; index < 20; index++) {
      await agent.remember(`Something about the kiln number ${index}.`);
    }
    const goal = 'When does the kiln keeper light the kiln at noon?';
    const { explanation } = await explained(agent, goal, { limit: 3 });
    expect(explanation.items).toHaveLength(3);
    expect(explanation.left_out).toHaveLength(10);
    const byWhy = new Map(explanation.left_out.map((item) => [item.why, item]));
    expect([...byWhy.keys()].sort()).toEqual(['archived', 'limit', 'repeated']);
    expect(byWhy.get('archived')).toMatchObject({ id: archived.id, detail: 'its status is archived' });
    expect(byWhy.get('repeated')!.detail).toMatch(/^mem_\w+ says the same$/);
    expect(byWhy.get('limit')!.detail).toBe('the pack holds 3');
    const scores = explanation.left_out.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
  });

  test('names what a session start has no use for, and what the budget had no room for', async () => {
    verifies('PACK-13');
    const { agent } = await startMemory();
    await agent.remember('ERR_KILN_7 means that the kiln door is open.', { kind: 'error_pattern' });
    await agent.remember('Somebody saw a door.', { kind: 'note' });
    const wake = await explained(agent, 'ERR_KILN_7 at the kiln door', { layer: 'wake' });
    expect(wake.explanation.left_out).toMatchObject([{ why: 'floor', type: 'note' }]);
    const words = 'The kiln stands by the canal, and so it always did. '.repeat(20);
    for (let index = 0; index < 12; index++) await agent.remember(`Kiln ${index}. ${words}`);
    const small = await explained(agent, 'kiln canal', { token_budget: 500 });
    expect(small.explanation.left_out.map(({ why }) => why)).toContain('budget');
    const shown = small.explanation.items.map(({ id }) => id);
    expect(shown.every((id) => small.markdown.includes(id))).toBe(true);
    const absent = small.explanation.left_out.filter(({ why }) => why === 'budget');
    expect(absent.some(({ id }) => small.markdown.includes(id))).toBe(false);
  });

  test('marks work that is pinned', async () => {
    const { agent } = await startMemory();
    await agent.project('pottery');
    await agent.remember('Paint the fence', {
      kind: 'task',
      project: 'pottery',
      metadata: { status: 'doing' },
    });
    const { explanation } = await explained(agent, 'go on with the kiln', { project: 'pottery' });
    expect(explanation.items).toMatchObject([{ pinned: true, score: 0, lanes: {}, factors: {} }]);
  });
});

test('a model reads nothing of it in the list of tools', async () => {
  const { services } = await startMemory();
  const tool = services.registry.list('seed').find(({ name }) => name === 'context');
  expect(JSON.stringify(tool)).not.toMatch(/expla/);
  expect(tool!.inputSchema.properties).toHaveProperty('goal');
});

test('a sentence is read to its end, and an endless one is not', () => {
  const text = 'One is here. Two follows it. Three.';
  expect(text.slice(0, sentenceEnd(text, 16))).toBe('One is here. Two follows it. ');
  expect(sentenceEnd(text, 13)).toBe(13);
  expect(sentenceEnd(text, 31)).toBe(text.length);
  expect(sentenceEnd('word '.repeat(400), 700)).toBe(700);
});
