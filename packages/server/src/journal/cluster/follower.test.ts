import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { Follower } from './follower.ts';
import type { Stores } from './stores.ts';
import { Subjects } from './wire.ts';

/** A stream as NATS serves it, in what a follower sees of it. */
function streamOf(messages: readonly { seq: number; pending: number }[]) {
  const last = messages.at(-1)!.seq;
  let delivered = 0;
  let end = () => {};
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const reading = {
    closed: () => closed,
    close: async () => end(),
    stop: () => end(),
    status: async function* () {},
  };
  const consumer = {
    info: async (isCached?: boolean) => ({
      num_pending: isCached ? messages.length : messages.filter(({ seq }) => seq > delivered).length,
      delivered: { stream_seq: delivered },
    }),
    consume: async ({ callback }: { callback(message: unknown): void }) => {
      setImmediate(() => {
        for (const { seq, pending } of messages) {
          delivered = seq;
          callback({ seq, info: { pending }, subject: 'infold.body.x', data: new Uint8Array() });
        }
      });
      return reading;
    },
  };
  const stores = {
    stream: 'INFOLD',
    subjects: new Subjects('infold'),
    connection: { isClosed: () => false },
    jetstream: { consumers: { get: async () => consumer } },
  };
  return { stores: stores as unknown as Stores, last };
}

function follow(stores: Stores) {
  const taken: number[] = [];
  const follower = new Follower(
    stores,
    0,
    (messages) => taken.push(...messages.map(({ position }) => position)),
    () => {},
  );
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
