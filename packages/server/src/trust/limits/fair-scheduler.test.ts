import { describe, expect, test } from 'vitest';
import { Turns } from './fair-scheduler.ts';

const nextRound = () => new Promise((resolve) => setImmediate(resolve));

/** A clock that only work moves. */
function setUp() {
  let now = 0;
  const turns = new Turns(() => now);
  const pass = (time: number) => {
    now += time;
  };
  const order: string[] = [];
  const call = async (org: string, principal: string, time: number) => {
    await turns.take({ org, principal });
    order.push(principal);
    // The costly part of a call often comes after a few steps that wait for nothing.
    await undefined;
    await undefined;
    now += time;
  };
  const long = async (org: string, principal: string, name: string, pieces: number) => {
    await turns.take({ org, principal });
    for (let piece = 0; piece < pieces; piece++) {
      await turns.giveWay({ org, principal });
      order.push(name);
      await undefined;
      now += 5;
    }
  };
  return { turns, order, call, long, pass };
}

describe('turns', () => {
  test('are had at once while nobody else waits', async () => {
    const { turns } = setUp();
    expect(turns.take({ org: 'one', principal: 'alice' })).toBeUndefined();
    expect(turns.take({ org: 'one', principal: 'alice' })).toBeInstanceOf(Promise);
    await nextRound();
    await nextRound();
    await nextRound();
    expect(turns.take({ org: 'one', principal: 'alice' })).toBeUndefined();
  });

  test('of one principal with many calls do not keep another one waiting for more than one of them', async () => {
    const { order, call } = setUp();
    const flood = Array.from({ length: 100 }, () => call('two', 'flood', 15));
    await nextRound();
    await nextRound();
    const begun = order.length;
    await call('one', 'calm', 1);
    expect(order.indexOf('calm') - begun).toBeLessThanOrEqual(1);
    await Promise.all(flood);
    expect(order).toHaveLength(101);
  });

  test('let requests be read between two long calls', async () => {
    const { order, call } = setUp();
    const flood = Array.from({ length: 10 }, () => call('two', 'flood', 15));
    const seen: number[] = [];
    for (let round = 0; round < 10; round++) {
      await nextRound();
      seen.push(order.length);
    }
    await Promise.all(flood);
    expect(seen.every((count, index) => count - (seen[index - 1] ?? 0) <= 1)).toBe(true);
  });

  test('are shared by time and not by number, between organisations first and in them between principals', async () => {
    const { order, call } = setUp();
    const many = (count: number, ...args: Parameters<typeof call>) =>
      Array.from({ length: count }, () => call(...args));
    const calls = [
      ...many(40, 'one', 'costly', 8),
      ...many(40, 'one', 'cheap', 2),
      ...many(160, 'two', 'other', 2),
    ];
    await Promise.all(calls);
    const first = order.slice(0, 90);
    const timeOf = (principal: string, cost: number) =>
      first.filter((name) => name === principal).length * cost;
    expect(timeOf('costly', 8) / timeOf('cheap', 2)).toBeCloseTo(1, 0);
    const one = timeOf('costly', 8) + timeOf('cheap', 2);
    expect(one / timeOf('other', 2)).toBeGreaterThan(0.7);
    expect(one / timeOf('other', 2)).toBeLessThan(1.4);
  });

  test('are not begun by who had more while a call of who had less is under way, for a while', async () => {
    const { turns, order, call } = setUp();
    const flood = Array.from({ length: 20 }, () => call('two', 'flood', 15));
    while (order.length < 5) await nextRound();
    const answered = turns.enter({ org: 'one', principal: 'calm' });
    await call('one', 'calm', 1);
    for (let round = 0; round < 4; round++) await nextRound();
    const begun = order.length;
    for (let round = 0; round < 10; round++) await nextRound();
    expect(order.length).toBe(begun);
    await call('one', 'calm', 1);
    expect(order.slice(begun)).toEqual(['calm']);
    answered();
    await Promise.all(flood);
    expect(order).toHaveLength(22);
  });

  test('are not kept from others by who does nothing but wait', async () => {
    const { turns, order, call, pass } = setUp();
    const work = Array.from({ length: 20 }, () => call('two', 'worker', 15));
    while (order.length < 5) await nextRound();
    // New calls all the time, that take none: what others wait for them is counted until everybody is level.
    const answered = [];
    for (let round = 0; round < 200 && order.length < 20; round++) {
      answered.push(turns.enter({ org: 'one', principal: 'waiter' }));
      pass(10);
      answered.shift()!();
      await nextRound();
      await nextRound();
    }
    await Promise.all(work);
    expect(order).toHaveLength(20);
  });

  test('are given way in between the pieces of a long call, so that a short one of another does not wait for its end', async () => {
    const { turns, order, call, long } = setUp();
    const flood = Array.from({ length: 10 }, (_, index) => long('two', 'flood', `long ${index}`, 10));
    await nextRound();
    await nextRound();
    await nextRound();
    const begun = order.length;
    const answered = turns.enter({ org: 'one', principal: 'calm' });
    await call('one', 'calm', 1);
    answered();
    expect(order.indexOf('calm') - begun).toBeLessThanOrEqual(1);
    await Promise.all(flood);
    // The flood's own calls end one by one.
    const ended = order.filter((name) => name.startsWith('long'));
    expect(ended).toEqual(Array.from({ length: 100 }, (_, piece) => `long ${Math.floor(piece / 10)}`));
  });

  test('are kept until they were long enough to give way', async () => {
    const { turns, pass } = setUp();
    const who = { org: 'one', principal: 'alice' };
    expect(turns.take(who)).toBeUndefined();
    pass(1);
    expect(turns.giveWay(who)).toBeUndefined();
    pass(5);
    const next = turns.giveWay(who);
    expect(next).toBeInstanceOf(Promise);
    await next;
    expect(turns.giveWay(who)).toBeUndefined();
  });

  test('are had again by who waited for something else meanwhile, and count from then on', async () => {
    const { turns, order, call, pass } = setUp();
    const who = { org: 'two', principal: 'flood' };
    await turns.take(who);
    for (let round = 0; round < 5; round++) await nextRound();
    expect(turns.giveWay(who)).toBeUndefined();
    pass(50);
    const other = Array.from({ length: 5 }, () => call('one', 'calm', 5));
    const rest = turns.giveWay(who)!.then(() => order.push('flood'));
    await Promise.all([...other, rest]);
    expect(order.at(-1)).toBe('flood');
  });

  test('are not had any more after the end', async () => {
    const { turns, order, call } = setUp();
    for (let count = 0; count < 10; count++) void call('one', 'alice', 5);
    await nextRound();
    turns.end();
    const begun = order.length;
    for (let round = 0; round < 5; round++) await nextRound();
    expect(order.length).toBe(begun);
    expect(turns.waiting).toBe(0);
  });

  test('are not saved up: who comes late begins level with the others', async () => {
    const { order, call } = setUp();
    const flood = Array.from({ length: 60 }, () => call('two', 'flood', 10));
    while (order.length < 20) await nextRound();
    const late = Array.from({ length: 60 }, () => call('one', 'late', 10));
    await Promise.all([...flood, ...late]);
    const after = order.slice(20, 40);
    // It has a credit of 200 ms, which is twenty of these calls.
    expect(after.filter((name) => name === 'late').length).toBeGreaterThan(15);
    const even = order.slice(40, 60);
    expect(even.filter((name) => name === 'flood').length).toBeGreaterThan(5);
    expect(even.filter((name) => name === 'late').length).toBeGreaterThan(5);
  });
});
