import { PassThrough, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { LineTransport } from './line-transport.ts';

const request = (id: number, method = 'ping') => ({ jsonrpc: '2.0' as const, id, method });
const answer = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} });

async function setUp(options: { limit?: number; grace?: number } = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new LineTransport(input, output, {
    limit: options.limit ?? 1000,
    grace: options.grace ?? 1000,
  });
  const received: JSONRPCMessage[] = [];
  let closed = false;
  transport.onmessage = (message) => received.push(message);
  transport.onclose = () => {
    closed = true;
  };
  await transport.start();
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
  const send = async (...texts: (string | Buffer)[]) => {
    for (const text of texts) {
      input.write(text);
      await settled();
    }
  };
  const answers = () => {
    const lines = ((output.read() as Buffer | null) ?? '').toString().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { input, output, transport, received, send, answers, settled, isClosed: () => closed };
}

describe('lines', () => {
  test('are messages, however they are cut into chunks', async () => {
    const { send, received } = await setUp();
    const text = `${JSON.stringify(request(1))}\n${JSON.stringify(request(2, 'größe'))}\r\n\n`;
    await send(...[...Buffer.from(text)].map((byte) => Buffer.from([byte])));
    expect(received).toEqual([request(1), request(2, 'größe')]);
    await send(`${JSON.stringify(request(3))}\n${JSON.stringify(request(4))}\n`);
    expect(received.map((message) => (message as { id: number }).id)).toEqual([1, 2, 3, 4]);
  });

  test('that are not JSON are answered, and the next one is served', async () => {
    const { send, received, answers, isClosed } = await setUp();
    await send('{ broken\n');
    expect(answers()).toMatchObject([{ jsonrpc: '2.0', id: null, error: { code: -32700 } }]);
    await send(`${JSON.stringify(request(1))}\n`);
    expect(received).toHaveLength(1);
    expect(isClosed()).toBe(false);
  });

  test.each([
    ['7', null],
    ['[]', null],
    ['{}', null],
    ['null', null],
    ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5],
    ['{"jsonrpc":"2.0","id":"a","method":7}', 'a'],
  ])('that are no message are answered: %s', async (line, id) => {
    const { send, received, answers } = await setUp();
    await send(`${line}\n`);
    expect(answers()).toMatchObject([{ id, error: { code: -32600 } }]);
    expect(received).toEqual([]);
  });

  test('over the limit are answered, and the next one is served', async () => {
    const { send, received, answers } = await setUp({ limit: 100 });
    await send('x'.repeat(90), 'x'.repeat(90), 'x'.repeat(90), '\n');
    expect(answers()).toMatchObject([
      { error: { code: -32600, message: expect.stringContaining('100 bytes') } },
    ]);
    await send(`${JSON.stringify(request(1))}\n`);
    expect(received).toHaveLength(1);
  });
});

describe('when the input has ended', () => {
  test('it closes at once where nothing is unanswered', async () => {
    const { input, settled, isClosed } = await setUp();
    input.end();
    await settled();
    expect(isClosed()).toBe(true);
  });

  test('it closes after the last answer', async () => {
    const { input, transport, send, answers, settled, isClosed } = await setUp();
    await send(`${JSON.stringify(request(1))}\n${JSON.stringify(request(2))}\n`);
    input.end();
    await settled();
    await transport.send(answer(1));
    expect(isClosed()).toBe(false);
    await transport.send(answer(2));
    expect(isClosed()).toBe(true);
    expect(answers()).toEqual([answer(1), answer(2)]);
  });

  test('a cancelled request is not waited for', async () => {
    const { input, send, settled, isClosed } = await setUp();
    await send(`${JSON.stringify(request(1))}\n`);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await send(`${JSON.stringify(cancelled)}\n`);
    input.end();
    await settled();
    expect(isClosed()).toBe(true);
  });

  test('it closes when the time for answers is over', async () => {
    const { input, send, settled, isClosed } = await setUp({ grace: 20 });
    await send(`${JSON.stringify(request(1))}\n`);
    input.end();
    await settled();
    expect(isClosed()).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(isClosed()).toBe(true);
  });
});

test('it waits to be drained for as long as answers are owed', async () => {
  const { transport, send } = await setUp();
  await transport.drained();
  await send(`${JSON.stringify(request(1))}\n`);
  let drained = false;
  const waiting = transport.drained().then(() => {
    drained = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(drained).toBe(false);
  await transport.send(answer(1));
  await waiting;
  expect(drained).toBe(true);
});

test('it closes when the reader has gone', async () => {
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('broken pipe'), { code: 'EPIPE' })),
  });
  const transport = new LineTransport(new PassThrough(), output, { limit: 100, grace: 1000 });
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await expect(transport.send(answer(1))).rejects.toThrow('broken pipe');
  await closed;
  await expect(transport.send(answer(2))).rejects.toThrow('The host has closed the connection');
});
