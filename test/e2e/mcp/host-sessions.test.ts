import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { connectOverHttp } from '../../support/mcp-agent.mjs';
import {
  callTool,
  connectHttp,
  connectStdio,
  type Envelope,
  run,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

const PROJECT = '/home/someone/shop';
const BRANCH = { description: 'Read the records', prompt: 'Read them all', project_path: PROJECT };

interface Host {
  name?: string;
  env?: Record<string, string>;
  args?: string[];
}

/** A stdio process as a host starts it: with its own name, environment and flags. */
async function host(data: string, { name = 'some-agent', env = {}, args = [] }: Host = {}): Promise<Client> {
  const { client } = await connectStdio('2025', data, ['--project', PROJECT, ...args], name, env);
  onTestFinished(() => client.close().catch(() => {}));
  return client;
}

const branchIn = async (client: Client, _meta?: Record<string, unknown>): Promise<string> => {
  const call = { name: 'context_branch', arguments: BRANCH, ...(_meta ? { _meta } : {}) };
  const { structuredContent } = (await client.callTool(call)) as unknown as Envelope;
  return structuredContent.session_id as string;
};

describe('a host that tells its own session to the process that it starts', () => {
  test.each([
    ['claude-code', 'CLAUDE_CODE_SESSION_ID'],
    ['qwen-code', 'QWEN_CODE_SESSION_ID'],
  ])('%s: its restart goes on in the same session', async (name, variable) => {
    const data = temporaryFolder();
    const first = await host(data, { name, env: { [variable]: 'thread-1' } });
    const session = await branchIn(first);
    await first.close();
    const again = await host(data, { name, env: { [variable]: 'thread-1' } });
    expect(await branchIn(again)).toBe(session);
    expect(await branchIn(await host(data, { name, env: { [variable]: 'thread-2' } }))).not.toBe(session);
    expect(await branchIn(await host(data, { name: 'opencode', env: { [variable]: 'thread-1' } }))).not.toBe(
      session,
    );
    // No model was told the id, and none needs to pass it.
    expect((await callTool(again, 'memory_setup')).structuredContent).toMatchObject({
      sessionId: 'thread-1',
    });
    expect(await callTool(again, 'memory_discover')).toMatchObject({ isError: false });
  });

  test('stdio --session goes on in a session, by our id or by the host’s', async () => {
    const data = temporaryFolder();
    const session = await branchIn(await host(data, { args: ['--session', 'thread-1'] }));
    expect(await branchIn(await host(data, { args: ['--session', session] }))).toBe(session);
    const env = { CLAUDE_CODE_SESSION_ID: 'thread-2' };
    const both = await host(data, { name: 'claude-code', env, args: ['--session', 'thread-1'] });
    expect(await branchIn(both)).toBe(session);
    const { code, stderr } = await run(['stdio', '--data', data, '--session', 'not an id']);
    expect(code).toBe(2);
    expect(stderr).toContain('letters, digits');
  });

  test('agents that share a process are told apart by what comes with each call', async () => {
    const data = temporaryFolder();
    const codex = await host(data, { name: 'codex-mcp-client' });
    const main = await branchIn(codex, { sessionId: 's-1', threadId: 's-1' });
    const sub = await branchIn(codex, { sessionId: 's-1', threadId: 't-2' });
    expect(sub).not.toBe(main);
    expect(await branchIn(codex, { sessionId: 's-1', threadId: 's-1' })).toBe(main);
    const { sessions } = await runJson<{ sessions: { host_id: string }[] }>(data, 'sessions');
    expect(sessions.map(({ host_id }) => host_id).sort()).toEqual(['s-1', 't-2']);
  });
});

describe('one session, whatever project its calls name', () => {
  let server: Server;
  beforeAll(async () => {
    const data = temporaryFolder();
    const records = join(data, 'records.jsonl');
    mkdirSync(data, { recursive: true });
    writeFileSync(
      records,
      Array.from({ length: 60 }, (_, id) => JSON.stringify({ id, note: `What was said in ${id}` })).join(
        '\n',
      ),
    );
    const config = join(data, 'infold.config.json');
    writeFileSync(
      config,
      JSON.stringify({ sources: { activity: { type: 'jsonl', path: records, id: 'id' } } }),
    );
    server = await startServer({ data: join(data, 'data'), args: ['--config', config] });
  });
  afterAll(() => server.stop());

  const read = (client: Client, more: object = {}) =>
    callTool(client, 'search_records', { model: 'activity', ...more });
  const foldOf = async (client: Client, more: object = {}) => {
    const input = { message: 'All read', project_path: PROJECT, ...more };
    const { structuredContent } = await callTool(client, 'context_return', input);
    return structuredContent as { summary: { tokens_folded: number; operations_count: number } };
  };

  test('the fold counts what was done between branch and return', async () => {
    verifies('FOLD-03');
    const client = await connectHttp(`${server.url}/mcp`, '2025');
    await callTool(client, 'context_branch', BRANCH);
    await read(client);
    await read(client, { page: 2 });
    await callTool(client, 'store_analysis_memory', {
      analysis_id: 'review',
      findings: [{ finding: 'Nothing special' }],
    });
    const { summary } = await foldOf(client);
    expect(summary.operations_count).toBe(3);
    expect(summary.tokens_folded).toBeGreaterThan(900);
  });

  test('without a connection too: reads are in the only session, and a handle names its own', async () => {
    const other = await connectHttp(`${server.url}/mcp`, '2026');
    const ours = (await callTool(other, 'context_branch', { ...BRANCH, session_id: 'modern-1' }))
      .structuredContent;
    const { branch_id } = ours as { branch_id: string };
    const page = await read(other, { session_id: 'modern-1' });
    const { handle } = page.structuredContent as { handle: string };
    const stored = { analysis_id: 'review', findings: [{ finding: 'Nothing special' }] };
    expect((await callTool(other, 'store_analysis_memory', stored)).structuredContent).toMatchObject({
      code: 'session_required',
    });
    const answer = await callTool(other, 'store_analysis_memory', { ...stored, sources: [handle] });
    expect(answer).toMatchObject({ isError: false });
    expect(answer._meta?.['infold/contextState']).toMatchObject({ session_id: ours.session_id });
    expect((await foldOf(other, { branch_id })).summary.operations_count).toBe(2);
  });

  test('the call that begins a session is counted in it', async () => {
    const client = await connectHttp(`${server.url}/mcp`, '2025');
    await read(client);
    const { structuredContent } = await callTool(client, 'context_branch_status', { project_path: PROJECT });
    const { main_thread } = structuredContent.token_breakdown as { main_thread: number };
    expect(main_thread).toBeGreaterThan(500);
  });

  test('headers name the session of a request without a connection', async () => {
    const headers = { 'x-session-id': 'ses_of-opencode' };
    const client = await connectOverHttp(`${server.url}/mcp`, { era: '2026', headers });
    onTestFinished(() => client.close());
    const session = await branchIn(client);
    expect(await branchIn(client)).toBe(session);
    expect((await callTool(client, 'infold_status')).structuredContent.session).toMatchObject({
      id: session,
      host_id: 'ses_of-opencode',
    });
  });
});

test('a session with branches for several projects is shown with them', async () => {
  const server = await startServer();
  const client = await connectHttp(`${server.url}/mcp`, '2025');
  const other = '/home/someone/blog';
  await callTool(client, 'context_branch', BRANCH);
  const { structuredContent } = await callTool(client, 'context_branch', { ...BRANCH, project_path: other });
  const { session_id } = structuredContent as { session_id: string };
  for (const project of [PROJECT, other]) {
    const response = await fetch(`${server.url}/api/sessions?project=${encodeURIComponent(project)}`);
    const { sessions } = (await response.json()) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual([session_id]);
  }
  const { sessions } = await runJson<{ sessions: unknown[] }>(server.data, 'sessions');
  expect(sessions).toMatchObject([{ project: 'shop', projects: ['shop', 'blog'] }]);
  expect((await run(['tree', '--data', server.data])).stdout).toContain('[blog] Read the records');
  await server.stop();
});

test('an id of a host that cannot be one is ignored, and the caller is told', async () => {
  const { client } = await connectStdio('2025', temporaryFolder());
  const result = (await client.callTool({
    name: 'context_branch',
    arguments: BRANCH,
    _meta: { 'infold/session': 'not an id' },
  })) as unknown as Envelope;
  expect(result._meta?.['infold/notices']).toEqual([expect.stringContaining('was ignored')]);
});
