import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server as McpServer } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { environment, temporaryFolder } from '../support/program.ts';

const page = readFileSync(new URL('../../../docs/protocols/transient-client.md', import.meta.url), 'utf8');
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const block = (title: string) => new RegExp(`^\`\`\`${title}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)![1]!;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** 45 activities in three pages, and a workflow that says who consumes them. */
function answer(name: string, input: Record<string, unknown>): object {
  const said = (text: string, _meta: object) => ({ content: [{ type: 'text', text }], _meta });
  if (name === 'get_workflow_step') {
    const hint = {
      step: 2,
      tool: 'search_records',
      lifecycle: 'transient',
      consumedBy: 'store_analysis_memory',
    };
    return said('## Steps 2–3 — loop', { contextHints: [hint] });
  }
  if (name === 'store_analysis_memory')
    return said('Stored 1 analysis finding.', { context: { consumed: true } });
  const number = Number(input.page);
  const ids = Array.from({ length: 15 }, (_, index) => (number - 1) * 15 + index + 1);
  const rows = ids.map((id) => `${id}: unsorted activity number ${id}, 45 minutes of work`).join('\n');
  const summary = `15 activity records (page ${number}/3, IDs: ${ids.slice(0, 3).join(', ')}…)`;
  return said(rows, { context: { lifecycle: 'transient', summary }, 'infold/handle': `rs_${number}` });
}

const NAMES = ['get_workflow_step', 'search_records', 'store_analysis_memory'];

function createRecords() {
  const server = new McpServer({ name: 'records', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({
    tools: NAMES.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  server.setRequestHandler(
    'tools/call',
    async ({ params }) => answer(params.name, params.arguments ?? {}) as never,
  );
  return server;
}

const SCRIPT = [
  ['get_workflow_step', { workflow: 'reclassify', step: 2 }],
  ...[1, 2, 3].flatMap((number) => [
    ['search_records', { model: 'activity', page: number }],
    ['store_analysis_memory', { analysis_id: 'a', findings: [{ finding: `Page ${number} is fine` }] }],
  ]),
] as [string, object][];

/** Speaks Anthropic's Messages API: one scripted tool call for each request, then an answer. */
function scriptedModel() {
  const prompts: MessageParam[][] = [];
  const handler: RequestListener = async (request, response) => {
    const body = JSON.parse(await textOf(request)) as { messages: MessageParam[]; tools: { name: string }[] };
    expect(body.tools.map(({ name }) => name)).toEqual(NAMES);
    const call = SCRIPT[prompts.length];
    const id = `toolu_${prompts.length}`;
    prompts.push(body.messages);
    const content = call
      ? [{ type: 'tool_use', id, name: call[0], input: call[1] }]
      : [{ type: 'text', text: 'Done.' }];
    const message = { id: 'msg', type: 'message', role: 'assistant', model: 'scripted', content, usage: {} };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, stop_reason: call ? 'tool_use' : 'end_turn' }));
  };
  return { prompts, handler };
}

const blocks = ({ content }: MessageParam): ContentBlockParam[] =>
  typeof content === 'string' ? [] : content;

describe('the worked example of the client page', () => {
  test('runs on the real SDKs and prints what the page says', async () => {
    verifies('TCP-11', 'TCP-12', 'TCP-13', 'TCP-17');
    const { prompts, handler } = scriptedModel();
    const mcp = toNodeHandler(
      createMcpHandler(createRecords, { legacy: 'stateless' }),
    ) as unknown as RequestListener;
    const asked: string[] = [];
    const watched: RequestListener = (request, response) => {
      asked.push(request.url!);
      mcp(request, response);
    };
    const [api, records] = await Promise.all([listen(handler), listen(watched)]);
    const folder = temporaryFolder();
    symlinkSync(modules, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'agent.mjs'), block('js agent.mjs'));
    const variables = {
      ANTHROPIC_BASE_URL: api,
      ANTHROPIC_API_KEY: ['not', 'a', 'key'].join('-'),
      MODEL: 'scripted',
      MCP_URL: records,
    };
    const child = spawn(process.execPath, ['agent.mjs'], { cwd: folder, env: environment(variables) });
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    expect(stderr).toBe('');
    expect(stdout).toBe(block('text output'));

    expect(asked.every((address) => address.includes('names=portable'))).toBe(true);
    expect(prompts).toHaveLength(8);
    // Each page is shown in full once, to be analysed, and never again.
    const rows = prompts.map((prompt) => JSON.stringify(prompt).match(/unsorted activity/g)?.length ?? 0);
    expect(rows).toEqual([0, 0, 15, 0, 15, 0, 15, 0]);
    const last = JSON.stringify(prompts.at(-1));
    expect(last).not.toContain('unsorted');
    expect(last.match(/\[collapsed: context_expand rs_\d\]/g)).toHaveLength(3);
    for (const prompt of prompts) {
      const marked = prompt.flatMap(blocks).filter((one) => 'cache_control' in one && one.cache_control);
      expect(marked).toHaveLength(1);
    }
  });
});
