import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import type { Events, ExtensionApi, ExtensionContext, HostMessage, ToolDefinition } from './host.ts';
import { infold } from './index.ts';

type Told = { hook_event_name: string } & Record<string, unknown>;

let data: string;
let told: Told[];
let answers: Record<string, string>;
let close: () => Promise<void>;
let host: TestHost;

/** As much of Pi as an extension sees. */
class TestHost {
  readonly tools = new Map<string, ToolDefinition>();
  readonly warnings: string[] = [];
  readonly sent: string[] = [];
  readonly #handlers = new Map<string, (event: never, context: ExtensionContext) => Promise<unknown>>();
  readonly context: ExtensionContext = {
    cwd: tmpdir(),
    sessionManager: { getSessionId: () => 'ses_1', getSessionFile: () => '/sessions/1.jsonl' },
    model: { id: 'gpt-5.2', provider: 'openai' },
    ui: { notify: (text) => this.warnings.push(text) },
  };
  readonly api: ExtensionApi = {
    on: (name, handler) => this.#handlers.set(name, handler),
    registerTool: (tool) => this.tools.set(tool.name, tool),
    sendMessage: ({ content }) => this.sent.push(content),
  };

  emit<Name extends keyof Events, Result = unknown>(name: Name, event: unknown): Promise<Result> {
    return this.#handlers.get(name)!(event as never, this.context) as Promise<Result>;
  }
}

/** Infold's side of the socket, and a program that stands for `infold stdio`. */
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'infold-pi-'));
  told = [];
  answers = {};
  const server = createServer((socket) => {
    let line = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      line += chunk;
      if (!line.endsWith('\n')) return;
      const payload = JSON.parse(JSON.parse(line).payload) as Told;
      told.push(payload);
      socket.end(`${answerTo(payload)}\n`);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(join(data, 'hooks.sock'), resolve);
  });
  close = () => new Promise((resolve) => server.close(() => resolve()));
  writeFileSync(
    join(data, 'program.mjs'),
    `import { createInterface } from 'node:readline';
const tools = ['context_expand', 'memory.load', 'infold_status'].map((name) => ({ name, inputSchema: { type: 'object' } }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const said = JSON.stringify({ ...params, args: process.argv.slice(2) });
  const results = {
    initialize: {},
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: said }], isError: params?.arguments?.fails },
  };
  if (id) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) + '\\n');
});`,
  );
  host = new TestHost();
  infold({ data, command: [process.execPath, join(data, 'program.mjs')] })(host.api);
});

afterEach(async () => {
  await host.emit('session_shutdown', { reason: 'quit' });
  await close();
  rmSync(data, { recursive: true, force: true });
});

function answerTo({ hook_event_name: event, originals }: Told): string {
  if (Array.isArray(originals)) return JSON.stringify({ kept: originals.length });
  const additionalContext = answers[event];
  if (additionalContext === undefined) return '';
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } });
}

const log = Array.from({ length: 400 }, (_, line) => `INFO read row ${line}`).join('\n');

function step(id: string, name: string, input: unknown, text: string): HostMessage[] {
  return [
    { role: 'assistant', content: [{ type: 'toolCall', id, name, arguments: input }] },
    { role: 'toolResult', toolCallId: id, content: [{ type: 'text', text }] },
  ];
}

/** A branch that read a log, and was folded. */
const conversation: HostMessage[] = [
  { role: 'user', content: 'Why does it stop?' },
  ...step('1', 'infold_context_branch', { description: 'Read the log' }, '{"branch_id":"br_1"}'),
  ...step('2', 'bash', { command: 'cat log' }, log),
  ...step('3', 'infold_context_return', { message: 'Row 7.' }, '{"branch_id":"br_1","folded_at":"2026"}'),
];

