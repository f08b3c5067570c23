import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { HOUR, makeToken, movableClock, openTestJournal } from '../../testing/fixtures.suite.ts';
import { accessStream } from '../streams.ts';
import { localOwner } from './caller.ts';
import { revokeToken } from './commands.ts';
import { TokenWatch } from './token-watch.ts';

async function setUp() {
  const clock = movableClock();
  const journal = await openTestJournal(clock);
  const watch = new TokenWatch(journal, clock.read);
  const ended: string[] = [];
  const open = (what: string, tokenId: string | null, expiresAt: number | null = null) =>
    watch.whenEnded({ tokenId, expiresAt }, () => ended.push(what));
  const revoke = (id: string) =>
    journal.commit({
      stream: accessStream('local'),
      actor: localOwner.actor,
      decide: (database) => revokeToken(database, id),
    });
  return { clock, journal, ended, open, revoke };
}

test('what a revoked token opened ends, and nothing else does', async () => {
  verifies('KERN-10');
  const { journal, ended, open, revoke } = await setUp();
  const [one, other] = [await makeToken(journal), await makeToken(journal, { name: 'bob' })];
  open('first', one.id);
  open('second', one.id);
  open('closed before', one.id)();
  open('of another', other.id);
  open('of the owner', null);
  await revoke(one.id);
  expect(ended).toEqual(['first', 'second']);
  open('too late', one.id);
  expect(ended).toEqual(['first', 'second', 'too late']);
});

test('what an expired token opened ends soon after', async () => {
  verifies('KERN-10');
  const { clock, journal, ended, open } = await setUp();
  const { id } = await makeToken(journal, { expiresAt: clock.read() + HOUR });
  open('ours', id, clock.read() + HOUR);
  open('of an issuer', null, clock.read() + HOUR);
  open('lasting', id);
  clock.advance(HOUR - 1);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(ended).toEqual([]);
  clock.advance(1);
  await expect.poll(() => ended).toEqual(['ours', 'of an issuer']);
});
