import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { itemsOf, type MemoryAgent, startMemory } from '../fixture.suite.ts';
import { highest } from './candidates.ts';

/** Two people, three sessions, what they say as `author: text`. */
async function dialogue(agent: MemoryAgent, sessions: Record<string, readonly string[]>, project = 'talk') {
  const lines = Object.entries(sessions).flatMap(([day, turns]) =>
    turns.map((turn, index) => {
      const [author = '', content = ''] = turn.split(/: (.*)/s);
      return {
        id: `${day}#${index}`,
        content,
        author,
        thread: day,
        ordinal: index,
        at: day,
        source: `${day}#${index}`,
      };
    }),
  );
  await agent.import(lines, project);
}

async function sources(agent: MemoryAgent, goal: string, limit = 3): Promise<(string | null)[]> {
  const pack = await agent.context(goal, { project: 'talk', intent: 'general', limit });
  return itemsOf(pack)
    .sort((one, other) => other.score - one.score)
    .map(({ source }) => source);
}

const SESSIONS = {
  '2023-05-08': [
    'Ann: Hey Bea! How was your weekend?',
    'Bea: I ran a charity race on Sunday, it was muddy.',
    'Ann: Wow! Did you enjoy it?',
    'Bea: Yes, especially the last mile with my nephew.',
    'Ann: I painted the kitchen yesterday.',
  ],
  '2023-06-20': [
    'Ann: My sister is visiting from Oslo.',
    'Bea: Lovely! What will you do?',
    'Ann: We plan to see the fjord museum on Saturday.',
    'Bea: I painted a fence, terribly boring.',
  ],
  '2023-09-01': [
    'Ann: The trip is cancelled.',
    'Bea: Oh no, which one?',
    'Ann: The one to the mountains in October.',
  ],
};