describe('a session', () => {
  test("brings Infold's tools under names of their own, with what the host knows of each call", async () => {
    await host.emit('session_start', { reason: 'startup' });
    expect([...host.tools.keys()]).toEqual(['infold_context_expand', 'infold_memory_load', 'infold_status']);
    const tool = host.tools.get('infold_memory_load')!;
    const { content } = await tool.execute('call_1', { id: 'a' }, undefined, undefined, host.context);
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
      ...{ name: 'memory.load', arguments: { id: 'a' }, args: ['stdio', '--data', data] },
      _meta: { 'infold/session': 'ses_1', callId: 'call_1' },
    });
    await expect(tool.execute('2', { fails: true }, undefined, undefined, host.context)).rejects.toThrow(
      'fails',
    );
  });

  test('says so where Infold cannot be started, and goes on', async () => {
    const other = new TestHost();
    infold({ data, command: [join(data, 'missing')] })(other.api);
    await other.emit('session_start', { reason: 'startup' });
    expect(other.warnings).toEqual([expect.stringContaining('Infold was not started')]);
    expect(told.at(-1)).toMatchObject({ hook_event_name: 'SessionStart' });
  });

  test('is woken in its system prompt, and told what a compaction may have lost', async () => {
    answers.SessionStart = 'One rule is in force.';
    await host.emit('session_start', { reason: 'resume' });
    expect(told.at(-1)).toMatchObject({ source: 'resume', transcript_path: '/sessions/1.jsonl' });
    const sections = async () => {
      const systemPromptOptions = { sections: {} as Record<string, string> };
      await host.emit('before_agent_start', { prompt: 'Go on.', systemPromptOptions });
      return systemPromptOptions.sections;
    };
    expect(await sections()).toEqual({ infold: 'One rule is in force.' });
    answers = { PreCompact: 'Keep branch br_1.', SessionStart: 'Branch br_1 is open.' };
    const preparation = { messagesToSummarize: [] as HostMessage[] };
    await host.emit('session_before_compact', { preparation });
    expect(preparation.messagesToSummarize).toEqual([{ role: 'user', content: 'Keep branch br_1.' }]);
    await host.emit('session_compact', { reason: 'threshold' });
    expect(host.sent).toEqual(['Branch br_1 is open.']);
    expect(await sections()).toEqual({ infold: 'One rule is in force.' });
    answers = {};
    const later = new TestHost();
    infold({ data, command: [join(data, 'missing')] })(later.api);
    await later.emit('session_start', { reason: 'resume' });
    host = later;
    expect(await sections()).toEqual({ infold: 'One rule is in force.' });
  });

  test('is told what there is to say to a prompt', async () => {
    expect(await host.emit('before_agent_start', { prompt: 'Why?' })).toBeUndefined();
    answers.UserPromptSubmit = 'Row 7 was empty before.';
    const content = 'Row 7 was empty before.';
    expect(await host.emit('before_agent_start', { prompt: 'Why?' })).toEqual({
      message: { customType: 'infold', content, display: false },
    });
  });
});

test('each result is told with the id of its call', async () => {
  verifies('HOST-05');
  const call = { toolCallId: 'call_1', toolName: 'bash', input: { command: 'ls' } };
  const content = [{ type: 'text', text: 'a.ts' }];
  await host.emit('tool_result', { ...call, content, isError: false });
  await host.emit('tool_result', { ...call, content, isError: true });
  const about = {
    tool_name: 'bash',
    tool_use_id: 'call_1',
    tool_input: { command: 'ls' },
    session_id: 'ses_1',
  };
  expect(told).toEqual([
    expect.objectContaining({ ...about, hook_event_name: 'PostToolUse', tool_response: 'a.ts' }),
    expect.objectContaining({ ...about, hook_event_name: 'PostToolUseFailure', error: 'a.ts' }),
  ]);
});

describe('a request', () => {
  const ask = (to = host) =>
    to.emit<'context', { messages: HostMessage[] }>('context', { messages: conversation });

  test('goes without what was folded, and is the same after a start of the host', async () => {
    verifies('WIN-02');
    verifies('WIN-04');
    const { messages } = await ask();
    expect(messages).toHaveLength(3);
    expect(JSON.stringify(messages)).toContain('Row 7.');
    expect(JSON.stringify(told.at(-1)!.originals)).toContain('read row 399');
    const later = new TestHost();
    infold({ data })(later.api);
    expect(JSON.stringify(await ask(later))).toBe(JSON.stringify({ messages }));
  });

  test('goes as it is where nobody listens', async () => {
    verifies('WIN-07');
    await close();
    close = async () => {};
    expect(await ask()).toEqual({ messages: conversation });
  });
});

test('nothing that a host may send makes a handler throw', async () => {
  verifies('WIN-07');
  const names: (keyof Events)[] = [
    ...(['before_agent_start', 'context', 'tool_result'] as const),
    ...(['session_before_compact', 'session_compact'] as const),
  ];
  for (const name of names) {
    for (const odd of [undefined, null, 7, {}, { messages: [null] }]) {
      await expect(host.emit(name, odd)).resolves.not.toBe(false);
    }
  }
});
