import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { testJournal } from './journal.suite.ts';
import { SqliteJournal } from './sqlite.ts';

testJournal('SqliteJournal', async (projections) => {
  const folder = mkdtempSync(join(tmpdir(), 'infold-journal-'));
  return {
    open: (options) => SqliteJournal.open({ folder, projections, limits: LIMITS, ...options }),
    cleanup: async () => rmSync(folder, { recursive: true }),
  };
});
