import { entrySetSchema, type Proof } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { problemOfEntrySet } from './integrity/entry-set.ts';
import { problemOf, readProof } from './integrity/proof.ts';
import type { Bench } from './journal.suite.ts';
import { FORGOTTEN, type Journal, type JournalEvent } from './journal.ts';
import { counting, raised, until, writing } from './journal-fixture.suite.ts';

async function write(journal: Journal, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => journal.commit(counting('x', { group: true }))));
}

const checkpoints = (journal: Journal) =>
  journal.database.all<{ seq: number; root: Uint8Array; key: string }>(
    'SELECT * FROM journal_checkpoint ORDER BY seq',
  );
const positions = (journal: Journal) => checkpoints(journal).map(({ seq }) => seq);
const roots = (journal: Journal) => checkpoints(journal).map(({ root }) => Buffer.from(root).toString('hex'));

/** Every text and number in a proof, by the way to it. */
function leavesOf(value: unknown, way: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [way];
  return Object.entries(value).flatMap(([name, below]) => leavesOf(below, [...way, name]));
}

/** The same proof with something else in one place. */
function changed(proof: object, way: readonly string[], choice: number): unknown {
  const copy = structuredClone(proof) as unknown;
  const [last, ...rest] = [...way].reverse();
  const holder = rest.reverse().reduce((below, name) => (below as Record<string, unknown>)[name], copy);
  const place = holder as Record<string, unknown>;
  const value = place[last!];
  if (typeof value === 'number') place[last!] = value + 1 + (choice % 3);
  else if (typeof value !== 'string' || value === '') place[last!] = 'x';
  else {
    const at = choice % value.length;
    const other = value[at] === 'a' ? 'b' : 'a';
    place[last!] = value.slice(0, at) + other + value.slice(at + 1);
  }
  return copy;
}

const holds = (proof: unknown) => {
  const read = readProof(JSON.stringify(proof));
  return read !== undefined && problemOf(read) === undefined;
};

const setHolds = (set: unknown) => {
  const read = entrySetSchema.safeParse(set);
  return read.success && problemOfEntrySet(read.data) === undefined;
};

