import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkHistory, checkStreams } from './check.ts';
import { LOG, type LogOperation } from './log.ts';

let clock = 0;
/** Asked and answered with nothing else going on. */
const append = (item: string, answer: number, seq?: number): LogOperation => ({
  client: 'one',
  input: { stream: 's', append: item },
  start: ++clock,
  end: ++clock,
  answer,
  ...(seq !== undefined && { seq }),
});
const read = (answer: string[], atLeast: number, seq?: number): LogOperation => ({
  client: 'two',
  input: { stream: 's', read: true },
  start: ++clock,
  end: ++clock,
  answer,
  atLeast,
  ...(seq !== undefined && { seq }),
});
/** Asked; the answer never came. */
const unanswered = (item: string): LogOperation => ({
  client: 'three',
  input: { stream: 's', append: item },
  start: ++clock,
});
const overlapping = (...operations: LogOperation[]): LogOperation[] => {
  const start = Math.min(...operations.map((operation) => operation.start));
  return operations.map((operation) => ({ ...operation, start }));
};
const problemsOf = (...history: LogOperation[]) => checkStreams(history, LOG);

describe('a history is consistent', () => {
  test.each<[string, LogOperation[]]>([
    ['with nothing in it', []],
    ['one operation after the other', [append('a', 1, 1), append('b', 2, 2), read(['a', 'b'], 2, 2)]],
    ['at the same time, in either order', overlapping(append('a', 2), append('b', 1))],
    ['with one that was not answered and happened', [unanswered('a'), append('b', 2)]],
    ['with one that was not answered and never happened', [unanswered('a'), append('b', 1)]],
    ['with one that happened long after it was asked', [unanswered('a'), append('b', 1), append('c', 3)]],
    ['with a read on a node that is behind', [append('a', 1, 1), append('b', 2, 2), read(['a'], 1, 1)]],
    ['with gaps between positions', [append('a', 1, 3), append('b', 2, 9), read(['a', 'b'], 9, 12)]],
  ])('%s', (_, history) => {
    expect(problemsOf(...history)).toEqual([]);
  });
});

describe('a history is broken', () => {
  test.each<[string, LogOperation[]]>([
    ['an acknowledged append is lost', [append('a', 1), append('b', 1)]],
    ['an acknowledged append is not in a later read', [append('a', 1, 1), append('b', 2, 2), read(['b'], 2)]],
    ['an append is applied twice', [append('a', 1), append('b', 3)]],
    ['a read shows an item twice', [append('a', 1, 1), read(['a', 'a'], 1)]],
    ['a read is older than it was asked to be', [append('a', 1, 1), append('b', 2, 2), read(['a'], 2)]],
    ['a read is older than the position it names', [append('a', 1, 1), append('b', 2, 2), read(['a'], 0, 2)]],
    [
      'a read is newer than the position it names',
      [append('a', 1, 1), append('b', 2, 2), read(['a', 'b'], 0, 1)],
    ],
    ['a read shows what was asked for only later', [read(['a'], 0), append('a', 1)]],
    ['a read shows items in another order', [append('a', 1, 1), append('b', 2, 2), read(['b', 'a'], 2)]],
    ['a later append has an earlier position', [append('a', 1, 2), append('b', 2, 1)]],
    ['two decide on the same state', overlapping(append('a', 1), append('b', 1))],
    ['one that was not answered happens twice', [unanswered('a'), append('b', 3)]],
    ['one that happened is undone', [unanswered('a'), append('b', 2, 2), read(['b'], 2)]],
    ['nobody appended what is read', [append('a', 1, 1), read(['a', 'x'], 1)]],
  ])('when %s', (_, history) => {
    expect(problemsOf(...history)).toEqual([expect.stringMatching(/^s: after .* none can be next/)]);
  });

  test('the streams are judged apart, and the problem says which operation does not fit', () => {
    const elsewhere = [append('x', 1), append('y', 2)].map((one) => ({
      ...one,
      input: { ...one.input, stream: 't' },
    }));
    expect(problemsOf(...elsewhere, append('a', 1), append('b', 1))).toEqual([
      's: after 1 of 2 operations none can be next: one\'s {"stream":"s","append":"b","answer":1} would be answered 2',
    ]);
  });
});

describe('the checker', () => {
  test('agrees with trying every order', () => {
    let consistent = 0;
    let broken = 0;
    fc.assert(
      fc.property(histories(), (history) => {
        const expected = hasOrder(history);
        if (expected) consistent++;
        else broken++;
        const verdict = checkHistory(history, LOG);
        expect(verdict.consistent).toBe(expected);
        if (verdict.consistent) expect(isOrder(verdict.order, history)).toBe(true);
      }),
      { numRuns: 3_000, examples: fc.sample(histories(), { numRuns: 1_500, seed: 1 }).map((one) => [one]) },
    );
    // A generator that makes only one kind shows nothing. The first half are always the same.
    expect(Math.min(consistent, broken)).toBeGreaterThan(300);
  });

  test('accepts whatever a log really does, with many clients and lost answers', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(9)), { maxLength: 120 }), (plan) => {
        expect(checkHistory(perform(plan), LOG)).toMatchObject({ consistent: true });
      }),
      { numRuns: 100 },
    );
  });

  test('finds one lost append among hundreds', () => {
    fc.assert(
      fc.property(fc.nat(299), (lost) => {
        const plan = Array.from({ length: 300 }, (_, index): Plan => [index % 7, index % 5, 9]);
        const history = perform(plan, lost);
        expect(checkHistory(history, LOG)).toMatchObject({ consistent: false });
      }),
      { numRuns: 10 },
    );
  });
});

