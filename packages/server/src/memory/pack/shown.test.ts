import { CONTEXT_INTENTS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { askMemory } from '../actions/ask.ts';
import { idsOf, itemsOf, startMemory } from '../fixture.suite.ts';

const DEPLOYS = 'The billing service is deployed on Mondays after the review of all open changes.';

describe('where a goal asks how something changed', () => {
  /** The one that fits best is neither the first nor the last. */
  const STEPS = [
    { id: 'second', at: '2026-02-01T09:00:00Z', content: 'The import format became JSON lines.' },
    { id: 'fourth', at: '2026-04-01T15:30:00Z', content: 'The import format got a header of its own.' },
    { id: 'first', at: '2026-01-01T09:00:00Z', content: 'The import format was CSV.' },
    { id: 'third', at: '2026-04-01T09:00:00Z', content: 'How the import format changed: it is zipped.' },
  ];

  test('items are shown in order of time, with their days, and the pack says so', async () => {
    verifies('PACK-17');
    const { agent } = await startMemory();
    await agent.import(STEPS);
    const pack = await agent.context('How has the import format changed?');
    expect(idsOf(pack)).toEqual(['first', 'second', 'third', 'fourth']);
    expect(pack.markdown).toContain('Order: by time, oldest first');
    const places = ['first', 'second', 'third', 'fourth'].map((id) => pack.markdown.indexOf(`\`${id}\``));
    expect(places).toEqual([...places].sort((one, other) => one - other));
    // Two are of one day.
    expect(pack.markdown).toContain('2026-04-01 09:00 `third`');
    expect(pack.markdown).toContain('2026-04-01 15:30 `fourth`');
    expect(pack.markdown).toContain('2026-01-01 `first`');
    const { passages } = await agent.act(askMemory, { q: 'In which order did the import format change?' });
    expect(passages.map(({ id }) => id)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('the newest comes first where the last state is asked for', async () => {
    verifies('PACK-17');
    const { agent } = await startMemory();
    await agent.import(STEPS);
    const pack = await agent.context('What is the latest import format?');
    expect(idsOf(pack)).toEqual(['fourth', 'third', 'second', 'first']);
    expect(pack.markdown).toContain('Order: by time, newest first');
  });

  test('they are ordered by score otherwise, and nothing is said of order', async () => {
    const { agent } = await startMemory();
    await agent.import(STEPS);
    const pack = await agent.context('import format header');
    const scores = itemsOf(pack).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(pack.markdown).not.toContain('Order:');
  });

  test('the same said on another day is another step', async () => {
    const { agent } = await startMemory();
    await agent.import(
      ['2026-01-01', '2026-03-01'].map((day) => ({ id: day, content: DEPLOYS, at: `${day}T09:00:00Z` })),
    );
    expect(idsOf(await agent.context('In which order did deploys of the billing service change?'))).toEqual([
      '2026-01-01',
      '2026-03-01',
    ]);
    expect(idsOf(await agent.context('When is the billing service deployed?'))).toHaveLength(1);
  });
});

describe('what says nearly the same', () => {
  test('is shown once, counted with its days, and explained', async () => {
    verifies('PACK-04', 'PACK-17');
    const { agent } = await startMemory();
    await agent.import([
      { id: 'a', content: DEPLOYS, at: '2026-01-05T09:00:00Z' },
      { id: 'b', content: DEPLOYS.replace('the review', 'a review'), at: '2026-03-02T09:00:00Z' },
      { id: 'c', content: `As agreed: ${DEPLOYS}`, at: '2026-02-02T09:00:00Z' },
      { id: 'd', content: DEPLOYS.replace('Mondays', 'Fridays'), at: '2026-02-03T09:00:00Z' },
    ]);
    const pack = await agent.context('When is the billing service deployed?', { explain: true });
    expect(pack.total_items).toBe(2);
    const merged = itemsOf(pack).find(({ id }) => id !== 'd')!;
    const also = merged.metadata.also as { id: string; at: string }[];
    expect([merged.id, ...also.map(({ id }) => id)].sort()).toEqual(['a', 'b', 'c']);
    const times = also.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    expect(pack.markdown).toMatch(/Said 3 times, last on 2026-03-02; also `[abc]` of 2026-0/);
    const repeated = pack.explanation!.left_out.filter(({ why }) => why === 'repeated');
    expect(repeated.map(({ id }) => id).sort()).toEqual(also.map(({ id }) => id).sort());
    for (const { detail } of repeated) expect(detail).toBe(`${merged.id} says nearly the same`);
  });

  test('by turns of a conversation is merged only where one person says it again', async () => {
    const { agent } = await startMemory();
    const turn = (id: string, author: string, thread: string, content: string) => ({
      ...{ id, author, thread, content, ordinal: 1, at: '2026-01-05T09:00:00Z' },
    });
    await agent.import([
      turn('ada', 'Ada', 'one', DEPLOYS),
      turn('again', 'Ada', 'two', DEPLOYS),
      turn('ben', 'Ben', 'one', DEPLOYS),
      turn('yes', 'Ben', 'one', 'Yes, billing on Mondays.'),
      turn('too', 'Ben', 'two', 'Yes, billing on Mondays.'),
    ]);
    const ids = idsOf(await agent.context('When is the billing service deployed?'));
    expect(ids.filter((id) => ['ada', 'again'].includes(id))).toHaveLength(1);
    expect(ids).toEqual(expect.arrayContaining(['ben', 'yes', 'too']));
  });
});

describe('what somebody settled or learned', () => {
  test.each(CONTEXT_INTENTS)('comes before what was said, where both match alike: %s', async (intent) => {
    verifies('PACK-03');
    const { agent } = await startMemory();
    const known = ['decision', 'rule', 'error_pattern', 'preference'];
    for (const kind of ['episode', 'note', 'session', ...known]) {
      await agent.remember(`Timeouts of the ${kind} gateway are long.`, { kind });
    }
    const pack = await agent.context('How long are timeouts of the gateway?', { intent });
    const byScore = itemsOf(pack).sort((one, other) => other.score - one.score);
    expect(new Set(byScore.slice(0, 4).map(({ type }) => type))).toEqual(new Set(known));
    const facets = pack.sections.map(({ facet }) => facet);
    expect(facets.at(-1)).toBe('recent_memory');
  });

  test('does not come before what matches much better', async () => {
    const { agent } = await startMemory();
    await agent.remember('The gateway was painted.', { kind: 'decision' });
    const { id } = await agent.remember('Timeouts of the gateway are thirty seconds long.', { kind: 'note' });
    const pack = await agent.context('How long are timeouts of the gateway?', { intent: 'general' });
    expect(itemsOf(pack).sort((one, other) => other.score - one.score)[0]!.id).toBe(id);
  });
});
