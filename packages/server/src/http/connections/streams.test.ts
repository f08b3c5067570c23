import { expect, test } from 'vitest';
import { OpenStream, waitsForReader } from './streams.ts';

/** A stream that is written to as fast as one likes. */
function writing(most: number) {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
  });
  let ended = 0;
  const stream = new OpenStream(new Response(body), most, () => ended++);
  const write = async (bytes: number) => {
    controller.enqueue(new Uint8Array(bytes));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { stream, write, finish: () => controller.close(), ended: () => ended };
}

test('what nobody reads is counted, and ends the stream when it is too much', async () => {
  const { stream, write, ended } = writing(1000);
  for (let index = 0; index < 9; index++) await write(100);
  expect([stream.bytes, ended()]).toEqual([900, 0]);
  await write(200);
  expect([stream.bytes, ended()]).toEqual([0, 1]);
  expect((await stream.response.arrayBuffer()).byteLength).toBe(0);
});

test('who reads gets everything, however much it is, and in order', async () => {
  const { stream, write, finish, ended } = writing(1000);
  const reader = stream.response.body!.getReader();
  const sizes: number[] = [];
  for (let index = 1; index <= 50; index++) {
    await write(index);
    sizes.push((await reader.read()).value!.byteLength);
  }
  expect(sizes).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  await write(5000);
  finish();
  expect((await reader.read()).value).toHaveLength(5000);
  expect((await reader.read()).done).toBe(true);
  expect([stream.bytes, ended()]).toEqual([0, 1]);
});

test('it ends once, whoever ends it', async () => {
  const { stream, ended } = writing(1000);
  const reading = stream.response.text();
  stream.end();
  stream.end();
  expect(await reading).toBe('');
  expect(ended()).toBe(1);
});

test('what is made only when somebody wants it is not asked for before', async () => {
  let made = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        made++;
        controller.enqueue(new Uint8Array(800));
      },
    },
    { highWaterMark: 0 },
  );
  const stream = new OpenStream(new Response(waitsForReader(body)), 1000, () => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(made).toBe(0);
  const reader = stream.response.body!.getReader();
  for (let index = 0; index < 5; index++) expect((await reader.read()).value).toHaveLength(800);
  expect(made).toBe(5);
  await reader.cancel();
});
