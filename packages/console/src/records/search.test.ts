import { expect, test } from 'vitest';
import { recordsSearch, workflowSearch } from './search.ts';

test('what an address says of records is kept as far as it can be meant', () => {
  expect(
    recordsSearch({
      ...{ where: [['minutes', 'gte', 5], ['a'], 'b', [1, 'eq', 2], ['c', '', 1]], sort: '-minutes' },
      ...{ page: 12, columns: ['a', 3, 'b'], record: 72, row: 1.5, other: 1 },
    }),
  ).toEqual({
    ...{ where: [['minutes', 'gte', 5]], sort: '-minutes', page: 12, columns: ['a', 'b'] },
    ...{ record: 72, row: undefined },
  });
  expect(recordsSearch({ where: [], columns: [], page: 0, record: '', sort: 2024 })).toEqual({
    ...{ where: undefined, columns: undefined, page: undefined, record: undefined, row: undefined },
    sort: '2024',
  });
  expect(workflowSearch({ project: 'proj_1', step: -1 })).toEqual({ project: 'proj_1', step: undefined });
});
