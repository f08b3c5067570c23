import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import type { Bench } from './journal.suite.ts';
import type { CommitRequest, Journal, JournalEvent } from './journal.ts';
import {
  counterValue,
  counting,
  dumpTables,
  newId,
  noted,
  raised,
  seen,
  writing,
} from './journal-fixture.suite.ts';

/** Commits of every kind, some of which are refused. */
async function writeMixture(journal: Journal, count: number): Promise<void> {
  const requests: CommitRequest<unknown>[] = Array.from({ length: count }, (_, index) => {
    const stream = `stream.${index % 7}`;
    if (index % 5 === 0) return writing([noted(`note ${index % 40}`, 'text '.repeat(index % 9))], { stream });
    if (index % 97 === 0)
      return writing([{ type: 'value.seen', data: { value: 'v'.repeat(300_000) } }], { stream });
    if (index % 11 === 0)
      return writing([raised('a'), raised('b', 2), raised('c', -1)], { stream, id: newId() });
    return { ...counting(`counter ${index % 13}`), group: index % 2 === 0 };
  });
  await Promise.allSettled(requests.map((request) => journal.commit(request)));
}

export function testUpkeep(bench: Bench): void {
  describe('verify', () => {
    test('passes on an empty journal and on an untouched one', async () => {
      verifies('KERN-03');
      const journal = await bench.open();
      expect(await journal.verify()).toMatchObject({ ok: true, entries: 0, events: 0, erased: 0 });
      await writeMixture(journal, 500);
      const events = journal.entriesAfter(0, 1000).reduce((sum, entry) => sum + entry.events.length, 0);
      const seen: [number, number][] = [];
      const report = await journal.verify((done, total) => seen.push([done, total]));
      expect(report).toEqual({
        ok: true,
        entries: journal.head().seq,
        events,
        erased: 0,
        checkpoints: 0,
        head: journal.head(),
      });
      expect(report.entries).toBeGreaterThan(300);
      expect(seen.at(-1)).toEqual([report.entries, report.entries]);
    });

    test('passes while others write', async () => {
      verifies('KERN-03');
      const [journal, other] = [await bench.open(), await bench.open()];
      await writeMixture(journal, 400);
      const before = journal.head().seq;
      const [report] = await Promise.all([
        journal.verify(),
        writeMixture(journal, 200),
        writeMixture(other, 200),
      ]);
      expect(report.ok).toBe(true);
      expect(report.entries).toBeGreaterThanOrEqual(before);
    });

    test('gives every journal on the store the same head', async () => {
      const [journal, other] = [await bench.open(), await bench.open()];
      await Promise.all([writeMixture(journal, 60), writeMixture(other, 60)]);
      expect((await other.verify()).head).toEqual((await journal.verify()).head);
      expect(journal.head().hash).toMatch(/^[0-9a-f]{64}$/);
    });
  });

  describe('rebuild', () => {
    test('gives identical tables', async () => {
      verifies('KERN-04');
      const journal = await bench.open();
      await writeMixture(journal, 600);
      const before = dumpTables(journal.database);
      const seen: [number, number][] = [];
      const result = await journal.rebuild((done, total) => seen.push([done, total]));
      expect(dumpTables(journal.database)).toEqual(before);
      expect(result).toEqual({ entries: journal.head().seq, events: (await journal.verify()).events });
      expect(seen.at(-1)).toEqual([result.entries, result.entries]);
      expect(dumpTables((await bench.open()).database)).toEqual(before);
    });

    test('gives identical tables for any history', async () => {
      verifies('KERN-04');
      const journal = await bench.open();
      let serial = 0;
      const event = fc.oneof(
        fc
          .record({ name: fc.string({ unit: 'binary' }), by: fc.integer({ min: -9, max: 9 }) })
          .map((data) => raised(data.name, data.by)),
        fc.string({ unit: 'binary' }).map((body) => noted(`note ${++serial}`, body)),
        fc.anything().map((value) => seen({ value })),
        fc.constant<JournalEvent>({ type: 'event.unheard', data: {} }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(event, { maxLength: 3 }), { maxLength: 5 }), async (commits) => {
          await Promise.allSettled(commits.map((events) => journal.commit(writing(events, { group: true }))));
          const before = dumpTables(journal.database);
          await journal.rebuild();
          expect(dumpTables(journal.database)).toEqual(before);
          expect((await journal.verify()).ok).toBe(true);
        }),
        { numRuns: 25 },
      );
    });

    test('puts right what was not made by events; verifying the tables names them and leaves them', async () => {
      verifies('KERN-04');
      const journal = await bench.open();
      await writeMixture(journal, 50);
      const before = dumpTables(journal.database);
      expect(await journal.verifyTables()).toMatchObject({ ok: true, different: [] });
      journal.database.exec(
        "UPDATE counter SET value = value + 1; DELETE FROM note; INSERT INTO register VALUES (0, 0, 'x')",
      );
      const changed = dumpTables(journal.database);
      expect(changed).not.toEqual(before);
      const named = { ok: false, different: ['counter', 'note', 'register'] };
      expect(await journal.verifyTables()).toMatchObject(named);
      expect(dumpTables(journal.database)).toEqual(changed);
      await journal.rebuild();
      expect(dumpTables(journal.database)).toEqual(before);
      journal.database.exec("UPDATE note_text SET body = 'other words'");
      expect(await journal.verifyTables()).toMatchObject({ ok: false, different: ['note_text'] });
    });

    test('loses no commit made meanwhile, and shows nobody half-made tables', async () => {
      verifies('KERN-04', 'KERN-01');
      const [journal, other] = [await bench.open(), await bench.open()];
      await Promise.all(Array.from({ length: 3000 }, () => journal.commit(counting('x', { group: true }))));
      let rebuilding = true;
      const values = new Set<number>();
      const watching = (async () => {
        while (rebuilding) {
          values.add(counterValue(journal.database, 'x'));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const rebuilt = Promise.all([journal.rebuild(), journal.rebuild()]).finally(() => (rebuilding = false));
      const during = [journal, other].flatMap((one) => [
        one.commit(counting('x')),
        one.commit(counting('x', { group: true })),
      ]);
      await rebuilt;
      await watching;
      expect((await Promise.all(during)).map((one) => one.answer).sort()).toEqual([3001, 3002, 3003, 3004]);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(3000);
      const before = dumpTables(journal.database);
      await journal.rebuild();
      expect(dumpTables(journal.database)).toEqual(before);
    });
  });
}
