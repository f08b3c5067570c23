import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { LastReportsWriter, readLastReports } from './last-reports.ts';

test('several processes note what they hear, and none loses what another wrote', () => {
  const folder = temporaryFolder();
  const [one, other] = [new LastReportsWriter(folder), new LastReportsWriter(folder)];
  one.understood('codex', 'SessionStart', 5);
  one.unknown('codex', 'Stop', 4, { chat: 1 });
  one.flush();
  other.understood('codex', 'PostToolUse', 7);
  other.unknown('gemini', 'AfterTool', 8, { brand: 1, new: 'a secret' });
  other.flush();
  one.foreign('claude-code', 'Stop', 9);
  one.flush();
  expect(readLastReports(folder)).toEqual({
    codex: {
      ...{ at: 7, events: { SessionStart: 5, PostToolUse: 7 } },
      unknown: { at: 4, event: 'Stop', fields: ['chat'] },
    },
    gemini: { events: {}, unknown: { at: 8, event: 'AfterTool', fields: ['brand', 'new'] } },
    'claude-code': { events: {}, foreign: { at: 9, event: 'Stop' } },
  });
  expect(readdirSync(folder)).toEqual(['hooks-heard.json']);
  expect(statSync(join(folder, 'hooks-heard.json')).mode & 0o777).toBe(0o600);
});

test.each([undefined, null, {}, [], ['a'], 'text', 7])('%j is no new shape of a payload', (payload) => {
  const folder = temporaryFolder();
  const notes = new LastReportsWriter(folder);
  notes.unknown('codex', 'Stop', 4, payload);
  notes.flush();
  expect(readLastReports(folder)).toEqual({ codex: { events: {}, empty: { at: 4, event: 'Stop' } } });
});

test('it stays small, whatever names hosts think of', () => {
  const folder = temporaryFolder();
  const notes = new LastReportsWriter(folder);
  for (let number = 0; number < 500; number++)
    notes.understood('pi', `${'x'.repeat(99)}`.slice(number % 90), number);
  notes.unknown(
    'pi',
    'y'.repeat(999),
    1,
    Object.fromEntries(Array.from({ length: 999 }, (_, at) => [`f${at}`, at])),
  );
  notes.flush();
  const { events, unknown } = readLastReports(folder).pi!;
  expect(Object.keys(events).length).toBeLessThanOrEqual(50);
  expect(Object.values(events)).toContain(499);
  expect(unknown!.fields).toHaveLength(40);
  expect(unknown!.event).toHaveLength(60);
});

test('a file that cannot be read says nothing, and a folder that has gone hurts nobody', () => {
  const folder = temporaryFolder();
  for (const text of ['', '{', '[]', '{"codex":{"at":"never"}}']) {
    writeFileSync(join(folder, 'hooks-heard.json'), text);
    expect(readLastReports(folder)).toEqual({});
  }
  const notes = new LastReportsWriter(join(folder, 'gone'));
  notes.understood('codex', 'Stop', 1);
  notes.flush();
  expect(readLastReports(join(folder, 'gone'))).toEqual({});
});
