import { LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase, type SqlValue } from '../../kernel/sqlite.ts';
import { parseFields, parseFilters, parseSort } from './filters.ts';
import type { Column, Shape } from './shape.ts';
import { orderOf, Parameters, quoted, whereOf } from './sql.ts';

const columns: Column[] = [
  { name: 'id', type: 'number', expression: 'c0' },
  { name: 'name', type: 'text', expression: 'c1' },
  { name: 'paid', type: 'boolean', expression: 'c2' },
  { name: 'any', type: 'mixed', expression: 'c3' },
];
const shape: Shape = { model: 'thing', columns, id: 'id' };

interface Thing {
  id: number | null;
  name: string | null;
  paid: boolean | null;
  any: number | string | null;
}

let database: Database;
beforeAll(async () => {
  database = await openDatabase(':memory:');
  database.exec('CREATE TABLE record (ordinal INTEGER PRIMARY KEY, c0, c1, c2, c3)');
});

function select(things: readonly Thing[], filters: Record<string, unknown>): number[] {
  database.exec('DELETE FROM record');
  for (const [index, { id, name, paid, any }] of things.entries()) {
    const values: SqlValue[] = [index, id, name, paid === null ? null : Number(paid), any];
    database.run('INSERT INTO record VALUES (?, ?, ?, ?, ?)', ...values);
  }
  const parameters = new Parameters('sqlite');
  const where = whereOf(parseFilters(filters, shape, LIMITS.filterValues), 'sqlite', parameters);
  const sql = `SELECT ordinal FROM record WHERE ${where} ORDER BY ordinal`;
  return [...database.iterate<{ ordinal: number }>(sql, ...(parameters.values as SqlValue[]))].map(
    ({ ordinal }) => ordinal,
  );
}

const hostile = fc.constantFrom(
  `'; DROP TABLE record; --`,
  `" OR 1=1 --`,
  '%',
  '_',
  '?1',
  '$1',
  ':a',
  '\u0000',
  "it's",
  'NULL',
);
const text = fc.oneof(fc.string({ maxLength: 3 }), hostile);
const number = fc.integer({ min: -3, max: 3 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const thing: fc.Arbitrary<Thing> = fc.record({
  id: maybe(number),
  name: maybe(text),
  paid: maybe(fc.boolean()),
  any: maybe(fc.oneof(number, text)),
});

/** What each operator means, without SQL. */
function holds(value: unknown, op: string, wanted: unknown): boolean {
  const list = wanted as never[];
  if (op === 'is_null') return (value === null) === wanted;
  if (op === 'ne') return value !== wanted;
  if (value === null) return false;
  switch (op) {
    case 'eq':
      return value === wanted;
    case 'in':
      return list.includes(value as never);
    case 'lt':
      return below(value, wanted);
    case 'lte':
      return value === wanted || below(value, wanted);
    case 'gt':
      return below(wanted, value);
    case 'gte':
      return value === wanted || below(wanted, value);
    case 'between':
      return holds(value, 'gte', list[0]) && holds(value, 'lte', list[1]);
    default:
      return String(value).replaceAll(/[A-Z]/g, lower).includes(String(wanted).replaceAll(/[A-Z]/g, lower));
  }
}

const lower = (letter: string) => letter.toLowerCase();

/** SQLite compares texts by their bytes. */
function below(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other;
  return (
    typeof one === 'string' &&
    typeof other === 'string' &&
    Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
  );
}

describe('filters', () => {
  const scalarOps = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte');
  const tests = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof(
      fc.tuple(scalarOps, value),
      fc.tuple(fc.constant('in'), fc.array(value, { maxLength: 4 })),
      fc.tuple(fc.constant('between'), fc.tuple(value, value)),
      fc.tuple(fc.constant('is_null'), fc.boolean()),
    );

  test('mean what they say, whatever is in the values', () => {
    const wanted = fc.oneof(
      fc.tuple(fc.constant('id' as const), tests(number)),
      fc.tuple(fc.constant('name' as const), fc.oneof(tests(text), fc.tuple(fc.constant('contains'), text))),
    );
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 20 }), wanted, (things, [column, [op, value]]) => {
        // A text with a NUL ends there for some of SQLite's functions.
        fc.pre(!JSON.stringify([things, value]).includes('\\u0000'));
        const expected = things.flatMap((one, index) => (holds(one[column], op, value) ? [index] : []));
        expect(select(things, { [column]: { [op]: value } })).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('all hold together', () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 20 }), number, fc.boolean(), (things, least, paid) => {
        const found = select(things, { id: { gte: least, ne: 0 }, paid });
        const expected = things.flatMap((one, index) =>
          one.id !== null && one.id >= least && one.id !== 0 && one.paid === paid ? [index] : [],
        );
        expect(found).toEqual(expected);
      }),
    );
  });

  test('in a column of numbers and texts 5 and "5" are the same, and order is within a kind', () => {
    const things = [5, '5', 7, 'x', null].map((any): Thing => ({ id: 0, name: null, paid: null, any }));
    expect(select(things, { any: 5 })).toEqual([0, 1]);
    expect(select(things, { any: '5' })).toEqual([0, 1]);
    expect(select(things, { any: { ne: '5' } })).toEqual([2, 3, 4]);
    expect(select(things, { any: { gt: 5 } })).toEqual([2]);
    expect(select(things, { any: { gt: '5' } })).toEqual([3]);
  });

  test('take a value in the column’s type or in its spelling', () => {
    const things: Thing[] = [{ id: 2_147_483_648, name: '7', paid: true, any: null }];
    for (const filters of [
      { id: '2147483648' },
      { name: 7 },
      { paid: 'true' },
      { paid: 1 },
      { id: { contains: '4836' } },
    ]) {
      expect(select(things, filters), JSON.stringify(filters)).toEqual([0]);
    }
    expect(select(things, { id: { contains: '8.0' } })).toEqual([]);
  });
});

