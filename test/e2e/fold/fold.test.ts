import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  connectHttp,
  connectStdio,
  ERAS,
  type Era,
  run,
  runJson,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

const PROJECT = '/home/me/shop';

interface Answer {
  structuredContent: Record<string, unknown>;
  _meta: Record<string, unknown>;
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: { project_path: PROJECT, ...input } });
  if (result.isError) throw new Error(JSON.stringify(result.structuredContent));
  return result as unknown as Answer;
}

const branchOf = (client: Client) =>
  call(client, 'context_branch', { description: 'b', prompt: 'look around' });

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('It did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('context state', () => {
  test.each(ERAS)('goes out in a header and in _meta of every answer of a session (%s era)', async (era) => {
    verifies('FOLD-09');
    const { url } = await startServer();
    const seen: (string | null)[] = [];
    const watching: typeof fetch = async (...values) => {
      const response = await fetch(...values);
      seen.push(response.headers.get('x-context-state'));
      return response;
    };
    const client = await connectHttp(`${url}/mcp`, era, undefined, watching);
    const branch = await branchOf(client);
    const state = branch._meta['infold/contextState'] as Record<string, unknown>;
    expect(Object.keys(state)).toEqual([
      'session_id',
      'active_branch_id',
      'branch_depth',
      'total_tokens',
      'folded_tokens',
      'context_usage',
    ]);
    expect(JSON.parse(seen.at(-1)!)).toEqual(state);
    const other = await call(client, 'infold_status', { project: PROJECT });
    expect(JSON.parse(seen.at(-1)!)).toEqual(other._meta['infold/contextState']);
    await expect(call(client, 'context_return', { message: 'm', branch_id: 'br_no' })).rejects.toThrow();
    expect(JSON.parse(seen.at(-1)!)).toMatchObject({ session_id: state.session_id, branch_depth: 1 });
  });

  test('reaches a client over stdio too', async () => {
    verifies('FOLD-09');
    const { client } = await connectStdio('2026', temporaryFolder());
    const branch = await branchOf(client);
    expect(branch._meta['infold/contextState']).toMatchObject({ branch_depth: 1, total_tokens: 2 });
  });
});

describe('the manifest', () => {
  test('lists the tools with their input schemas', async () => {
    verifies('FOLD-13');
    const { url } = await startServer();
    const { tools } = (await (await fetch(`${url}/mcp/tools/list`)).json()) as {
      tools: { name: string; inputSchema: { required?: string[] } }[];
    };
    const required = new Map(tools.map((tool) => [tool.name, tool.inputSchema.required]));
    expect(required.get('context_branch')).toEqual(['description', 'prompt', 'project_path']);
    expect(required.get('context_return')).toEqual(['message', 'project_path']);
    expect(required.get('context_rollback')).toEqual(['project_path', 'branch_id']);
  });
});

describe('reports of operations', () => {
  test('are counted, found again by the host id, and refused as a whole when one is wrong', async () => {
    const { url } = await startServer();
    const at = `${url}/api/sessions/thread-1/operations?project=${PROJECT}`;
    const first = await post(at, { operations: [{ tool: 'Read', tokens: 7, at: '2026-01-05T09:00:00Z' }] });
    expect(await first.json()).toMatchObject({ accepted: 1, context_state: { main_thread_tokens: 7 } });
    for (const [body, status] of [
      ['{broken', 400],
      [{ operations: [] }, 400],
      [{ operations: [{ tool: 'Read', tokens: -1 }] }, 400],
      [
        {
          operations: [
            { tool: 'Read', tokens: 1 },
            { tool: 'Read', tokens: 1, branch_id: 'br_no' },
          ],
        },
        404,
      ],
      [{ operations: Array(1001).fill({ tool: 'Read', tokens: 1 }) }, 400],
    ] as const) {
      const response = await post(at, body);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) });
    }
    const session = (await (await fetch(`${url}/api/sessions/thread-1`)).json()) as Record<string, unknown>;
    expect(session).toMatchObject({
      host_id: 'thread-1',
      live: true,
      context_state: { main_thread_tokens: 7 },
    });
    expect(
      (await post(`${url}/api/sessions/not%20an%20id/operations`, { operations: [{ tool: 'R' }] })).status,
    ).toBe(400);
  });

  test('a megabyte of base64 is counted without holding up other calls', async () => {
    const { url } = await startServer();
    const output = 'QUJD'.repeat(250_000);
    let slowest = 0;
    const begun = performance.now();
    let took: number | undefined;
    const report = post(`${url}/api/sessions/big/operations`, { operations: [{ tool: 'Read', output }] });
    void report.finally(() => {
      took = performance.now() - begun;
    });
    while (took === undefined) {
      const started = performance.now();
      await (await fetch(`${url}/healthz`)).json();
      slowest = Math.max(slowest, performance.now() - started);
    }
    const { context_state } = (await (await report).json()) as {
      context_state: { main_thread_tokens: number };
    };
    expect(context_state.main_thread_tokens).toBeGreaterThan(200_000);
    // Counting it takes most of the time; a server that counted on its main thread would have stood still so long.
    expect(slowest).toBeLessThan(Math.max(500, took / 2));
  });
});

