import { readFileSync } from 'node:fs';
import { HOST_NAMES, type HostName } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { HookAnswer, HookCall, HookEvent } from '../hook-call.ts';
import type { PayloadReading, ReadPayload } from './dialect.ts';
import { DIALECTS } from './index.ts';

type Payload = Record<string, unknown>;

const HOSTS = Object.keys(DIALECTS) as HostName[];

const dialectOf = (host: HostName) => DIALECTS[host]!;
const read = (host: HostName, payload: unknown, event = '', environment = {}): PayloadReading =>
  dialectOf(host).read(payload, event, environment);

function told(host: HostName, payload: unknown, event = '', environment = {}): ReadPayload {
  const reading = read(host, payload, event, environment);
  if (typeof reading === 'string') throw new Error(`The payload was ${reading}: ${JSON.stringify(payload)}`);
  return reading;
}

const callOf = (host: HostName, { event, ...rest }: ReadPayload): HookCall => ({
  ...rest,
  event,
  ...{ id: 'one', host, at: 1, isLate: false },
});

/** What the host is told at a payload. */
function answered(host: HostName, payload: Payload, answer: HookAnswer, event = ''): unknown {
  const text = dialectOf(host).write(callOf(host, told(host, payload, event)), answer, payload);
  return text === '' ? undefined : JSON.parse(text);
}

const samplesOf = (host: string) =>
  JSON.parse(readFileSync(new URL(`./samples/${host}.json`, import.meta.url), 'utf8')) as Payload[];

const ALL: HookAnswer = { context: 'Known so far: a.', instructions: 'Keep branch b.', output: 'Short.' };

describe('what real hosts told', () => {
  test.each(['claude-code', 'codex', 'gemini'] as const)('%s is understood, each event', (host) => {
    verifies('HOST-02');
    const events = dialectOf(host).events.map(({ name }) => name);
    const samples = samplesOf(host).filter(({ hook_event_name }) =>
      events.includes(hook_event_name as string),
    );
    expect(samples.length).toBeGreaterThan(3);
    for (const sample of samples) {
      const { session, folder, event } = told(host, sample);
      expect(session).toBe(sample.session_id);
      expect(folder).toBe(sample.cwd);
      expect(event.kind).toBe(
        dialectOf(host).events.find(({ name }) => name === sample.hook_event_name)!.kind,
      );
      if (event.kind === 'tool') {
        expect(event.tool).toBe(sample.tool_name);
        expect(event.output).not.toBeUndefined();
      }
    }
  });

  test('unknown fields change nothing', () => {
    for (const host of ['claude-code', 'codex', 'gemini'] as const) {
      for (const sample of samplesOf(host)) {
        expect(read(host, { ...sample, brand_new: { field: [1] } })).toEqual(read(host, sample));
      }
    }
  });

  test('Claude Code: a failed tool is an event of its own', () => {
    const failure = samplesOf('claude-code').find(
      ({ hook_event_name }) => hook_event_name === 'PostToolUseFailure',
    )!;
    expect(told('claude-code', failure).event).toMatchObject({
      kind: 'tool',
      failed: true,
      isReplaceable: false,
    });
  });

  test('Gemini: the person’s own words, without what hooks said before', () => {
    const payload = { session_id: 'g1', cwd: '/w', hook_event_name: 'BeforeAgent' };
    const prompt = '<hook_context>Rules.</hook_context>\n\nGo on with <b>.';
    expect(told('gemini', { ...payload, prompt }).event).toEqual({ kind: 'prompt', text: 'Go on with <b>.' });
  });
});

