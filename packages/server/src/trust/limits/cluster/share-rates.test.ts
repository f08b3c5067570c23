import { setTimeout as wait } from 'node:timers/promises';
import { LIMITS } from '@infold/protocol';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../../test/support/nats.ts';
import { RateLimiter } from '../rate.ts';
import { shareRates } from './share-rates.ts';

/** What a message may take; ADR 0117 promises nothing for a process that stands still for longer. */
const LATE = 200;
const PATIENCE = 60_000;

describe.skipIf(natsServer === undefined)(`rates on NATS ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  const ends: (() => unknown)[] = [];
  const connections: NatsConnection[] = [];
  let limiters: RateLimiter[];

  beforeAll(async () => {
    nats = await startNats();
    limiters = await Promise.all(['one', 'two', 'three'].map(joining));
    await eventually(() => limiters.every((_, index) => seesOthers(index)));
  }, PATIENCE);

  afterAll(async () => {
    for (const end of ends) end();
    await Promise.all(connections.map((connection) => connection.close()));
    await nats.stop();
  });

  async function joining(node: string): Promise<RateLimiter> {
    const connection = await connect({ servers: nats.url, reconnect: true, maxReconnectAttempts: -1 });
    const limiter = new RateLimiter({
      ...LIMITS,
      branchesPerMinute: 600 as never,
      callsAtOnce: 3 as never,
    });
    ends.push(shareRates(limiter, { node, connection }));
    connections.push(connection);
    return limiter;
  }

  /** Whether a call that is open on this node is counted on the others. */
  function seesOthers(index: number): boolean {
    const probe = { org: 'probe', principal: `of ${index}` };
    while (isLet(() => ends.push(limiters[index]!.enter(probe))));
    return limiters.every((limiter, other) => other === index || !isLet(() => limiter.enter(probe)()));
  }

  test('a minute of work is let through once, however many nodes it is sent to', async () => {
    // On a busy machine this very process may stand still: that run proves nothing, and another caller tries again.
    for (let tries = 1; ; tries++) {
      const caller = { org: 'acme', principal: `alice ${tries}` };
      const begun = performance.now();
      let through = 0;
      let stoodStill = 0;
      for (let last = begun; last - begun < 4000; ) {
        for (const limiter of limiters) {
          for (let count = 0; count < 100; count++) {
            if (isLet(() => limiter.spend(caller, 'branches'))) through++;
          }
        }
        await wait(20);
        const now = performance.now();
        stoodStill = Math.max(stoodStill, now - last);
        last = now;
      }
      if (stoodStill > LATE && tries < 8) continue;
      const seconds = (performance.now() - begun) / 1000;
      expect(through).toBeGreaterThanOrEqual(0.9 * 600);
      expect(through).toBeLessThanOrEqual(1.1 * (600 + 10 * seconds) + limiters.length);
      return;
    }
  });

  test(
    'a server that goes and comes back leaves nobody out for long',
    async () => {
      const bob = { org: 'acme', principal: 'bob' };
      await nats.servers[0]!.kill();
      for (const limiter of limiters) limiter.spend(bob, 'branches');
      await nats.servers[0]!.restart();
      const leave = limiters[0]!.enter(bob);
      limiters[0]!.enter(bob);
      await eventually(() => {
        const entered: (() => void)[] = [];
        while (isLet(() => entered.push(limiters[1]!.enter(bob))));
        for (const left of entered) left();
        return entered.length === 1;
      });
      leave();
    },
    PATIENCE,
  );
});

function isLet(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

async function eventually(holds: () => boolean): Promise<void> {
  for (const until = performance.now() + PATIENCE; !holds(); await wait(50)) {
    if (performance.now() > until) throw new Error('not in time');
  }
}
