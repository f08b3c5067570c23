import { type EnvelopeContext, LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { Entry, JournalEvent } from '../../journal/journal.ts';
import { Projector } from '../../journal/projections/projector.ts';
import { openDatabase } from '../../kernel/sqlite.ts';
import { Budget } from '../pod/budget.ts';
import { gatewayProjection } from '../projection.ts';
import { type ContextRow, openCounts } from '../queries.ts';
import { ContextIndex, rowOf } from './context-index.ts';
import { Policy } from './policy.ts';
import { type ContextRecord, type MessageInContext, reduceContext } from './reducer.ts';

type Said = Record<string, unknown>;

function message(more: Partial<MessageInContext<Said>> = {}): MessageInContext<Said> {
  return {
    ...{ event: 'message', id: 'c', type: undefined, parent: undefined, from: 'alice', seq: 1, at: 10 },
    ...{ tokens: 0, text: null, concludes: false, beginning: null, conclusion: null, ...more },
  };
}

const after = (...messages: Partial<MessageInContext<Said>>[]) =>
  messages.reduce<ContextRecord | undefined>(
    (context, more) => reduceContext(context, message(more)),
    undefined,
  )!;

const ended = (context: ContextRecord, summary: string | null = null) =>
  reduceContext(context, { event: 'ended', summary, entry: 7 });

describe('a context', () => {
  test('begins with its first message and keeps the first type and parent that are named', () => {
    verifies('SUB-02');
    const context = after(
      { tokens: 3, beginning: { ticket: 1 } },
      { seq: 2, at: 20, from: 'bob', tokens: 4, type: 'review', parent: 'p', beginning: { ticket: 2 } },
      { seq: 3, at: 30, type: 'other', parent: 'q' },
    );
    expect(context).toMatchObject({ state: 'live', creator: 'alice', type: 'review', parent: 'p' });
    expect(context).toMatchObject({ messages: 3, tokens: 7, createdAt: 10, lastAt: 30 });
    expect(context).toMatchObject({ begunSeq: 1, metadata: { ticket: 1 } });
  });

  test('that was only named begins when it is used, on the account of who uses it', () => {
    verifies('SUB-04');
    const named = reduceContext<Said>(undefined, { event: 'named', id: 'c', from: 'alice', at: 5 });
    expect(named).toMatchObject({ state: 'placeholder', creator: 'alice', messages: 0, createdAt: 5 });
    expect(reduceContext(named, message({ from: 'bob' }))).toMatchObject({
      ...{ state: 'live', creator: 'bob', messages: 1, createdAt: 10 },
    });
    const used = after({});
    expect(reduceContext(used, { event: 'named', id: 'c', from: 'bob', at: 20 })).toBe(used);
    expect(ended(named)).toBe(named);
  });

  test('is summed up by its conclusion, else by what was said last', () => {
    const open = after({ text: 'first' }, { seq: 2, text: 'second' }, { seq: 3 });
    expect(open).toMatchObject({ summary: 'second', summarySeq: 2, hasConclusion: false });
    const told = reduceContext(open, message({ seq: 4, text: 'done', concludes: true }));
    expect(told).toMatchObject({ summary: 'done', summarySeq: 4, hasConclusion: true });
    expect(reduceContext(told, message({ seq: 5, text: 'by the way' }))).toMatchObject({ summary: 'done' });
  });

  test('has what its newest conclusion says of it beside what it began with', () => {
    const told = after(
      { beginning: { ticket: 1 } },
      { seq: 2, concludes: true, conclusion: { sure: 0.5 } },
      { seq: 3, concludes: true, conclusion: { owner: 'bob' } },
      { seq: 4, concludes: true },
    );
    expect(told).toMatchObject({
      metadata: { ticket: 1 },
      conclusionMetadata: { owner: 'bob' },
      conclusionSeq: 3,
    });
    const anew = reduceContext(ended(told), message({ seq: 5, beginning: { ticket: 2 } }));
    expect(anew).toMatchObject({ metadata: { ticket: 2 }, conclusionMetadata: null, conclusionSeq: 0 });
  });

  test('ends once, and goes on with the next message as a new one of the same place', () => {
    verifies('SUB-03');
    const over = ended(after({ text: 'said', concludes: true, parent: 'p' }), 'in short');
    expect(over).toMatchObject({ state: 'concluded', summary: 'in short', concludedBy: 7 });
    expect(ended(over, 'again')).toBe(over);
    expect(ended(after({ text: 'said' }))).toMatchObject({ summary: 'said', concludedBy: null });
    expect(reduceContext(over, { event: 'summarised', summary: 'better', entry: 8 })).toMatchObject({
      ...{ state: 'concluded', summary: 'better', concludedBy: 8 },
    });
    const silent = reduceContext(over, message({ seq: 2, at: 20, from: 'bob' }));
    expect(silent).toMatchObject({ state: 'live', creator: 'bob', parent: 'p', createdAt: 10, begunSeq: 2 });
    expect(silent).toMatchObject({ summary: 'in short', concludedBy: 7, hasConclusion: false });
    expect(reduceContext(silent, message({ seq: 3, text: 'new' }))).toMatchObject({
      summary: 'new',
      concludedBy: null,
    });
  });

  test('is left as it was: what comes of it is another one', () => {
    const before = Object.freeze(after({ text: 'said' }));
    expect(reduceContext(before, message({ seq: 2 }))).not.toBe(before);
    expect(ended(before, 'over').state).toBe('concluded');
  });
});

const names = ['a', 'b', 'c', 'd'];
const metadata = fc.dictionary(fc.constantFrom('x', 'y', '7'), fc.integer({ min: 0, max: 3 }), {
  maxKeys: 2,
});
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      id: fc.constantFrom(...names),
      type: perhaps(fc.constantFrom('review', 'plain')),
      parent: perhaps(fc.constantFrom(...names, 'e', 'f')),
      metadata: perhaps(metadata),
      from: fc.constantFrom('alice', 'bob'),
      kind: fc.constantFrom('chat', 'reflection', 'conclusion'),
      text: perhaps(
        fc.constantFrom('one', ' two  lines\n', '  ', `${' '.repeat(2000)}late`, 'long '.repeat(300)),
      ),
      tokens: fc.nat(9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      id: fc.constantFrom(...names, 'e'),
      summary: fc.constantFrom(null, 'in short'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write' as const) }) },
);

describe('the contexts of a live pod', () => {
  test('are those of the tables, whatever is said, however it is grouped into entries', async () => {
    verifies('SUB-02', 'SUB-03', 'SUB-04');
    const policy = new Policy({ review: { metadata: { x: 9, audience: 'team' } } }).forPod('p');
    const projector = new Projector([gatewayProjection]);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const database = await openDatabase(':memory:');
        projector.createTables(database);
        const index = new ContextIndex(LIMITS, policy, new Budget(LIMITS.contextBytesInAll));
        const pod = { org: 'local', pod: 'p' };
        let events: JournalEvent[] = [];
        let entries = 0;
        const write = () => {
          if (events.length > 0) projector.apply(database, entryOf(++entries, events));
          events = [];
        };
        for (const [at, one] of steps.entries()) {
          const seq = at + 1;
          if (one.do === 'write') write();
          else if (one.do === 'end') {
            const context = index.get(one.id);
            if (context?.state !== 'live') continue;
            index.conclude(context);
            index.summarise(context, one.summary);
            const { id, type } = context;
            const data = { ...pod, id, type, summary: one.summary, sources: [], principals: [] };
            events.push({ type: 'context.concluded', data });
          } else {
            const { id, type, parent, from, kind, text, tokens } = one;
            const context = Object.fromEntries(
              Object.entries({ id, type, parent, metadata: one.metadata }).filter(
                ([, value]) => value !== undefined,
              ),
            ) as EnvelopeContext;
            const payload = { text };
            const applied = index.apply({ kind, payload }, context, { from, seq, at });
            applied.context.tokens += tokens;
            const defaults = applied.created ? policy.template(applied.context.type)?.metadata : undefined;
            const envelope = { protocol: '', id: `m-${seq}`, ts: '', from, kind, context, payload };
            const data = {
              ...pod,
              seq,
              epoch: 'e',
              at,
              tokens,
              type: applied.context.type,
              envelope,
              secrets: 0,
            };
            events.push({ type: 'envelope.accepted', data: { ...data, ...(defaults ? { defaults } : {}) } });
          }
        }
        write();
        const rows = database.all<ContextRow & { pod: number }>('SELECT * FROM gateway_context ORDER BY id');
        const live = [...index.values()].map(rowOf).sort((one, other) => (one.id < other.id ? -1 : 1));
        // The entry of a conclusion is known when it is written, which memory does not wait for.
        const comparable = ({ concluded_by: _entry, ...row }: ContextRow) => row;
        expect(live.map(comparable)).toEqual(rows.map(({ pod: _pod, ...row }) => comparable(row)));
        const open = Object.fromEntries(
          openCounts(database, 1).map(({ creator, count }) => [creator, count]),
        );
        for (const who of ['alice', 'bob']) expect(index.openOf(who)).toBe(open[who] ?? 0);
        database.close();
      }),
      { numRuns: 300 },
    );
  });
});

function entryOf(seq: number, events: JournalEvent[]): Entry {
  const actor = { org: 'local', principal: 'alice' };
  return {
    ...{ seq, id: `e-${seq}` as Entry['id'], stream: 'pod.local.p', rev: seq, at: seq, actor },
    ...{ cause: null, events, erased: false },
  };
}
