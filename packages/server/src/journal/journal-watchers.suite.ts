import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import type { Bench } from './journal.suite.ts';
import type { Entry } from './journal.ts';
import { counting, newId, raised, until, writing } from './journal-fixture.suite.ts';

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export function testWatchers(bench: Bench): void {
  describe('a watcher', () => {
    test('gets each entry once and in order, whichever journal wrote it', async () => {
      verifies('KERN-02');
      const journals = [await bench.open(), await bench.open()];
      await journals[0]!.commit(writing([raised('before')]));
      const seen = journals.map((journal) => {
        const entries: Entry[] = [];
        journal.watch((entry) => entries.push(entry));
        return entries;
      });
      await Promise.all(
        journals.flatMap((journal) =>
          Array.from({ length: 150 }, (_, index) => journal.commit(counting('x', { group: index % 3 > 0 }))),
        ),
      );
      await until(() => seen.every((entries) => entries.length >= 300));
      for (const entries of seen) expect(entries.map((entry) => entry.seq)).toEqual(upTo(301, 2));
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[0]).toEqual(journals[0]!.entriesAfter(1, 1000));
    });

    test("hears of another journal's entry soon, and of a backlog of many", async () => {
      const [reader, writer] = [await bench.open(), await bench.open()];
      const seen: number[] = [];
      const delays: number[] = [];
      reader.watch((entry) => {
        seen.push(entry.seq);
        delays.push(Date.now() - entry.at);
      });
      // 100 ms is promised; on a busy test machine some of them take longer.
      const isSoon = () => Math.min(...delays) < 100;
      let told = 0;
      while (told < 5 || (told < 50 && !isSoon())) {
        await writer.commit(writing([raised('x')]));
        await until(() => seen.length > told);
        told++;
      }
      expect(seen).toEqual(upTo(told));
      expect(isSoon()).toBe(true);
      await Promise.all(Array.from({ length: 1200 }, () => writer.commit(counting('x', { group: true }))));
      await until(() => seen.length >= told + 1200);
      expect(seen).toEqual(upTo(told + 1200));
    });

    test('gets nothing from before it began, even when others still wait for it', async () => {
      const [reader, writer] = [await bench.open(), await bench.open()];
      const early: number[] = [];
      const late: number[] = [];
      reader.watch((entry) => early.push(entry.seq));
      await writer.commit(writing([raised('x')]));
      reader.watch((entry) => late.push(entry.seq));
      await reader.commit(writing([raised('x')]));
      await until(() => late.length > 0);
      expect(early).toEqual([1, 2]);
      expect(late).toEqual([2]);
    });

    test('hears nothing after it stopped, and the others go on', async () => {
      const [journal, other] = [await bench.open(), await bench.open()];
      const counts = [0, 0];
      const listener = () => {
        counts[0]!++;
      };
      const stop = journal.watch(listener);
      const stopSame = journal.watch(listener);
      journal.watch(() => {
        counts[1]!++;
      });
      stop();
      stop();
      await journal.commit(writing([raised('x')]));
      expect(counts).toEqual([1, 1]);
      stopSame();
      await other.commit(writing([raised('x')]));
      await until(() => counts[1] === 2);
      expect(counts).toEqual([1, 2]);
    });

    test('that begins again after all have stopped starts from then', async () => {
      const [journal, other] = [await bench.open(), await bench.open()];
      journal.watch(() => {})();
      await other.commit(writing([raised('x')]));
      const seen: number[] = [];
      journal.watch((entry) => seen.push(entry.seq));
      await other.commit(writing([raised('x')]));
      await until(() => seen.length > 0);
      expect(seen).toEqual([2]);
    });

    test('that throws disturbs neither the writer nor other watchers', async () => {
      const journal = await bench.open();
      const seen: number[] = [];
      journal.watch(() => {
        throw new Error('a bad watcher');
      });
      journal.watch((entry) => seen.push(entry.seq));
      await journal.commit(writing([raised('x')]));
      await journal.commit(writing([raised('x')], { group: true }));
      expect(seen).toEqual([1, 2]);
    });

    test('may commit in turn, and order still holds for all', async () => {
      const journal = await bench.open();
      const seen: number[] = [];
      const following: Promise<unknown>[] = [];
      journal.watch((entry) => {
        if (entry.cause !== null) return;
        following.push(journal.commit(writing([raised('echo')], { cause: entry.id })));
      });
      journal.watch((entry) => seen.push(entry.seq));
      await Promise.all(Array.from({ length: 10 }, () => journal.commit(counting('x'))));
      await until(() => following.length === 10);
      await Promise.all(following);
      expect(seen).toEqual(upTo(20));
    });

    test('hears of no refused, empty or repeated commit', async () => {
      const journal = await bench.open();
      const seen: number[] = [];
      journal.watch((entry) => seen.push(entry.seq));
      const id = newId();
      await journal.commit(counting('x', { id }));
      await journal.commit(counting('x', { id }));
      await journal.commit(writing([]));
      await expect(
        journal.commit(writing([{ type: 'projection.failed', data: { reason: 'broken' } }])),
      ).rejects.toThrow('broken');
      await journal.commit(counting('x'));
      expect(seen).toEqual([1, 2]);
    });
  });
}
