import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Where } from '../search.ts';
import {
  conditionOf,
  draftOf,
  filtersOf,
  OPERATORS,
  operatorsFor,
  said,
  withCondition,
} from './conditions.ts';

describe('conditions', () => {
  test('are put together by column, whatever the columns are named', () => {
    const filters = filtersOf([
      ['minutes', 'gte', 5],
      ['minutes', 'lt', 9],
      ['__proto__', 'eq', 'x'],
      ['constructor', 'is_null', true],
    ]);
    expect(JSON.stringify(filters)).toBe(
      '{"minutes":{"gte":5,"lt":9},"__proto__":{"eq":"x"},"constructor":{"is_null":true}}',
    );
  });

  test('replace what asks the same of the same column, or what they are put instead of', () => {
    const first: Where = ['a', 'eq', 1];
    const second: Where = ['b', 'eq', 2];
    expect(withCondition([first, second], ['a', 'eq', 3])).toEqual([second, ['a', 'eq', 3]]);
    expect(withCondition([first, second], ['c', 'ne', 3], first)).toEqual([['c', 'ne', 3], second]);
    expect(withCondition([], first)).toEqual([first]);
  });

  test('are said in words', () => {
    expect(said(['minutes', 'between', [1, 2]])).toEqual({
      column: 'minutes',
      sign: 'between',
      value: '1 and 2',
    });
    expect(said(['tags', 'in', ['a', 'b']])).toEqual({ column: 'tags', sign: 'is one of', value: 'a, b' });
    expect(said(['notes', 'is_null', false]).sign).toBe('has a value');
    expect(said(['notes', 'toString', 1]).sign).toBe('toString');
    expect(said(['notes', 'eq', 'x'.repeat(500)]).value).toHaveLength(80);
  });

  test('are made of what a form holds, and refused where something is missing', () => {
    const draft = { ...draftOf(undefined, { name: 'minutes', type: 'number' }), text: '12' };
    expect(conditionOf({ ...draft, operator: 'gte' }, 'number')).toEqual(['minutes', 'gte', 12]);
    expect(conditionOf({ ...draft, operator: 'contains' }, 'number')).toEqual(['minutes', 'contains', '12']);
    expect(conditionOf({ ...draft, operator: 'in', text: '1\n\n 2 ' }, 'number')).toEqual([
      'minutes',
      'in',
      [1, 2],
    ]);
    expect(conditionOf({ ...draft, operator: 'between', until: '20' }, 'number')).toEqual([
      'minutes',
      'between',
      [12, 20],
    ]);
    expect(conditionOf({ ...draft, operator: 'between' }, 'number')).toEqual({ problem: 'Give both ends' });
    expect(conditionOf({ ...draft, text: 'a lot' }, 'number')).toEqual({
      problem: 'This column holds numbers',
    });
    expect(conditionOf({ ...draft, text: '' }, 'text')).toEqual({ problem: 'Give a value' });
    expect(conditionOf({ ...draft, operator: 'in', text: ' \n' }, 'text')).toEqual({
      problem: 'Give a value',
    });
    expect(conditionOf({ ...draft, text: 'false' }, 'boolean')).toEqual(['minutes', 'eq', false]);
    expect(conditionOf({ ...draft, operator: 'is_null', isPresent: true }, 'text')).toEqual([
      'minutes',
      'is_null',
      false,
    ]);
  });

  test('come back from a form as they went in', () => {
    const text = fc
      .string({ minLength: 1 })
      .filter((given) => given.trim() === given && !given.includes('\n') && given !== '');
    const one = fc.constantFrom('eq', 'ne', 'contains', 'lt', 'gte');
    const conditions: fc.Arbitrary<Where> = fc.oneof(
      fc.tuple(text, one, text),
      fc.tuple(text, fc.constant('in'), fc.array(text, { minLength: 1 })),
      fc.tuple(text, fc.constant('between'), fc.tuple(text, text)),
      fc.tuple(text, fc.constant('is_null'), fc.boolean()),
    );
    fc.assert(
      fc.property(conditions, (condition) => {
        const column = { name: condition[0], type: 'text' };
        expect(conditionOf(draftOf(condition, column), 'text')).toEqual(condition);
      }),
    );
  });

  test('of nested values and of yes and no are few', () => {
    expect(operatorsFor('json')).toEqual(['contains', 'is_null']);
    expect(operatorsFor('boolean')).toEqual(['eq', 'ne', 'is_null']);
    expect(operatorsFor('mixed')).toEqual(Object.keys(OPERATORS));
  });
});
