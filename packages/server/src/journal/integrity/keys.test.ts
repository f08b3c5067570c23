import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counting, PROJECTIONS, raised } from '../journal-fixture.suite.ts';
import { SqliteJournal } from '../sqlite.ts';
import { endorsementText, isSignedBy, keyIdOf, keysOf } from './keys.ts';

let folder: string;
const opened: SqliteJournal[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-keys-'));
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<SqliteJournal> {
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS });
  opened.push(journal);
  return journal;
}
const files = () => readdirSync(join(folder, 'keys'));

describe('the key of a data folder', () => {
  test('is made when it is first needed, and is for its owner alone', async () => {
    const journal = await open();
    await journal.commit(counting('x'));
    expect(existsSync(join(folder, 'keys'))).toBe(false);
    const key = await journal.keys.current();
    expect(key.id).toBe(keyIdOf(key.publicKey));
    const mode = (...names: string[]) => (statSync(join(folder, ...names)).mode & 0o777).toString(8);
    expect([mode('keys'), mode('keys', `${key.id}.pem`)]).toEqual(['700', '600']);
    expect(isSignedBy(key.publicKey, 'text', key.sign('text'))).toBe(true);
    expect(isSignedBy(key.publicKey, 'other', key.sign('text'))).toBe(false);
    expect(isSignedBy(new Uint8Array(44), 'text', key.sign('text'))).toBe(false);
    expect((await (await open()).keys.current()).id).toBe(key.id);
  });

  test('is one, however many need it first at once', async () => {
    const journals = await Promise.all(Array.from({ length: 6 }, open));
    const keys = await Promise.all(journals.map((journal) => journal.keys.current()));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect(files()).toEqual([`${keys[0]!.id}.pem`]);
    expect(keysOf(journals[0]!.database)).toHaveLength(1);
  });

  test('that was lost is followed by a new one, which nobody endorsed; what it signed still verifies', async () => {
    const journal = await open();
    await Promise.all(Array.from({ length: 1000 }, () => journal.commit(counting('x', { group: true }))));
    await journal.checkpoint();
    const lost = await journal.keys.current();
    rmSync(join(folder, 'keys'), { recursive: true });
    const other = await open();
    const next = await other.keys.current();
    expect(next.id).not.toBe(lost.id);
    expect(keysOf(other.database).map(({ id, endorsed_by }) => [id, endorsed_by])).toEqual([
      [lost.id, null],
      [next.id, null],
    ]);
    expect(await other.verify()).toMatchObject({ ok: true, checkpoints: 1 });
    // The process that still has the old one in its memory signs with the new one too.
    expect((await journal.keys.current()).id).toBe(next.id);
  });

  test('whose file holds something else is refused, and commits go on', async () => {
    const journal = await open();
    const { id } = await journal.keys.current();
    writeFileSync(join(folder, 'keys', `${id}.pem`), 'something else');
    const other = await open();
    await expect(other.keys.current()).rejects.toMatchObject({ code: 'storage_invalid' });
    await expect(
      Promise.all(Array.from({ length: 1000 }, () => other.commit(counting('x', { group: true })))),
    ).resolves.toHaveLength(1000);
    await other.close();
    expect((await journal.verify()).ok).toBe(true);
  });

  test('is handed on: the next one is endorsed by it, and its file is gone', async () => {
    const journal = await open();
    const old = await journal.keys.current();
    const { row, key } = journal.keys.make();
    const text = endorsementText(key.publicKey);
    const endorsed = { ...row, endorsed_by: old.id, endorsement: old.sign(text) };
    await journal.commit({
      ...counting('x'),
      decide: () => ({ events: [raised('x')], answer: 0, key: endorsed }),
    });
    await journal.keys.discardFormer();
    expect(files()).toEqual([`${key.id}.pem`]);
    const [first, second] = keysOf(journal.database);
    expect(isSignedBy(first!.public_key, text, second!.endorsement!)).toBe(true);
    expect((await (await open()).keys.current()).id).toBe(key.id);
  });

  test.skipIf(process.getuid?.() === 0)(
    'that may not be read is an error, not a reason for another',
    async () => {
      const { id } = await (await open()).keys.current();
      const path = join(folder, 'keys', `${id}.pem`);
      chmodSync(path, 0);
      await expect((await open()).keys.current()).rejects.toMatchObject({ code: 'storage_failed' });
      chmodSync(path, 0o600);
      expect(readFileSync(path, 'utf8')).toContain('PRIVATE KEY');
    },
  );
});
