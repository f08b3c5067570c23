import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import type { Bench } from './journal.suite.ts';
import { counterValue, counting, newId, raised, someone, stateOf, writing } from './journal-fixture.suite.ts';

export function testIdentifiers(bench: Bench): void {
  describe('a caller-chosen id', () => {
    test('used twice is one entry and the same answer', async () => {
      verifies('KERN-05');
      const journal = await bench.open();
      const id = newId();
      const first = await journal.commit(counting('x', { id }));
      await journal.commit(counting('x'));
      const before = stateOf(journal);
      let decided = 0;
      const second = await journal.commit({
        stream: 'elsewhere',
        actor: someone,
        id,
        decide: () => {
          decided++;
          return { events: [raised('x')], answer: -1 };
        },
      });
      expect(first).toMatchObject({ answer: 1, replayed: false });
      expect(second).toMatchObject({ answer: 1, replayed: true });
      expect(second.entry).toEqual(first.entry);
      expect(decided).toBe(0);
      expect(stateOf(journal)).toEqual(before);
    });

    test.each([
      ['an object', { branch: 'b', tokens: [1, 2], text: 'ü\ud800' }],
      ['null', null],
      ['false', false],
      ['an empty text', ''],
    ])('is answered the same after a restart: %s', async (_, answer) => {
      verifies('KERN-05');
      const id = newId();
      const request = writing([raised('x')], { id, decide: () => ({ events: [raised('x')], answer }) });
      const journal = await bench.open();
      const first = await journal.commit(request);
      await journal.close();
      const second = await (await bench.open()).commit(request);
      expect(first.answer).toEqual(answer);
      expect(second.answer).toEqual(answer);
      expect([first.replayed, second.replayed]).toEqual([false, true]);
    });

    test('used by many at once is one entry', async () => {
      verifies('KERN-05', 'KERN-02');
      const journals = [await bench.open(), await bench.open()];
      const id = newId();
      const committed = await Promise.all(
        journals.flatMap((journal) =>
          Array.from({ length: 10 }, (_, index) =>
            journal.commit(counting('x', { id, group: index % 2 === 0 })),
          ),
        ),
      );
      expect(committed.map((one) => one.answer)).toEqual(committed.map(() => 1));
      expect(committed.filter((one) => !one.replayed)).toHaveLength(1);
      expect(journals[0]!.head().seq).toBe(1);
      expect(counterValue(journals[1]!.database, 'x')).toBe(1);
    });

    test('of a refused or empty commit is still free', async () => {
      const journal = await bench.open();
      const id = newId();
      const refusing = writing([], {
        id,
        decide: () => {
          throw new Error('not yet');
        },
      });
      await expect(journal.commit(refusing)).rejects.toThrow('not yet');
      expect((await journal.commit(writing([], { id }))).replayed).toBe(false);
      expect(await journal.commit(counting('x', { id }))).toMatchObject({ answer: 1, replayed: false });
    });
  });
}
