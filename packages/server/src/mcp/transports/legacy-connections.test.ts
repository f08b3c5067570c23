import { LIMITS } from '@infold/protocol';
import { expect, test } from 'vitest';
import { callerNamed, openTestJournal } from '../../testing/fixtures.suite.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { TokenWatch } from '../../trust/identity/token-watch.ts';
import { type LegacyConnection, LegacyConnections } from './legacy-connections.ts';

const MOST = 10;

async function setUp() {
  const journal = await openTestJournal();
  const connections = new LegacyConnections(
    { ...LIMITS, httpConnections: MOST },
    Date.now,
    new TokenWatch(journal, Date.now),
  );
  const ended: string[] = [];
  const add = (id: string, owner: Caller) => {
    const server = { close: async () => void ended.push(id) };
    const made = { server, owner, aside: new Set(), waiting: new Map(), usedAt: Date.now() };
    connections.add(id, made as unknown as LegacyConnection);
  };
  return { connections, add, ended };
}

const calm = callerNamed('calm', { org: 'one' });
const [flood, other] = [callerNamed('flood', { org: 'two' }), callerNamed('other', { org: 'two' })];

test('who begins connections by the thousand ends their own', async () => {
  const { connections, add, ended } = await setUp();
  add('calm-1', calm);
  add('calm-2', calm);
  add('other', other);
  for (let count = 0; count < 1000; count++) add(`flood-${count}`, flood);
  for (const [id, owner] of [
    ['calm-1', calm],
    ['calm-2', calm],
    ['other', other],
    ['flood-999', flood],
  ] as const) {
    expect(connections.find(id, owner), id).toBeDefined();
  }
  expect(ended).toHaveLength(1003 - MOST);
  expect(ended.every((id) => id.startsWith('flood'))).toBe(true);
});

test('who comes later gets room from who holds most, the connection that was not used for longest', async () => {
  const { connections, add, ended } = await setUp();
  for (let count = 0; count < MOST; count++) add(`flood-${count}`, flood);
  connections.find('flood-0', flood);
  for (let count = 0; count < 4; count++) add(`calm-${count}`, calm);
  expect(ended).toEqual(['flood-1', 'flood-2', 'flood-3', 'flood-4']);
});
