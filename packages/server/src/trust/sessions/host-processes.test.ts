import { expect, test } from 'vitest';
import { openTestJournal } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../identity/caller.ts';
import { dropHostProcesses, hostSessionUnder, noteHostProcesses } from './host-processes.ts';

const NOW = Date.now();
const [SHELL, HOST, OTHER_HOST, TERMINAL] = [9001, 9002, 9003, 9004];

async function setUp() {
  const { database } = await openTestJournal();
  return {
    note: (session: string, ancestors: number[], now = NOW) =>
      noteHostProcesses(database, localOwner, session, ancestors, now),
    drop: (session: string) => dropHostProcesses(database, localOwner, session),
    under: (pid: number, current?: string, caller = localOwner) =>
      hostSessionUnder(database, caller, pid, current, NOW),
  };
}

test('a server has the session of the host that started it', async () => {
  const { note, under } = await setUp();
  expect(under(HOST)).toBeUndefined();
  note('one', [SHELL, HOST, TERMINAL, 1]);
  expect(under(HOST)).toBe('one');
  expect(under(OTHER_HOST)).toBeUndefined();
  expect(under(1)).toBeUndefined();
  expect(under(HOST, undefined, { ...localOwner, principal: 'somebody else' })).toBeUndefined();
});

test('two windows in one terminal are told apart, and what is above both is neither', async () => {
  const { note, under } = await setUp();
  note('one', [SHELL, HOST, TERMINAL]);
  note('two', [SHELL + 10, OTHER_HOST, TERMINAL]);
  expect([under(HOST), under(OTHER_HOST), under(TERMINAL)]).toEqual(['one', 'two', undefined]);
});

test('a host that runs another one keeps its own session', async () => {
  const { note, under } = await setUp();
  note('inner', [OTHER_HOST, SHELL, HOST]);
  note('outer', [HOST, TERMINAL]);
  expect(under(HOST)).toBe('outer');
});

test('a host goes on with another session when it has said that the first is over', async () => {
  const { note, drop, under } = await setUp();
  note('one', [HOST]);
  note('two', [HOST]);
  expect(under(HOST, 'one')).toBe('one');
  expect(under(HOST)).toBeUndefined();
  drop('one');
  expect(under(HOST, 'one')).toBe('two');
});

test('what was noted days ago, or before the machine began, says nothing', async () => {
  const { note, under } = await setUp();
  note('old', [HOST], NOW - 3 * 24 * 3_600_000);
  expect(under(HOST)).toBeUndefined();
});
