import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Agent, startServer } from '../fold/fixture.suite.ts';
import { openDatabase } from '../kernel/sqlite.ts';
import { errorOf, movableClock, openTestJournal, temporaryFolder } from '../testing/fixtures.suite.ts';
import { backUp, restore } from './backup.ts';
import { keysOf } from './integrity/keys.ts';

async function withSomething() {
  const { agent, services } = await startServer();
  await agent.branch('a branch', 'a prompt');
  await agent.report([{ tool: 'Read', output: 'large '.repeat(60_000) }]);
  return { agent, services, journal: services.journal as Awaited<ReturnType<typeof openTestJournal>> };
}

const open = (folder: string) => openTestJournal(movableClock(), folder);

describe('a backup', () => {
  test('holds everything, blobs too, and can be restored', async () => {
    const { journal } = await withSomething();
    const file = join(temporaryFolder(), 'copy.infold');
    const report = await backUp(journal.database, journal.blobs, file);
    expect(report).toMatchObject({ ok: true, head: journal.head() });
    const folder = join(temporaryFolder(), 'restored');
    expect(await restore(file, folder, open)).toMatchObject({ ok: true, entries: report.entries });
    const restored = await openTestJournal(movableClock(), folder);
    expect(restored.head()).toEqual(journal.head());
    expect(restored.entriesAfter(0, 100)).toEqual(journal.entriesAfter(0, 100));
    const tables = (database: typeof journal.database) => database.all('SELECT * FROM fold_branch');
    expect(tables(restored.database)).toEqual(tables(journal.database));
  });

  test('carries the key, unless it is to be left out; what was signed verifies either way', async () => {
    const { journal } = await withSomething();
    const key = await journal.keys.current();
    const head = { seq: journal.head().seq, proof: await journal.prove(1) };
    for (const keys of [journal.keys.files, undefined]) {
      const file = join(temporaryFolder(), 'copy.infold');
      await backUp(journal.database, journal.blobs, file, keys);
      const pem = journal.keys.files.read(key.id)!.split('\n')[1]!;
      expect(readFileSync(file).includes(pem)).toBe(keys !== undefined);
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'keys'));
      const { aside } = await restore(file, folder, open);
      expect(readdirSync(aside!)).toEqual(['keys']);
      const restored = await open(folder);
      expect(readFileSync(join(folder, 'infold.db')).includes(pem)).toBe(false);
      expect((await restored.keys.current()).id === key.id).toBe(keys !== undefined);
      expect(keysOf(restored.database)[0]!.id).toBe(key.id);
      const { entry, path } = await restored.prove(1);
      expect({ entry, path }).toEqual({ entry: head.proof.entry, path: head.proof.path });
      expect(await restored.verify()).toMatchObject({ ok: true, entries: head.seq });
    }
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
    expect((await errorOf(() => restore(other, folder, open))).code).toBe('conflict');
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
    expect((await errorOf(() => restore(wrong, folder, open))).code).toBe('storage_invalid');
    expect(existsSync(folder)).toBe(false);
  });

  test('is what is served after a restore, whatever an earlier database left in the folder', async () => {
    const { journal } = await withSomething();
    const file = join(temporaryFolder(), 'copy.infold');
    await backUp(journal.database, journal.blobs, file);
    // The log of a database that is in use, as a machine that lost its power leaves it behind.
    const folder = temporaryFolder();
    const { journal: other } = await withSomething();
    for (const suffix of ['-wal', '-shm']) {
      copyFileSync(`${other.database.path}${suffix}`, join(folder, `infold.db${suffix}`));
    }
    const { head, aside } = await restore(file, folder, open);
    expect(head).toEqual(journal.head());
    expect(readdirSync(aside!).sort()).toEqual(['infold.db-shm', 'infold.db-wal']);
    const served = await open(folder);
    expect(served.head()).toEqual(journal.head());
    expect(await served.verify()).toMatchObject({ ok: true });
    expect(await served.verifyTables()).toMatchObject({ ok: true });
  });

  test('whose tables were changed is served as its journal says', async () => {
    const { journal } = await withSomething();
    const file = join(temporaryFolder(), 'copy.infold');
    await backUp(journal.database, journal.blobs, file);
    const copy = await openDatabase(file);
    const name = 'fold_branch';
    copy.exec(`UPDATE ${name} SET description = 'changed'; PRAGMA journal_mode = DELETE`);
    copy.close();
    const folder = temporaryFolder();
    const { rebuilt } = await restore(file, folder, open);
    expect(rebuilt).toContain(name);
    const served = await open(folder);
    expect(await served.verifyTables()).toMatchObject({ ok: true });
  });

  test('that turns out to be damaged leaves the folder as it was', async () => {
    const { journal } = await withSomething();
    const file = join(temporaryFolder(), 'copy.infold');
    await backUp(journal.database, journal.blobs, file);
    const copy = await openDatabase(file);
    copy.exec(`UPDATE journal_entry SET at = at + 1 WHERE seq = 2`);
    copy.close();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'infold.db-wal'), 'left behind');
    expect((await errorOf(() => restore(file, folder, open))).message).toContain('entry 2');
    expect(readdirSync(folder)).toEqual(['infold.db-wal']);
    const wrong = join(temporaryFolder(), 'wrong');
    writeFileSync(wrong, 'not a database at all');
    await errorOf(() => restore(wrong, folder, open));
    expect(readdirSync(folder)).toEqual(['infold.db-wal']);
  });
});