export function testCheckpoints(bench: Bench): void {
  describe('checkpoints', () => {
    test('come every 1,000 entries, soon after the commit, and are counted by verify', async () => {
      verifies('KERN-03');
      const journal = await bench.open();
      await write(journal, 999);
      expect(positions(journal)).toEqual([]);
      await write(journal, 1);
      await until(() => checkpoints(journal).length === 1);
      await write(journal, 1500);
      await until(() => checkpoints(journal).length === 2);
      expect(positions(journal)).toEqual([1000, 2000]);
      expect(await journal.verify()).toMatchObject({ ok: true, entries: 2500, checkpoints: 2 });
      // They need not be durable at once; what is committed next must.
      const durability = () =>
        journal.database.get<{ synchronous: number }>('PRAGMA synchronous')!.synchronous;
      await until(() => durability() === 2);
      expect(durability()).toBe(2);
    });

    test('are made once, by whichever journal, and with one key', async () => {
      verifies('KERN-02');
      const journals = await Promise.all(Array.from({ length: 4 }, () => bench.open()));
      // Each applies what all of them write: much more at once than this is refused on a busy machine.
      for (let round = 0; round < 11; round++) {
        await Promise.all(journals.map((journal) => write(journal, 50)));
      }
      await Promise.all(journals.map((journal) => journal.checkpoint()));
      expect(positions(journals[0]!)).toEqual([1000, 2000]);
      const keys = new Set(checkpoints(journals[1]!).map(({ key }) => key));
      expect([...keys]).toEqual([(await journals[2]!.keys.current()).id]);
      expect(await journals[3]!.verify()).toMatchObject({ ok: true, checkpoints: 2 });
    });

    test('may be made, with their first key, while the journal is verified', async () => {
      verifies('KERN-03');
      const journal = await bench.open();
      await write(journal, 2100);
      await journal.checkpoint();
      journal.database.exec('DELETE FROM journal_checkpoint; DELETE FROM journal_key');
      const other = await bench.open();
      let making: Promise<void> | undefined;
      const report = await other.verify(() => {
        making ??= other.checkpoint();
      });
      await making;
      expect(report).toMatchObject({ ok: true, entries: 2100 });
      expect(positions(other)).toEqual([1000, 2000]);
    });

    test('cover what was committed, not what was refused in the same group or written by others', async () => {
      verifies('KERN-03');
      const [journal, other] = [await bench.open(), await bench.open()];
      const refused = { type: 'projection.failed' as const, data: { reason: 'refused' } };
      const commits = Array.from({ length: 1500 }, (_, index) => {
        if (index % 7 === 3) return journal.commit(writing([raised('y'), refused], { group: true }));
        return (index % 500 === 1 ? other : journal).commit(counting('x', { group: index % 11 !== 0 }));
      });
      await Promise.allSettled(commits);
      await journal.checkpoint();
      expect(await other.verify()).toMatchObject({ ok: true, entries: 1286, checkpoints: 1 });
      await write(journal, 1000);
      await until(() => checkpoints(journal).length === 2);
      expect(await journal.verify()).toMatchObject({ ok: true, checkpoints: 2 });
    });

    test('follow from the entries: made again, they have the same roots', async () => {
      const journal = await bench.open();
      await write(journal, 2100);
      await journal.checkpoint();
      const before = roots(journal);
      await journal.close();
      const other = await bench.open();
      other.database.exec('DELETE FROM journal_checkpoint; DELETE FROM journal_key');
      await other.close();
      // As a journal of an earlier version, which had none.
      const again = await bench.open();
      await until(() => checkpoints(again).length === 2);
      expect(roots(again)).toEqual(before);
      expect(await again.verify()).toMatchObject({ ok: true, checkpoints: 2 });
    });

    test('stay the same when bodies are erased', async () => {
      verifies('KERN-03');
      const journal = await bench.open();
      await write(journal, 1000);
      await journal.checkpoint();
      const before = { roots: roots(journal), proof: await journal.prove(7, { body: true }) };
      const erase = [7, 8];
      const data = {
        target: { kind: 'item', id: 'x' },
        entries: erase.map((seq) => ({ seq, events: [] })),
      };
      const events: JournalEvent[] = [{ type: FORGOTTEN, data }];
      await journal.commit({ ...writing(events), decide: () => ({ events, answer: null, erase }) });
      const { body, ...header } = before.proof;
      expect(body?.data).toContain('counter.raised');
      expect(await journal.prove(7)).toEqual(header);
      expect(roots(journal)).toEqual(before.roots);
      await expect(journal.prove(7, { body: true })).rejects.toMatchObject({
        code: 'not_found',
        message: 'The body of entry 7 was erased',
      });
      await write(journal, 1000);
      await journal.checkpoint();
      expect(await journal.verify()).toMatchObject({ ok: true, erased: 2, checkpoints: 2 });
      expect(holds(before.proof)).toBe(true);
    });
  });

  testEntrySets(bench);

  describe('a proof', () => {
    test('of any entry holds, under the last checkpoint or one made for it', async () => {
      verifies('KERN-03');
      const journal = await bench.open();
      expect(holds(await proofOfFirst(journal))).toBe(true);
      await write(journal, 2299);
      await journal.checkpoint();
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 2300 }), fc.boolean(), async (seq, body) => {
          const proof = await journal.prove(seq, { body });
          expect(proof.entry).toMatchObject({ seq, id: journal.entryAt(seq)!.id });
          expect(proof.checkpoint.seq).toBe(seq <= 2000 ? 2000 : 2300);
          expect('body' in proof).toBe(body);
          expect(holds(proof)).toBe(true);
        }),
        {
          numRuns: 60,
          examples: [
            [1, true],
            [1000, true],
            [1001, false],
            [2000, false],
            [2001, true],
            [2300, false],
          ],
        },
      );
      expect(positions(journal)).toEqual([1000, 2000]);
    });

    test('in which anything was changed does not hold', async () => {
      verifies('KERN-03');
      const journal = await bench.open();
      await write(journal, 1300);
      await journal.commit(writing([raised('y')], { actor: { org: 'a', principal: 'b', agent: 'c' } }));
      for (const seq of [1, 777, 1000, 1200, 1301]) {
        const proof = await journal.prove(seq, { body: true });
        const ways = leavesOf(proof);
        fc.assert(
          fc.property(fc.constantFrom(...ways), fc.nat(), (way, choice) => {
            const other = changed(proof, way, choice);
            if (JSON.stringify(other) !== JSON.stringify(proof))
              expect(holds(other), way.join('.')).toBe(false);
          }),
          { numRuns: 300 },
        );
        for (const part of ['interval', 'journal'] as const) {
          const path = proof.path[part];
          for (const list of [path.slice(1), [...path, proof.previous], [...path].reverse()]) {
            const isSame = list.join() === path.join();
            expect(holds({ ...proof, path: { ...proof.path, [part]: list } })).toBe(isSame);
          }
        }
      }
    });

    test('is found by id, whoever chose it, and refused for what is not there', async () => {
      const journal = await bench.open();
      await write(journal, 30);
      const { entry } = await journal.commit(writing([raised('y')], { id: 'chosen' as never }));
      expect((await journal.prove('chosen' as never)).entry.seq).toBe(entry!.seq);
      expect((await journal.prove(journal.entryAt(5)!.id)).entry.seq).toBe(5);
      for (const unknown of [0, 32, -1, 'nobody' as never]) {
        await expect(journal.prove(unknown)).rejects.toMatchObject({ code: 'not_found' });
      }
    });

    test('is not given of a journal that was tampered with', async () => {
      const journal = await bench.open();
      await write(journal, 1010);
      await journal.checkpoint();
      journal.database.exec('UPDATE journal_entry SET at = at + 1 WHERE seq = 500');
      await expect(journal.prove(500)).rejects.toMatchObject({ code: 'storage_invalid' });
      expect(holds(await journal.prove(499))).toBe(true);
    });
  });
}

