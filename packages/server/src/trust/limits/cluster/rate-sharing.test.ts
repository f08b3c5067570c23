import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RateMessage, RateSharing } from './rate-sharing.ts';

const MINUTE = 60_000;
const STEP = 5;
const ROUND = 100;

interface Conditions {
  /** What one principal asks of each node, in shares of the limit. */
  load: number[];
  perMinute: number;
  capacity: number;
  price?: number;
  /** Of a message to one node, in milliseconds. */
  delay?: [least: number, most: number];
  /** How many messages do not reach a node. */
  loss?: number;
  seconds?: number;
  seed?: number;
  /** After so many milliseconds, each node gets the load of the one before it. */
  moves?: number | undefined;
  /** When a node begins. */
  begins?: number[];
  /** When a node neither hears nor is heard. */
  cut?: { node: number; from: number; until: number };
}

interface Taken {
  at: number;
  node: number;
  amount: number;
}

/** Nodes with clocks of their own, and a network that is late and loses messages. A node's messages arrive in order. */
function simulate({
  load,
  perMinute,
  capacity,
  price = 1,
  delay = [0, 200],
  loss = 0,
  seconds = 180,
  seed = 1,
  moves,
  begins = [],
  cut,
}: Conditions): Taken[] {
  const random = randomFrom(seed);
  const nodes = load.map((_, index) => ({
    sharing: new RateSharing(`node-${index}`, 'run', () => ({ perMinute, capacity })),
    clock: Math.floor(random() * 1e9),
    phase: Math.floor((random() * ROUND) / STEP) * STEP,
    begins: begins[index] ?? 0,
    asked: random(),
  }));
  const arrivals: { at: number; to: number; message: RateMessage }[] = [];
  const lastArrival = new Map<string, number>();
  const taken: Taken[] = [];
  const isCut = (node: number, at: number) => cut?.node === node && at >= cut.from && at < cut.until;
  for (let at = 0; at < seconds * 1000; at += STEP) {
    const due = arrivals.filter((arrival) => arrival.at <= at);
    for (const arrival of due) arrivals.splice(arrivals.indexOf(arrival), 1);
    for (const { to, message } of due) nodes[to]!.sharing.hear(message, at + nodes[to]!.clock);
    for (const [from, node] of nodes.entries()) {
      if (at < node.begins) continue;
      const now = at + node.clock;
      if (at % ROUND === node.phase) {
        for (const message of node.sharing.round(now)) {
          for (const [to, other] of nodes.entries()) {
            if (at < other.begins || random() < loss) continue;
            if (isCut(from, at) || isCut(to, at)) continue;
            const link = `${from}:${to}`;
            const [least, most] = delay;
            const arrives = Math.max(lastArrival.get(link) ?? 0, at + least + random() * (most - least));
            lastArrival.set(link, arrives);
            arrivals.push({ at: arrives, to, message: JSON.parse(JSON.stringify(message)) });
          }
        }
      }
      const share = load[(from + (moves ? Math.floor(at / moves) : 0)) % load.length]!;
      node.asked += (share * perMinute * STEP) / MINUTE / price;
      for (; node.asked >= 1; node.asked--) {
        const bucket = node.sharing.bucket('acme\nalice', 'calls', now);
        if (bucket.take(price, now) === 0) taken.push({ at, node: from, amount: price });
      }
    }
  }
  return taken;
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The most that was taken in any minute that begins after `from`. */
function mostInAMinute(taken: Taken[], from = 0): number {
  let most = 0;
  let sum = 0;
  let oldest = 0;
  const later = taken.filter(({ at }) => at >= from);
  for (const { at, amount } of later) {
    sum += amount;
    for (; later[oldest]!.at <= at - MINUTE; oldest++) sum -= later[oldest]!.amount;
    most = Math.max(most, sum);
  }
  return most;
}

function sumOf(taken: Taken[], from = 0, until = Number.POSITIVE_INFINITY): number {
  return taken.filter(({ at }) => at >= from && at < until).reduce((sum, { amount }) => sum + amount, 0);
}

const conditions = fc.record({
  seed: fc.integer(),
  load: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 4, noNaN: true })), {
    minLength: 2,
    maxLength: 5,
  }),
  perMinute: fc.constantFrom(60, 300, 3000),
  /** Of a minute's worth, as in `rate.ts`. */
  burst: fc.constantFrom(1, 1 / 15, 1 / 30),
  loss: fc.constantFrom(0, 0.02, 0.1),
  moves: fc.constantFrom(undefined, 700, 5000),
  delay: fc.constantFrom<[number, number]>([0, 2], [0, 200], [150, 200]),
});

