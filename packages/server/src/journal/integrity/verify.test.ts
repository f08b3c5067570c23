import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { FORGOTTEN, type JournalEvent } from '../journal.ts';
import { counting, PROJECTIONS, raised, seen, writing } from '../journal-fixture.suite.ts';
import { SqliteJournal } from '../sqlite.ts';

const LENGTH = 12;
const BLOB_AT = 5;
let folder: string;
let journal: SqliteJournal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'infold-verify-'));
  journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS });
  for (let seq = 1; seq <= LENGTH; seq++) {
    const large = seen({ body: `${seq} `.repeat(200_000) });
    await journal.commit(seq === BLOB_AT ? writing([large]) : counting('x', { stream: `stream.${seq % 3}` }));
  }
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true });
});

const tamper = (sql: string) => journal.database.exec(sql);
const first = async () => (await journal.verify()).first;

/** Puts one entry where the other is, and the other way round. */
function swap(one: number, other: number): void {
  tamper(`UPDATE journal_entry SET seq = -1 WHERE seq = ${one};
    UPDATE journal_entry SET seq = ${one} WHERE seq = ${other};
    UPDATE journal_entry SET seq = ${other} WHERE seq = -1;`);
}

const blobFile = () => {
  const name = journal.database.get<{ blob: string }>(
    `SELECT blob FROM journal_entry WHERE seq = ${BLOB_AT}`,
  )!.blob;
  return join(journal.blobs.folder, name.slice(0, 2), name);
};

