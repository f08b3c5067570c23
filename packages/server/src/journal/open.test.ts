import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { openDatabase } from '../kernel/sqlite.ts';
import {
  counterValue,
  counting,
  dumpTables,
  PROJECTIONS,
  seen,
  stateOf,
  writing,
} from './journal-fixture.suite.ts';
import type { Projection } from './projections/projector.ts';
import { PROJECTIONS_SINCE, SCHEMA_VERSION } from './schema.ts';
import { SqliteJournal } from './sqlite.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-open-'));
  path = join(folder, 'infold.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (more: Partial<Parameters<typeof SqliteJournal.open>[0]> = {}) =>
  SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS, ...more });

/** As another program, or another version of this one, would do it. */
async function fromOutside(sql: string): Promise<void> {
  const database = await openDatabase(path);
  database.exec(sql);
  database.close();
}

describe('the schema of the file', () => {
  test('when newer, is refused at opening, and the file stays as it is', async () => {
    const journal = await open();
    await journal.commit(counting('x'));
    await journal.close();
    await fromOutside(`UPDATE journal_head SET schema = ${SCHEMA_VERSION + 1}`);
    const before = readFileSync(path);
    await expect(open()).rejects.toMatchObject({
      code: 'storage_newer',
      retryable: false,
      message: expect.stringMatching(/newer Infold \(schema \d+; this one supports \d+\).*Upgrade.*--data/),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('when upgraded by another process, is refused at the next write', async () => {
    const journal = await open();
    await journal.commit(counting('x'));
    await fromOutside(`UPDATE journal_head SET schema = ${SCHEMA_VERSION + 1}`);
    const before = stateOf(journal);
    const refused = { code: 'storage_newer', message: expect.stringContaining('newer Infold') };
    await expect(journal.commit(counting('x'))).rejects.toMatchObject(refused);
    await expect(journal.commit(counting('x', { group: true }))).rejects.toMatchObject(refused);
    // It would replace the newer program's tables by its own.
    await expect(journal.rebuild()).rejects.toMatchObject(refused);
    expect(stateOf(journal)).toEqual(before);
    await journal.close();
  });

  test('when older, has its projections made anew', async () => {
    verifies('KERN-04');
    const journal = await open();
    for (let round = 0; round < 5; round++) await journal.commit(counting('x'));
    const before = dumpTables(journal.database);
    await journal.close();
    await fromOutside(
      `DROP TABLE register; CREATE TABLE gone_since (a); UPDATE counter SET value = 0;
       ALTER TABLE journal_head DROP COLUMN projections; UPDATE journal_head SET schema = ${PROJECTIONS_SINCE - 1}`,
    );
    const seen: [number, number][] = [];
    const upgraded = await open({ onRebuild: (done, total) => seen.push([done, total]) });
    expect(dumpTables(upgraded.database)).toEqual(before);
    expect(seen.at(-1)).toEqual([5, 5]);
    expect((await upgraded.commit(counting('x'))).answer).toBe(6);
    expect((await upgraded.verify()).ok).toBe(true);
    await upgraded.close();
  });
});

describe('the version of a projection', () => {
  const [tallies, register] = PROJECTIONS as [Projection, Projection];

  /** Says which projections hear of events. */
  function listening(heard: string[]): Projection[] {
    return PROJECTIONS.map((projection) => ({
      ...projection,
      on: Object.fromEntries(
        Object.entries(projection.on).map(([type, handler]) => [
          type,
          (...args: Parameters<typeof handler>) => {
            heard.push(projection.name);
            (handler as (...all: unknown[]) => void)(...args);
          },
        ]),
      ),
    }));
  }

  async function written(projections: readonly Projection[] = PROJECTIONS): Promise<void> {
    const journal = await open({ projections });
    for (let round = 0; round < 5; round++) await journal.commit(counting('x'));
    await journal.close();
  }

  test('when raised, has its tables made anew, and nobody else’s', async () => {
    verifies('KERN-04');
    await written();
    // What is wrong in a table stays as long as nobody makes it anew.
    await fromOutside('UPDATE counter SET value = 999; DELETE FROM register');
    const heard: string[] = [];
    const [same, changed] = listening(heard) as [Projection, Projection];
    const seen: [number, number][] = [];
    const journal = await open({
      projections: [same, { ...changed, version: 2 }],
      onRebuild: (done, total) => seen.push([done, total]),
    });
    expect(heard).toEqual(Array(5).fill('register'));
    expect(seen.at(-1)).toEqual([5, 5]);
    expect(counterValue(journal.database, 'x')).toBe(999);
    expect(journal.database.all('SELECT * FROM register')).toHaveLength(5);
    await journal.close();

    heard.length = 0;
    await (await open({ projections: [same, { ...changed, version: 2 }] })).close();
    expect(heard).toEqual([]);
  });

  test('brings other tables, and takes those that it had', async () => {
    await written();
    const tables = 'CREATE TABLE types_seen (type TEXT PRIMARY KEY) STRICT;';
    const counted: Projection = {
      ...{ name: 'register', version: 2, tables },
      on: {
        'counter.raised': (database) =>
          database.run(`INSERT OR IGNORE INTO types_seen VALUES ('counter.raised')`),
      },
    };
    const journal = await open({ projections: [tallies, counted] });
    expect(journal.database.all('SELECT * FROM types_seen')).toEqual([{ type: 'counter.raised' }]);
    expect(() => journal.database.all('SELECT * FROM register')).toThrow('no such table');
    expect(counterValue(journal.database, 'x')).toBe(5);
    expect(await journal.verifyTables()).toMatchObject({ ok: true });
    await journal.close();
  });

  test('comes with a projection that is new', async () => {
    await written([tallies]);
    const journal = await open();
    expect(journal.database.all('SELECT * FROM register')).toHaveLength(5);
    await journal.close();
  });

  test.each([
    ['raised', [tallies, { ...register, version: 2 }], 'register 2; this one supports 1'],
    [
      'that is new',
      [tallies, register, { ...register, name: 'more', tables: '' }],
      'more 1; this one supports 0',
    ],
  ])('when %s by another process, is refused at the next write, and at opening', async (_, newer, what) => {
    const journal = await open();
    await journal.commit(counting('x'));
    await (await open({ projections: newer })).close();
    const before = stateOf(journal);
    const refused = {
      code: 'storage_newer',
      message: expect.stringContaining(`was written by a newer Infold (tables of ${what})`),
    };
    await expect(journal.commit(counting('x'))).rejects.toMatchObject(refused);
    await expect(journal.commit(counting('x', { group: true }))).rejects.toMatchObject(refused);
    await expect(journal.rebuild()).rejects.toMatchObject(refused);
    expect(stateOf(journal)).toEqual(before);
    await journal.close();
    await expect(open()).rejects.toMatchObject(refused);
  });

  test('when put back by another process, asks for a restart', async () => {
    const journal = await open({ projections: [tallies, { ...register, version: 2 }] });
    await fromOutside(`UPDATE journal_head SET projections = '[["register",1],["tallies",1]]'`);
    await expect(journal.commit(counting('x'))).rejects.toMatchObject({
      code: 'storage_invalid',
      message: expect.stringContaining('restart Infold'),
    });
    await journal.close();
  });
});

describe('opening', () => {
  test('a file that is no database is refused and left alone', async () => {
    const text = 'Dear diary,\n'.repeat(1000);
    writeFileSync(path, text);
    await expect(open()).rejects.toMatchObject({
      code: 'storage_invalid',
      message: expect.stringContaining(path),
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test("another program's database is refused and left alone", async () => {
    await fromOutside('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
    const before = readFileSync(path);
    await expect(open()).rejects.toMatchObject({
      code: 'storage_invalid',
      message: expect.stringContaining('another program'),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('a journal without its head is refused, also when it is lost while in use', async () => {
    const journal = await open();
    await journal.commit(counting('x'));
    await fromOutside('DELETE FROM journal_head');
    const refused = { code: 'storage_invalid', message: expect.stringContaining('no head') };
    await expect(journal.commit(counting('x'))).rejects.toMatchObject(refused);
    await expect(journal.verify()).rejects.toMatchObject(refused);
    await expect(open()).rejects.toMatchObject(refused);
    await journal.close();
  });

  test('a folder that cannot be made, or a file that is a folder, is one clear error', async () => {
    writeFileSync(join(folder, 'file'), '');
    const below = join(folder, 'file', 'data');
    await expect(open({ folder: below })).rejects.toMatchObject({
      code: 'storage_failed',
      message: `Cannot create the data folder ${below}`,
    });
    mkdirSync(path);
    await expect(open()).rejects.toMatchObject({
      code: 'storage_failed',
      message: `${path} cannot be opened or created`,
    });
  });

  // Root writes anywhere; the fault tests have a file system that is read-only for root too.
  test.skipIf(process.getuid?.() === 0)('a read-only folder is one clear error', async () => {
    chmodSync(folder, 0o500);
    await expect(open()).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(path),
    });
    chmodSync(folder, 0o700);
  });

  test('many at once on a new folder all succeed', async () => {
    verifies('KERN-02');
    for (let round = 0; round < 10; round++) {
      const fresh = join(folder, String(round));
      const journals = await Promise.all(Array.from({ length: 6 }, () => open({ folder: fresh })));
      await Promise.all(journals.map((journal) => journal.commit(counting('x'))));
      expect(counterValue(journals[0]!.database, 'x')).toBe(6);
      await Promise.all(journals.map((journal) => journal.close()));
    }
  });

  test('gives nobody else access to what it makes', async () => {
    const data = join(folder, 'new', 'data');
    const journal = await open({ folder: data });
    const large = seen({ body: 'x'.repeat(300_000) });
    await journal.commit(writing([large]));
    await journal.commit(counting('x'));
    const mode = (...names: string[]) => (statSync(join(data, ...names)).mode & 0o777).toString(8);
    for (const name of ['infold.db', 'infold.db-wal', 'infold.db-shm'])
      expect([name, mode(name)]).toEqual([name, '600']);
    expect(mode()).toBe('700');
    expect(mode('..')).toBe('700');
    const blob = journal.database.get<{ blob: string }>('SELECT blob FROM journal_entry WHERE seq = 1')!.blob;
    expect(mode('blobs')).toBe('700');
    expect(mode('blobs', blob.slice(0, 2))).toBe('700');
    expect(mode('blobs', blob.slice(0, 2), blob)).toBe('600');
    await journal.close();
  });
});