describe('a second host that runs the first one’s hooks', () => {
  const claude = { session_id: 's1', cwd: '/w', hook_event_name: 'SessionStart', source: 'startup' };

  test.each<[string, Payload, Record<string, string>]>([
    ['Cursor, by its payload', { ...claude, cursor_version: '3.1' }, {}],
    ['Cursor, by its environment', claude, { CURSOR_VERSION: '3.1' }],
    [
      'Codex, by its turns',
      { ...claude, hook_event_name: 'UserPromptSubmit', prompt: 'a', turn_id: 't' },
      {},
    ],
    ['Codex, by its transcript', { ...claude, transcript_path: '/h/.codex/sessions/rollout-1.jsonl' }, {}],
    ['Copilot, by its names', { sessionId: 's1', cwd: '/w', source: 'new' }, {}],
    ['VS Code, by its time', { ...claude, timestamp: '2026-11-16T16:00:00Z' }, {}],
    ['Gemini, by its environment', claude, { GEMINI_SESSION_ID: 's1' }],
    ['Qwen, by its environment', claude, { QWEN_CODE_SESSION_ID: 's1' }],
    ['one that we do not know', claude, { GROK_HOOK_EVENT: 'SessionStart' }],
  ])('is silent in %s', (_who, payload, environment) => {
    verifies('HOST-02');
    expect(read('claude-code', payload, 'SessionStart', environment)).toBe('foreign');
  });

  test('the host itself is heard, wherever it was started from', () => {
    const inherited = { GEMINI_SESSION_ID: 'other', QWEN_CODE_SESSION_ID: 'another' };
    expect(told('claude-code', claude, '', inherited).session).toBe('s1');
    const own = { CLAUDE_CODE_SESSION_ID: 's1', CURSOR_VERSION: '3.1' };
    expect(told('claude-code', claude, '', own).session).toBe('s1');
    // It may begin to tell the time one day.
    expect(told('claude-code', { ...claude, timestamp: 1 }, '', own).session).toBe('s1');
  });

  test('each host’s own payload is foreign to no more than the others', () => {
    for (const host of ['claude-code', 'codex', 'gemini'] as const) {
      const environment = {
        gemini: 'GEMINI_SESSION_ID',
        'claude-code': 'CLAUDE_CODE_SESSION_ID',
        codex: 'NONE',
      }[host];
      for (const sample of samplesOf(host)) {
        const tells = { [environment]: sample.session_id as string };
        expect(read(host, sample, '', tells)).not.toBe('foreign');
        for (const other of ['claude-code', 'codex', 'gemini', 'qwen'] as const) {
          if (other !== host) expect(read(other, sample, '', tells)).toBe('foreign');
        }
      }
    }
  });
});

