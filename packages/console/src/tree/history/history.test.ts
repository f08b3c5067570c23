import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { reduce } from '../model/reduce.ts';
import { emptyTree, figuresOf, type Operation, type Tree } from '../model/tree.ts';
import { Entries, SESSION } from './entries.suite.ts';
import { History } from './history.ts';

/** A long session: a few branches, many operations in each. */
function longSession(count: number): Entries {
  const entries = new Entries();
  entries.add('session.started', {});
  for (let index = 0; index < count; index++) {
    const own = index % 400;
    const name = `br_${Math.floor(index / 400)}`;
    if (own === 0) entries.branch(name);
    else if (own === 399) entries.fold(name, null, 5 + 10 * 198);
    else entries.operation(own % 2 === 0 ? null : name);
  }
  return entries;
}

const operationsIn = (tree: Tree): Operation[] =>
  [...tree.branches.values()].flatMap(({ items }) =>
    items.filter((item): item is Operation => item.kind === 'operation'),
  );

/** Everything but which operations are held. */
const figures = (tree: Tree) => ({
  ...figuresOf(tree),
  seq: tree.seq,
  branches: [...tree.branches.values()].map(({ items: _, earlier: __, ...rest }) => rest),
});

describe('a history', () => {
  test('is at every position what reducing from the beginning gives', () => {
    verifies('CON-03');
    const { all } = longSession(1500);
    const history = new History(SESSION);
    history.add(all);
    fc.assert(
      fc.property(fc.nat({ max: all.at(-1)!.seq }), (seq) => {
        const whole = reduce(
          emptyTree(SESSION),
          all.filter((entry) => entry.seq <= seq),
        );
        expect(history.at(seq)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  test('is the same however its entries come, also twice', () => {
    const { all } = longSession(700);
    const whole = new History(SESSION);
    whole.add(all);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (sizes) => {
        const pieces = new History(SESSION);
        for (let from = 0, turn = 0; from < all.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          pieces.add(all.slice(Math.max(0, from - 5), from + size));
          from += size;
        }
        expect(figures(pieces.tree)).toEqual(figures(whole.tree));
        expect(pieces.timeline.points).toEqual(whole.timeline.points);
      }),
      { numRuns: 10 },
    );
  });

  test('holds so many operations and no more, and loses no figure', () => {
    const { all } = longSession(9000);
    const whole = new History(SESSION, 100_000);
    const bounded = new History(SESSION, 2000);
    whole.add(all);
    for (let from = 0; from < all.length; from += 100) {
      bounded.add(all.slice(from, from + 100));
      expect(operationsIn(bounded.tree).length).toBeLessThanOrEqual(2000);
    }
    expect(figures(bounded.tree)).toEqual(figures(whole.tree));
    for (const branch of bounded.tree.branches.values()) {
      const held = branch.items.filter(({ kind }) => kind === 'operation').length;
      expect(branch.earlier + held).toBe(branch.counted);
    }
    const early = all[500]!.seq;
    expect(bounded.at(early)).toBeUndefined();
    const late = all.at(-500)!.seq;
    expect(figures(bounded.at(late)!)).toEqual(figures(whole.at(late)!));
    expect(operationsIn(bounded.at(late)!).every(({ seq }) => seq > bounded.since)).toBe(true);
    // What is not held is replayed from the nearest tree that is, with entries that are fetched again.
    const start = bounded.checkpointBefore(early);
    expect(start.seq).toBeGreaterThan(0);
    const past = new History(start);
    past.add(all.filter(({ seq }) => seq > start.seq && seq <= early));
    expect(figures(past.tree)).toEqual(figures(whole.at(early)!));
  });

  test('holds no more where entries hold many operations each', () => {
    const entries = new Entries();
    const history = new History(SESSION, 2000);
    for (let count = 0; count < 60; count++) {
      const entry = entries.operation();
      entry.events = Array.from({ length: 500 }, (_, place) => ({ ...entry.events[0]!, place }));
      history.add([entry]);
      expect(operationsIn(history.tree).length).toBeLessThanOrEqual(2000);
    }
    expect(figuresOf(history.tree).total).toBe(60 * 500 * 10);
    expect(figuresOf(history.at(entries.all.at(-2)!.seq)!).total).toBe(59 * 500 * 10);
  });
});
