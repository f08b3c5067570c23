import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { itemsOf, startMemory } from './fixture.suite.ts';

/** A conversation with an assistant, a minute apart. */
async function talk(lines: [author: string, content: string, day: string][]) {
  const { agent } = await startMemory();
  await agent.import(
    lines.map(([author, content, day], index) => ({
      ...{ id: `t${index}`, author, content, thread: day, ordinal: index, at: `${day}T10:00:00Z` },
    })),
    'shop',
  );
  return async (goal: string, more: Record<string, unknown> = {}) =>
    (await agent.context(goal, { project: 'shop', ...more })) as Awaited<ReturnType<typeof agent.context>>;
}

describe('what a person wants always', () => {
  test('comes first in a pack whose goal meets its condition, and is said to be a wish', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'Whenever I ask about libraries, give their versions.', '2026-01-02'],
      [
        'assistant',
        'I will: libraries come with versions from now on. For dates there are several libraries.',
        '2026-01-02',
      ],
      ['user', 'The invoice page is slow on Mondays.', '2026-01-05'],
    ]);
    const pack = await context('Which libraries parse dates?');
    expect(pack.sections[0]).toMatchObject({ facet: 'constraints', items: [{ id: 't0' }] });
    expect(pack.sections[0]!.items[0]!.reason).toContain('a standing wish');
  });

  test('is known where a task does not mention it, and stays out of what is asked of the past', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'I prefer few dependencies.', '2026-01-02'],
      ['assistant', 'Understood.', '2026-01-02'],
      ['user', 'The invoice page was slow in March because of the fonts.', '2026-03-05'],
    ]);
    expect(itemsOf(await context('What should I take for parsing dates?')).map(({ id }) => id)).toContain(
      't0',
    );
    expect(itemsOf(await context('When was the invoice page slow?')).map(({ id }) => id)).not.toContain('t0');
  });

  test('is no answer by itself: where nothing is known of the goal, the pack says so', async () => {
    verifies('PACK-16', 'PACK-17');
    const context = await talk([['user', 'I prefer few dependencies.', '2026-01-02']]);
    expect(itemsOf(await context('lighthouse lamps'))).toEqual([]);
    const pack = await context('Please build a lighthouse');
    expect(itemsOf(pack).map(({ id }) => id)).toEqual(['t0']);
    expect(pack.notices?.join()).toContain('Nothing is known about this yet');
  });

  test('of two on one matter, the newer holds', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'Always write release notes in German.', '2026-01-02'],
      ['user', 'From now on write release notes always in English.', '2026-02-02'],
    ]);
    const wishes = itemsOf(await context('Please write the release notes')).filter(({ reason }) =>
      reason.includes('a standing wish'),
    );
    expect(wishes.map(({ id }) => id)).toEqual(['t1']);
  });

  test('is shown with what it replaced, where that was the opposite', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'Always write release notes in German.', '2026-01-02'],
      ['assistant', 'Will do.', '2026-01-02'],
      ['user', 'From now on write release notes always in English.', '2026-02-02'],
    ]);
    const pack = await context('Please write the release notes');
    const [newer] = pack.sections[0]!.items;
    expect(newer).toMatchObject({ id: 't2', facet: 'constraints' });
    expect(newer!.metadata.other_values).toEqual([
      {
        ...{ id: 't0', at: '2026-01-02T10:00:00.000Z', says: 'Always write release notes in German.' },
        change: 'replaces',
      },
    ]);
    // Where the older one is in the pack for its words, it is behind, says what holds now, and is not quoted.
    const older = itemsOf(pack).find(({ id }) => id === 't0');
    expect(older?.metadata.other_values).toMatchObject([{ id: 't2', change: 'replaced_by' }]);
    expect(pack.markdown).toContain('Replaces: (2026-01-02, `t0`)');
    expect(pack.markdown.indexOf('Replaced by: (2026-02-02, `t2`)')).toBeGreaterThan(
      pack.markdown.indexOf('Replaces: '),
    );
  });

  test('is quoted where it is not in the pack itself', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'I love emojis in answers.', '2026-01-02'],
      ['user', 'I hate emojis in answers.', '2026-02-02'],
    ]);
    const pack = await context('Draft a mail to the plumber');
    expect(itemsOf(pack).map(({ id }) => id)).toEqual(['t1']);
    expect(pack.markdown).toContain('Replaces: “I love emojis in answers.” (2026-01-02, `t0`)');
  });

  test('that is only said again contradicts nothing', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'Always give versions when I ask about libraries.', '2026-01-02'],
      ['user', 'Whenever I ask about libraries, please give their versions.', '2026-02-02'],
    ]);
    const pack = await context('Which libraries parse dates?');
    expect(pack.sections[0]!.items[0]!.id).toBe('t1');
    expect(pack.markdown).not.toMatch(/Replace/);
    for (const { metadata } of itemsOf(pack)) expect(metadata).not.toHaveProperty('other_values');
  });

  test('replaces what was stored as a rule, and stored rules do not replace each other', async () => {
    verifies('PACK-16');
    const { agent } = await startMemory();
    const rule = (content: string) => agent.remember(content, { kind: 'rule', project: 'shop' });
    await agent.project('shop');
    const first = await rule('Indent code with tabs.');
    const second = await rule('Indent code with blanks.');
    const plain = await agent.context('indent code', { project: 'shop' });
    expect(plain.markdown).not.toContain('Replace');
    await agent.import(
      [{ id: 'said', role: 'user', content: 'From now on, never indent code with tabs.' }],
      'shop',
    );
    const { markdown } = await agent.context('indent code', { project: 'shop' });
    expect(markdown).toMatch(new RegExp(`Replaces: \\(\\d{4}-\\d\\d-\\d\\d, \`${first.id}\``));
    expect(markdown).not.toMatch(new RegExp(`Replaces: .*${second.id}`));
  });

  test('on another occasion holds beside it', async () => {
    const context = await talk([
      ['user', 'Whenever you write a summary for customers, write the summary in German.', '2026-01-02'],
      ['user', 'Whenever you write a summary for developers, write the summary in English.', '2026-02-02'],
    ]);
    const pack = await context('Write a summary for customers and one for developers');
    const wishes = itemsOf(pack).filter(({ reason }) => reason.includes('a standing wish'));
    expect(wishes.map(({ id }) => id).sort()).toEqual(['t0', 't1']);
  });

  const wishesAmong = (pack: Parameters<typeof itemsOf>[0]) =>
    itemsOf(pack)
      .filter(({ reason }) => reason.includes('a standing wish'))
      .map(({ id }) => id)
      .sort();

  test('is not replaced by another that only begins with the same words', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'Please always use tabs.', '2026-01-02'],
      ['user', 'Please always use metric units.', '2026-02-02'],
    ]);
    expect(wishesAmong(await context('Write me a converter for recipes'))).toEqual(['t0', 't1']);
  });

  test('is newer by when it was said, whenever it was stored', async () => {
    verifies('PACK-16');
    const context = await talk([
      ['user', 'From now on write release notes always in English.', '2026-02-02'],
      ['user', 'Always write release notes in German.', '2026-01-02'],
    ]);
    expect(wishesAmong(await context('Please write the release notes'))).toEqual(['t0']);
  });

  test('leaves room for what the goal is about', async () => {
    verifies('PACK-16');
    const things =
      'tabs|trailers|carpets|coffee|mornings|semicolons|emojis|meetings|acronyms|pies|fonts|puns'.split('|');
    const context = await talk([
      ...things.map((thing): [string, string, string] => ['user', `I hate ${thing}.`, '2026-01-02']),
      ['user', 'The lighthouse has a lamp of 400 watts.', '2026-01-03'],
    ]);
    expect(wishesAmong(await context('Please build a lighthouse'))).toHaveLength(6);
  });

  test('that shares only a common word with the goal counts less than one that shares a rare one', async () => {
    verifies('PACK-16');
    const chatter = Array.from({ length: 40 }, (_, index): [string, string, string] => [
      'assistant',
      `The report of day ${index} is done.`,
      '2026-01-02',
    ]);
    const context = await talk([
      ['user', 'I prefer a report with charts.', '2026-01-02'],
      ['user', 'I prefer kerosene from Tromsø.', '2026-01-02'],
      ...chatter,
    ]);
    const { explanation } = await context('report on kerosene', { explain: true });
    const wish = (id: string) => explanation!.items.find((item) => item.id === id)!.lanes.wish!;
    expect(wish('t0')).toBeLessThan(wish('t1') / 2);
  });

  test('holds for goals that share its words where it was stored as a rule', async () => {
    verifies('PACK-16');
    const { agent } = await startMemory();
    await agent.project('shop');
    const rule = await agent.remember('Migrations of the ledger run at night.', {
      kind: 'rule',
      project: 'shop',
    });
    const found = itemsOf(await agent.context('Plan the migrations', { project: 'shop' }));
    expect(found).toMatchObject([{ id: rule.id, reason: expect.stringContaining('a standing wish') }]);
    expect(itemsOf(await agent.context('Plan the party', { project: 'shop' }))).toEqual([]);
  });

  test('is found by its words, however many were said since', async () => {
    verifies('PACK-16');
    const later = Array.from({ length: 210 }, (_, index): [string, string, string] => [
      'user',
      `I hate gadget${index} with sprocket${index}.`,
      '2026-02-02',
    ]);
    const context = await talk([
      ['user', 'Whenever I ask about kerosene, give prices.', '2026-01-02'],
      ...later,
    ]);
    const [wish] = itemsOf(await context('Where to buy kerosene?'));
    expect(wish).toMatchObject({ id: 't0', reason: expect.stringContaining('a standing wish') });
  });

  test('is nobody else’s: what an assistant or a stranger says is no wish', async () => {
    const context = await talk([
      ['assistant', 'I always recommend semicolons.', '2026-01-02'],
      ['Maria', 'I prefer tabs.', '2026-01-02'],
    ]);
    const pack = await context('Write me a formatter');
    expect(itemsOf(pack).filter(({ reason }) => reason.includes('a standing wish'))).toEqual([]);
  });
});

