import type { JournalEntry } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAIN } from '../model/tree.ts';
import { Entries, SESSION } from './entries.suite.ts';
import { Feed, isOf } from './feed.ts';

/** A server that tells so many entries a page, and fails when it is told to. */
class Source {
  readonly told: JournalEntry[] = [];
  readonly #page: number;
  fails = 0;

  constructor(page: number) {
    this.#page = page;
  }

  listSessionEntries = Object.assign(
    async ({ cursor = '0' }: { cursor?: string | undefined }) => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (this.fails-- > 0) throw new Error('not now');
      const rest = this.told.filter(({ seq }) => seq > Number(cursor));
      const entries = rest.slice(0, this.#page);
      const next = rest.length > this.#page ? String(entries.at(-1)!.seq) : null;
      return { entries, next, head: 0 };
    },
    { all: undefined as never },
  );
}

const count = (feed: Feed) => feed.history.tree.branches.get(MAIN)!.counted;

describe('the entries of a session', () => {
  test('are each applied once, whenever they are read or come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('write', 'read', 'wait'), { maxLength: 40 }),
        async (steps) => {
          const source = new Source(3);
          const feed = new Feed(source as never, SESSION);
          const entries = new Entries();
          for (const step of steps) {
            if (step === 'write') {
              source.told.push(entries.operation());
              feed.receive(entries.all.slice(-1));
            } else if (step === 'read') void feed.read();
            else await new Promise((resolve) => setTimeout(resolve, 0));
          }
          await feed.read();
          expect(count(feed)).toBe(entries.all.length);
          expect(feed.isComplete).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('are asked for again after a problem, which is told', async () => {
    const source = new Source(3);
    const entries = new Entries();
    for (let index = 0; index < 8; index++) source.told.push(entries.operation());
    const feed = new Feed(source as never, SESSION);
    source.fails = 1;
    await feed.read();
    expect(feed.problem).toBeInstanceOf(Error);
    feed.receive([entries.operation()]);
    source.told.push(entries.all.at(-1)!);
    expect(count(feed)).toBe(0);
    await feed.read();
    expect(feed.problem).toBeUndefined();
    expect(count(feed)).toBe(9);
  });

  test('are told from others', () => {
    const entry = new Entries().operation();
    expect(isOf(entry, SESSION)).toBe(true);
    expect(isOf(entry, 'another')).toBe(false);
    expect(isOf({ ...entry, kind: 'memory' }, SESSION)).toBe(false);
    const said = {
      type: 'envelope.accepted',
      data: { operation_of: { session_id: SESSION, branch_id: 'b' } },
    };
    expect(isOf({ ...entry, kind: 'pod', events: [said] }, SESSION)).toBe(true);
    expect(isOf({ ...entry, kind: 'pod', events: [{ ...said, data: {} }] }, SESSION)).toBe(false);
  });

  test('of a position that is not held are fetched from the nearest tree', async () => {
    const source = new Source(100);
    const entries = new Entries();
    for (let index = 0; index < 30; index++) source.told.push(entries.operation());
    const feed = new Feed(source as never, SESSION);
    await feed.read();
    const past = await feed.past(20);
    expect(past.at(20)!.branches.get(MAIN)!.counted).toBe(10);
  });

  test('of such a position are there also where each holds very many operations', async () => {
    const source = new Source(1000);
    const entries = new Entries();
    for (let index = 0; index < 40; index++) {
      const entry = entries.operation();
      entry.events = Array.from({ length: 1000 }, (_, place) => ({ ...entry.events[0]!, place }));
      source.told.push(entry);
    }
    const feed = new Feed(source as never, SESSION);
    await feed.read();
    const seqs = entries.all.map(({ seq }) => seq);
    expect(feed.history.at(seqs[4]!)).toBeUndefined();
    for (const index of [0, 4, 17, 25]) {
      const past = await feed.past(seqs[index]!);
      expect(past.at(seqs[index]!)!.branches.get(MAIN)!.counted).toBe((index + 1) * 1000);
      expect(past.at(seqs[index + 1]!)!.branches.get(MAIN)!.counted).toBe((index + 2) * 1000);
    }
  });
});
