import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { itemsOf, type MemoryAgent, startMemory } from './fixture.suite.ts';
import { briefsByRow } from './queries.ts';
import { blocksOf } from './text/blocks.ts';
import { sentenceStarts } from './text/sentences.ts';

const SUBJECTS = [
  'valves',
  'gaskets',
  'pumps',
  'filters',
  'meters',
  'tanks',
  'hoses',
  'clamps',
  'seals',
  'gauges',
];
const chapter = (subject: string) =>
  [
    `The ${subject} come first, e.g. Those of the east wing. They were checked in May, and nothing leaked. Who wants to know more asks the janitor, who was there.`,
    `What the ${subject} need:`,
    `1. Oil, twice a year, by somebody who has read the manual of the ${subject} before.\n2. A cover. It keeps the rain out.\n   - Of tin, for the ${subject} outside.`,
    `\`\`\`sh\n# restart ${subject}\nsystemctl restart ${subject}\nsleep 5\nsystemctl status ${subject}\n\`\`\``,
    `After that the ${subject} are left alone for a while. Nobody has ever complained about it, which is rare here.`,
  ].join('\n\n');
const HANDBOOK = SUBJECTS.flatMap((subject) => [chapter(subject), chapter(subject)]).join('\n\n');

/** Places where something of a text begins: a sentence, a line of code, an item of a list. */
function beginnings(content: string): Set<number> {
  const places = new Set([content.length]);
  for (const { begin, end } of blocksOf(content)) {
    for (const start of sentenceStarts(content, begin, end)) places.add(start);
  }
  return places;
}

async function excerptOf(agent: MemoryAgent, goal: string) {
  const [item] = itemsOf(await agent.context(goal, { project: 'talk', limit: 1, format: 'full' }));
  return item!;
}

describe('a long item', () => {
  test('is chosen without being read, and is no repetition of one that ends otherwise', async () => {
    verifies('PACK-17');
    const { agent, services } = await startMemory();
    const long = 'The pump of the east wing was checked, and nothing leaked. '.repeat(200);
    const one = await agent.remember(`${long}It is red.`);
    const other = await agent.remember(`${long}It is dry.`);
    const rows = services.journal.database
      .all<{ row: number }>('SELECT row FROM memory_item')
      .map(({ row }) => row);
    for (const brief of briefsByRow(services.journal.database, rows)) {
      expect(brief).not.toHaveProperty('content');
      expect(brief.bytes).toBe(long.length + 10);
    }
    const found = itemsOf(await agent.context('pump of the east wing')).map(({ id }) => id);
    expect(found.sort()).toEqual([one.id, other.id].sort());
  });

  test('is found and placed in its thread without walking through what it says', async () => {
    const { agent, services } = await startMemory();
    const { database } = services.journal;
    const turns = ['one', 'two', 'three'].map((id, ordinal) => ({
      ...{ id, content: HANDBOOK, author: 'Ada', thread: 'talk', ordinal },
    }));
    await agent.import(turns, 'talk');
    const columns = database.all<{ name: string }>(`SELECT name FROM pragma_table_info('memory_item')`);
    expect(columns.at(-1)!.name).toBe('content');
    const [first, all] = [' AND place = 0', ''].map(
      (only) =>
        database.get<{ count: number }>(
          `SELECT count(*) AS count FROM memory_passage WHERE thread IS NOT NULL${only}`,
        )!.count,
    );
    expect(first).toBe(3);
    expect(all).toBeGreaterThan(3 * 5);
    const plan = database.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT row, position FROM memory_passage
       WHERE thread = 1 AND thread IS NOT NULL AND position > 1 AND place = 0`,
    );
    expect(plan.map(({ detail }) => detail).join()).toContain('COVERING INDEX memory_passage_thread');
  });

  test('is shown by an excerpt of whole sentences, wherever the goal leads', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    await agent.import([{ id: 'handbook', content: HANDBOOK }], 'talk');
    const places = beginnings(HANDBOOK);
    for (const subject of SUBJECTS) {
      const { content, metadata } = await excerptOf(agent, `oil for the ${subject}`);
      const { begin, end } = metadata.excerpt as { begin: number; end: number };
      expect(content).toContain(subject);
      expect(content.length).toBeLessThan(HANDBOOK.length / 2);
      expect({ subject, begins: places.has(begin), ends: places.has(end) }).toEqual({
        ...{ subject, begins: true, ends: true },
      });
    }
  });

  test('has a name that somebody wrote, not a comment out of its code', async () => {
    const { agent } = await startMemory();
    const code = '```sh\n# restart everything\nsystemctl restart all\n```';
    await agent.import(
      [{ id: 'one', content: `${code}\n\n- Then wait for the pumps.\n\n${HANDBOOK}` }],
      'talk',
    );
    expect((await excerptOf(agent, 'pumps')).name).toBe('Then wait for the pumps.');
  });

  test('is as good as its best passage, not as its length', async () => {
    verifies('PACK-14');
    const { agent } = await startMemory();
    const aside = 'Somebody mentioned the walnut cabinet once. '.repeat(2);
    const lines = [
      {
        id: 'long',
        content: `${HANDBOOK}\n\nThe walnut cabinet in the cellar holds the spare keys.\n\n${HANDBOOK}`,
      },
      { id: 'aside', content: `${aside}${HANDBOOK.slice(0, 900)}` },
      ...SUBJECTS.map((subject) => ({ id: subject, content: `The ${subject} are in the cellar.` })),
    ].map((line) => ({ ...line, source: line.id }));
    await agent.import(lines, 'talk');
    const item = await excerptOf(agent, 'Where are the spare keys of the walnut cabinet?');
    expect(item.source).toBe('long');
    expect(item.content).toContain('holds the spare keys');
  });
});
