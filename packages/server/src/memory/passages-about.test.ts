import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { askMemory } from './actions/ask.ts';
import { searchMemory } from './actions/search.ts';
import { startMemory } from './fixture.suite.ts';

describe('asking memory', () => {
  test('answers with passages in their own words, and where they stand', async () => {
    const { agent } = await startMemory();
    const filler = 'The weather of that day was dull and nobody went out! '.repeat(40);
    await agent.project('pottery');
    const content = `${filler}The kiln is lit at noon on Thursdays! ${filler}`;
    const { id } = await agent.remember(content, {
      title: 'Workshop',
      author: 'Ada',
      at: '2023-05-08T10:00:00Z',
      project: 'pottery',
      source: 'notes/kiln.md',
    });
    const { passages, next } = await agent.act(askMemory, { q: 'When is the kiln lit?' });
    expect(next).toBeNull();
    expect(passages).toMatchObject([
      {
        ...{ id, title: 'Workshop', author: 'Ada', at: '2023-05-08T10:00:00.000Z', project: 'pottery' },
        ...{ source: 'notes/kiln.md', length: content.length, contradicted_by: [] },
      },
    ]);
    const [{ text, begin, end }] = passages as [(typeof passages)[number]];
    expect(text).toContain('The kiln is lit at noon on Thursdays!');
    expect(text.length).toBeLessThan(content.length);
    expect(text).toBe(content.slice(begin, end).trim());
    // Whole sentences, at both ends.
    expect(text).toMatch(/^The /);
    expect(text).toMatch(/!$/);
  });

  test('ranks as search does, with a limit', async () => {
    const { agent } = await startMemory();
    for (let index = 0; index < 12; index++) {
      await agent.remember(`Kiln ${index} stands ${'far '.repeat(index)}from the door.`);
    }
    const q = 'Which kiln stands at the door?';
    const { passages } = await agent.act(askMemory, { q });
    const { items } = await agent.act(searchMemory, { q, limit: 5 });
    expect(passages).toHaveLength(5);
    expect(passages.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
    expect((await agent.act(askMemory, { q, limit: 2 })).passages).toEqual(passages.slice(0, 2));
  });

  test('knows nothing of what nobody wrote, not even in a project with work going on', async () => {
    verifies('PACK-06');
    const { agent } = await startMemory();
    await agent.project('pottery');
    await agent.remember('Paint the fence', {
      kind: 'task',
      project: 'pottery',
      metadata: { status: 'doing' },
    });
    await agent.as('ben').remember('The kiln is lit at noon.');
    expect(await agent.act(askMemory, { q: 'When is the kiln lit?', project: 'pottery' })).toEqual({
      passages: [],
      next: null,
      notices: [expect.stringMatching(/^Worth remembering once it is known: /)],
    });
  });

  test('says what contradicts a passage', async () => {
    const { agent } = await startMemory();
    const old = await agent.remember('Deploys happen on Mondays.', { kind: 'rule' });
    const fresh = await agent.remember('Deploys happen on Tuesdays.', {
      kind: 'rule',
      relations: [{ type: 'contradicts', id: old.id }],
    });
    const { passages } = await agent.act(askMemory, { q: 'On which day do deploys happen?' });
    expect(passages).toMatchObject([
      { id: fresh.id, contradicted_by: [] },
      { id: old.id, contradicted_by: [fresh.id] },
    ]);
  });
});
