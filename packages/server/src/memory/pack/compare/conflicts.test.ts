import { expect, test } from 'vitest';
import { termsOf } from '../../text/terms.ts';
import { conflictsAmong } from './conflicts.ts';

const say = (id: string, content: string, at: number) => ({ id, content, at });
const goal = (text: string) => new Set(termsOf(text));

test('two values of one attribute are found without being declared, the newest first', () => {
  const found = conflictsAmong(
    [
      say('a', 'The session timeout is 14 days.', 1),
      say('b', 'The session timeout is 30 days.', 2),
      say('c', 'The session timeout is 7 days now.', 3),
    ],
    goal('session timeout'),
  );
  expect(found.get('a')!.map(({ id }) => id)).toEqual(['c', 'b']);
  expect(found.get('c')![0]).toEqual({
    ...{ id: 'b', at: 2, says: 'The session timeout is 30 days.', values: ['30'] },
  });
});

test('what is counted is no conflict', () => {
  const counted = (most: number) =>
    Array.from({ length: most }, (_, index) =>
      say(`i${index}`, `Invoice rule ${index} rounds to cents.`, index),
    );
  expect(conflictsAmong(counted(6), goal('invoice rule')).size).toBe(6);
  expect(conflictsAmong(counted(7), goal('invoice rule')).size).toBe(0);
});

test('what is about something else, says the same, or asks, is no conflict', () => {
  const found = conflictsAmong(
    [
      say('a', 'The session timeout is 14 days.', 1),
      say('b', 'The session timeout is 14 days, as before.', 2),
      say('c', 'The cache of sessions holds 500 entries for the gateway.', 3),
      say('d', 'Is the session timeout 30 days?', 4),
    ],
    goal('session timeout'),
  );
  expect([...found.keys()]).toEqual([]);
});

test('only what the goal is about is compared', () => {
  const statements = [say('a', 'The deposit is 100 euros.', 1), say('b', 'The deposit is 150 euros.', 2)];
  expect(conflictsAmong(statements, goal('which train'))).toEqual(new Map());
  expect(conflictsAmong(statements, goal('the deposit')).size).toBe(2);
});
