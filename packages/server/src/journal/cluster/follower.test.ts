import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { until } from '../journal-fixture.suite.ts';
import { Follower } from './follower.ts';
import type { Stores } from './stores.ts';
import { Subjects } from './wire.ts';

/** A stream as NATS serves it, in what a follower sees of it. */
function streamOf(
  messages: readonly number[],
  /** What the leader has, and how far the server is that serves the messages. */
  {
    last = messages.at(-1)!,
    isServed = (_seq: number): boolean => true,
    firstServes = Number.POSITIVE_INFINITY,
  } = {},
) {
  let asked = 0;
  let consumers = 0;
  const consumer = (from: number) => ({
    consume: async () => {
      const most = ++consumers === 1 ? firstServes : Number.POSITIVE_INFINITY;
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return {
        stop: () => end(),
        status: async function* () {},
        async *[Symbol.asyncIterator]() {
          for (const seq of messages.filter((seq) => seq >= from && seq <= most)) {
            await until(() => isServed(seq));
            asked++;
            yield { seq, subject: 'infold.body.x', data: new Uint8Array() };
          }
          await ended;
        },
      };
    },
  });
  const stores = {
    stream: 'INFOLD',
    subjects: new Subjects('infold'),
    connection: { isClosed: () => false },
    info: async () => ({ state: { last_seq: last } }),
    manager: {
      streams: {
        getMessage: async (_stream: string, { seq }: { seq: number }) =>
          messages.includes(seq) ? { seq } : null,
      },
    },
    jetstream: {
      consumers: {
        get: async (_stream: string, { opt_start_seq }: { opt_start_seq: number }) => consumer(opt_start_seq),
      },
    },
  };
  return { stores: stores as unknown as Stores, asked: () => asked };
}

function follow(stores: Stores, room: () => Promise<void> | undefined = () => undefined) {
  const taken: number[] = [];
  const follower = new Follower(stores, 0, {
    take: (messages) => taken.push(...messages.map(({ position }) => position)),
    room,
    lost: () => undefined,
    onLost: () => {},
    onError: () => {},
  });
  onTestFinished(() => follower.stop());
  follower.start();
  return { follower, taken };
}

test('a start ends with the last message of the stream', async () => {
  const { follower, taken } = follow(streamOf([1, 2]).stores);
  await follower.caughtUp;
  expect(taken).toEqual([1, 2]);
});

test('messages that were deleted at the end of the stream do not keep a node from starting', async () => {
  verifies('CLU-02');
  const { follower, taken } = follow(streamOf([1, 3], { last: 6 }).stores);
  await follower.caughtUp;
  expect(taken).toEqual([1, 3, 6]);
  expect(follower.newest).toBe(6);
});

test('messages that only the leader has are waited for, and not taken for deleted', async () => {
  verifies('CLU-02');
  let served = 2;
  const { stores } = streamOf([1, 2, 3, 4], { last: 5, isServed: (seq) => seq <= served });
  const { follower, taken } = follow(stores);
  await until(() => taken.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(taken).toEqual([1, 2]);
  expect(follower.hasCaughtUp).toBe(false);
  served = 4;
  await follower.caughtUp;
  expect(taken).toEqual([1, 2, 3, 4, 5]);
});

test('messages that are there and do not come are asked for again', async () => {
  verifies('CLU-02');
  const { follower, taken } = follow(streamOf([1, 2, 3], { firstServes: 1 }).stores);
  await follower.caughtUp;
  expect(taken).toEqual([1, 2, 3]);
});

test('no more is read than there is room for, and nothing is left out or comes twice', async () => {
  const messages = Array.from({ length: 1000 }, (_, index) => index + 1);
  const { stores, asked } = streamOf(messages);
  let waiting = 0;
  let makeRoom = () => {};
  const { follower, taken } = follow(stores, () => {
    if (++waiting % 100 !== 0) return undefined;
    return new Promise((resolve) => {
      makeRoom = resolve;
    });
  });
  const isFull = async (count: number) => {
    await until(() => taken.length === count);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([taken.length, asked()]).toEqual([count, count]);
    // It waits for this node, and not for NATS.
    expect(follower.isConnected).toBe(true);
    makeRoom();
  };
  // The first question comes before anything is read.
  await isFull(99);
  await isFull(199);
  for (let count = 299; count < 1000; count += 100) await isFull(count);
  await follower.caughtUp;
  expect(taken).toEqual(messages);
});

test('a node that has no room for more can end', async () => {
  const { stores } = streamOf([1]);
  const { follower } = follow(stores, () => new Promise(() => {}));
  await follower.stop();
});
