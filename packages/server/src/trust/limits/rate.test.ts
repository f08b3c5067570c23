import { LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../../testing/fixtures.suite.ts';
import { RateSharing } from './cluster/rate-sharing.ts';
import { RateLimiter } from './rate.ts';

const alice = { org: 'acme', principal: 'alice' };
const bob = { org: 'acme', principal: 'bob' };

function limiterAt(limits: Partial<typeof LIMITS>) {
  let now = 0;
  const limiter = new RateLimiter({ ...LIMITS, ...limits }, () => now);
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { limiter, pass };
}

describe('the rate limiter', () => {
  test('lets a minute of work through at once, then tells when to come back', async () => {
    const { limiter, pass } = limiterAt({ branchesPerMinute: 60 as never });
    for (let count = 0; count < 60; count++) limiter.spend(alice, 'branches');
    const error = await errorOf(() => limiter.spend(alice, 'branches', 5));
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfter: 5 });
    limiter.spend(bob, 'branches');
    limiter.spend(alice, 'sessions');
    pass(5000);
    limiter.spend(alice, 'branches', 5);
    expect((await errorOf(() => limiter.spend(alice, 'branches'))).retryAfter).toBe(1);
  });

  test('never lets more through than a full bucket and what time gives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5000), fc.integer({ min: 1, max: 30 })), { maxLength: 80 }),
        (steps) => {
          const { limiter, pass } = limiterAt({ branchesPerMinute: 60 as never });
          let through = 0;
          let elapsed = 0;
          for (const [wait, amount] of steps) {
            pass(wait);
            elapsed += wait;
            try {
              limiter.spend(alice, 'branches', amount);
              through += amount;
            } catch {
              // Refused: nothing was taken.
            }
            expect(through).toBeLessThanOrEqual(60 + elapsed / 1000 + 1e-6);
          }
        },
      ),
    );
  });

  test('what is larger than a minute of work passes when the bucket is full', () => {
    const { limiter } = limiterAt({ bytesPerMinute: 1000 as never });
    limiter.spend(alice, 'bytes', 5000);
    expect(() => limiter.spend(alice, 'bytes', 1)).toThrow(/1000 bytes a minute/);
  });

  test('charges what was used already, and lets nothing through until that is made up for', async () => {
    const { limiter, pass } = limiterAt({ bytesPerMinute: 60_000 as never });
    limiter.spend(alice, 'bytes', 1);
    limiter.charge(alice, 'bytes', 66_000);
    expect((await errorOf(() => limiter.spend(alice, 'bytes', 1))).retryAfter).toBeGreaterThan(5);
    limiter.spend(bob, 'bytes', 1);
    pass(5000);
    expect(() => limiter.spend(alice, 'bytes', 1)).toThrow();
    pass(2000);
    limiter.spend(alice, 'bytes', 1);
  });

  test('bounds the calls at once, and a slot is given back once', () => {
    const { limiter } = limiterAt({ callsAtOnce: 2 as never });
    const leave = limiter.enter(alice);
    limiter.enter(alice);
    expect(() => limiter.enter(alice)).toThrow(/2 calls at once/);
    limiter.enter(bob);
    leave();
    leave();
    limiter.enter(alice);
    expect(() => limiter.enter(alice)).toThrow();
  });

  test('holds the local owner to nothing but what was set on purpose', () => {
    const owner = { org: 'local', principal: 'owner' };
    const { limiter } = limiterAt({});
    for (let count = 0; count < 20_000; count++) limiter.spend(owner, 'sessions');
    const { limiter: strict } = limiterAt({ sessionsPerMinute: 2 as never });
    strict.spend(owner, 'sessions', 2);
    expect(() => strict.spend(owner, 'sessions')).toThrow(/2 sessions a minute/);
  });

  test('remembers a bounded number of principals', () => {
    const { limiter } = limiterAt({});
    for (let count = 0; count < 12_000; count++)
      limiter.spend({ org: 'acme', principal: `p${count}` }, 'bytes');
    expect(limiter.size).toBeLessThanOrEqual(10_000);
  });
});

describe('rate limiters of two nodes', () => {
  const limits = { ...LIMITS, callsAtOnce: 2 as never, branchesPerMinute: 60 as never };
  function pair() {
    let now = 0;
    const limiters = ['one', 'other'].map((node) => {
      const limiter = new RateLimiter(limits, () => now);
      const sharing = new RateSharing(node, 'run', (rate) => limiter.sizeOf(rate));
      limiter.share(sharing);
      return { limiter, sharing };
    });
    const pass = (milliseconds: number) => {
      for (const until = now + milliseconds; now < until; ) {
        now += 100;
        for (const message of limiters.flatMap(({ sharing }) => sharing.round(now))) {
          for (const { sharing } of limiters) sharing.hear(message, now);
        }
      }
    };
    pass(3000);
    return { limiters: limiters.map(({ limiter }) => limiter) as [RateLimiter, RateLimiter], pass };
  }

  test('serve a minute of work together, and each principal has its own', () => {
    const { limiters, pass } = pair();
    let through = 0;
    for (let tries = 0; tries < 400; tries++) {
      try {
        limiters[tries % 2]!.spend(alice, 'branches');
        through++;
      } catch {
        pass(100);
      }
    }
    const whole = 60 + (400 - through) / 10;
    expect(through).toBeGreaterThan(0.9 * whole);
    expect(through).toBeLessThanOrEqual(whole);
    limiters[0].spend(bob, 'branches');
  });

  test('bound the calls at once together, as soon as they know of each other’s', () => {
    const { limiters, pass } = pair();
    const leave = limiters[0].enter(alice);
    limiters[0].enter(alice);
    pass(100);
    expect(() => limiters[1].enter(alice)).toThrow(/2 calls at once/);
    limiters[1].enter(bob);
    leave();
    pass(100);
    limiters[1].enter(alice);
  });
});