/** What the network and the granularity of a bucket may add or leave out: far less than the tenth that is promised. */
const TOLERANCE = 0.05;

describe('a rate that nodes share', () => {
  test('is held to in any minute, and is used up where there is demand', () => {
    fc.assert(
      fc.property(conditions, ({ burst, ...rest }) => {
        const { load, perMinute } = rest;
        const capacity = Math.max(1, perMinute * burst);
        const taken = simulate({ ...rest, capacity });
        const nodes = load.length;
        // One process lets a full bucket and a minute's worth through.
        expect(mostInAMinute(taken)).toBeLessThanOrEqual(capacity + (1 + TOLERANCE) * perMinute + nodes);
        const demand = load.reduce((sum, share) => sum + share, 0);
        if (demand < 1.1 || rest.moves) return;
        for (const from of [MINUTE, 2 * MINUTE]) {
          const least = (1 - TOLERANCE) * perMinute - nodes;
          expect(sumOf(taken, from, from + MINUTE)).toBeGreaterThanOrEqual(least);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('is used up by a load that moves from node to node', () => {
    for (const moves of [700, 5000]) {
      const taken = simulate({ load: [4, 0, 0], perMinute: 3000, capacity: 100, moves });
      expect(sumOf(taken, MINUTE, 2 * MINUTE)).toBeGreaterThanOrEqual(0.9 * 3000);
    }
  });

  test('is exceeded at no moment when all nodes begin at once with a full bucket', () => {
    const load = [100, 100, 100, 100, 100];
    const taken = simulate({ load, perMinute: 600, capacity: 600, seconds: 20 });
    for (const at of [100, 300, 1000, 5000, 20_000]) {
      expect(sumOf(taken, 0, at)).toBeLessThanOrEqual(600 + at / 100 + load.length);
    }
    expect(sumOf(taken)).toBeGreaterThan(0.95 * (600 + 200));
  });

  test('is the whole of it for one node that has no others', () => {
    const taken = simulate({ load: [100], perMinute: 600, capacity: 600, seconds: 2 });
    expect(sumOf(taken)).toBeGreaterThanOrEqual(600);
  });

  test('serves what is larger than the part of a node, or larger than the bucket, one after the other', () => {
    const taken = simulate({ load: [2, 2, 2], perMinute: 60, capacity: 12, price: 10, seconds: 600 });
    expect(sumOf(taken, MINUTE)).toBeLessThanOrEqual(1.1 * 540 + 3 * 10);
    expect(sumOf(taken, MINUTE)).toBeGreaterThanOrEqual(0.8 * 540);
    const sharing = new RateSharing('alone', 'run', () => ({ perMinute: 60, capacity: 12 }));
    expect(sharing.bucket('acme\nalice', 'bytes', 0).take(1000, 0)).toBe(0);
    expect(sharing.bucket('acme\nalice', 'bytes', 0).take(1, 0)).toBe(1);
  });

  test('a node that begins late gives nobody a second bucket', () => {
    const conditions = { perMinute: 600, capacity: 600, seconds: 60, delay: [0, 50] as [number, number] };
    const taken = simulate({ ...conditions, load: [4, 4, 4], begins: [0, 0, 30_000] });
    expect(sumOf(taken)).toBeLessThanOrEqual(600 + 600 * 1.1 + 3);
    expect(sumOf(taken.filter(({ node }) => node === 2))).toBeGreaterThan(20);
  });

  test('a node that is cut off keeps to its part, and is not held to account for it later', () => {
    const cut = { node: 2, from: 60_000, until: 180_000 };
    const taken = simulate({ load: [4, 4, 4], perMinute: 600, capacity: 20, seconds: 300, cut });
    const alone = sumOf(
      taken.filter(({ node }) => node === 2),
      65_000,
      180_000,
    );
    expect(alone / (600 * (115 / 60))).toBeCloseTo(1 / 3, 1);
    for (const from of [181_000, 240_000]) {
      const minute = sumOf(taken, from, from + MINUTE);
      expect(minute).toBeGreaterThanOrEqual(0.9 * 600);
      expect(minute).toBeLessThanOrEqual(1.1 * 600);
    }
  });

  test('and the load of a node that died goes to the others', () => {
    const cut = { node: 0, from: 30_000, until: 1e9 };
    const taken = simulate({ load: [4, 4], perMinute: 600, capacity: 20, seconds: 120, cut });
    const other = sumOf(
      taken.filter(({ node }) => node === 1),
      MINUTE,
      2 * MINUTE,
    );
    expect(other).toBeGreaterThanOrEqual(0.95 * 600);
  });

  test('costs an entry a heartbeat for who spends little, and nothing for who spends nothing', () => {
    const sharing = new RateSharing('one', 'run', () => ({ perMinute: 30_000, capacity: 1000 }));
    const said: RateMessage[] = [];
    for (let now = 0; now < 10_000; now += ROUND) {
      if (now < 5000) sharing.bucket('acme\nalice', 'calls', now).take(1, now);
      for (const message of sharing.round(now)) {
        said.push(message);
        sharing.hear(message, now);
      }
    }
    expect(said).toHaveLength(20);
    expect(said.flatMap(({ spent }) => spent).length).toBeLessThanOrEqual(12);
  });

  test('says in several messages what is too much for one', () => {
    const sharing = new RateSharing('one', 'run', () => ({ perMinute: 60, capacity: 60 }));
    for (let count = 0; count < 2500; count++) sharing.bucket(`acme\np${count}`, 'calls', 0).take(1, 0);
    const messages = sharing.round(0);
    expect(messages.map(({ spent }) => spent.length)).toEqual([1000, 1000, 500]);
    expect(messages.map(({ number }) => number)).toEqual([1, 2, 3]);
  });
});

describe('what nodes hold open', () => {
  const size = () => ({ perMinute: 60, capacity: 60 });
  const tell = (from: RateSharing, to: RateSharing, now: number) => {
    for (const message of from.round(now)) {
      from.hear(message, now);
      to.hear(message, now);
    }
  };

  test('is known to the others in the next round, and again with each heartbeat', () => {
    const [one, other] = [new RateSharing('one', 'run', size), new RateSharing('other', 'run', size)];
    one.hold('calls', 3);
    tell(one, other, 0);
    expect(other.heldElsewhere('calls')).toBe(3);
    expect(one.heldElsewhere('calls')).toBe(0);
    one.hold('calls', 0);
    tell(one, other, 100);
    expect(other.heldElsewhere('calls')).toBe(0);
    one.hold('calls', 2);
    one.round(200);
    tell(one, other, 700);
    expect(other.heldElsewhere('calls')).toBe(2);
    one.hold('calls', 0);
    one.round(800);
    tell(one, other, 1200);
    expect(other.heldElsewhere('calls')).toBe(0);
  });

  test('is not told where it was opened and closed between two rounds', () => {
    const one = new RateSharing('one', 'run', size);
    one.round(0);
    one.hold('calls', 1);
    one.hold('calls', 0);
    expect(one.round(100)).toEqual([]);
  });

  test('goes with the node that held it, and with its run', () => {
    const [one, other] = [new RateSharing('one', 'run', size), new RateSharing('other', 'run', size)];
    one.hold('calls', 3);
    tell(one, other, 0);
    tell(new RateSharing('one', 'next run', size), other, 10);
    expect(other.heldElsewhere('calls')).toBe(0);
    one.hold('calls', 4);
    tell(one, other, 20);
    for (let now = 100; now < 5000; now += ROUND) tell(other, one, now);
    expect(other.heldElsewhere('calls')).toBe(0);
  });
});