describe('dialogue', () => {
  test('is ranked with what stands around a turn', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await dialogue(agent, SESSIONS);
    // The answer shares no word with the goal; the question before it does.
    expect(await sources(agent, 'Did Bea enjoy it?')).toContain('2023-05-08#3');
  });

  test('of a busy day is found where its conversation is about the goal', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    const lines = (thread: string, said: readonly string[]) =>
      said.map((content, ordinal) => ({
        ...{
          id: `${thread}#${ordinal}`,
          source: `${thread}#${ordinal}`,
          content,
          author: 'Ann',
          thread,
          ordinal,
        },
        at: '2023-05-08',
      }));
    const chatter = (topic: string) =>
      Array.from({ length: 260 }, (_, index) => `Nothing new of ${topic}${index}.`);
    await agent.import(lines('before', chatter('alpha')), 'talk');
    const said = ['The lighthouse is painted.', 'Good.', 'Fine weather.', 'Sure.', 'It was red and white.'];
    await agent.import(lines('paint', said), 'talk');
    await agent.import(lines('after', chatter('omega')), 'talk');
    const found = await sources(agent, 'What about the lighthouse on 8 May 2023?', 8);
    expect(found).toContain('paint#4');
  });

  test('counts a long turn as one, and gives to the turns around it, not to its own passages', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    const long = 'Nothing much to tell from here, the rain goes on and on as ever. '.repeat(60);
    await dialogue(agent, {
      '2023-05-08': [
        'Ann: Which kerosene does the lighthouse burn?',
        `Bea: ${long}`,
        'Ann: The blue one, then.',
      ],
      '2023-05-09': ['Ann: Good night.', 'Bea: Sleep well.'],
    });
    const found = await sources(agent, 'Which kerosene does the lighthouse burn?', 5);
    expect(found).toEqual(['2023-05-08#0', '2023-05-08#1', '2023-05-08#2']);
  });

  test('takes turns of one number in the order in which they came', async () => {
    const { agent } = await startMemory();
    const turn = (id: string, ordinal: number, content: string) => ({
      id,
      source: id,
      content,
      ordinal,
      thread: 'a',
    });
    const lines = [
      turn('before', 1, 'Good morning.'),
      turn('question', 1, 'Which marmalade is left?'),
      turn('answer', 1, 'Only the bitter one.'),
      turn('after', 2, 'Thanks.'),
      turn('far', 3, 'Bye.'),
    ];
    await agent.import(lines, 'talk');
    // What asks gives most to what comes next, less to what follows, and least to what came before.
    expect(await sources(agent, 'marmalade', 4)).toEqual(['question', 'answer', 'after', 'before']);
  });

  test('is ranked by who said it', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await dialogue(agent, SESSIONS);
    expect((await sources(agent, 'What did Ann paint?'))[0]).toBe('2023-05-08#4');
    expect((await sources(agent, 'What did Bea paint?'))[0]).toBe('2023-06-20#3');
  });

  test('is ranked by when it was said, and by what it was said about', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await dialogue(agent, SESSIONS);
    expect((await sources(agent, 'What was painted in June 2023?'))[0]).toBe('2023-06-20#3');
    expect((await sources(agent, 'What was painted on 7 May 2023?'))[0]).toBe('2023-05-08#4');
    const pack = await agent.context('What was painted on 7 May 2023?', {
      project: 'talk',
      intent: 'general',
    });
    expect(itemsOf(pack)[0]!.reason).toContain('fits "7 May 2023"');
  });

  test('takes relative times from the data, not only from today', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await dialogue(agent, SESSIONS);
    // The data ends on 1 September 2023, years before the clock of this test.
    expect(
      (await sources(agent, 'What happened last June?', 4)).every((source) => source?.startsWith('2023-06')),
    ).toBe(true);
  });

  test('is found by short names, synonyms and general words', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await agent.import(
      [
        { content: 'We bought a violin and a flute.', author: 'Melanie', thread: 't', source: 'violin' },
        { content: 'The film about lighthouses was slow.', author: 'Melanie', thread: 't', source: 'film' },
        { content: 'We bought new tyres.', author: 'Oscar', thread: 't', source: 'tyres' },
      ],
      'talk',
    );
    expect((await sources(agent, 'Which instruments does Mel have?'))[0]).toBe('violin');
    expect((await sources(agent, 'Which movie did Melanie watch?'))[0]).toBe('film');
    expect((await sources(agent, 'What did Mel purchase?'))[0]).toBe('violin');
  });

  test('gives `limit` items while that many are relevant, each with its source unchanged', async () => {
    verifies('PACK-14', 'PACK-12');
    const { agent } = await startMemory();
    const source = (index: number) => `  conv-1 §${index}\t✓`;
    await agent.import(
      Array.from({ length: 40 }, (_, index) => ({
        content: `Turn ${index} about the harvest`,
        thread: 't',
        ordinal: index,
        source: source(index),
      })),
      'talk',
    );
    const found = await sources(agent, 'harvest', 24);
    expect(found).toHaveLength(24);
    expect(found.every((each) => /^ {2}conv-1 §\d+\t✓$/.test(each ?? ''))).toBe(true);
  });

  test('the same id in two projects is two items', async () => {
    const { agent } = await startMemory();
    await agent.import([{ id: 'D1:1', content: 'A harbour in the north' }], 'one');
    await agent.import([{ id: 'D1:1', content: 'A harbour in the south' }], 'two');
    const packs = await Promise.all(['one', 'two'].map((project) => agent.context('harbour', { project })));
    expect(packs.map((pack) => itemsOf(pack).map(({ id, content }) => [id, content]))).toEqual([
      [['D1:1', 'A harbour in the north']],
      [['D1:1', 'A harbour in the south']],
    ]);
  });
});

describe('common words', () => {
  test('do not hide what rarer ones decide, however many items hold them', async () => {
    const { agent } = await startMemory();
    await agent.import([
      ...Array.from({ length: 2500 }, (_, index) => ({ content: `service restart entry ${index}` })),
      { content: 'service restart after the flamingo incident', source: 'rare' },
      ...Array.from({ length: 2500 }, (_, index) => ({ content: `another service restart ${index}` })),
    ]);
    const pack = await agent.context('service restart flamingo', { limit: 5 });
    // What holds only the words that everything holds is not padded on.
    expect(itemsOf(pack).map(({ source }) => source)).toEqual(['rare']);
    expect((await agent.context('service restart', { limit: 50 })).total_items).toBe(50);
  });

  test('highest keeps the highest, and of equal ones the newer', () => {
    const values = new Map([
      [1, 5],
      [2, 1],
      [3, 5],
      [4, 2],
      [5, 5],
    ]);
    expect(highest(values, 2).sort()).toEqual([3, 5]);
    expect(highest(values, 4).sort()).toEqual([1, 3, 4, 5]);
    expect(highest(values, 9)).toHaveLength(5);
  });
});
