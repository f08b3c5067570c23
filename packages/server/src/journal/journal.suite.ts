import { afterEach, beforeEach, describe } from 'vitest';
import type { Journal } from './journal.ts';
import { testCheckpoints } from './journal-checkpoints.suite.ts';
import { testCommits } from './journal-commits.suite.ts';
import { type JournalStore, PROJECTIONS, type StoreFactory } from './journal-fixture.suite.ts';
import { testIdentifiers } from './journal-identifiers.suite.ts';
import { testUpkeep } from './journal-upkeep.suite.ts';
import { testWatchers } from './journal-watchers.suite.ts';

/** What the tests of one promise work with: a fresh store for each test. */
export interface Bench {
  /** Another journal on the test's store; closed when the test ends. */
  open: JournalStore['open'];
}

/**
 * The conformance suite of the Journal port: every implementation runs it unchanged. A test says "another journal"
 * for what would be another process; those with real processes are the fault tests.
 */
export function testJournal(name: string, factory: StoreFactory): void {
  describe(`${name} keeps the promises of a journal`, () => {
    let store: JournalStore;
    let opened: Journal[];
    const bench: Bench = {
      open: async (options) => {
        const journal = await store.open(options);
        opened.push(journal);
        return journal;
      },
    };

    beforeEach(async () => {
      opened = [];
      store = await factory(PROJECTIONS);
    });
    afterEach(async () => {
      for (const journal of opened) await journal.close();
      await store.cleanup();
    });

    testCommits(bench);
    testIdentifiers(bench);
    testWatchers(bench);
    testUpkeep(bench);
    testCheckpoints(bench);
  });
}
