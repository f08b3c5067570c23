import { describe, expect, test } from 'vitest';
import type { LibraryItem } from '../queries.ts';
import { type TreeRow, treeRows } from './rows.ts';

const item = (path: string, kind: LibraryItem['kind'] = 'rule'): LibraryItem => ({
  ...{ id: path, kind, path, name: path, group: null, hash: '', origin: null, revision: 1 },
  ...{ description: null, updated_at: '2026-01-01T00:00:00.000Z' },
});
const shown = (rows: readonly TreeRow[]) =>
  rows.map((row) => {
    const name = row.type === 'file' ? row.item.path : row.type === 'folder' ? `${row.name}/` : 'meta';
    return `${'  '.repeat(row.depth)}${name}`;
  });

const ITEMS = [
  item('TOP.md'),
  item('coding/STYLE.md'),
  item('coding/web/A.md'),
  item('workflow/SHIP.md', 'workflow'),
  item('notes/SPEC.md', 'context'),
];

describe('the tree of a library', () => {
  test('has a group for each kind, folders before files, and does not name the folder of a kind again', () => {
    expect(shown(treeRows(ITEMS, '', new Map()))).toEqual([
      'meta',
      'Rules/',
      '  coding/',
      '    web/',
      '      coding/web/A.md',
      '    coding/STYLE.md',
      '  TOP.md',
      'Workflows/',
      '  workflow/SHIP.md',
      'Context/',
      '  notes/',
      '    notes/SPEC.md',
    ]);
  });

  test('leaves out what is in closed folders, and says how many files those have', () => {
    const rows = treeRows(ITEMS, '', new Map([['rule/coding', false]]));
    expect(shown(rows)).not.toContain('    coding/STYLE.md');
    expect(rows.find(({ key }) => key === 'rule/coding')).toMatchObject({ files: 2, isOpen: false });
  });

  test('shows what has the words, in any order, whatever is closed', () => {
    expect(shown(treeRows(ITEMS, 'a web', new Map([['rule', false]])))).toEqual([
      'Rules/',
      '  coding/',
      '    web/',
      '      coding/web/A.md',
    ]);
    expect(treeRows(ITEMS, 'nothing has this', new Map())).toEqual([]);
  });

  test('begins closed where there are many files', () => {
    const many = Array.from({ length: 500 }, (_, number) => item(`folder-${number % 5}/${number}.md`));
    expect(treeRows(many, '', new Map()).length).toBe(1 + 1 + 5);
  });
});