test('a pack that finds nothing says so, and what would be worth remembering', async () => {
  verifies('PACK-17');
  const { agent } = await startMemory();
  const pack = await agent.context('How tall is the antenna?');
  expect(pack.total_items).toBe(0);
  expect(pack.notices?.join()).toMatch(/Nothing is known about this yet/);
});

test('an item without a title is called by what people wrote, never by a comment in code', async () => {
  const { agent } = await startMemory();
  await agent.remember('```sh\n# remove everything\nrm -r build\n```\nHow the build folder is cleaned');
  const [item] = itemsOf(await agent.context('clean the build folder'));
  expect(item!.name).toBe('How the build folder is cleaned');
});

test('two values of one thing are shown with their days, whichever of them is asked for', async () => {
  verifies('PACK-17');
  const { agent } = await startMemory();
  await agent.import([
    { id: 'old', content: 'The retention of logs is 14 days.', at: '2026-02-01T09:00:00Z' },
    { id: 'new', content: 'The retention of logs is 21 days.', at: '2026-04-01T09:00:00Z' },
  ]);
  const pack = await agent.context('retention of logs');
  const old = itemsOf(pack).find(({ id }) => id === 'old')!;
  expect(old.metadata.other_values).toEqual([
    {
      ...{ id: 'new', at: '2026-04-01T09:00:00.000Z', says: 'The retention of logs is 21 days.' },
      values: ['21'],
    },
  ]);
  expect(pack.markdown).toContain('Other values: 21 (later: 2026-04-01, `new`)');
  expect(pack.markdown).toContain('Other values: 14 (earlier: 2026-02-01, `old`)');
});
