import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { createCollapser, type Operation, type Reporter } from '../index.ts';
import { FETCH, page, STORE, step, stored, text } from './fixtures.suite.ts';
import { observed } from './mcp.ts';

/** A real client and server of the MCP SDK, in one process. */
async function connected(answers: Record<string, () => object>) {
  const calls: unknown[] = [];
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async ({ params }) => {
    calls.push(params);
    const answer = answers[params.name];
    if (!answer) throw new Error(`no ${params.name}`);
    return answer() as never;
  });
  const client = new Client({ name: 'test', version: '1' });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return { client, calls };
}

function listening() {
  const reported: Operation[] = [];
  const reporter: Reporter = {
    report: (operation) => reported.push(operation) > 0,
    follow: () => {},
    flush: async () => {},
    close: async () => {},
    queued: 0,
  };
  return { reporter, reported };
}

describe('an observed client', () => {
  test('observes every result under the model’s call id, and hands it on as it is', async () => {
    verifies('TCP-11', 'TCP-12', 'TCP-13');
    const { client, calls } = await connected({
      get_workflow_step: () => step(),
      [FETCH]: () => page(1),
      [STORE]: () => stored(),
    });
    const collapser = createCollapser();
    const tools = observed(client, { collapser, server: 'infold' });
    await tools.callTool({
      callId: 'toolu_1',
      name: 'get_workflow_step',
      arguments: { workflow: 'w', step: 2 },
    });
    const result = await tools.callTool({ callId: 'toolu_2', name: FETCH, arguments: { page: 1 } });
    expect(result).toMatchObject(page(1));
    await tools.callTool({ callId: 'toolu_3', name: STORE });
    expect(collapser.state().results.map(({ callId, phase }) => `${callId} ${phase}`)).toEqual([
      'toolu_1 plain',
      'toolu_2 collapsed',
      'toolu_3 plain',
    ]);
    expect(JSON.stringify(calls)).not.toContain('toolu_');
    expect(collapser.original('toolu_2')).toEqual(result);
  });

  test('lets a call fail as it does, observing and reporting nothing', async () => {
    const { client } = await connected({});
    const { reporter, reported } = listening();
    const collapser = createCollapser();
    const tools = observed(client, { collapser, server: 's', reporter });
    await expect(tools.callTool({ callId: 'a', name: 'missing' })).rejects.toThrow('no missing');
    expect(collapser.has('a')).toBe(false);
    expect(reported).toEqual([]);
  });

  test('reports what it called, where a reporter is given', async () => {
    const { client } = await connected({
      Read: () => text('contents'),
      Query: () => ({ ...text('1'), structuredContent: { a: 1 } }),
    });
    const { reporter, reported } = listening();
    const tools = observed(client, { collapser: createCollapser(), server: 'files', reporter });
    await tools.callTool({ callId: 'a', name: 'Read', arguments: { path: 'x' } });
    await tools.callTool({ callId: 'b', name: 'Query' });
    expect(reported).toEqual([
      { callId: 'a', tool: 'Read', input: { path: 'x' }, output: [{ type: 'text', text: 'contents' }] },
      { callId: 'b', tool: 'Query', input: undefined, output: { a: 1 } },
    ]);
  });

  test('answers context_expand for handles of its own, and leaves those of servers to them', async () => {
    const { client, calls } = await connected({
      [FETCH]: () => page(1),
      context_expand: () => text('from the server'),
    });
    const collapser = createCollapser({ localHandles: true });
    const tools = observed(client, { collapser, server: 's' });
    await tools.callTool({ callId: 'a', name: FETCH });
    const local = await tools.callTool({
      callId: 'b',
      name: 'context_expand',
      arguments: { handle: 'local_1' },
    });
    expect(local).toMatchObject({ content: page(1).content });
    expect(local).not.toHaveProperty('_meta.context');
    const remote = await tools.callTool({
      callId: 'c',
      name: 'context_expand',
      arguments: { handle: 'rs_1' },
    });
    const unknown = await tools.callTool({
      callId: 'd',
      name: 'context_expand',
      arguments: { handle: 'local_9' },
    });
    expect([remote, unknown]).toMatchObject([text('from the server'), text('from the server')]);
    expect(calls).toHaveLength(3);
    expect(collapser.stats().pending).toBe(1);
  });
});
