import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { CallContext } from '../../call/context.ts';
import { defineTool } from '../../call/tool.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { testServices } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import type { Exchange } from './exchange.ts';
import { createProtocolServer } from './server.ts';

/** A client connected to a server with one tool that does what the test says. */
async function connect(run: (context: CallContext) => Promise<void>, era: '2025' | '2026' = '2025') {
  const tool = defineTool({
    name: 'test.work',
    title: 'Work',
    description: 'Work for a while.',
    input: z.object({}),
    output: z.object({ done: z.boolean() }),
    annotations: { readOnlyHint: true },
    scope: 'read',
    run: async (_input, context) => {
      await run(context);
      return { structured: { done: true } };
    },
  });
  const services = await testServices({ tools: [tool] });
  const exchange: Exchange = {
    caller: localOwner,
    connection: new Connection('/home/someone/shop'),
    spelling: 'portable',
  };
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  serveStdio((server) => createProtocolServer(services, server.era, exchange, 'stdio'), {
    transport: serverSide,
  });
  const client = new Client(
    { name: 'test', version: '1' },
    era === '2026' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return client;
}

describe('progress', () => {
  test('reaches a client that asked for it, in order', async () => {
    const client = await connect(async ({ progress }) => {
      progress(1, 3);
      progress(2, 3, 'almost');
      progress(3, 3);
    });
    const seen: unknown[] = [];
    const call = { name: 'test_work', arguments: {} };
    const result = await client.callTool(call, { onprogress: (progress) => seen.push(progress) });
    expect(result.structuredContent).toEqual({ done: true });
    expect(seen).toEqual([
      { progress: 1, total: 3 },
      { progress: 2, total: 3, message: 'almost' },
      { progress: 3, total: 3 },
    ]);
  });

  test('is not sent to a client that did not ask', async () => {
    const client = await connect(async ({ progress }) => progress(1, 2));
    const seen: unknown[] = [];
    client.fallbackNotificationHandler = async (notification) => {
      seen.push(notification);
    };
    client.setNotificationHandler('notifications/progress', (notification) => {
      seen.push(notification);
    });
    await client.callTool({ name: 'test_work', arguments: {} });
    expect(seen).toEqual([]);
  });
});

test.each(['2025', '2026'] as const)('a tool knows which client calls in the %s era', async (era) => {
  const seen: CallContext['client'][] = [];
  const client = await connect(async (context) => {
    seen.push(context.client);
  }, era);
  expect(client.getNegotiatedProtocolVersion()).toContain(era);
  await client.callTool({ name: 'test_work', arguments: {} });
  expect(seen).toMatchObject([{ name: 'test', version: '1' }]);
});

test('a cancelled call is told to its tool', async () => {
  let stopped: unknown;
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const client = await connect(async ({ signal }) => {
    began();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    (stopped as () => void)();
  });
  const controller = new AbortController();
  const call = client.callTool({ name: 'test_work', arguments: {} }, { signal: controller.signal });
  const refused = expect(call).rejects.toThrow('changed my mind');
  await begun;
  controller.abort('changed my mind');
  await refused;
  await ended;
});

test('an error with a JSON-RPC code becomes a JSON-RPC error with its data', async () => {
  const rpc = { code: -32003, data: { current_status: 'none' } };
  const client = await connect(async () => {
    throw new InfoldError('conflict', 'Nothing is active', { rpc });
  });
  await expect(client.callTool({ name: 'test_work', arguments: {} })).rejects.toMatchObject({
    code: -32003,
    message: expect.stringContaining('Nothing is active'),
    data: { current_status: 'none' },
  });
});

test.each([
  ['without a name', { arguments: {} }, 'name: must be a string'],
  ['with a list as arguments', { name: 'test_work', arguments: [] }, 'arguments: must be an object'],
  ['with null as arguments', { name: 'test_work', arguments: null }, 'arguments: must be an object'],
])('a call %s is refused as invalid parameters', async (_case, params, problem) => {
  const client = await connect(async () => {});
  const refused = client.request({ method: 'tools/call', params }, z.looseObject({}));
  await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(problem) });
});

test('a call may leave its arguments out', async () => {
  const client = await connect(async () => {});
  const result = await client.request(
    { method: 'tools/call', params: { name: 'test_work' } },
    z.looseObject({}),
  );
  expect(result).toMatchObject({ structuredContent: { done: true } });
});

test('a method that nobody serves is not found', async () => {
  const client = await connect(async () => {});
  const refused = client.request({ method: 'shop/open' }, z.looseObject({}));
  await expect(refused).rejects.toMatchObject({ code: -32601 });
});

test('the server introduces itself and says where to begin', async () => {
  const client = await connect(async () => {});
  expect(client.getServerVersion()).toMatchObject({ name: 'infold', title: 'Infold' });
  expect(client.getInstructions()).toContain('infold_status');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['infold_status', 'test_work']);
});