describe('a result is replaced in the tool’s own shape, or not at all', () => {
  const tool = (tool_name: string, tool_response: unknown): Payload => ({
    ...{ session_id: 's1', cwd: '/w', hook_event_name: 'PostToolUse', tool_use_id: 't1' },
    ...{ tool_name, tool_input: { a: 1 }, tool_response },
  });
  const replacedBy = (payload: Payload) =>
    (answered('claude-code', payload, { output: 'Short.' }) as { hookSpecificOutput: Payload } | undefined)
      ?.hookSpecificOutput;

  test('Claude Code', () => {
    verifies('HOST-06');
    const bash = { stdout: 'long', stderr: 'oops', interrupted: false, isImage: false, more: [1] };
    expect(told('claude-code', tool('Bash', bash)).event).toMatchObject({
      output: 'long\noops',
      isReplaceable: true,
    });
    expect(replacedBy(tool('Bash', bash))).toEqual({
      hookEventName: 'PostToolUse',
      updatedToolOutput: { ...bash, stdout: 'Short.', stderr: '' },
    });
    const grep = { mode: 'content', numFiles: 1, filenames: ['a'], content: 'long', numLines: 3 };
    expect(replacedBy(tool('Grep', grep))?.updatedToolOutput).toEqual({ ...grep, content: 'Short.' });
    expect(replacedBy(tool('mcp__a__b', 'long'))?.updatedToolOutput).toBe('Short.');
    const blocks = [{ type: 'text', text: 'long' }];
    expect(replacedBy(tool('mcp__a__b', blocks))?.updatedToolOutput).toEqual([
      { type: 'text', text: 'Short.' },
    ]);
  });

  test.each<[string, string, unknown]>([
    ['a file that was read', 'Read', { type: 'text', file: { filePath: '/a', content: 'long' } }],
    ['a picture', 'Bash', { stdout: 'data', stderr: '', isImage: true }],
    ['what the host put into a file', 'Bash', { stdout: 'a', stderr: '', persistedOutputPath: '/tmp/a' }],
    ['blocks that are no text', 'mcp__a__b', [{ type: 'image', data: 'a' }]],
    ['names of files', 'Grep', { mode: 'files_with_matches', numFiles: 1, filenames: ['a'] }],
    ['a tool that we do not know', 'Brew', { stdout: 'long', stderr: '' }],
  ])('not %s', (_what, name, response) => {
    verifies('HOST-06');
    expect(told('claude-code', tool(name, response)).event).toMatchObject({ isReplaceable: false });
    expect(replacedBy(tool(name, response))).toBeUndefined();
  });

  test('Codex: the text is the reason for which it goes on, and nothing else is in the answer', () => {
    verifies('HOST-06');
    const payload = { ...tool('Bash', 'long'), turn_id: 't' };
    expect(answered('codex', payload, ALL)).toEqual({
      ...{ continue: false, stopReason: 'The result was shortened.', reason: 'Short.' },
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: ALL.context },
    });
    const inScript = { ...payload, tool_use_id: 'exec-1' };
    expect(told('codex', inScript).event).toMatchObject({ output: 'long', isReplaceable: false });
    expect(answered('codex', inScript, { output: 'Short.' })).toBeUndefined();
    expect(told('codex', { ...payload, tool_name: 'apply_patch' }).event).toMatchObject({
      isReplaceable: false,
    });
  });

  test('Copilot and Cursor, in their words', () => {
    verifies('HOST-06');
    const copilot = { sessionId: 's1', cwd: '/w', toolName: 'bash', toolArgs: '{"command":"ls"}' };
    const toolResult = { resultType: 'success', textResultForLlm: 'long' };
    expect(told('copilot', { ...copilot, toolResult }, 'postToolUse').event).toMatchObject({
      ...{ tool: 'bash', input: { command: 'ls' }, output: 'long', failed: false, isReplaceable: true },
    });
    expect(answered('copilot', { ...copilot, toolResult }, { output: 'Short.' }, 'postToolUse')).toEqual({
      modifiedResult: { resultType: 'success', textResultForLlm: 'Short.' },
    });
    expect(told('copilot', { ...copilot, toolName: 'view', toolResult }, 'postToolUse').event).toMatchObject({
      isReplaceable: false,
    });
    const cursor = {
      conversation_id: 'c1',
      workspace_roots: ['/w'],
      cursor_version: '3',
      tool_output: '{"a":1}',
    };
    const named = (tool_name: string) => ({ ...cursor, hook_event_name: 'postToolUse', tool_name });
    expect(answered('cursor', named('MCP:a'), { output: 'Short.' })).toEqual({
      updated_mcp_tool_output: 'Short.',
    });
    expect(answered('cursor', named('Shell'), { output: 'Short.' })).toBeUndefined();
  });

  test.each(['gemini', 'qwen', 'vscode', 'opencode', 'pi'] as const)('never in %s', (host) => {
    const name = dialectOf(host).events.find(({ kind }) => kind === 'tool')!.name;
    for (const called of ['Bash', 'run_shell_command', 'mcp__a__b', 'bash']) {
      const payload = { ...tool(called, 'long'), hook_event_name: name };
      expect(told(host, payload).event).toMatchObject({ kind: 'tool', output: 'long', isReplaceable: false });
      expect(answered(host, payload, { output: 'Short.' })).toBeUndefined();
    }
  });
});

describe('answers', () => {
  test('Claude Code is told in plain words what a summary should hold', () => {
    const payload = { session_id: 's1', cwd: '/w', hook_event_name: 'PreCompact', trigger: 'auto' };
    const call = callOf('claude-code', told('claude-code', payload));
    const { write } = dialectOf('claude-code');
    expect(write(call, { instructions: 'Keep branch b.' }, payload)).toBe('Keep branch b.');
    // It would be read as an answer in JSON, and refused.
    expect(write(call, { instructions: '{"a":1}' }, payload)).toBe('');
    for (const host of ['codex', 'vscode'] as const) {
      expect(dialectOf(host).write(callOf(host, told(host, payload)), ALL, payload)).toBe('');
    }
  });

  test('a subagent that stops is told nothing: it would go on', () => {
    const payload = { session_id: 's1', cwd: '/w', hook_event_name: 'SubagentStop', agent_id: 'a1' };
    for (const host of ['claude-code', 'codex', 'qwen', 'vscode'] as const) {
      expect(answered(host, payload, ALL)).toBeUndefined();
    }
  });

  test('Cursor is given no more than it takes', () => {
    const payload = { conversation_id: 'c1', workspace_roots: ['/w'], hook_event_name: 'sessionStart' };
    expect(answered('cursor', payload, { context: 'a' })).toEqual({ additional_context: 'a' });
    expect(answered('cursor', payload, { context: 'a'.repeat(10_001) })).toBeUndefined();
  });

  test('Windsurf is watched', () => {
    const payload = {
      ...{ agent_action_name: 'post_mcp_tool_use', trajectory_id: 'w1' },
      tool_info: {
        mcp_server_name: 'a',
        mcp_tool_name: 'b',
        mcp_tool_arguments: { c: 1 },
        mcp_result: 'long',
      },
    };
    const environment = { PWD: '/w' };
    expect(told('windsurf', payload, '', environment)).toMatchObject({
      ...{ session: 'w1', folder: '/w' },
      event: { kind: 'tool', tool: 'mcp__a__b', input: { c: 1 }, output: 'long' },
    });
    expect(
      dialectOf('windsurf').write(
        callOf('windsurf', told('windsurf', payload, '', environment)),
        ALL,
        payload,
      ),
    ).toBe('');
  });
});

