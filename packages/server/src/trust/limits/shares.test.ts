import { LIMITS } from '@infold/protocol';
import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

const alice = { org: 'acme', principal: 'alice' };
const bob = { org: 'acme', principal: 'bob' };
const carol = { org: 'other', principal: 'carol' };

const limits = { ...LIMITS, podsPerPrincipal: 2, podsPerOrganisation: 3 };

test('a principal and an organisation have at most their share; others have theirs', () => {
  const shares = new Shares('pods', limits);
  const [first] = [shares.take(alice), shares.take(alice)];
  expect(() => shares.take(alice)).toThrow(/a principal may have 2 open pods/);
  shares.take(bob);
  expect(() => shares.take(bob)).toThrow(/an organisation may have 3 open pods/);
  shares.take(carol);
  first!();
  first!();
  shares.take(bob);
  expect(() => shares.take(alice)).toThrow(/an organisation/);
});

test('what was refused took nothing', () => {
  const shares = new Shares('pods', limits);
  const held = [shares.take(alice), shares.take(alice), shares.take(bob)];
  for (let count = 0; count < 5; count++) expect(() => shares.take(bob)).toThrow();
  for (const release of held) release();
  shares.take(bob);
  shares.take(bob);
  shares.take(alice);
});

test('the local owner is held only to what was set on purpose', () => {
  const owner = { org: 'local', principal: 'owner' };
  const free = new Shares('pods', LIMITS);
  for (let count = 0; count < 5000; count++) free.take(owner);
  const strict = new Shares('pods', limits);
  strict.take(owner);
  strict.take(owner);
  expect(() => strict.take(owner)).toThrow(/2 open pods/);
});
