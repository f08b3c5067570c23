import { expect, test } from 'vitest';
import { askMemory } from './actions/ask.ts';
import { type MemoryAgent, startMemory } from './fixture.suite.ts';

const asked = async (agent: MemoryAgent, q: string, more: object = {}) =>
  (await agent.act(askMemory, { q, complete: true, ...more })).passages.map(({ id }) => id);

test('the beginning of a word finds what the word finds, at every letter', async () => {
  const { agent } = await startMemory();
  const { id } = await agent.remember('Refresh tokens need rotation.');
  await agent.remember('The kiln is cold.');
  for (const word of ['refresh', 'rotation', 'tokens']) {
    for (let length = 3; length <= word.length; length++) {
      expect([word.slice(0, length), await asked(agent, word.slice(0, length))]).toEqual([
        word.slice(0, length),
        [id],
      ]);
    }
  }
  expect(await asked(agent, 'refr', { complete: false })).toEqual([]);
});

test('the words before it must be there too, and a word that is finished is looked for as it is', async () => {
  const { agent } = await startMemory();
  const both = await agent.remember('The kiln rotates.');
  const other = await agent.remember('The kiln is cold.');
  const third = await agent.remember('The lamp rotates.');
  expect((await asked(agent, 'kiln rota'))[0]).toBe(both.id);
  expect(await asked(agent, 'kiln rota')).not.toContain(third.id);
  expect(await asked(agent, 'kiln ro ')).toEqual(await asked(agent, 'kiln ro', { complete: false }));
  expect((await asked(agent, 'kiln')).sort()).toEqual([both.id, other.id].sort());
});

test('nothing is completed to what the caller may not read, and signs are no query', async () => {
  const { agent } = await startMemory();
  await agent.remember('Refresh tokens need rotation.');
  expect(await asked(agent.as('stranger'), 'refr')).toEqual([]);
  for (const q of ['refr"', 'refr*', '(refr', 'refr OR', '"', 'NEAR(refr', "refr' --"]) await asked(agent, q);
});
