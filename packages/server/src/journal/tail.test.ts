import { expect, test, vi } from 'vitest';
import type { Database } from '../kernel/sqlite.ts';
import type { Entry, Journal } from './journal.ts';
import { someone } from './journal-fixture.suite.ts';
import { Tail } from './tail.ts';

/** A journal of which a test says what it holds and when reading it fails. */
function scriptedJournal() {
  const script = { seq: 0, version: 1, failing: false };
  const entry = (seq: number): Entry => ({
    seq,
    id: `${seq}` as Entry['id'],
    stream: 's',
    rev: seq,
    at: 0,
    actor: someone,
    cause: null,
    events: [],
    erased: false,
  });
  const journal = {
    database: { get: () => ({ data_version: script.version }) } as unknown as Database,
    head: () => ({ seq: script.seq, hash: '' }),
    entriesAfter: (seq: number, limit: number) => {
      if (script.failing) throw new Error('cannot be read just now');
      return Array.from({ length: Math.min(limit, script.seq - seq) }, (_, index) => entry(seq + 1 + index));
    },
  } as unknown as Journal;
  return { script, journal };
}

test('a failed read is reported once, and tried again until it works', () => {
  vi.useFakeTimers();
  try {
    const { script, journal } = scriptedJournal();
    const errors: unknown[] = [];
    const seen: number[] = [];
    const tail = new Tail(journal, (error) => errors.push(error));
    tail.watch((entry) => seen.push(entry.seq));
    Object.assign(script, { seq: 250, version: 2, failing: true });
    vi.advanceTimersByTime(1000);
    expect(errors).toHaveLength(1);
    expect(seen).toEqual([]);
    // Nothing is committed from here on: what was missed must come by itself.
    script.failing = false;
    vi.advanceTimersByTime(100);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    tail.close();
  } finally {
    vi.useRealTimers();
  }
});

test('nobody watching costs nothing: no timer runs', () => {
  vi.useFakeTimers();
  try {
    const tail = new Tail(scriptedJournal().journal, () => {});
    expect(vi.getTimerCount()).toBe(0);
    const stops = [tail.watch(() => {}), tail.watch(() => {})];
    expect(vi.getTimerCount()).toBe(1);
    for (const stop of stops) stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
