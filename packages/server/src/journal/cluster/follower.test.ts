import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { until } from '../journal-fixture.suite.ts';
import { Follower } from './follower.ts';
import type { Stores } from './stores.ts';
import { Subjects } from './wire.ts';

/** A stream as NATS serves it, in what a follower sees of it. */
function streamOf(messages: readonly { seq: number; pending: number }[], last = messages.at(-1)!.seq) {
  let delivered = 0;
  let asked = 0;
  const consumer = (from: number) => ({
    info: async (isCached?: boolean) => ({
      num_pending: isCached ? messages.length : messages.filter(({ seq }) => seq > delivered).length,
      delivered: { stream_seq: delivered },
    }),
    consume: async () => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return {
        stop: () => end(),
        status: async function* () {},
        async *[Symbol.asyncIterator]() {
          for (const { seq, pending } of messages.filter((message) => message.seq >= from)) {
            delivered = seq;
            asked++;
            yield { seq, info: { pending }, subject: 'infold.body.x', data: new Uint8Array() };
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
  const { stores } = streamOf([
    { seq: 1, pending: 1 },
    { seq: 2, pending: 0 },
  ]);
  const { follower, taken } = follow(stores);
  await follower.caughtUp;
  expect(taken).toEqual([1, 2]);
});

test('messages that NATS still counts after they were deleted do not keep a node from starting', async () => {
  verifies('CLU-02');
  const { stores } = streamOf([
    { seq: 1, pending: 9 },
    { seq: 2, pending: 8 },
  ]);
  const { follower, taken } = follow(stores);
  await follower.caughtUp;
  expect(taken).toEqual([1, 2]);
});

test('messages that were deleted at the end of the stream are passed over', async () => {
  const { stores } = streamOf([{ seq: 1, pending: 3 }], 4);
  const { follower, taken } = follow(stores);
  await follower.caughtUp;
  expect(taken).toEqual([1, 4]);
  expect(follower.newest).toBe(4);
});

test('no more is read than there is room for, and nothing is left out or comes twice', async () => {
  const messages = Array.from({ length: 1000 }, (_, index) => ({ seq: index + 1, pending: 999 - index }));
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
  expect(taken).toEqual(messages.map(({ seq }) => seq));
});

test('a node that has no room for more can end', async () => {
  const { stores } = streamOf([{ seq: 1, pending: 0 }]);
  const { follower } = follow(stores, () => new Promise(() => {}));
  await follower.stop();
});
