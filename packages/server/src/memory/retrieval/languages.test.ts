import { describe, expect, test } from 'vitest';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { itemsOf, type MemoryAgent, startMemory } from '../fixture.suite.ts';

const NOTES = {
  allergie: 'Unser Sohn verträgt übrigens keine Haselnüsse, bei Restaurants müssen wir immer nachfragen.',
  bahn: 'Die Bahnfahrt nach Brixen haben wir für den 30. März gebucht, mit Umstieg in München.',
  blog: 'Das Blog läuft noch auf einer gemieteten Installation, die mich neun Euro im Monat kostet.',
  tiere: 'Im Innenhof leben drei Kaninchen, und die Wirtin züchtet außerdem Hühner für die Küche.',
};

async function store(agent: MemoryAgent, notes: Record<string, string>) {
  await agent.import(
    Object.entries(notes).map(([id, content]) => ({ id, content, source: id })),
    'talk',
  );
}

async function best(agent: MemoryAgent, goal: string) {
  const pack = await agent.context(goal, { project: 'talk', intent: 'general', limit: 4 });
  return itemsOf(pack).sort((one, other) => other.score - one.score)[0]?.source;
}

describe('a goal in German', () => {
  test.each([
    ['Welche Nusssorte verträgt der Sohn nicht?', 'allergie'],
    ['Nüsse', 'allergie'],
    ['Wann fahren wir mit der Bahn?', 'bahn'],
    ['Fahrt nach Muenchen', 'bahn'],
    ['Was kostet das Blogsystem?', 'blog'],
    ['Hof mit einem Huhn', 'tiere'],
  ])('meets other forms, compounds and spellings: "%s"', async (goal, expected) => {
    const { agent } = await startMemory();
    await store(agent, NOTES);
    expect(await best(agent, goal)).toBe(expected);
  });

  test('is not answered by a name that a word only looks like', async () => {
    const { agent } = await startMemory();
    const say = (id: string, author: string, content: string) => ({
      id,
      author,
      content,
      source: id,
      thread: 't',
    });
    await agent.import(
      [
        say('a', 'Werner', 'Ich habe das Fahrrad in den Keller gestellt und die Lampe nicht gefunden.'),
        say('b', 'Gesa', 'Dann war es wohl doch die Lampe, die ich im Keller gesehen habe.'),
      ],
      'talk',
    );
    const pack = await agent.context('Wer hat die Lampe im Keller gesehen?', {
      project: 'talk',
      intent: 'general',
    });
    expect(itemsOf(pack).map(({ reason }) => reason)).not.toContainEqual(expect.stringContaining('Werner'));
  });
});

describe('a store of several languages', () => {
  const mixed = {
    ...NOTES,
    english: 'We planned the meetings about the train to Brixen with the travel agency.',
    spanish: 'Las dudas sobre nóminas o vacaciones no van a nuestro canal, sino a la oficina de personal.',
  };

  test('answers names in any of them, and prefers what was said in the language of the goal', async () => {
    const { agent } = await startMemory();
    await store(agent, mixed);
    expect(await best(agent, 'Which meeting did we plan?')).toBe('english');
    const pack = await agent.context('When are we going to Brixen?', { project: 'talk', intent: 'general' });
    expect(itemsOf(pack).map(({ source }) => source)).toContain('bahn');
    expect(await best(agent, '¿A quién se dirigen los nuevos si tienen preguntas?')).toBe('spanish');
  });

  test('knows its languages, also when something is forgotten', async () => {
    const { agent } = await startMemory();
    await store(agent, mixed);
    const { journal } = agent.services;
    const languages = () =>
      journal.database.all('SELECT language, passages FROM memory_language ORDER BY language');
    expect(languages()).toEqual([
      { language: 'de', passages: 4 },
      { language: 'es', passages: 1 },
    ]);
    await forget(journal, localOwner, { kind: 'item', id: 'spanish', org: 'local' }, FORGETTERS);
    expect(languages()).toEqual([{ language: 'de', passages: 4 }]);
    await journal.rebuild();
    expect(languages()).toEqual([{ language: 'de', passages: 4 }]);
  });
});