describe('reading sessions and branches', () => {
  test('over REST, in pages', async () => {
    verifies('FOLD-06');
    const { url } = await startServer();
    const client = await connectHttp(`${url}/mcp`, '2026');
    const { branch_id, session_id } = (await branchOf(client)).structuredContent;
    await post(`${url}/api/sessions/${session_id}/operations`, {
      operations: Array.from({ length: 5 }, (_, index) => ({ tool: `t${index}`, output: 'x' })),
    });
    await call(client, 'context_return', { message: 'done', branch_id });
    const get = async (path: string) => (await (await fetch(url + path)).json()) as Record<string, unknown>;
    expect(await get('/api/sessions')).toMatchObject({
      sessions: [{ id: session_id, branches: { folded: 1 } }],
      next: null,
    });
    expect(await get(`/api/sessions/${session_id}/branches`)).toMatchObject({
      branches: [{ id: branch_id, summary: 'done', operations: 5 }],
    });
    const items: unknown[] = [];
    let cursor: unknown = '1';
    while (cursor !== null) {
      const page = await get(`/api/branches/${branch_id}?limit=3&cursor=${cursor}`);
      items.push(...(page.items as unknown[]));
      cursor = page.next;
    }
    expect(items).toHaveLength(7);
    expect(await get('/api/branches/br_no')).toMatchObject({ code: 'not_found' });
  });

  test('in the terminal', async () => {
    const { url, data } = await startServer();
    const client = await connectHttp(`${url}/mcp`, '2026');
    const { branch_id, session_id } = (await branchOf(client)).structuredContent;
    expect(await runJson(data, 'sessions')).toMatchObject({
      sessions: [{ id: session_id, project: 'shop' }],
    });
    expect(await runJson(data, 'tree', session_id as string)).toMatchObject({
      main: { children: [{ id: branch_id, status: 'active', tokens: 2 }] },
    });
    const drawn = await run(['tree', '--data', data]);
    expect(drawn.stdout).toContain(`└─ b  2 active ${branch_id} *`);
    expect((await run(['tree', 'sess_no', '--data', data])).code).toBe(1);
  });
});

describe('resources', () => {
  const subscribe = async (client: Client, era: Era, uri: string) => {
    const updated: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    if (era === '2025') await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    return updated;
  };

  test.each([
    ['2025', 'http'],
    ['2026', 'http'],
    ['2025', 'stdio'],
    ['2026', 'stdio'],
  ] as const)('can be read and subscribed to (%s era, %s)', async (era, transport) => {
    verifies('KERN-16');
    const { url, data } = await startServer();
    const client =
      transport === 'http' ? await connectHttp(`${url}/mcp`, era) : (await connectStdio(era, data)).client;
    const { session_id, branch_id } = (await branchOf(client)).structuredContent;
    const stateUri = `infold://session/${session_id}/state`;
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>;
    };
    expect(await read(stateUri)).toMatchObject({ session_id, branches: [{ id: branch_id }] });
    expect(await read(`infold://branch/${branch_id}`)).toMatchObject({ items: [{ prompt: 'look around' }] });
    await expect(read('infold://branch/br_no')).rejects.toMatchObject({ code: -32602 });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([stateUri]);
    const completed = async (uri: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value } }))
        .completion.values;
    expect(await completed('infold://session/{id}/state', 'sess_')).toEqual([session_id]);
    expect(await completed('infold://branch/{id}', '')).toEqual([branch_id]);
    expect(await completed('infold://branch/{id}', 'br_no')).toEqual([]);
    const updated = await subscribe(client, era, stateUri);
    // Another process writes: the journal's tail brings it here.
    const other = await connectStdio('2025', data);
    await call(other.client, 'context_return', { message: 'done', session_id });
    await until(() => updated.includes(stateUri));
    expect(await read(stateUri)).toMatchObject({ active_branch_id: null, branches: [] });
  });
});
