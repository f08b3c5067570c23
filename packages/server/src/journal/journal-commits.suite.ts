import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import type { Bench } from './journal.suite.ts';
import type { Entry, Journal, JournalEvent } from './journal.ts';
import {
  counterValue,
  counting,
  dumpTables,
  newId,
  noted,
  raised,
  seen,
  someone,
  stateOf,
  writing,
} from './journal-fixture.suite.ts';

export function testCommits(bench: Bench): void {
  describe('a commit', () => {
    test('is there, with its effects, for whoever opens the store afterwards', async () => {
      verifies('KERN-01');
      const journal = await bench.open();
      await journal.commit(writing([noted('first', 'kept'), raised('notes')]));
      // Not closed: closing must not be what makes it durable.
      const another = await bench.open();
      expect(stateOf(another)).toEqual(stateOf(journal));
      expect(counterValue(another.database, 'notes')).toBe(1);
      await journal.close();
      await another.close();
      const later = await bench.open();
      expect(later.head().seq).toBe(1);
      expect(later.entryAt(1)?.events).toEqual([noted('first', 'kept'), raised('notes')]);
      expect(counterValue(later.database, 'notes')).toBe(1);
    });

    test('counts positions without gaps, in the journal and in each stream', async () => {
      const journal = await bench.open();
      const streams = ['a', 'b', 'a', 'a', 'b', 'c'];
      for (const stream of streams) await journal.commit(writing([raised(stream)], { stream }));
      const entries = journal.entriesAfter(0, 100);
      expect(entries.map((entry) => [entry.seq, entry.stream, entry.rev])).toEqual([
        [1, 'a', 1],
        [2, 'b', 1],
        [3, 'a', 2],
        [4, 'a', 3],
        [5, 'b', 2],
        [6, 'c', 1],
      ]);
      expect(new Set(entries.map((entry) => entry.id)).size).toBe(streams.length);
      const positions = (stream: string, after: number, limit = 100) =>
        journal.entriesOf(stream, after, limit).map(({ seq }) => seq);
      expect(positions('a', 0)).toEqual([1, 3, 4]);
      // The position need not be one of the stream's own.
      expect([positions('a', 2), positions('a', 3), positions('a', 4)]).toEqual([[3, 4], [4], []]);
      expect(positions('a', 0, 2)).toEqual([1, 3]);
      expect(positions('nothing', 0)).toEqual([]);
      expect(journal.entriesOf('b', 2, 1)).toEqual([entries[4]]);
    });

    test('keeps who wrote it, when, and what led to it', async () => {
      const journal = await bench.open({ clock: () => 1_700_000_000_123 });
      const actor = { org: 'ünïcode "org"', principal: 'p\0\ud800', agent: 'reviewer' };
      const first = await journal.commit(writing([raised('x')], { actor }));
      const second = await journal.commit(writing([raised('x')], { cause: first.entry!.id }));
      expect(first.entry).toMatchObject({ actor, at: 1_700_000_000_123, cause: null, erased: false });
      expect(second.entry).toMatchObject({ actor: someone, cause: first.entry!.id });
      const another = await bench.open();
      expect(another.entriesAfter(0, 10)).toEqual([first.entry, second.entry]);
      expect(another.entryAt(1)).toEqual(first.entry);
    });

    test('decides with the time that the entry then carries', async () => {
      let now = 1000;
      const journal = await bench.open({ clock: () => now++ });
      const { answer, entry } = await journal.commit({
        stream: 'main',
        actor: someone,
        decide: (_, time) => ({ events: [raised('x')], answer: time }),
      });
      expect(entry?.at).toBe(answer);
    });

    test('hands projections and caller what is stored, not what was passed in', async () => {
      verifies('KERN-04');
      const journal = await bench.open();
      const values = [new Date(0), undefined, Number.NaN, -0, { toJSON: () => 'other' }, 'a\0b\ud800'];
      for (const value of values) {
        const { entry } = await journal.commit(writing([{ type: 'value.seen', data: { value } }]));
        expect(entry).toEqual(journal.entryAt(entry!.seq));
      }
      const before = dumpTables(journal.database);
      expect(before.seen).toHaveLength(values.length);
      await journal.rebuild();
      expect(dumpTables(journal.database)).toEqual(before);
    });

    test('without events writes nothing and still answers', async () => {
      const journal = await bench.open();
      await journal.commit(writing([raised('x')]));
      const before = stateOf(journal);
      const committed = await journal.commit({
        stream: 'main',
        actor: someone,
        decide: () => ({ events: [], answer: 'nothing to do' }),
      });
      expect(committed).toEqual({ answer: 'nothing to do', entry: undefined, replayed: false });
      expect(stateOf(journal)).toEqual(before);
    });

    test.each([false, true])('that is refused changes nothing (group: %s)', async (group) => {
      const journal = await bench.open();
      await journal.commit(writing([noted('taken')]));
      const before = stateOf(journal);
      const refusal = new Error('no');
      const decide = () => {
        throw refusal;
      };
      await expect(journal.commit({ stream: 'main', actor: someone, decide, group })).rejects.toBe(refusal);
      // Refused by a projection, after another one has written; by a constraint; by JSON.
      const failure: JournalEvent = { type: 'projection.failed', data: { reason: 'broken' } };
      await expect(journal.commit(writing([noted('new'), failure], { group }))).rejects.toThrow('broken');
      await expect(journal.commit(writing([raised('x'), noted('taken')], { group }))).rejects.toThrow();
      const cyclic: { value?: unknown } = {};
      cyclic.value = cyclic;
      await expect(journal.commit(writing([seen(cyclic)], { group }))).rejects.toThrow();
      expect(stateOf(journal)).toEqual(before);
      expect((await journal.commit(writing([raised('x')]))).entry?.seq).toBe(2);
      expect((await journal.verify()).ok).toBe(true);
    });

    test('refuses names that would not read back as they were written', async () => {
      const journal = await bench.open();
      for (const name of ['a\0b', 'lone \ud800', '\udc00']) {
        const refused = { code: 'invalid_arguments' };
        await expect(journal.commit(writing([raised('x')], { stream: name }))).rejects.toMatchObject(refused);
        const id = name as ReturnType<typeof newId>;
        await expect(journal.commit(writing([raised('x')], { id }))).rejects.toMatchObject(refused);
        await expect(journal.commit(writing([raised('x')], { cause: id }))).rejects.toMatchObject(refused);
      }
      expect(journal.head().seq).toBe(0);
      await journal.commit(writing([raised('x')], { stream: 'straße.🧵.\u0001' }));
      expect((await journal.verify()).ok).toBe(true);
    });

    test('after close is refused, while those before it are answered', async () => {
      const journal = await bench.open();
      const accepted = [
        journal.commit(counting('x')),
        journal.commit(counting('x', { group: true })),
        journal.commit(counting('x', { group: true })),
      ];
      const closing = journal.close();
      await expect(journal.commit(counting('x'))).rejects.toMatchObject({ code: 'storage_failed' });
      await closing;
      await journal.close();
      expect((await Promise.all(accepted)).map((committed) => committed.answer)).toEqual([1, 2, 3]);
      expect(counterValue((await bench.open()).database, 'x')).toBe(3);
    });
  });

  describe('decide', () => {
    test('sees every commit before it, by any journal', async () => {
      verifies('KERN-02');
      const journals = [await bench.open(), await bench.open(), await bench.open()];
      const rounds = 40;
      const count = async (journal: Journal, group: boolean) => {
        const answers: number[] = [];
        for (let round = 0; round < rounds; round++) {
          answers.push((await journal.commit(counting('shared', { group }))).answer);
        }
        return answers;
      };
      const answers = await Promise.all(
        journals.flatMap((journal) => [count(journal, false), count(journal, true)]),
      );
      const total = rounds * journals.length * 2;
      expect(answers.flat().sort((one, other) => one - other)).toEqual(
        Array.from({ length: total }, (_, index) => index + 1),
      );
      for (const own of answers) expect(own).toEqual([...own].sort((one, other) => one - other));
      expect(counterValue(journals[0]!.database, 'shared')).toBe(total);
      expect(journals[1]!.entriesAfter(0, 1000).map((entry) => entry.rev)).toEqual(
        Array.from({ length: total }, (_, index) => index + 1),
      );
    });
  });

  describe('commits in a group', () => {
    test('are each answered for themselves, in the order they were asked for', async () => {
      const journal = await bench.open();
      const before = await journal.commit(counting('x'));
      const committed = await Promise.all(
        Array.from({ length: 700 }, () => journal.commit(counting('x', { group: true }))),
      );
      expect(before.answer).toBe(1);
      expect(committed.map((one) => one.answer)).toEqual(
        Array.from({ length: 700 }, (_, index) => index + 2),
      );
      expect(committed.map((one) => one.entry!.seq)).toEqual(committed.map((one) => one.answer));
      expect(journal.head().seq).toBe(701);
    });

    test('leave each other alone when one of them is refused', async () => {
      const journal = await bench.open();
      const group = true;
      const outcomes = await Promise.allSettled([
        journal.commit(writing([noted('one'), raised('x')], { group })),
        journal.commit(writing([noted('one'), raised('x')], { group })),
        journal.commit(
          writing([raised('x'), { type: 'projection.failed', data: { reason: 'broken' } }], { group }),
        ),
        journal.commit({ stream: 'main', actor: someone, group, decide: () => ({ events: [], answer: 1 }) }),
        journal.commit(writing([raised('x')], { group })),
      ]);
      expect(outcomes.map((outcome) => outcome.status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(counterValue(journal.database, 'x')).toBe(2);
      expect(journal.entriesAfter(0, 10).map((entry) => [entry.seq, entry.rev])).toEqual([
        [1, 1],
        [2, 2],
      ]);
      expect((await journal.verify()).ok).toBe(true);
    });
  });

  describe('large data', () => {
    const unicode = 'naïve 🧵 \ud800 \0 \u2028 " \\ '.repeat(30_000);

    test.each([
      ['just inline', 'x'.repeat(LIMITS.inlineEntryBytes - 200)],
      ['just too large for a row', 'x'.repeat(LIMITS.inlineEntryBytes)],
      ['characters of several bytes', unicode],
    ])('comes back as it was: %s', async (_, body) => {
      verifies('KERN-01');
      const journal = await bench.open();
      const event = seen({ value: 1, body });
      const { entry } = await journal.commit(writing([event], { id: newId(), group: true }));
      // The same text again: whatever is shared must serve both.
      await journal.commit(writing([event]));
      const another = await bench.open();
      const read: Entry[] = another.entriesAfter(0, 10);
      expect(read[0]?.events[0]?.data).toEqual(event.data);
      expect(read[0]).toEqual(entry);
      expect(read[1]?.events).toEqual(entry?.events);
      expect(await another.verify()).toMatchObject({ ok: true, entries: 2, events: 2 });
    });

    test('beyond the limit is refused', async () => {
      const journal = await bench.open();
      const event = seen({ body: 'x'.repeat(LIMITS.entryBytes) });
      await expect(journal.commit(writing([event]))).rejects.toMatchObject({ code: 'too_large' });
      expect(journal.head().seq).toBe(0);
    });
  });

  test('entries are read in pages', async () => {
    const journal = await bench.open();
    await Promise.all(Array.from({ length: 25 }, () => journal.commit(counting('x', { group: true }))));
    const pages: number[][] = [];
    for (let after = 0; after < 25; ) {
      const page = journal.entriesAfter(after, 10).map((entry) => entry.seq);
      pages.push(page);
      after = page.at(-1)!;
    }
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(journal.entriesAfter(25, 10)).toEqual([]);
    expect(journal.entryAt(0)).toBeUndefined();
    expect(journal.entryAt(26)).toBeUndefined();
  });
}
