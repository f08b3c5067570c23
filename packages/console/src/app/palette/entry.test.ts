import { GitFork } from 'lucide-react';
import { describe, expect, test } from 'vitest';
import { type PaletteEntry, type PaletteGroup, shownOf, unique } from './entry.ts';

const entry = (name: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
  value: name,
  name,
  icon: GitFork,
  ...more,
});
const named = (groups: readonly PaletteGroup[]) =>
  groups.map(({ heading, entries }) => [heading, ...entries.map(({ name }) => name)]);
const many = Array.from({ length: 9 }, (_, place) => entry(`Session ${place}`));

describe('the palette', () => {
  test('begins with a few of each group, and without those that nobody needs at once', () => {
    const groups = [
      { heading: 'Recent', entries: many, atOnce: 2 },
      { heading: 'Tools', entries: many, atOnce: 0 },
    ];
    expect(named(shownOf(groups, ' '))).toEqual([['Recent', 'Session 0', 'Session 1']]);
  });

  test('shows the best few of each group, and the group with the best match first', () => {
    const groups = [
      { heading: 'Memory', entries: [entry('Why sessions end')], atOnce: 0 },
      { heading: 'Sessions', entries: [entry('The session of Monday'), ...many], atOnce: 0 },
    ];
    expect(named(shownOf(groups, 'session'))).toEqual([
      ['Sessions', 'Session 0', 'Session 1', 'Session 2', 'Session 3', 'Session 4'],
      ['Memory', 'Why sessions end'],
    ]);
    expect(shownOf(groups, 'nothing like that')).toEqual([]);
  });

  test('keeps what the server found by other words than its name, below what is named so', () => {
    const groups = [
      { heading: 'Memory', entries: [entry('How long we keep logs', { isFound: true })], atOnce: 0 },
      { heading: 'Library', entries: [entry('RETENTION.md')], atOnce: 0 },
    ];
    expect(named(shownOf(groups, 'retention'))).toEqual([
      ['Library', 'RETENTION.md'],
      ['Memory', 'How long we keep logs'],
    ]);
  });

  test('names nothing twice', () => {
    const [first, second] = [entry('a', { note: 'known' }), entry('a', { note: 'found' })];
    expect(unique([first, entry('b'), second])).toEqual([first, entry('b')]);
  });
});
