import type { WindowTurnView, WindowView } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { isoTime } from '../../kernel/clock.ts';
import { openTestJournal } from '../../testing/fixtures.suite.ts';
import { Talk } from '../../window/fixture.suite.ts';
import { conversationById, turnsOf } from '../../window/queries.ts';
import { turnView, windowView } from '../../window/views.ts';
import { drawList, drawWindow } from './window.ts';

async function setUp(host: string) {
  const journal = await openTestJournal();
  const talk = await Talk.begin(journal, { host });
  const { database } = journal;
  const window = (): WindowView => windowView(database, conversationById(database, talk.id)!);
  const turns = (): WindowTurnView[] => turnsOf(database, talk.id, { limit: 10 }).map(turnView);
  return { talk, window, turns };
}

describe('the list of conversations', () => {
  test('has room for the host, when it was used and whether it is off', async () => {
    const { talk, window } = await setUp('stranger-agent');
    await talk.ask({ model: 'claude-sonnet-4-5-20250929-with-a-long-name' });
    await talk.answer(1, { money: { actual: 12.5, untouched: 25.75 } });
    await talk.switch(false);
    const [header, row] = drawList([window()]).split('\n');
    expect(header).toMatch(/^ID +HOST +MODEL +N +PROMPT +CACHE +COST +SAVED +LAST$/);
    expect(row).toContain(`${talk.id.slice(5, 13)}  stranger-agent  claude-sonnet-4-5`);
    expect(row).toMatch(/ off \d\d-\d\d \d\d:\d\d$/);
    expect(row!.length).toBeLessThanOrEqual(100);
    expect(drawList([{ ...window(), enabled: true }])).not.toContain('off');
  });
});

describe('a turn', () => {
  const NOW = Date.UTC(2026, 10, 16, 12);
  const drawn = async (minutes: number, status?: number) => {
    const { talk, window, turns } = await setUp('codex');
    await talk.ask();
    if (status !== undefined) await talk.answer(1, { status, usage: null, money: null });
    const at = isoTime(NOW - minutes * 60_000);
    const text = drawWindow({ window: window(), turns: turns().map((turn) => ({ ...turn, at })) }, NOW);
    return text.split('\n').find((line) => line.startsWith('1 '))!;
  };

  test('that failed has its status told apart from tokens', async () => {
    expect(await drawn(1, 529)).toMatch(/ - +HTTP 529 +- +-$/);
  });

  test('without an answer waits for it a while', async () => {
    expect(await drawn(14)).toMatch(/ - +… +- +-$/);
    expect(await drawn(16)).toMatch(/ - +- +- +-$/);
    expect(await drawn(1, 0)).toMatch(/ - +- +- +-$/);
  });
});
