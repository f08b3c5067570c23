import { describe, expect, test } from 'vitest';
import { hostSessionIn, hostSessionOf } from './host-session.ts';

describe('what a host says beside a call', () => {
  test.each([
    ['nothing', undefined, {}, undefined],
    ['Claude Code', { 'claudecode/toolUseId': 'toolu_1', progressToken: 1 }, {}, undefined],
    ['Codex, of its main thread', { sessionId: 's-1', threadId: 's-1', callId: 'call_1' }, {}, 's-1'],
    ['Codex, of a subagent', { sessionId: 's-1', threadId: 't-2', callId: 'call_1' }, {}, 't-2'],
    ['an older Codex', { sessionId: 's-1' }, {}, 's-1'],
    ['anyone who knows us', { 'infold/session': 'mine', sessionId: 's-1' }, {}, 'mine'],
    ['Claude Code through a proxy', {}, { 'x-claude-code-session-id': 'c-1' }, 'c-1'],
    [
      "Claude Code's subagent through a proxy",
      {},
      { 'x-claude-code-session-id': 'c-1', 'x-claude-code-agent-id': 'a-2' },
      'c-1_a-2',
    ],
    ['Codex in headers', {}, { 'session-id': 's-1', 'thread-id': 't-2' }, 't-2'],
    ['OpenCode in headers', {}, { 'x-session-id': 'ses_1' }, 'ses_1'],
    ['our own header', {}, { 'x-infold-session': 'mine', 'x-session-id': 'ses_1' }, 'mine'],
    ['both: the call is nearer', { sessionId: 's-1' }, { 'x-session-id': 'ses_1' }, 's-1'],
  ])('%s', (_who, meta, headers, id) => {
    expect(hostSessionIn(meta, new Headers(headers))).toEqual(id === undefined ? {} : { id });
  });

  test.each([['a session'], ['x'.repeat(129)], [''], [7], [{ id: 1 }]])(
    'an id that cannot be one is ignored, and said so: %j',
    (session) => {
      const { id, notice } = hostSessionIn({ 'infold/session': session }, undefined);
      expect(id).toBeUndefined();
      expect(notice).toContain('was ignored');
      expect(notice!.length).toBeLessThan(200);
    },
  );
});

describe('what a host puts into the environment of a process that it starts', () => {
  const CLAUDE = { CLAUDE_CODE_SESSION_ID: 'c-1', HOME: '/home/someone' };
  const QWEN = { QWEN_CODE_SESSION_ID: 'q-1' };
  test.each([
    ['Claude Code', CLAUDE, 'claude-code', 'c-1'],
    ['Qwen Code', QWEN, 'qwen-cli-mcp-client-infold', 'q-1'],
    ['Gemini CLI', { GEMINI_SESSION_ID: 'g-1' }, 'gemini-cli-mcp-client', 'g-1'],
    ['a client that nobody knows', CLAUDE, 'my-agent', 'c-1'],
    ['a client without a name', CLAUDE, undefined, 'c-1'],
    ['Qwen Code, started from within Claude Code', { ...CLAUDE, ...QWEN }, 'qwen-code', 'q-1'],
    ['OpenCode, started from within Claude Code', CLAUDE, 'opencode', undefined],
    ['Gemini CLI, started from within Qwen Code', QWEN, 'gemini-cli-mcp-client', undefined],
    ['nobody', {}, 'claude-code', undefined],
    ['an empty variable', { CLAUDE_CODE_SESSION_ID: '' }, 'claude-code', undefined],
  ])('%s', (_who, environment, client, id) => {
    expect(hostSessionOf(environment, client)).toEqual(id === undefined ? {} : { id });
  });

  test('two at once, of a client that nobody knows, are no answer', () => {
    expect(hostSessionOf({ ...CLAUDE, ...QWEN }, 'my-agent')).toEqual({
      notice: expect.stringContaining('CLAUDE_CODE_SESSION_ID and QWEN_CODE_SESSION_ID'),
    });
  });
});
