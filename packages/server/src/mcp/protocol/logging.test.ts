import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../call/tool.ts';
import { testServices } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { TokenWatch } from '../../trust/identity/token-watch.ts';
import { McpEndpoint } from '../transports/endpoint.ts';

const tool = defineTool({
  name: 'test.work',
  title: 'Work',
  description: 'Work for a while.',
  input: z.object({}),
  output: z.object({ done: z.boolean() }),
  annotations: { readOnlyHint: true },
  scope: 'read',
  run: (_input, context) => {
    context.log('debug', 'looked twice');
    context.notices.push('The branch is over its budget');
    return { structured: { done: true } };
  },
});

/** A client, and what it was told. */
async function connect(era: '2025' | '2026') {
  const services = await testServices({ tools: [tool] });
  const endpoint = new McpEndpoint(services, new TokenWatch(services.journal, services.clock));
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) =>
      endpoint.handle({
        request: new Request(url, init),
        caller: localOwner,
        spelling: 'portable',
        project: undefined,
      }),
  });
  const client = new Client(
    { name: 'test', version: '1' },
    era === '2026' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const told: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => {
    told.push(params);
  });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await endpoint.close();
  });
  return { client, told };
}

const call = { name: 'test_work', arguments: {} };
const DEBUG = { level: 'debug', logger: 'infold', data: 'looked twice' };
const WARNING = { level: 'warning', logger: 'infold', data: 'The branch is over its budget' };

describe('a 2025 client', () => {
  test('is told notices of a call, and what it set the level for, on its own stream', async () => {
    const { client, told } = await connect('2025');
    await client.setLoggingLevel('debug');
    await client.callTool(call);
    await expect.poll(() => told).toEqual([DEBUG, WARNING]);
    await client.setLoggingLevel('warning');
    await client.callTool(call);
    await expect.poll(() => told).toEqual([DEBUG, WARNING, WARNING]);
  });

  test('has one level, for calls that stream their progress too', async () => {
    const { client, told } = await connect('2025');
    await client.setLoggingLevel('warning');
    await client.callTool(call, { onprogress: () => {} });
    await expect.poll(() => told).toEqual([WARNING]);
  });
});

describe('a 2026 client', () => {
  test('is told what the request asked for, and nothing when it asked for nothing', async () => {
    const { client, told } = await connect('2026');
    await client.callTool(call);
    expect(told).toEqual([]);
    await client.callTool({ ...call, _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } });
    expect(told).toEqual([WARNING]);
  });
});