/** Fields that some host uses, with anything in them. */
const NAMES = [
  'session_id sessionId conversation_id trajectory_id cwd workspace_roots transcript_path hook_event_name',
  'tool_name toolName tool_input toolArgs tool_response toolResult tool_output tool_use_id error prompt source',
  'trigger agent_id agentId agent_type last_assistant_message file_path tool_info agent_action_name timestamp',
]
  .join(' ')
  .split(' ');
const eventNames = [...new Set(HOSTS.flatMap((host) => dialectOf(host).events.map(({ name }) => name)))];
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    's1',
    '/w',
    'Bash',
    'mcp__a__b',
    { stdout: 'a', stderr: '' },
    ['/w'],
    ...eventNames,
  ),
);
const payloads = fc.oneof(
  anything,
  fc.dictionary(fc.constantFrom(...NAMES), anything, { maxKeys: NAMES.length, size: 'medium' }),
  fc
    .record({
      event: fc.constantFrom(...eventNames),
      more: fc.dictionary(fc.constantFrom(...NAMES), anything),
    })
    .map(({ event, more }) => ({
      ...{ session_id: 's1', sessionId: 's1', conversation_id: 's1', trajectory_id: 's1', cwd: '/w' },
      ...{ tool_name: 'Bash', toolName: 'bash', prompt: 'a', agent_id: 'a', agentId: 'a', file_path: '/a' },
      ...more,
      hook_event_name: event,
    })),
);
const answers: fc.Arbitrary<HookAnswer> = fc.record(
  { context: fc.string(), instructions: fc.string(), output: fc.string() },
  { requiredKeys: [] },
);

/** What each host takes: nothing else may be in an answer. */
const SPECIFIC = ['hookEventName', 'additionalContext', 'updatedToolOutput'];
const TAKEN: Record<string, { top: string[]; specific?: string[] }> = {
  'claude-code': { top: ['hookSpecificOutput'], specific: SPECIFIC },
  codex: {
    top: ['continue', 'stopReason', 'reason', 'hookSpecificOutput'],
    specific: ['hookEventName', 'additionalContext'],
  },
  cursor: { top: ['continue', 'additional_context', 'updated_mcp_tool_output'] },
  copilot: { top: ['additionalContext', 'modifiedResult'] },
};
const OTHERS = { top: ['hookSpecificOutput'], specific: ['hookEventName', 'additionalContext'] };

describe('whatever comes', () => {
  test.each(HOSTS)('%s: nothing throws, and an answer holds only what the host takes', (host) => {
    verifies('HOST-02');
    const { events } = dialectOf(host);
    fc.assert(
      fc.property(payloads, fc.constantFrom(...eventNames, ''), answers, (payload, eventName, answer) => {
        const reading = dialectOf(host).read(payload, eventName, { PWD: '/w' });
        if (typeof reading === 'string') return;
        expect(reading.session).not.toBe('');
        expect(reading.folder).toMatch(/^\/|^[A-Za-z]:/);
        const text = dialectOf(host).write(callOf(host, reading), answer, payload);
        if (text === '' || text === answer.instructions) return;
        const written = JSON.parse(text) as Payload;
        const { top, specific = [] } = TAKEN[host] ?? OTHERS;
        expect(top).toEqual(expect.arrayContaining(Object.keys(written)));
        const inside = written.hookSpecificOutput as Payload | undefined;
        if (!inside) return;
        expect(specific).toEqual(expect.arrayContaining(Object.keys(inside)));
        expect(events.map(({ name }) => name)).toContain(inside.hookEventName);
      }),
      { numRuns: 300 },
    );
  });

  test('every host is one that we know, and registers each of its events once', () => {
    for (const host of HOSTS) {
      expect(HOST_NAMES).toContain(host);
      const names = dialectOf(host).events.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
    const kinds = new Set<HookEvent['kind']>(dialectOf('claude-code').events.map(({ kind }) => kind));
    expect(kinds.size).toBe(9);
  });
});