describe('verify names the first entry that is not as it was written', () => {
  test('untouched: none', async () => {
    verifies('KERN-03');
    expect(await journal.verify()).toMatchObject({ ok: true, entries: LENGTH, events: LENGTH, erased: 0 });
  });

  test.each([
    ['data', "data = replace(data, '1', '2')"],
    ['data, hidden by taking its salt', "data = replace(data, '1', '2'), salt = NULL"],
    ['data moved to a file that is not there', "data = NULL, blob = 'ab12'"],
    ['data taken away but not erased', 'data = NULL'],
    ['id', "id = id || 'x'"],
    ['stream', "stream = 'another'"],
    ['revision', 'rev = rev + 1000'],
    ['time', 'at = at + 1'],
    ['a time that no program can read', 'at = 1 << 60'],
    ['actor', `actor = '["acme","eve"]'`],
    ['cause', "cause = 'another'"],
    ['salt', 'salt = randomblob(16)'],
    ['digest', 'digest = randomblob(32)'],
    ['hash', 'hash = randomblob(32)'],
    ['whether its id was chosen', 'chosen = 1 - chosen'],
    ['blanked, as if it had been erased', 'data = NULL, blob = NULL, salt = NULL'],
    [
      'blanked, with an entry named that says nothing of it',
      `data = NULL, blob = NULL, salt = NULL, replaced_by = ${LENGTH}`,
    ],
    ['marked as erased', `replaced_by = ${LENGTH}`],
    ['data twice', "data = coalesce(data, '{}'), blob = coalesce(blob, 'ab12')"],
  ])('changed %s', async (_, change) => {
    verifies('KERN-03');
    for (const seq of [LENGTH, 7, 1]) {
      tamper(`UPDATE journal_entry SET ${change} WHERE seq = ${seq}`);
      const report = await journal.verify();
      expect(report.ok).toBe(false);
      expect(report.first?.seq).toBe(seq);
      expect(report.first?.problem).toMatch(/^changed/);
      expect(report.entries).toBe(seq - 1);
    }
  });

  test.each([1, 6, LENGTH])('dropped %i', async (seq) => {
    verifies('KERN-03');
    tamper(`DELETE FROM journal_entry WHERE seq = ${seq}`);
    expect(await first()).toEqual({
      seq,
      id: null,
      stream: null,
      problem: expect.stringMatching(/^dropped/),
    });
  });

  test.each([
    [1, 2],
    [3, LENGTH],
    [4, 7],
  ])('swapped %i and %i', async (one, other) => {
    verifies('KERN-03');
    swap(one, other);
    expect(await first()).toMatchObject({ seq: one, problem: expect.stringContaining('reordered') });
  });

  test('dropped, with the later ones moved up', async () => {
    verifies('KERN-03');
    tamper(`DELETE FROM journal_entry WHERE seq = 6; UPDATE journal_entry SET seq = seq - 1 WHERE seq > 6;
      UPDATE journal_head SET seq = seq - 1`);
    expect(await first()).toMatchObject({ seq: 6 });
  });

  test('added: after the newest, or before the first', async () => {
    verifies('KERN-03');
    const copy = (seq: number, id: string) =>
      tamper(`INSERT INTO journal_entry SELECT ${seq}, '${id}', 0, 's', ${seq}, at, actor, cause, salt, data, blob, replaced_by, digest, hash
        FROM journal_entry WHERE seq = 1`);
    copy(LENGTH + 1, 'one');
    expect(await first()).toMatchObject({ seq: LENGTH + 1, problem: expect.stringMatching(/^added/) });
    copy(0, 'two');
    expect(await first()).toMatchObject({ seq: 0, problem: expect.stringMatching(/^added/) });
  });

  test('changed head', async () => {
    verifies('KERN-03');
    tamper('UPDATE journal_head SET hash = randomblob(32)');
    expect(await first()).toMatchObject({
      seq: LENGTH,
      problem: 'changed: the head points to another entry',
    });
    tamper(`UPDATE journal_head SET seq = ${LENGTH + 3}`);
    expect(await first()).toMatchObject({ seq: LENGTH + 1, problem: expect.stringMatching(/^dropped/) });
    tamper('UPDATE journal_head SET seq = 4');
    expect(await first()).toMatchObject({ seq: 4 });
    tamper('UPDATE journal_head SET seq = 0, hash = zeroblob(32)');
    expect(await first()).toMatchObject({ seq: 1, problem: expect.stringMatching(/^added/) });
  });

  test('whatever was done to it, and however often', async () => {
    verifies('KERN-03');
    const position = fc.integer({ min: 1, max: LENGTH });
    const change = fc.oneof(
      fc
        .tuple(fc.constantFrom('stream', 'id', 'actor', 'cause', 'data', 'digest', 'hash', 'salt'), position)
        .map(([column, seq]) => ({
          first: seq,
          // Each is of a random type that the column takes, and never what it was.
          sql: `UPDATE journal_entry SET ${column} = ${
            ['digest', 'hash', 'salt'].includes(column) ? 'randomblob(32)' : 'hex(randomblob(8))'
          } WHERE seq = ${seq}`,
        })),
      fc
        .tuple(fc.constantFrom('at', 'rev'), position, fc.integer({ min: 1, max: 999_999 }))
        .map(([column, seq, by]) => ({
          first: seq,
          sql: `UPDATE journal_entry SET ${column} = ${column} + ${by * 1000} WHERE seq = ${seq}`,
        })),
      position.map((seq) => ({ first: seq, sql: `DELETE FROM journal_entry WHERE seq = ${seq}` })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        tamper('SAVEPOINT untouched');
        try {
          for (const { sql } of changes) tamper(sql);
          const report = await journal.verify();
          expect(report.ok).toBe(false);
          expect(report.first?.seq).toBe(Math.min(...changes.map((one) => one.first)));
        } finally {
          tamper('ROLLBACK TO untouched; RELEASE untouched');
        }
      }),
      { numRuns: runs(150) },
    );
    expect((await journal.verify()).ok).toBe(true);
  });
});

describe('a checkpoint that is not as it was made is named by its entry', () => {
  beforeEach(async () => {
    const commits = Array.from({ length: 3100 - LENGTH }, () =>
      journal.commit(counting('x', { group: true })),
    );
    await Promise.all(commits);
    await journal.checkpoint();
  });

  test.each([
    ['root', 'root = randomblob(32)'],
    ['root of its interval', 'interval_root = randomblob(32)'],
    ['hash', 'hash = randomblob(32)'],
    ['signature', 'signature = randomblob(64)'],
    ['key', "key = 'key_of_somebody'"],
    ['position', 'seq = seq + 1'],
  ])('%s', async (_, change) => {
    verifies('KERN-03');
    expect(await journal.verify()).toMatchObject({ ok: true, entries: 3100, checkpoints: 3 });
    tamper(`UPDATE journal_checkpoint SET ${change} WHERE seq = 3000`);
    const last = await first();
    expect(last?.problem).toMatch(/^(changed: its checkpoint|added: no checkpoint|dropped)/);
    expect([3000, 3001]).toContain(last?.seq);
    tamper(`UPDATE journal_checkpoint SET ${change} WHERE seq = 1000`);
    expect(await first()).toMatchObject({
      seq: 1000,
      problem: expect.stringMatching(/^(changed|dropped): its checkpoint/),
    });
  });

  test('one that is missing before the last, or too many; the last one may still have to be made', async () => {
    verifies('KERN-03');
    tamper('DELETE FROM journal_checkpoint WHERE seq = 3000');
    expect(await journal.verify()).toMatchObject({ ok: true, checkpoints: 2 });
    tamper('DELETE FROM journal_checkpoint WHERE seq = 1000');
    expect(await first()).toMatchObject({ seq: 1000, problem: 'dropped: its checkpoint is missing' });
    tamper(`UPDATE journal_checkpoint SET seq = 4000`);
    expect(await first()).toMatchObject({ seq: 1000 });
  });

  test('signed by another key under a known name', async () => {
    verifies('KERN-03');
    tamper('UPDATE journal_key SET public_key = randomblob(44)');
    expect(await first()).toMatchObject({ seq: 1000, problem: expect.stringContaining('does not have') });
  });
});

