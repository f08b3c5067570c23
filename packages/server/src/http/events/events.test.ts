import type { JournalEntry } from '@infold/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { CallServices } from '../../call/services.ts';
import type { Entry } from '../../journal/journal.ts';
import { type Caller, localOwner } from '../../trust/identity/caller.ts';
import { eventRoutes } from './events.ts';

/** A journal whose watchers are told when the test says so: between reading and watching is where an entry could be lost. */
class SlowJournal {
  readonly entries: Entry[] = [];
  readonly #watchers = new Set<{ after: number; listener: (entry: Entry) => void }>();
  #delivered = 0;
  reads = 0;
  shown = 0;

  readonly head = () => ({ seq: this.entries.length, hash: '' });

  readonly entriesAfter = (seq: number, limit: number) => {
    this.reads++;
    return this.entries.slice(seq, seq + limit);
  };

  readonly watch = (listener: (entry: Entry) => void) => {
    const watcher = { after: this.entries.length, listener };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  get watchers(): number {
    return this.#watchers.size;
  }

  commit(isVisible = true, text = ''): void {
    const seq = this.entries.length + 1;
    const actor = { org: 'team', principal: 'ann' };
    const events = [{ type: isVisible ? 'shown' : 'hidden', data: { text } }];
    const entry = { seq, id: `e${seq}`, stream: 'session.x', rev: seq, at: seq, actor, cause: null, events };
    this.entries.push(entry as unknown as Entry);
  }

  deliver(count = Number.POSITIVE_INFINITY): void {
    for (let told = 0; told < count && this.#delivered < this.entries.length; told++) {
      const entry = this.entries[this.#delivered++]!;
      for (const { after, listener } of this.#watchers) if (entry.seq > after) listener(entry);
    }
  }

  app(caller: Caller) {
    const visible = {
      session: ({ events }: Entry) => {
        this.shown++;
        return { events: events.filter(({ type }) => (type as string) === 'shown') };
      },
    };
    const services = { journal: this, parts: { visible } } as unknown as CallServices;
    return eventRoutes(services, () => caller);
  }
}

const ann: Caller = { ...localOwner, org: 'team', principal: 'ann', projects: null };

class Reader {
  readonly since: number;
  readonly chunks: string[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #reading: Promise<void> | undefined;

  constructor(body: ReadableStream<Uint8Array>, since: number) {
    this.#reader = body.getReader();
    this.since = since;
  }

  static async open(app: ReturnType<SlowJournal['app']>, since: number, query = ''): Promise<Reader> {
    const { body } = await app.request(`/api/events?since=${since}${query}`);
    return new Reader(body!, since);
  }

  /** One more piece, whenever it comes. */
  read(): void {
    this.#reading ??= this.#reader.read().then(({ value }) => {
      this.#reading = undefined;
      if (value) this.chunks.push(new TextDecoder().decode(value));
    });
  }

  get seqs(): number[] {
    return [...this.chunks.join('').matchAll(/^id: (\d+)\ndata: /gm)].map(([, seq]) => Number(seq));
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

/** Promises and immediates run; what waits for time waits. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
}

/** All of them read on, in no time. */
async function follow(readers: readonly Reader[]): Promise<void> {
  for (let time = 0; time < 4; time++) {
    for (const reader of readers) reader.read();
    await settle();
  }
}

async function drain(readers: readonly Reader[]): Promise<void> {
  for (let before = -1, now = 0; now !== before; ) {
    before = now;
    await follow(readers);
    vi.advanceTimersByTime(200);
    await follow(readers);
    now = readers.reduce((sum, { chunks }) => sum + chunks.length, 0);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const act = fc.oneof(
  fc.record({ do: fc.constant('commit' as const), visible: fc.boolean(), large: fc.boolean() }),
  fc.record({ do: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('wait' as const), milliseconds: fc.constantFrom(1, 50, 100, 250) }),
  fc.record({ do: fc.constant('open' as const), back: fc.nat({ max: 5 }) }),
  fc.record({ do: fc.constant('read' as const), which: fc.nat({ max: 5 }) }),
  fc.record({ do: fc.constant('settle' as const) }),
  fc.record({ do: fc.constant('follow' as const) }),
);

describe('who follows the journal', () => {
  test('gets every entry that they may see once and in order, however they read and whenever they came', async () => {
    verifies('KERN-19', 'CON-03');
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 60 }), async (acts) => {
        const journal = new SlowJournal();
        const app = journal.app(ann);
        const readers: Reader[] = [];
        for (const one of acts) {
          if (one.do === 'commit') journal.commit(one.visible, 'x'.repeat(one.large ? 70_000 : 10));
          else if (one.do === 'deliver') journal.deliver(one.count);
          else if (one.do === 'wait') vi.advanceTimersByTime(one.milliseconds);
          else if (one.do === 'read') readers[one.which]?.read();
          else if (one.do === 'settle') await settle();
          else if (one.do === 'follow') await follow(readers);
          else readers.push(await Reader.open(app, Math.max(0, journal.entries.length - one.back)));
        }
        journal.deliver();
        await drain(readers);
        for (const { since, seqs } of readers) {
          const seen = journal.entries.filter(
            ({ seq, events }) => seq > since && (events[0]!.type as string) === 'shown',
          );
          expect(seqs).toEqual(seen.map(({ seq }) => seq));
        }
        await Promise.all(readers.map((reader) => reader.close()));
        expect(journal.watchers).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  test('is told the first at once, and then at most ten times a second', async () => {
    const journal = new SlowJournal();
    const reader = await Reader.open(journal.app(ann), 0);
    const commit = async (milliseconds: number) => {
      journal.commit();
      journal.deliver();
      vi.advanceTimersByTime(milliseconds);
      reader.read();
      await settle();
    };
    reader.read();
    await settle();
    const greeting = reader.chunks.length;
    await commit(1);
    expect(reader.seqs).toEqual([1]);
    for (let count = 0; count < 99; count++) await commit(10);
    vi.advanceTimersByTime(100);
    await settle();
    expect(reader.seqs).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(reader.chunks.length - greeting).toBeLessThanOrEqual(12);
    await reader.close();
  });

  test('shares what is made for all who see the same, and reads nothing while it has caught up', async () => {
    const journal = new SlowJournal();
    const app = journal.app(ann);
    const readers = await Promise.all(Array.from({ length: 20 }, () => Reader.open(app, 0)));
    const others = await Reader.open(app, 0, '&brief=true');
    journal.commit();
    journal.deliver();
    await drain([...readers, others]);
    const { reads, shown } = journal;
    for (let count = 0; count < 50; count++) journal.commit();
    journal.deliver();
    await drain([...readers, others]);
    expect(journal.reads).toBe(reads);
    expect(journal.shown - shown).toBe(2 * 50);
    for (const { seqs } of [...readers, others]) expect(seqs).toHaveLength(51);
    const { events } = JSON.parse(/^data: (.*)$/m.exec(others.chunks.join(''))![1]!) as JournalEntry;
    expect(events[0]!.place).toBe(0);
    await Promise.all([...readers, others].map((reader) => reader.close()));
    expect(journal.watchers).toBe(0);
  });

  test('does not hold up the others by not reading, and costs nothing but a position', async () => {
    const journal = new SlowJournal();
    const app = journal.app(ann);
    const [slow, quick] = [await Reader.open(app, 0), await Reader.open(app, 0)];
    for (let count = 0; count < 300; count++) {
      journal.commit(true, 'x'.repeat(1000));
      journal.deliver();
      if (count % 10 === 0) await drain([quick]);
    }
    await drain([quick]);
    expect(quick.seqs).toHaveLength(300);
    expect(slow.chunks).toEqual([]);
    await drain([slow]);
    expect(slow.seqs).toEqual(quick.seqs);
    await Promise.all([slow.close(), quick.close()]);
  });
});
