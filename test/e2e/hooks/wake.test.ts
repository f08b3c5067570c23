import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { hook } from '../support/hooks.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';

const RULE = '---\ndescription: How money is handled\n---\n# Money\n\n## Amounts\n\n- Amounts are in cents\n';
const QUESTION = 'How should the payment gateway be retried when it answers 429?';
const BRANCH = { description: 'Find the leak', prompt: 'Look at every open handle' };

interface SessionRow {
  id: string;
  host_id: string | null;
}

/** A folder with a rule, about whose project a few things are known. */
async function knownProject(): Promise<{ data: string; project: string; rule: string }> {
  const [data, project] = [temporaryFolder(), temporaryFolder()];
  const rule = join(project, 'rules', 'MONEY.md');
  mkdirSync(join(project, 'rules'));
  writeFileSync(rule, RULE);
  utimesSync(rule, 1_700_000_000, 1_700_000_000);
  await runJson(data, 'library', 'import', join(project, 'rules'), '--publish', '--project', project);
  const items = [
    { content: 'Ship the refund page', kind: 'task', metadata: { status: 'doing' } },
    { content: 'We keep one ledger for each currency', kind: 'decision' },
    { content: 'The payment gateway answers 429 under load: retry with backoff, five times at most' },
    { content: 'The office plants are watered on Fridays' },
  ];
  const file = join(temporaryFolder(), 'memory.jsonl');
  writeFileSync(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  await runJson(data, 'memory', 'import', file, '--project', project);
  return { data, project, rule };
}

const sessionsOf = async (data: string): Promise<SessionRow[]> =>
  (await runJson<{ sessions: SessionRow[] }>(data, 'sessions')).sessions;

/** What a model would read of what a hook said. */
function contextIn(stdout: string): string | undefined {
  if (stdout === '') return undefined;
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
  return hookSpecificOutput.additionalContext;
}

describe('Claude Code with a server', () => {
  let place: Awaited<ReturnType<typeof knownProject>>;
  let server: Server;
  beforeAll(async () => {
    place = await knownProject();
    server = await startServer({ data: place.data });
    await warmUp();
    return () => server.stop();
  });

  const tell = async (event: string, more: Record<string, unknown> = {}, session_id = 'claude-1') => {
    const payload = { session_id, cwd: place.project, hook_event_name: event, ...more };
    const { code, stdout, stderr } = await hook(place.data, 'claude-code', event, payload);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  /** A server that has just begun may take longer for its first answer than a host waits. */
  let warmed = 0;
  const warmUp = () =>
    until(async () => (await tell('SessionStart', { source: 'startup' }, `warm-${warmed++}`)) !== '', 60_000);

  test('wakes, recalls once, and comes back from a compaction in one session', async () => {
    verifies('HOST-03', 'HOST-04');
    const woken = contextIn(await tell('SessionStart', { source: 'startup' }));
    expect(woken).toContain('MONEY.md: How money is handled');
    expect(woken).toContain('doing: Ship the refund page');
    expect(woken).toContain('We keep one ledger for each currency');
    expect(woken).not.toContain('plants');

    expect(contextIn(await tell('UserPromptSubmit', { prompt: QUESTION }))).toContain('retry with backoff');
    expect(await tell('UserPromptSubmit', { prompt: QUESTION })).toBe('');

    // The same session by the address that the host puts on its requests.
    const named: typeof fetch = (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-claude-code-session-id', 'claude-1');
      return fetch(url, { ...init, headers });
    };
    const client = await connectHttp(`${server.url}/mcp?names=portable`, '2025', undefined, named);
    const opened = await callTool(client, 'context_branch', { ...BRANCH, project_path: place.project });
    const branch = opened.structuredContent.branch_id as string;
    const rows = (await sessionsOf(place.data)).filter(({ host_id }) => !host_id?.startsWith('warm-'));
    expect(rows).toMatchObject([{ host_id: 'claude-1', id: opened.structuredContent.session_id }]);

    const instructions = await tell('PreCompact', { trigger: 'auto', custom_instructions: '' });
    expect(instructions).toMatch(/^<infold-context/);
    expect(instructions).toContain(branch);
    const restored = contextIn(await tell('SessionStart', { source: 'compact' }));
    expect(restored).toContain(branch);
    expect(restored).toContain('begun with: Look at every open handle');
  });

  test('a rule file that it loaded is evidence', async () => {
    const { rule, data, project } = place;
    await tell('InstructionsLoaded', {
      file_path: rule,
      memory_type: 'Project',
      load_reason: 'session_start',
    });
    const report = async () =>
      (await runJson<{ rows: object[] }>(data, 'attest', 'report', '--project', project)).rows;
    expect(await report()).toMatchObject([{ path: 'MONEY.md', loaded: 0, loaded_by_host: 1 }]);
  });

  test('over HTTP, where it tells nothing, it has the one session that its hooks have open', async () => {
    const project = temporaryFolder();
    const address = `${server.url}/mcp?names=portable&project=${encodeURIComponent(project)}`;
    const client = await connectHttp(address, '2026', undefined, fetch, 'claude-code');
    const branchIn = async () => {
      const { structuredContent } = await callTool(client, 'context_branch', {
        ...BRANCH,
        project_path: project,
      });
      const rows = await sessionsOf(place.data);
      return rows.find(({ id }) => id === structuredContent.session_id)!.host_id;
    };
    await tell('SessionStart', { source: 'startup', cwd: project }, 'over-http-1');
    expect(await branchIn()).toBe('over-http-1');
    await tell('SessionStart', { source: 'startup', cwd: project }, 'over-http-2');
    expect(await branchIn()).toBeNull();
    await tell('SessionEnd', { reason: 'exit', cwd: project }, 'over-http-1');
    expect(await branchIn()).toBe('over-http-2');
  });

  test('what it was told it is not told again by the next server', async () => {
    await tell('SessionStart', { source: 'startup' }, 'claude-2');
    expect(contextIn(await tell('UserPromptSubmit', { prompt: QUESTION }, 'claude-2'))).toContain('backoff');
    await server.stop();
    server = await startServer({ data: place.data });
    await warmUp();
    expect(await tell('UserPromptSubmit', { prompt: QUESTION }, 'claude-2')).toBe('');
    expect(await tell('SessionStart', { source: 'resume' }, 'claude-2')).toBe('');
  });

  test('prompts are left alone where the configuration says so', async () => {
    await server.stop();
    server = await startServer({ data: place.data, env: { INFOLD_HOOKS_PROMPT: 'false' } });
    await warmUp();
    expect(contextIn(await tell('SessionStart', { source: 'startup' }, 'claude-3'))).toContain('MONEY.md');
    expect(await tell('UserPromptSubmit', { prompt: QUESTION }, 'claude-3')).toBe('');
  });
});

describe('a host that tells its MCP server nothing', () => {
  /** This process starts both, as a host does. */
  async function started(data: string, project: string, name: string, env = {}): Promise<Client> {
    const { client } = await connectStdio('2025', data, ['--project', project], name, env);
    onTestFinished(() => client.close().catch(() => {}));
    return client;
  }

  const tell = (data: string, host: string, event: string, session_id: string, cwd: string, more = {}) =>
    hook(data, host, event, { session_id, cwd, hook_event_name: event, ...more });

  test('Gemini: its server and its hooks have one session, and go on with the next together', async () => {
    const [data, project] = [temporaryFolder(), temporaryFolder()];
    const client = await started(data, project, 'gemini-cli-mcp-client');
    const begin = (session: string, source: string) =>
      tell(data, 'gemini', 'SessionStart', session, project, { source });
    await begin('gemini-1', 'startup');
    const isBound = async (id: string) => (await sessionsOf(data)).some(({ host_id }) => host_id === id);
    await until(() => isBound('gemini-1'), 30_000);
    const first = await callTool(client, 'context_branch', { ...BRANCH, project_path: project });
    expect(await sessionsOf(data)).toMatchObject([
      { host_id: 'gemini-1', id: first.structuredContent.session_id },
    ]);
    await tell(data, 'gemini', 'SessionEnd', 'gemini-1', project, { reason: 'clear' });
    await begin('gemini-2', 'clear');
    await until(() => isBound('gemini-2'), 30_000);
    const second = await callTool(client, 'context_branch', { ...BRANCH, project_path: project });
    const rows = await sessionsOf(data);
    expect(rows.find(({ host_id }) => host_id === 'gemini-2')!.id).toBe(second.structuredContent.session_id);
    expect(rows).toHaveLength(2);
  });

  test('Claude Code: a window that was cleared takes its server along, though its environment is of before', async () => {
    const [data, project] = [temporaryFolder(), temporaryFolder()];
    const client = await started(data, project, 'claude-code', { CLAUDE_CODE_SESSION_ID: 'before' });
    await tell(data, 'claude-code', 'SessionStart', 'before', project, { source: 'startup' });
    const before = await callTool(client, 'context_branch', { ...BRANCH, project_path: project });
    await tell(data, 'claude-code', 'SessionEnd', 'before', project, { reason: 'clear' });
    await tell(data, 'claude-code', 'SessionStart', 'after', project, { source: 'clear' });
    await until(async () => (await sessionsOf(data)).some(({ host_id }) => host_id === 'after'), 30_000);
    const after = await callTool(client, 'context_branch', { ...BRANCH, project_path: project });
    const names = new Map((await sessionsOf(data)).map(({ id, host_id }) => [id, host_id]));
    expect(names.get(before.structuredContent.session_id as string)).toBe('before');
    expect(names.get(after.structuredContent.session_id as string)).toBe('after');
  });
});
