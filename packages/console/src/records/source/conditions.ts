import type { FilterOperator } from '@infold/protocol';
import type { Where } from '../search.ts';
import { cut, textOf } from '../values.ts';

interface Operator {
  /** As it stands between a column and a value. */
  sign: string;
  name: string;
  /** What is compared with: one value, several, two, or only whether there is one. */
  takes: 'one' | 'many' | 'two' | 'presence';
}

export const OPERATORS: Readonly<Record<FilterOperator, Operator>> = {
  eq: { sign: '=', name: 'is', takes: 'one' },
  ne: { sign: '≠', name: 'is not', takes: 'one' },
  contains: { sign: 'contains', name: 'contains', takes: 'one' },
  lt: { sign: '<', name: 'is less than', takes: 'one' },
  lte: { sign: '≤', name: 'is at most', takes: 'one' },
  gt: { sign: '>', name: 'is more than', takes: 'one' },
  gte: { sign: '≥', name: 'is at least', takes: 'one' },
  between: { sign: 'between', name: 'is between', takes: 'two' },
  in: { sign: 'is one of', name: 'is one of', takes: 'many' },
  is_null: { sign: '', name: 'has a value or none', takes: 'presence' },
};

export const isOperator = (given: string): given is FilterOperator => Object.hasOwn(OPERATORS, given);

const ALL = Object.keys(OPERATORS) as FilterOperator[];

/** What can be asked of a column. */
export function operatorsFor(type: string): FilterOperator[] {
  if (type === 'json') return ['contains', 'is_null'];
  return type === 'boolean' ? ['eq', 'ne', 'is_null'] : ALL;
}

/** As `search_records` takes them. A column may be named `__proto__`, so nothing is assigned by name. */
export function filtersOf(where: readonly Where[]): Record<string, unknown> {
  const columns = new Map<string, [string, unknown][]>();
  for (const [column, operator, value] of where) {
    columns.set(column, [...(columns.get(column) ?? []), [operator, value]]);
  }
  return Object.fromEntries([...columns].map(([column, tests]) => [column, Object.fromEntries(tests)]));
}

/** With one more; a column is asked the same only once. */
export function withCondition(where: readonly Where[], added: Where, instead?: Where): Where[] {
  const kept = where.filter((one) => one !== instead && !(one[0] === added[0] && one[1] === added[1]));
  const at = instead ? where.indexOf(instead) : kept.length;
  return kept.toSpliced(at, 0, added);
}

export interface ConditionWords {
  column: string;
  sign: string;
  value: string;
}

/** A condition in words, in three parts: what somebody else named is set apart from what is ours. */
export function said([column, operator, value]: Where): ConditionWords {
  if (operator === 'is_null')
    return { column, sign: value === false ? 'has a value' : 'has no value', value: '' };
  const sign = isOperator(operator) ? OPERATORS[operator].sign : operator;
  const values = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  return { column, sign, value: cut(values.join(operator === 'between' ? ' and ' : ', '), 80) };
}

/** What a form holds of a condition. */
export interface ConditionDraft {
  column: string;
  operator: FilterOperator;
  /** Each line is a value where an operator takes several. */
  text: string;
  /** The upper end. */
  until: string;
  isPresent: boolean;
}

export function draftOf(
  condition: Where | undefined,
  column: { name: string; type: string },
): ConditionDraft {
  const [name, operator, value] = condition ?? [column.name, operatorsFor(column.type)[0]!, ''];
  const known = isOperator(operator) ? operator : 'eq';
  const values = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  return {
    column: name,
    operator: known,
    text: known === 'in' ? values.join('\n') : (values[0] ?? ''),
    until: known === 'between' ? (values[1] ?? '') : '',
    isPresent: value === false,
  };
}

/** The condition, or what is wrong with it. */
export function conditionOf(
  { column, operator, text, until, isPresent }: ConditionDraft,
  type: string,
): Where | { problem: string } {
  const { takes } = OPERATORS[operator];
  if (takes === 'presence') return [column, operator, !isPresent];
  const lines = text.split('\n').map((line) => line.trim());
  const given =
    takes === 'many' ? lines.filter((line) => line !== '') : takes === 'two' ? [text, until] : [text];
  if (given.length === 0 || given.some((one) => one === '')) {
    return { problem: takes === 'two' ? 'Give both ends' : 'Give a value' };
  }
  const isNumber = type === 'number' && operator !== 'contains';
  if (isNumber && given.some((one) => one.trim() === '' || !Number.isFinite(Number(one)))) {
    return { problem: 'This column holds numbers' };
  }
  const values = given.map((one) => (isNumber ? Number(one) : type === 'boolean' ? one === 'true' : one));
  return [column, operator, takes === 'one' ? values[0] : values];
}
