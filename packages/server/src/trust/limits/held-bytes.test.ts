import { expect, test } from 'vitest';
import { HeldBytes } from './held-bytes.ts';

const ada = { org: 'acme', principal: 'ada' };
const bob = { org: 'acme', principal: 'bob' };

test('one principal gets half of what requests may hold, another the rest', () => {
  const held = new HeldBytes(1000);
  held.take({}, ada, 300);
  const second = {};
  held.take(second, ada, 150);
  expect(() => held.take({}, ada, 100)).toThrow(/hold too much; try again in 1 s/);
  held.take({}, bob, 400);
  held.release(second);
  held.take({}, ada, 100);
  expect(held.bytes).toBe(800);
});

test('a request that is alone is served, whatever the bound: its own limit holds', () => {
  const held = new HeldBytes(1000);
  const request = {};
  for (let part = 0; part < 9; part++) held.take(request, ada, 100);
  expect(held.bytes).toBe(900);
  held.release(request);
  held.release(request);
  expect(held.bytes).toBe(0);
});

test('in all there is no more, whoever asks', () => {
  const held = new HeldBytes(1000);
  for (let index = 0; index < 1000; index++) {
    const who = { org: 'acme', principal: `p-${index % 10}` };
    try {
      held.take({}, who, 50);
    } catch {}
  }
  // Each of the ten may have one.
  expect(held.bytes).toBeLessThanOrEqual(1000 + 10 * 50);
});
