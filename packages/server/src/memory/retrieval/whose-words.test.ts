import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { itemsOf, type MemoryAgent, startMemory } from '../fixture.suite.ts';

type Said = readonly [role: string, content: string];

/** Conversations of Nora with a program that calls itself Quill: nobody is called "user" or "assistant". */
async function conversations(agent: MemoryAgent, days: Record<string, readonly Said[]>): Promise<void> {
  const lines = Object.entries(days).flatMap(([day, said]) =>
    said.map(([role, content], ordinal) => ({
      ...{ id: `${day}#${ordinal}`, source: `${day}#${ordinal}`, content, role, ordinal },
      ...{ thread: day, at: day, author: role === 'user' ? 'Nora' : 'Quill' },
    })),
  );
  await agent.import(lines, 'talk');
}

async function firstFor(agent: MemoryAgent, goal: string): Promise<string[]> {
  const items = itemsOf(await agent.context(goal, { project: 'talk', intent: 'general', limit: 10 }));
  return items.sort((one, other) => other.score - one.score).map(({ source }) => source ?? '');
}

describe('whose words a goal means', () => {
  const DAYS = {
    '2026-01-05': [
      ['user', 'Thinking about the cache for sessions. Memcached is what I know.'],
      ['assistant', 'For the cache of sessions Redis is the better choice, since it survives a restart.'],
    ],
    '2026-01-09': [
      ['user', 'Der Umzug des Servers steht an, ich würde ihn gern am Samstag machen.'],
      ['assistant', 'Den Umzug des Servers besser am Sonntag machen, dann ist weniger los.'],
    ],
    '2026-01-12': [
      ['user', 'Lunch was late today.'],
      ['assistant', 'That happens.'],
    ],
  } as const;

  test.each([
    ['What did you suggest about the cache for sessions?', '2026-01-05#1'],
    ['Which cache for sessions did you recommend?', '2026-01-05#1'],
    ['What did I say about the cache for sessions?', '2026-01-05#0'],
    ['Which cache for sessions do I know?', '2026-01-05#0'],
    ['Was hast du zum Umzug des Servers vorgeschlagen?', '2026-01-09#1'],
    ['Was habe ich dir zum Umzug des Servers gesagt?', '2026-01-09#0'],
  ])('"%s" is answered by %s', async (goal, expected) => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await conversations(agent, DAYS);
    expect((await firstFor(agent, goal))[0]).toBe(expected);
  });
});

describe('what somebody is called', () => {
  const lines = [
    { author: 'user', content: 'The kitchen table is new.' },
    { author: 'assistant', content: 'It is.' },
    { author: 'Will', content: 'I like the harbour.' },
    { author: 'Nora', content: 'The user table is indexed by mail address.' },
    { author: 'Nora', content: 'The harbour will open in May.' },
  ].map((line, index) => ({ ...line, id: `n${index}`, source: `n${index}`, thread: `t${index}` }));

  test('is not how the role of a speaker is called', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await agent.import(lines, 'talk');
    const pack = await agent.context('How is the user table indexed?', { project: 'talk' });
    expect(pack.query).toContain('user');
    expect((await firstFor(agent, 'How is the user table indexed?'))[0]).toBe('n3');
    expect(
      itemsOf(pack)
        .map(({ reason }) => reason)
        .join(),
    ).not.toContain('said by');
  });

  test('is a word that is written as a name, where it is a word otherwise', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await agent.import(lines, 'talk');
    const said = async (goal: string) =>
      itemsOf(await agent.context(goal, { project: 'talk' })).filter(({ reason }) =>
        reason.includes('said by'),
      );
    expect(await said('when will the harbour open')).toEqual([]);
    expect(await said('What does Will like about the harbour?')).toHaveLength(1);
  });
});

describe('an updated fact', () => {
  test('outranks what it updates in a plain question, in whichever order both came', async () => {
    verifies('PACK-14');
    const notes = [
      {
        id: 'old',
        at: '2026-01-10',
        content: 'The staging database of billing runs Postgres 14.',
      },
      {
        id: 'new',
        at: '2026-03-10',
        content: 'The staging database of billing runs Postgres 16 on port 6433 at Hetzner.',
      },
      { id: 'other', at: '2026-04-10', content: 'The staging banner is green.' },
    ];
    for (const order of [notes, [...notes].reverse()]) {
      const { agent } = await startMemory();
      await agent.import(
        order.map((note) => ({ ...note, source: note.id })),
        'talk',
      );
      const found = await firstFor(agent, 'Which Postgres does the staging database of billing run?');
      expect(found.slice(0, 2)).toEqual(['new', 'old']);
    }
  });

  test('is the one that came last where nobody said when', async () => {
    const { agent } = await startMemory();
    const told = [
      { source: 'old', content: 'The release manager of the gateway is Ilse.' },
      {
        source: 'new',
        content: 'The release manager of the gateway is Bram Olde.',
      },
    ];
    for (const line of told) await agent.import([line], 'talk');
    expect(await firstFor(agent, 'Who is the release manager of the gateway?')).toEqual(['new', 'old']);
  });

  test('stays behind where the goal asks how it was at first', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    const lines = [
      { id: 'old', at: '2026-01-10', content: 'The staging database of billing runs Postgres 14.' },
      { id: 'new', at: '2026-03-10', content: 'The staging database of billing now runs Postgres 16.' },
    ].map((line) => ({ ...line, source: line.id }));
    await agent.import(lines, 'talk');
    expect(
      await firstFor(agent, 'Which Postgres did the staging database of billing run originally?'),
    ).toEqual(['old', 'new']);
  });

  test('does not outrank what answers much better', async () => {
    const { agent } = await startMemory();
    const lines = [
      { id: 'answer', at: '2026-01-10', content: 'The nightly backup of the ledger goes to Lisbon.' },
      { id: 'later', at: '2026-03-10', content: 'The backup of the phones goes to nobody.' },
    ].map((line) => ({ ...line, source: line.id }));
    await agent.import(lines, 'talk');
    expect((await firstFor(agent, 'Where does the nightly backup of the ledger go?'))[0]).toBe('answer');
  });
});

describe('how something developed', () => {
  test('is told by every conversation that speaks of it, not by one that speaks of it often', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    const chatter = Array.from(
      { length: 12 },
      (_, index): Said => [
        'user',
        `The launch day, the launch day: launch talk number ${index}, all about the launch day.`,
      ],
    );
    const steps = {
      '2026-01-10': 'The launch day is 3 May.',
      '2026-02-11': 'New launch day: 20 May.',
      '2026-03-12': 'Launch day moves to 9 June.',
    };
    await conversations(agent, {
      ...Object.fromEntries(
        Object.entries(steps).map(([day, told]): [string, Said[]] => [day, [['user', told]]]),
      ),
      '2026-02-01': chatter,
    });
    const found = await firstFor(agent, 'In which order did I name a launch day?');
    for (const day of Object.keys(steps)) expect(found).toContain(`${day}#0`);
  });
});
