import { expect, test } from 'vitest';
import { errorBody, InfoldError, messageOf } from './errors.ts';

test('an error knows its own kind, across copies of the module', () => {
  const error = new InfoldError('conflict', 'Someone was first');
  expect(InfoldError.isInstance(error)).toBe(true);
  expect(error).toBeInstanceOf(Error);
  expect(
    InfoldError.isInstance(Object.assign(new Error('copy'), { [Symbol.for('infold.error')]: true })),
  ).toBe(true);
  for (const other of [new Error('conflict'), { code: 'conflict' }, null, undefined, 'conflict']) {
    expect(InfoldError.isInstance(other)).toBe(false);
  }
});

test('the mark is not shown when an error is printed or copied', () => {
  expect(
    Object.getOwnPropertyDescriptor(new InfoldError('x', 'y'), Symbol.for('infold.error'))?.enumerable,
  ).toBe(false);
});

test('the body says what happened, whether to retry and when, and what helps', () => {
  const plain = new InfoldError('not_found', 'No such branch');
  expect(errorBody(plain)).toEqual({ error: 'No such branch', code: 'not_found', retryable: false });
  const rich = new InfoldError('rate_limited', 'Slow down', {
    retryable: true,
    retryAfter: 3,
    details: { limit: 10 },
  });
  expect(errorBody(rich)).toEqual({
    error: 'Slow down',
    code: 'rate_limited',
    retryable: true,
    retryAfter: 3,
    limit: 10,
  });
});

test('the cause is kept, and absent when there is none', () => {
  const cause = new Error('below');
  expect(new InfoldError('internal', 'above', { cause }).cause).toBe(cause);
  expect('cause' in new InfoldError('internal', 'above')).toBe(false);
});

test('anything thrown has a message', () => {
  expect(messageOf(new Error('text'))).toBe('text');
  expect(messageOf('text')).toBe('text');
  expect(messageOf(undefined)).toBe('undefined');
});
