import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { countedTime, growthByTurn } from '../testing/turns.suite.ts';
import { testJournal } from './journal.suite.ts';
import { counting, PROJECTIONS } from './journal-fixture.suite.ts';
import { SqliteJournal } from './sqlite.ts';

testJournal('SqliteJournal', async (projections) => {
  const folder = mkdtempSync(join(tmpdir(), 'infold-journal-'));
  return {
    open: (options) => SqliteJournal.open({ folder, projections, limits: LIMITS, ...options }),
    cleanup: async () => rmSync(folder, { recursive: true }),
  };
});

test('a group of commits is written bit by bit, in its order', async () => {
  countedTime();
  const folder = mkdtempSync(join(tmpdir(), 'infold-journal-'));
  let appended = 0;
  const onPoint = (point: string) => {
    if (point === 'appended') appended++;
  };
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS, onPoint });
  onTestFinished(async () => {
    await journal.close();
    rmSync(folder, { recursive: true });
  });
  const commits = () => Array.from({ length: 300 }, () => journal.commit(counting('x', { group: true })));
  let answers: number[] = [];
  const { most } = await growthByTurn(
    () => appended,
    async () => {
      answers = (await Promise.all(commits())).map(({ answer }) => answer);
    },
  );
  expect(answers).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  expect(most).toBeLessThanOrEqual(25);
});
