import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Agent, startServer } from '../fold/fixture.suite.ts';
import { errorOf, movableClock, openTestJournal, temporaryFolder } from '../testing/fixtures.suite.ts';
import { backUp, restore } from './backup.ts';

async function withSomething() {
  const { agent, services } = await startServer();
  await agent.branch('a branch', 'a prompt');
  await agent.report([{ tool: 'Read', output: 'large '.repeat(60_000) }]);
  return { agent, services, journal: services.journal as Awaited<ReturnType<typeof openTestJournal>> };
}

describe('a backup', () => {
  test('holds everything, blobs too, and can be restored', async () => {
    const { journal } = await withSomething();
    const file = join(temporaryFolder(), 'copy.infold');
    const report = await backUp(journal.database, journal.blobs, file);
    expect(report).toMatchObject({ ok: true, head: journal.head() });
    const folder = join(temporaryFolder(), 'restored');
    expect(await restore(file, folder)).toMatchObject({ ok: true, entries: report.entries });
    const restored = await openTestJournal(movableClock(), folder);
    expect(restored.head()).toEqual(journal.head());
    expect(restored.entriesAfter(0, 100)).toEqual(journal.entriesAfter(0, 100));
    const tables = (database: typeof journal.database) => database.all('SELECT * FROM fold_branch');
    expect(tables(restored.database)).toEqual(tables(journal.database));
  });

  test('is made while others write, as of one moment', async () => {
    const { agent, journal, services } = await withSomething();
    const writing = Promise.all(
      Array.from({ length: 50 }, () => new Agent(services).branch('b', 'p').catch(() => {})),
    );
    const file = join(temporaryFolder(), 'copy.infold');
    const report = await backUp(journal.database, journal.blobs, file);
    await writing;
    await agent.status();
    expect(report.ok).toBe(true);
    expect(report.entries).toBeLessThanOrEqual(journal.head().seq);
  });

  test('never overwrites a file or a data folder', async () => {
    const { journal } = await withSomething();
    const folder = temporaryFolder();
    const file = join(folder, 'copy.infold');
    writeFileSync(file, 'mine');
    expect((await errorOf(() => backUp(journal.database, journal.blobs, file))).code).toBe('conflict');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const other = join(folder, 'other.infold');
    await backUp(journal.database, journal.blobs, other);
    writeFileSync(join(folder, 'infold.db'), 'mine');
    expect((await errorOf(() => restore(other, folder))).code).toBe('conflict');
  });

  test('of a damaged journal is not made, and what is no backup is not restored', async () => {
    const { journal } = await withSomething();
    journal.database.exec(`UPDATE journal_entry SET data = '{"events":[]}' WHERE seq = 1`);
    const file = join(temporaryFolder(), 'copy.infold');
    expect((await errorOf(() => backUp(journal.database, journal.blobs, file))).message).toContain('entry 1');
    expect(existsSync(file)).toBe(false);
    const wrong = join(temporaryFolder(), 'wrong');
    writeFileSync(wrong, 'not a database at all');
    const folder = join(temporaryFolder(), 'restored');
    expect((await errorOf(() => restore(wrong, folder))).code).toBe('storage_invalid');
    expect(existsSync(join(folder, 'infold.db'))).toBe(false);
  });
});
