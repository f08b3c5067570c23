import { expect, test } from 'vitest';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import type { Session } from '../sessions/queries.ts';
import { Clients } from './connected-clients.ts';

const ann = callerNamed('ann');
const client = { name: 'claude-code', version: '2.1' };
const session = { id: 'sess_1' } as Session;

test('who holds a connection is told once, with what came on it, until it ends', () => {
  const clients = new Clients();
  let sessionId: string | undefined;
  const release = clients.hold({
    owner: ann,
    identity: () => client,
    sessionId: () => sessionId,
    usedAt: () => 7,
  });
  clients.heard(ann, client, undefined, 5);
  expect(clients.list()).toMatchObject([{ isHeld: true, sessionId: undefined, lastAt: 7 }]);
  sessionId = 'sess_1';
  clients.heard(ann, client, session, 7);
  expect(clients.list()).toMatchObject([{ isHeld: true, sessionId: 'sess_1', client }]);
  release();
  expect(clients.list()).toMatchObject([{ isHeld: false, sessionId: 'sess_1', lastAt: 7 }]);
});

test('what clients say of themselves takes no more room than it may', () => {
  const clients = new Clients();
  for (let count = 0; count < 1100; count++) {
    clients.heard(
      ann,
      { name: `${count} ${'x'.repeat(10_000)}`, version: 'y'.repeat(10_000) },
      session,
      count,
    );
  }
  const known = clients.list();
  expect(known).toHaveLength(1000);
  expect(known.at(-1)!.lastAt).toBe(1099);
  expect(Math.max(...known.map((one) => JSON.stringify(one).length))).toBeLessThan(500);
});

test('who holds a connection is told once, however long they call themselves', () => {
  const clients = new Clients();
  const long = { name: 'wide'.repeat(400), version: '1'.repeat(300) };
  clients.hold({ owner: ann, identity: () => long, sessionId: () => undefined, usedAt: () => 5 });
  clients.heard(ann, long, undefined, 5);
  expect(clients.list()).toMatchObject([{ isHeld: true, client: { name: 'wide'.repeat(25) } }]);
});
