import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { countTokensOf } from '../../../packages/server/src/kernel/tokens/count.ts';
import { verifies } from '../../requirements.ts';
import { claude, hook, SILENT, toolUse, waiting } from '../support/hooks.ts';
import {
  callTool,
  connectStdio,
  type Ended,
  environment,
  PROGRAM,
  run,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';

const PROJECT = '/home/someone/shop';
const BRANCH = { description: 'Look around', prompt: 'one two three' };

/** A session of its own for each try of a test. */
const newSession = () => `metering-${randomUUID()}`;

/** Claude Code with Infold as its MCP server. */
const claudeCode = (data: string, session: string) => connected(data, session, 'claude-code');

async function connected(data: string, session: string, name: string): Promise<Client> {
  const env = { CLAUDE_CODE_SESSION_ID: session };
  const { client } = await connectStdio('2025', data, ['--project', PROJECT], name, env);
  onTestFinished(() => client.close());
  return client;
}

type Payload = Record<string, unknown>;

/** The structured content of a call in the project. */
async function call<Answer>(host: Client, name: string, input: Payload = {}): Promise<Answer> {
  const { structuredContent, isError } = await callTool(host, name, { project_path: PROJECT, ...input });
  expect(isError ?? false, JSON.stringify(structuredContent)).toBe(false);
  return structuredContent as Answer;
}

const tellFrom =
  (data: string, session_id: string) =>
  (event: string, more: Payload): Promise<Ended> =>
    hook(data, 'claude-code', event, { ...claude(event, more), session_id });

/** What a call of Bash costs, as `toolUse` tells of it. */
async function costOf(output: string): Promise<number> {
  return (await countTokensOf('{"command":"ls"}')) + (await countTokensOf(output));
}

interface Status {
  token_breakdown: Record<string, number>;
}
const statusOf = (host: Client) => call<Status>(host, 'context_branch_status');

const heard = (data: string) => until(() => existsSync(join(data, 'hooks.sock')), 30_000);

/** Runs `infold statusline` as a host does. */
function statusline(data: string, payload: unknown, ...flags: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, 'statusline', '--data', data, ...flags], {
    env: environment(),
  });
  child.stdin.end(typeof payload === 'string' ? payload : JSON.stringify(payload));
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text += `stderr: ${chunk}`;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve(code === 0 ? text : `exit ${code}: ${text}`));
  });
}

