import type { UploadedBatch, UploadedEntry } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { EdgeRow } from '../queries/hub.ts';
import { receiveBatch } from './commands.ts';

/** The decision sees states alone, so that any way in which batches can arrive is written down here without a server. */

const EDGE = `edge_${'e'.repeat(20)}`;
const NOW = Date.UTC(2026, 0, 5);
const FIRST_TOKEN = NOW - 30 * 86_400_000;
const hashOf = (seq: number) => String(seq).padStart(64, '0');
const at = (seq: number) => ({ seq, hash: hashOf(seq) });

const entry = (seq: number, more: Partial<UploadedEntry> = {}): UploadedEntry => ({
  ...{ id: `id-${seq}`, ...at(seq), at: NOW - 1000, agent: null, project: 'proj_1', session: 'sess_1' },
  events: [{ type: 'attest.reject', data: { reason: null } }],
  ...more,
});

/** The entries of an edge's journal between two positions, of which it selects every second one. */
const between = (after: number, upto: number): UploadedBatch => ({
  ...{ edge: EDGE, after: at(after), upto: at(upto), now: NOW },
  entries: Array.from({ length: upto - after }, (_, index) => after + index + 1)
    .filter((seq) => seq % 2 === 0)
    .map((seq) => entry(seq)),
});

/** A hub as its tables make it of the events. */
class Hub {
  edge: EdgeRow | undefined;
  readonly received: UploadedEntry['id'][] = [];
  readonly known = new Map<string, string>();
  #time = 0;

  take(batch: UploadedBatch, principal = 'alice') {
    const { edge, known } = this;
    const workspaces = new Map([['proj_1', 'ws-1']]);
    const state = { edge, known: new Map(known), workspaces, notBefore: FIRST_TOKEN };
    const { events, answer } = receiveBatch(state, batch, { org: 'local', principal }, NOW);
    for (const { type, data } of events) {
      if (type === 'hub.refused') {
        const { reason, told } = data;
        const refused = { refused_reason: reason, refused_seq: told.seq, refused_hash: told.hash };
        this.edge = { ...this.edge!, ...refused, refused_at: ++this.#time };
      }
      if (type !== 'hub.received') continue;
      this.edge = { ...this.edge, ...data.upto, principal, last_at: ++this.#time } as EdgeRow;
      for (const { id, hash } of data.entries) {
        this.received.push(id);
        known.set(id, hash);
      }
    }
    return { events, answer };
  }
}

function refusalOf(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (error) {
    if (InfoldError.isInstance(error)) return error.code;
    throw error;
  }
}

describe('batches of an edge', () => {
  test('are taken in once and in order, however often and in whatever order they arrive', () => {
    verifies('LIB-18');
    const batch = fc
      .tuple(fc.nat(20), fc.nat(20))
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 30 }), (batches) => {
        const hub = new Hub();
        hub.take(between(0, 1));
        for (const [after, upto] of batches) {
          const code = refusalOf(() => hub.take(between(after!, upto!)));
          const position = hub.edge!.seq;
          expect(code === 'none' ? upto : 'elsewhere').toBe(code === 'none' ? position : 'elsewhere');
          if (code !== 'none') expect(code).toBe('position_mismatch');
        }
        const expected = Array.from({ length: hub.edge!.seq }, (_, index) => index + 1)
          .filter((seq) => seq % 2 === 0)
          .map((seq) => `id-${seq}`);
        expect(hub.received).toEqual(expected);
      }),
    );
  });

  test('of another history are refused, and that is on record once for each reason, until one is taken in', () => {
    const hub = new Hub();
    hub.take(between(0, 4));
    const other = { ...between(4, 6), after: { seq: 4, hash: 'f'.repeat(64) } };
    const [first, second] = [hub.take(other), hub.take(other)];
    expect(first.answer.refusal).toMatchObject({ code: 'history_changed' });
    expect(first.events).toMatchObject([{ type: 'hub.refused', data: { reason: 'position', known: at(4) } }]);
    expect(second.answer.refusal).toBeDefined();
    expect(second.events).toEqual([]);
    const rewritten = { ...between(4, 6), entries: [entry(6, { id: 'id-2' })] };
    expect(hub.take(rewritten).events).toMatchObject([{ type: 'hub.refused', data: { reason: 'entry' } }]);
    expect(hub.received).toEqual(['id-2', 'id-4']);
    // However many histories it tells, and in whatever order.
    for (const digit of 'abcdef') {
      const another = { ...between(4, 6), after: { seq: 4, hash: digit.repeat(64) } };
      expect(hub.take(another)).toMatchObject({
        events: [],
        answer: { refusal: { code: 'history_changed' } },
      });
      expect(hub.take(rewritten).events).toEqual([]);
    }
    hub.take(between(4, 6));
    const later = { ...between(6, 8), after: { seq: 6, hash: 'f'.repeat(64) } };
    expect(hub.take(later).events).toMatchObject([{ type: 'hub.refused', data: { reason: 'position' } }]);
  });

  test('belong to who sent the first one, and to projects that are open', () => {
    const hub = new Hub();
    hub.take(between(0, 2));
    expect(refusalOf(() => hub.take(between(2, 4), 'mallory'))).toBe('forbidden');
    const elsewhere = { ...between(2, 4), entries: [entry(4, { project: 'proj_2' })] };
    expect(refusalOf(() => hub.take(elsewhere))).toBe('project_denied');
  });

  test('have times that the hub can believe', () => {
    const timeOf = (claimed: number, clock = NOW) => {
      const batch = { ...between(0, 2), now: clock, entries: [entry(2, { at: claimed })] };
      const [event] = new Hub().take(batch).events;
      return event?.type === 'hub.received' ? event.data.entries[0]!.at : undefined;
    };
    const day = 86_400_000;
    expect(timeOf(NOW - 5000)).toBe(NOW - 5000);
    expect(timeOf(NOW + day)).toBe(NOW);
    expect(timeOf(0)).toBe(FIRST_TOKEN);
    // A clock that is a day ahead, or behind, tells the right time by the difference.
    expect(timeOf(NOW + day - 5000, NOW + day)).toBe(NOW - 5000);
    expect(timeOf(NOW - day - 5000, NOW - day)).toBe(NOW - 5000);
  });
});