test('no text of a caller is ever part of a statement', () => {
  fc.assert(
    fc.property(text, fc.constantFrom('sqlite' as const, 'postgres' as const), (value, dialect) => {
      fc.pre(value.length > 3);
      const parameters = new Parameters(dialect);
      const where = whereOf(
        parseFilters({ name: { eq: value, contains: value, in: [value, 'b'] } }, shape, LIMITS.filterValues),
        dialect,
        parameters,
      );
      expect(where).not.toContain(value);
      expect(JSON.stringify(parameters.values)).toContain(JSON.stringify(value).slice(1, -1));
    }),
  );
});

test('names that we read from a database are quoted', () => {
  expect(quoted('a"; DROP TABLE x; --')).toBe('"a""; DROP TABLE x; --"');
});

test('sort takes several columns, and ends with what makes the order definite', () => {
  expect(orderOf(parseSort('name,-id', shape), 'sqlite', 'ordinal')).toBe(
    ' ORDER BY c1, c0 DESC, ordinal DESC',
  );
  expect(orderOf(parseSort('-id', shape), 'postgres', '"id"')).toBe(
    ' ORDER BY c0 DESC NULLS LAST, "id" DESC',
  );
  expect(orderOf([], 'sqlite', '')).toBe('');
  const dashed: Shape = { ...shape, columns: [...columns, { name: '-id', type: 'text', expression: 'c4' }] };
  expect(parseSort('-id', dashed)).toMatchObject([{ column: { expression: 'c4' }, descending: false }]);
  expect(parseSort('--id', dashed)).toMatchObject([{ column: { expression: 'c4' }, descending: true }]);
  const listed: Shape = {
    ...shape,
    columns: [...columns, { name: 'name,id ', type: 'text', expression: 'c4' }],
  };
  expect(parseSort('-name,id ', listed)).toMatchObject([{ column: { expression: 'c4' }, descending: true }]);
});

test('fields keep the id and the order of the columns', () => {
  expect(parseFields(['name'], shape).map(({ name }) => name)).toEqual(['id', 'name']);
  expect(parseFields([], shape)).toHaveLength(4);
});