describe('tools of a host', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    await heard(server.data);
  });
  afterAll(() => server.stop());

  test('a fold is exact: each call once, those of subagents apart', async () => {
    verifies('HOST-05');
    const { data } = server;
    const session = newSession();
    const tell = tellFrom(data, session);
    const host = await claudeCode(data, session);
    const { branch_id } = await call<{ branch_id: string }>(host, 'context_branch', BRANCH);
    for (const id of ['t1', 't1', 't2']) {
      expect(await tell('PostToolUse', toolUse(id, `result of ${id}`))).toMatchObject(SILENT);
    }
    const agent = { agent_id: 'a1', agent_type: 'Explore' };
    expect(await tell('SubagentStart', agent)).toMatchObject(SILENT);
    const inAgent = { ...toolUse('t3', 'what a subagent saw'), ...agent };
    expect(await tell('PostToolUse', inAgent)).toMatchObject(SILENT);
    // A call of ours, which the server counts, and of which the host's hook tells too.
    const before = (await statusOf(host)).token_breakdown[branch_id]!;
    await host.callTool({
      name: 'infold_status',
      arguments: {},
      _meta: { 'claudecode/toolUseId': 't4' },
    });
    const counted = (await statusOf(host)).token_breakdown[branch_id]! - before;
    expect(counted).toBeGreaterThan(0);
    await tell('PostToolUse', {
      ...{
        tool_name: 'mcp__infold__infold_status',
        tool_input: {},
        tool_use_id: 't4',
        tool_response: 'fine',
      },
    });
    const own = (await countTokensOf('{}')) + (await countTokensOf('fine'));
    const expected =
      (await countTokensOf(BRANCH.prompt)) +
      (await costOf('result of t1')) +
      (await costOf('result of t2')) +
      own;
    expect((await statusOf(host)).token_breakdown[branch_id]).toBe(expected);
    const stop = { ...agent, last_assistant_message: 'The port is 4711.', stop_hook_active: false };
    expect(await tell('SubagentStop', stop)).toMatchObject(SILENT);
    const fold = await call(host, 'context_return', { message: 'All is well.' });
    const summary = await countTokensOf('The port is 4711.');
    expect(fold).toMatchObject({
      branch_id,
      summary: { tokens_folded: expected + summary, operations_count: 3 },
      context_state: { active_branch_id: null, total_tokens: await countTokensOf('All is well.') },
    });
    const { branches } = await call<{ branches: unknown[] }>(host, 'context_list_branches');
    expect(branches).toMatchObject([
      { id: branch_id, status: 'folded' },
      { description: 'Subagent Explore', status: 'folded', tokens: await costOf('what a subagent saw') },
    ]);
  });

  test('a large result is shortened in the tool’s own shape, and comes back whole; a file never is', async () => {
    verifies('HOST-06');
    const { data } = server;
    const session = newSession();
    const tell = tellFrom(data, session);
    const records = JSON.stringify(
      Array.from({ length: 200 }, (_, id) => ({ id, name: `record ${id}`, state: 'open' })),
    );
    const bash = toolUse('t5', records);
    const host = await claudeCode(data, session);
    await host.listTools();
    const { stdout } = await tell('PostToolUse', bash);
    const { hookSpecificOutput } = JSON.parse(stdout) as {
      hookSpecificOutput: { hookEventName: string; updatedToolOutput: Record<string, unknown> };
    };
    const { stdout: shown, ...rest } = hookSpecificOutput.updatedToolOutput as { stdout: string };
    expect(rest).toEqual({ stderr: '', interrupted: false, isImage: false });
    expect(shown.length).toBeLessThan(records.length);
    const handle = /context_expand \{"handle":"(\w+)"\} shows it\]$/.exec(shown)![1];
    const { items } = await call<{ items: { text: string }[] }>(host, 'context_expand', { handle });
    expect(items.map(({ text }) => text).join('')).toBe(records);
    const codex = {
      ...bash,
      session_id: session,
      tool_use_id: 't6',
      tool_response: records,
      turn_id: '1',
      model: 'gpt',
    };
    expect(await hook(data, 'codex', 'PostToolUse', codex)).toMatchObject(SILENT);
    await (await connected(data, session, 'codex-mcp-client')).listTools();
    const answer = await hook(data, 'codex', 'PostToolUse', { ...codex, tool_use_id: 't8' });
    expect(answer.stdout).toContain('[infold shortened: ');
    const read = {
      ...{ tool_name: 'Read', tool_input: { file_path: '/a/records.json' }, tool_use_id: 't7' },
      tool_response: { type: 'text', file: { filePath: '/a/records.json', content: records } },
    };
    expect(await tell('PostToolUse', read)).toMatchObject(SILENT);
  });

  test('the status line tells of the window, the branch and what was saved', async () => {
    const { data } = server;
    const session = newSession();
    const host = await claudeCode(data, session);
    await call(host, 'context_branch', BRANCH);
    await call(host, 'context_return', { message: 'one' });
    await call(host, 'context_branch', { ...BRANCH, description: 'Find\nthe port' });
    const status = { session_id: session, cwd: PROJECT, context_window: { used_percentage: 41.6 } };
    await expect
      .poll(() => statusline(data, status))
      .toMatch(/^window 42% · branch Find the port · saved 2 tokens\n$/);
    await expect
      .poll(async () => JSON.parse(await statusline(data, status, '--json')))
      .toMatchObject({
        window: { percent: 42 },
        branch: { description: 'Find\nthe port', depth: 1 },
        saved: 2,
      });
    for (const odd of ['', 'no json', '[]', '{"session_id":["x"]}', { session_id: 'nobody', cwd: PROJECT }]) {
      expect(await statusline(data, odd)).toBe('');
    }
    expect((await run(['statusline', '--help'])).stdout).toContain('statusLine');
  });
});

test('without a server the status line shows what the host says, and nothing where it says nothing', async () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 49_990, output_tokens: 7 };
  const status = { session_id: 'x', context_window: { context_window_size: 200_000, current_usage: usage } };
  const data = temporaryFolder();
  expect(await statusline(data, status)).toBe('window 25%\n');
  expect(await statusline(join(data, 'gone'), { session_id: 'x', context_window: null })).toBe('');
});

test('what was spooled counts in the branch that was open then, once', async () => {
  verifies('HOST-05');
  const data = temporaryFolder();
  const session = newSession();
  const tell = tellFrom(data, session);
  const first = await claudeCode(data, session);
  const { branch_id } = await call<{ branch_id: string }>(first, 'context_branch', BRANCH);
  await first.close();
  await until(() => !existsSync(join(data, 'hooks.sock')), 30_000);
  for (const _ of [1, 2]) expect(await tell('PostToolUse', toolUse('late-1', 'seen'))).toMatchObject(SILENT);
  expect(waiting(data)).toHaveLength(2);
  const host = await claudeCode(data, session);
  await until(() => waiting(data).length === 0, 30_000);
  const expected = (await countTokensOf(BRANCH.prompt)) + (await costOf('seen'));
  await expect.poll(async () => (await statusOf(host)).token_breakdown[branch_id]).toBe(expected);
});