/** How long until it happens and until it is answered; of ten, one read and two that are never answered. */
type Plan = [before: number, after: number, kind: number];

/** What a log answers to clients that ask one after the other without waiting. One append may be forgotten. */
function perform(plan: readonly Plan[], lost?: number): LogOperation[] {
  const asked = plan.map(([before, after, kind], index) => ({ index, at: index * 4 + before, after, kind }));
  const items: string[] = [];
  const history: LogOperation[] = [];
  for (const { index, at, after, kind } of asked.toSorted((a, b) => a.at - b.at)) {
    const start = index * 4;
    const client = `client ${index % 4}`;
    if (kind === 0) {
      const seq = items.length;
      const input = { stream: 's', read: true } as const;
      history.push({ client, input, start, end: at + after, answer: [...items], seq, atLeast: seq });
      continue;
    }
    const input = { stream: 's', append: String(index) };
    if (kind === 1) {
      history.push({ client, input, start });
      continue;
    }
    items.push(String(index));
    const answer = items.length;
    if (index === lost) items.pop();
    history.push(
      kind === 2
        ? { client, input, start }
        : { client, input, start, end: at + after, answer, ...(lost === undefined && { seq: answer }) },
    );
  }
  if (lost !== undefined) {
    const end = 4 * plan.length + 100;
    const input = { stream: 's', append: 'last' };
    history.push({ client: 'last', input, start: end, end: end + 1, answer: items.length + 1 });
  }
  return history;
}

/** Few operations with few answers to choose from, so that many fit and many do not. */
function histories(): fc.Arbitrary<LogOperation[]> {
  const position = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
  const times = fc.record({ start: fc.nat(9), length: fc.option(fc.nat(9), { nil: undefined, freq: 4 }) });
  const writes = fc.record({ times, answer: fc.integer({ min: 1, max: 3 }), seq: position });
  const reads = fc.record({
    times,
    answer: fc.constantFrom<string[]>([], ['0'], ['1'], ['0', '1'], ['1', '0'], ['0', '0']),
    seq: position,
    atLeast: fc.nat(3),
  });
  return fc.array(fc.oneof({ arbitrary: writes, weight: 3 }, reads), { maxLength: 5 }).map((drawn) =>
    drawn.map(({ times: { start, length }, answer, seq, ...rest }, index) => ({
      client: `client ${index}`,
      input: 'atLeast' in rest ? { stream: 's', read: true } : { stream: 's', append: String(index) },
      start,
      ...rest,
      // Without an answer there is no position either.
      ...(length !== undefined && { end: start + length, answer, ...(seq !== undefined && { seq }) }),
    })),
  );
}

/** By trying every order of every choice of those that have no answer. */
function hasOrder(history: readonly LogOperation[], chosen: LogOperation[] = []): boolean {
  if (isOrder(chosen, history)) return true;
  return history.some((next) => !chosen.includes(next) && hasOrder(history, [...chosen, next]));
}

/** The definition itself, as plainly as it can be said. */
function isOrder(order: readonly LogOperation[], history: readonly LogOperation[]): boolean {
  const answered = history.filter(({ end }) => end !== undefined);
  return (
    answered.every((one) => order.includes(one)) &&
    order.every((later, index) => order.slice(0, index).every((earlier) => mayFollow(later, earlier))) &&
    isAnsweredSo(order)
  );
}

function mayFollow(later: LogOperation, earlier: LogOperation): boolean {
  const isWrite = (operation: LogOperation) => 'append' in operation.input;
  // Positions never fall, and what is read at a position holds the entry there.
  if (later.seq !== undefined && earlier.seq !== undefined) {
    if (later.seq < earlier.seq) return false;
    if (later.seq === earlier.seq && isWrite(later) && !isWrite(earlier)) return false;
  }
  // Nothing is written too late for a read that asked for it, and nothing but reads happens before it is asked for.
  if (!isWrite(earlier)) return !(isWrite(later) && later.seq !== undefined && later.seq <= earlier.atLeast!);
  return !(later.end !== undefined && later.end < earlier.start);
}

function isAnsweredSo(order: readonly LogOperation[]): boolean {
  const items: string[] = [];
  return order.every(({ input, end, answer }) => {
    if ('append' in input) items.push(input.append);
    if (end === undefined) return true;
    return JSON.stringify(answer) === JSON.stringify('append' in input ? items.length : items);
  });
}