/** Random places of a journal, and always some that stand at a border. */
const someOf = (length: number) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: length }), { minLength: 1, maxLength: 40 })
    .map((seqs) => seqs.sort((one, other) => one - other));

function testEntrySets(bench: Bench): void {
  describe('a proof of many entries', () => {
    test('holds, wherever they stand, and shares what their paths have in common', async () => {
      verifies('LIB-19');
      const journal = await bench.open();
      await write(journal, 2300);
      await fc.assert(
        fc.asyncProperty(someOf(2300), fc.boolean(), async (seqs, shows) => {
          const set = await journal.proveSet([...seqs].reverse(), { shows: () => shows });
          expect(set.entries.map(({ seq, id }) => [seq, id])).toEqual(
            seqs.map((seq) => [seq, journal.entryAt(seq)!.id]),
          );
          expect(set.entries.every(({ body }) => (body !== undefined) === shows)).toBe(true);
          expect(set.checkpoint.seq).toBe(2300);
          expect(setHolds(set)).toBe(true);
        }),
        { numRuns: runs(40), examples: [[[1, 2, 999, 1000, 1001, 2000, 2001, 2300], true]] },
      );
      const all = await journal.proveSet(Array.from({ length: 2300 }, (_, index) => index + 1));
      expect(all.path).toEqual({ intervals: ['', '', ''], journal: '' });
      expect(setHolds(all)).toBe(true);
      for (const unknown of [[], [0], [1, 2301]]) {
        await expect(journal.proveSet(unknown)).rejects.toMatchObject({ code: 'not_found' });
      }
    });

    test('does not hold when anything was changed, left out, added or moved', async () => {
      verifies('LIB-19');
      const journal = await bench.open();
      await write(journal, 1300);
      await journal.commit(writing([raised('y')], { actor: { org: 'a', principal: 'b', agent: 'c' } }));
      const set = await journal.proveSet([1, 2, 777, 1000, 1001, 1250, 1301], { shows: (seq) => seq !== 2 });
      expect(setHolds(set)).toBe(true);
      fc.assert(
        fc.property(fc.constantFrom(...leavesOf(set)), fc.nat(), (way, choice) => {
          const other = changed(set, way, choice);
          if (JSON.stringify(other) !== JSON.stringify(set))
            expect(setHolds(other), way.join('.')).toBe(false);
        }),
        { numRuns: runs(1000) },
      );
      fc.assert(
        fc.property(fc.nat(6), fc.nat(6), (from, to) => {
          const entries = [...set.entries];
          const [moved] = entries.splice(from, 1);
          expect(setHolds({ ...set, entries })).toBe(false);
          entries.splice(to, 0, moved!);
          expect(setHolds({ ...set, entries })).toBe(from === to);
          expect(setHolds({ ...set, entries: entries.toSpliced(to, 0, moved!) })).toBe(false);
        }),
      );
    });
  });
}

async function proofOfFirst(journal: Journal): Promise<Proof> {
  await journal.commit(counting('x'));
  return journal.prove(1);
}
