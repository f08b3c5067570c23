import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endorsementText, isSignedBy } from '../journal/integrity/keys.ts';
import { movableClock, openTestJournal, temporaryFolder } from '../testing/fixtures.suite.ts';
import { localOwner } from './identity/caller.ts';
import type { KeyRotated } from './identity/events.ts';
import { listKeys, rotateKey } from './signing-keys.ts';

describe('rotating the key', () => {
  test('is on record, endorsed by the old key, which is listed and can sign no more', async () => {
    const journal = await openTestJournal();
    const first = await journal.keys.current();
    const rotated = await rotateKey(journal, localOwner);
    expect(rotated).toEqual({ from: first.id, to: (await journal.keys.current()).id });
    const { events, actor } = journal.entriesAfter(0, 10).at(-1)!;
    expect(actor).toEqual(localOwner.actor);
    const data = events[0]!.data as KeyRotated;
    expect(events).toEqual([{ type: 'key.rotated', data: { ...rotated, ...data } }]);
    const text = endorsementText(Buffer.from(data.public_key, 'base64'));
    expect(isSignedBy(first.publicKey, text, Buffer.from(data.endorsement, 'hex'))).toBe(true);
    expect(readdirSync(journal.keys.files.folder)).toEqual([`${rotated.to}.pem`]);
    expect(listKeys(journal.database)).toMatchObject([
      { id: first.id, in_use: false, endorsed_by: null, checkpoints: null },
      { id: rotated.to, in_use: true, endorsed_by: first.id, checkpoints: null },
    ]);
    await journal.rebuild();
    expect(listKeys(journal.database)).toHaveLength(2);
  });

  test('keeps what each signed apart, and all of it verifies', async () => {
    const journal = await openTestJournal();
    const write = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          journal.commit({
            stream: 'test',
            actor: localOwner.actor,
            group: true,
            decide: () => ({ events: [{ type: 'token.revoked', data: { id: 'none' } }], answer: null }),
          }),
        ),
      );
    await write(2000);
    await journal.checkpoint();
    const { from, to } = await rotateKey(journal, localOwner);
    await write(1000);
    await journal.checkpoint();
    expect(listKeys(journal.database).map(({ id, checkpoints }) => [id, checkpoints])).toEqual([
      [from, { count: 2, first: 1000, last: 2000 }],
      [to, { count: 1, first: 3000, last: 3000 }],
    ]);
    expect(await journal.verify()).toMatchObject({ ok: true, checkpoints: 3 });
    expect((await journal.prove(5)).checkpoint.key.id).toBe(to);
  });

  test('by two at once is done once for each key', async () => {
    const folder = temporaryFolder();
    const journals = await Promise.all([1, 2, 3].map(() => openTestJournal(movableClock(), folder)));
    await journals[0]!.keys.current();
    const outcomes = await Promise.allSettled(journals.map((journal) => rotateKey(journal, localOwner)));
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(done).toBeGreaterThan(0);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
    }
    const keys = listKeys(journals[0]!.database);
    expect(keys).toHaveLength(1 + done);
    expect(keys.slice(1).every((key, index) => key.endorsed_by === keys[index]!.id)).toBe(true);
    expect(readdirSync(journals[0]!.keys.files.folder)).toEqual([`${keys.at(-1)!.id}.pem`]);
  });

  test('an endorsement that was tampered with is not shown as one', async () => {
    const journal = await openTestJournal();
    await rotateKey(journal, localOwner);
    journal.database.exec(
      'UPDATE journal_key SET endorsement = randomblob(64) WHERE endorsement IS NOT NULL',
    );
    expect(listKeys(journal.database).map(({ endorsed_by }) => endorsed_by)).toEqual([null, null]);
  });
});
