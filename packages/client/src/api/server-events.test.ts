import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventsIn, type StreamState } from './server-events.ts';

const encoder = new TextEncoder();

/** A response that comes in these pieces, and ends or breaks. */
function responseOf(pieces: readonly Uint8Array[], end: 'closed' | 'broken' | 'open' = 'closed'): Response {
  const left = [...pieces];
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = left.shift();
        if (piece) controller.enqueue(piece);
        else if (end === 'closed') controller.close();
        else if (end === 'broken') controller.error(new Error('gone'));
        else return new Promise(() => {});
      },
    }),
  );
}

async function take<Data>(count: number, events: AsyncGenerator<Data>): Promise<Data[]> {
  const taken: Data[] = [];
  if (count === 0) return taken;
  for await (const one of events) if (taken.push(one) === count) break;
  return taken;
}

const framesOf = (values: readonly unknown[]) =>
  values.map((value, place) => `id: ${place + 1}\ndata: ${JSON.stringify(value)}\n\n`).join('');

describe('server-sent events', () => {
  test('are the same however they are cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat({ max: 400 })),
        async (values, cuts) => {
          const bytes = encoder.encode(`retry: 1000\nid: 0\n\n:\n\n${framesOf(values)}`);
          const places = [
            0,
            ...cuts.map((cut) => cut % bytes.length).sort((one, other) => one - other),
            bytes.length,
          ];
          const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end));
          const open = async () =>
            responseOf(
              pieces.filter(({ length }) => length > 0),
              'open',
            );
          expect(await take(values.length, eventsIn(open, {}))).toEqual(values);
        },
      ),
    );
  });

  test('may be many in one piece, and one in many pieces', async () => {
    const many = encoder.encode(framesOf(Array.from({ length: 50_000 }, (_, index) => index)));
    expect(
      (
        await take(
          50_000,
          eventsIn(async () => responseOf([many], 'open'), {}),
        )
      ).at(-1),
    ).toBe(49_999);
    const large = encoder.encode(framesOf(['x'.repeat(8_000_000)]));
    const pieces = Array.from({ length: 8000 }, (_, index) => large.slice(index * 1001, (index + 1) * 1001));
    await take(
      1,
      eventsIn(async () => responseOf(pieces, 'open'), {}),
    );
  });

  test('go on after the last one, and after the position that the server told before any', async () => {
    const asked: (string | undefined)[] = [];
    const states: StreamState[] = [];
    const answers = [
      responseOf([encoder.encode('retry: 1000\nid: 7\n\n')], 'broken'),
      responseOf([encoder.encode('id: 8\ndata: "eight"\n\nid: 9\ndata: "ni')]),
      undefined,
      responseOf([encoder.encode('id: 9\ndata: "nine"\n\n')], 'open'),
    ];
    const open = async (last: string | undefined) => {
      asked.push(last);
      const answer = answers.shift();
      if (!answer) throw new TypeError('fetch failed');
      return answer;
    };
    const events = eventsIn<string>(open, { onState: (state) => states.push(state) });
    expect(await take(2, events)).toEqual(['eight', 'nine']);
    expect(asked).toEqual([undefined, '7', '8', '8']);
    expect(states).toEqual(['open', 'waiting', 'open', 'waiting', 'open']);
  });

  test('are asked for again where nothing was heard for long', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const states: StreamState[] = [];
    const answers = [
      responseOf([encoder.encode(':\n\n')], 'open'),
      responseOf([encoder.encode(framesOf([1]))], 'open'),
    ];
    const events = eventsIn(async () => answers.shift()!, { onState: (state) => states.push(state) });
    const next = events.next();
    await vi.advanceTimersByTimeAsync(44_000);
    expect(states).toEqual(['open']);
    await vi.advanceTimersByTimeAsync(2000);
    expect((await next).value).toBe(1);
    expect(states).toEqual(['open', 'waiting', 'open']);
  });

  test('end with their signal, without a word about the connection', async () => {
    const ending = new AbortController();
    const states: StreamState[] = [];
    const open = async () => responseOf([encoder.encode(framesOf([1]))], 'closed');
    const events = eventsIn(open, { signal: ending.signal, onState: (state) => states.push(state) });
    await events.next();
    ending.abort();
    expect((await events.next()).done).toBe(true);
    expect(states).toEqual(['open']);
  });

  test('are refused at once where trying again does not help', async () => {
    const states: StreamState[] = [];
    const open = () => Promise.reject(Object.assign(new Error('no'), { status: 401 }));
    const events = eventsIn(open, { onState: (state) => states.push(state) });
    await expect(events.next()).rejects.toThrow('no');
    expect(states).toEqual([]);
  });
});
