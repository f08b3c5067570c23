import { describe, expect, test } from 'vitest';
import { moveFor } from '../../design/controls/tree-keys.ts';
import { Entries, SESSION } from '../history/entries.suite.ts';
import { withoutItemsUntil } from '../history/trim.ts';
import { reduce } from '../model/reduce.ts';
import { emptyTree, fateOf, MAIN, type Tree } from '../model/tree.ts';
import { nameOf, rowNamed } from './keys.ts';
import { itemOf, openable, type Row, rowsOf, slotsOf, waysTo } from './rows.ts';

const treeOf = (entries: Entries): Tree => reduce(emptyTree(SESSION), entries.all);
const names = (rows: readonly Row[]) => rows.map((row) => `${'  '.repeat(row.level - 1)}${nameOf(row)}`);

function small(): Tree {
  const entries = new Entries();
  entries.operation(null, { tool: 'Grep' });
  entries.branch('br_1');
  entries.operation('br_1', { tool: 'Bash' });
  entries.fold('br_1', null, 15);
  entries.branch('br_2');
  entries.branch('br_3', 'br_2', 2);
  entries.operation('br_3');
  return treeOf(entries);
}

describe('the rows of a tree', () => {
  test('show what is open, and close what is over', () => {
    expect(names(rowsOf(small(), new Map()))).toEqual([
      'Main thread',
      '  Grep',
      '  Branch br_1',
      '  Branch br_2',
      '    Branch br_3',
      '      Read',
    ]);
    const opened = new Map([
      ['br_1', true],
      ['br_2', false],
    ]);
    expect(names(rowsOf(small(), opened))).toEqual([
      'Main thread',
      '  Grep',
      '  Branch br_1',
      '    Bash',
      '  Branch br_2',
    ]);
  });

  test('say where each stands among its siblings', () => {
    for (const row of rowsOf(small(), new Map())) {
      const siblings = rowsOf(small(), new Map()).filter(({ parent }) => parent === row.parent);
      expect(row.size).toBe(siblings.length);
      expect(siblings[row.position - 1]!.key).toBe(row.key);
    }
  });

  test('put long runs together, never anew, and leave the last ones alone', () => {
    const entries = new Entries();
    const groups: string[] = [];
    for (let count = 1; count <= 420; count++) {
      entries.operation(null, { tool: count % 3 === 0 ? 'Bash' : 'Read' });
      const slots = slotsOf(treeOf(entries).branches.get(MAIN)!);
      const now = slots.flatMap((slot) => (slot.kind === 'group' ? [`${slot.key} ${slot.count}`] : []));
      expect(now.slice(0, groups.length)).toEqual(groups);
      groups.splice(0, groups.length, ...now);
      const loose = slots.filter(({ kind }) => kind === 'operation').length;
      expect(loose).toBeLessThanOrEqual(100);
      expect(loose).toBeGreaterThanOrEqual(Math.min(count, 50));
      expect(slots.length).toBeLessThan(110);
    }
    const whole = treeOf(entries);
    const later = withoutItemsUntil(whole, entries.all[119]!.seq).branches.get(MAIN)!;
    expect(later.earlier).toBe(120);
    const kept = slotsOf(later).flatMap((slot) =>
      slot.kind === 'group' ? [`${slot.key} ${slot.count}`] : [],
    );
    expect(kept.slice(1)).toEqual(groups.slice(3));
    expect(names(rowsOf(withoutItemsUntil(whole, entries.all[119]!.seq), new Map()))[1]).toBe(
      '  120 earlier operations',
    );
  });

  test('lead to a node wherever it is', () => {
    const entries = new Entries();
    entries.branch('br_1');
    for (let count = 0; count < 300; count++) entries.operation('br_1');
    entries.fold('br_1', null, 3005);
    const tree = treeOf(entries);
    const node = `op_${entries.all[20]!.seq}_0`;
    const opened = new Map(waysTo(tree, node).map((key) => [key, true] as const));
    expect(rowsOf(tree, new Map()).some(({ key }) => key === node)).toBe(false);
    expect(rowsOf(tree, opened).some(({ key }) => key === node)).toBe(true);
    expect(itemOf(tree, node)?.branch.id).toBe('br_1');
    expect(waysTo(tree, 'op_1_1')).toEqual([]);
    const all = new Map(openable(tree).map((key) => [key, true] as const));
    expect(rowsOf(tree, all).filter(({ kind }) => kind === 'operation')).toHaveLength(300);
  });
});

describe('keys in a tree', () => {
  const rows = rowsOf(small(), new Map());
  test.each([
    ['ArrowDown', 0, { do: 'go', to: 1 }],
    ['ArrowDown', 5, { do: 'go', to: 5 }],
    ['ArrowUp', 0, { do: 'go', to: 0 }],
    ['Home', 4, { do: 'go', to: 0 }],
    ['End', 0, { do: 'go', to: 5 }],
    ['PageDown', 0, { do: 'go', to: 5 }],
    ['ArrowRight', 2, { do: 'open', key: 'br_1' }],
    ['ArrowRight', 3, { do: 'go', to: 4 }],
    ['ArrowRight', 1, undefined],
    ['ArrowLeft', 3, { do: 'close', key: 'br_2' }],
    ['ArrowLeft', 2, { do: 'go', to: 0 }],
    ['ArrowLeft', 5, { do: 'go', to: 4 }],
    ['Enter', 2, { do: 'choose', key: 'br_1' }],
    [' ', 0, { do: 'choose', key: MAIN }],
    ['Tab', 0, undefined],
  ])('%s at row %i', (key, at, move) => {
    expect(moveFor(key, rows, at)).toEqual(move);
  });

  test('letters go to the next row of that name, around the end', () => {
    expect(rowNamed(rows, 0, 'b')).toBe(2);
    expect(rowNamed(rows, 2, 'b')).toBe(3);
    expect(rowNamed(rows, 4, 'b')).toBe(2);
    expect(rowNamed(rows, 2, 'branch br_3')).toBe(4);
    expect(rowNamed(rows, 2, 'z')).toBe(2);
  });
});

test('what a branch holds shares the fate of what it is in', () => {
  const entries = new Entries();
  entries.branch('br_1');
  entries.branch('br_2', 'br_1', 2);
  entries.operation('br_2');
  entries.fold('br_2', 'br_1', 15);
  const fate = () => fateOf(treeOf(entries), treeOf(entries).branches.get('br_2')!);
  expect(fate()).toBe('folded');
  const gone = { branch_id: 'br_1', parent_id: null, was: 'active' as const, tokens: 8, summary_tokens: 0 };
  const none = { operations_after: null, operations_tokens: 0, operations_count: 0 };
  entries.add('branch.rolled_back', { target: null, depth: 0, discarded: [gone], reopened: [], ...none });
  expect(fate()).toBe('discarded');
  const open = new Map(openable(treeOf(entries)).map((key) => [key, true] as const));
  const call = rowsOf(treeOf(entries), open).find(({ kind }) => kind === 'operation');
  expect(call).toMatchObject({ isGone: true, isAway: true });
});