describe('erased data', () => {
  test('is counted, leaves the chain whole and the entry in its place', async () => {
    verifies('KERN-03');
    const erase = [1, BLOB_AT, LENGTH];
    const forgotten = {
      target: { kind: 'item', id: 'x' },
      entries: erase.map((seq) => ({ seq, events: [] })),
    };
    const events: JournalEvent[] = [{ type: FORGOTTEN, data: forgotten }];
    await journal.commit({ ...writing(events), decide: () => ({ events, answer: null, erase }) });
    expect(await journal.verify()).toMatchObject({
      ok: true,
      entries: LENGTH + 1,
      events: LENGTH + 1 - 3,
      erased: 3,
    });
    expect(journal.entryAt(1)).toMatchObject({ seq: 1, events: [], erased: true });
    expect(journal.entryAt(2)).toMatchObject({ erased: false });
    await journal.commit(writing([raised('x')]));
    expect((await journal.verify()).ok).toBe(true);
    await journal.rebuild();
    // Ten counts of the first twelve entries were left, and one came.
    expect(journal.database.get<{ value: number }>("SELECT value FROM counter WHERE name = 'x'")?.value).toBe(
      10,
    );
  });
});

describe('a file with the data of an entry', () => {
  test.each([
    ['missing', () => rmSync(blobFile())],
    ['cut short', () => truncateSync(blobFile(), 100)],
    ['changed', () => writeFileSync(blobFile(), 'something else')],
  ])(
    'when %s, is named by verify; reading it is an error, and a rebuild leaves the tables as they are',
    async (_, damage) => {
      verifies('KERN-03');
      damage();
      expect(await first()).toMatchObject({
        seq: BLOB_AT,
        problem: expect.stringContaining('missing or damaged'),
      });
      const invalid = { code: 'storage_invalid', message: expect.stringContaining(`entry ${BLOB_AT}`) };
      expect(() => journal.entryAt(BLOB_AT)).toThrow(expect.objectContaining(invalid));
      const count = () => journal.database.get('SELECT count(*) AS count FROM register');
      const before = count();
      await expect(journal.rebuild()).rejects.toMatchObject(invalid);
      expect(count()).toEqual(before);
      // Writing the same data again puts the file right for both.
      await journal.commit(writing([seen({ body: `${BLOB_AT} `.repeat(200_000) })]));
      expect((await journal.verify()).ok).toBe(true);
    },
  );

  test('that no entry names is harmless', async () => {
    journal.blobs.write('left by a crash');
    writeFileSync(`${blobFile()}.0123.tmp`, 'half');
    expect(await journal.verify()).toMatchObject({ ok: true, entries: LENGTH });
    expect((await journal.rebuild()).entries).toBe(LENGTH);
    expect(readdirSync(journal.blobs.folder).length).toBeGreaterThan(0);
  });

  test('that is damaged does not make a later commit fail, though watchers cannot be told of it', async () => {
    const errors: unknown[] = [];
    const reader = await SqliteJournal.open({
      folder,
      projections: PROJECTIONS,
      limits: LIMITS,
      onError: (error) => errors.push(error),
    });
    reader.watch(() => {});
    const large = seen({ body: 'y'.repeat(300_000) });
    const { entry } = await journal.commit(writing([large]));
    const { blob } = journal.database.get<{ blob: string }>(
      'SELECT blob FROM journal_entry WHERE seq = ?',
      entry!.seq,
    )!;
    journal.blobs.erase(blob);
    await expect(reader.commit(counting('x'))).resolves.toMatchObject({ entry: { seq: LENGTH + 2 } });
    expect(errors).toEqual([expect.objectContaining({ code: 'storage_invalid' })]);
    await reader.close();
  });
});
