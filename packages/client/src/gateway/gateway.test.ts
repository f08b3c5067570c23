import type { Envelope } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import {
  conclusionsOnly,
  describeMessage,
  kindMatchesPayload,
  mainOnly,
  matchesFilter,
  ofContext,
  parseMcpKind,
  promptMessages,
  withTypes,
} from './index.ts';
import { podAddress } from './socket.ts';

const base = { protocol: 'mcpp/v0.1', ts: '2025-08-31T12:00:00Z', from: 'agent-1' };
const reasoning = { id: 'reason-789', type: 'reasoning' };
const seed: Envelope[] = [
  {
    ...base,
    id: 'msg-1',
    kind: 'reflection',
    context: reasoning,
    payload: { thought: 'Starting security analysis' },
  },
  { ...base, id: 'msg-2', kind: 'mcp/proposal:tools/call', context: reasoning, payload: {} },
  {
    ...base,
    id: 'msg-3',
    kind: 'conclusion',
    context: reasoning,
    payload: { decision: 'Deny the operation' },
  },
  {
    ...base,
    id: 'msg-4',
    kind: 'mcp/response:tools/call',
    correlation_id: 'reason-789',
    payload: { error: 'Operation denied after security analysis' },
  },
  {
    ...base,
    id: 'msg-10',
    kind: 'reflection',
    context: { id: 'sub-reason-abc', type: 'reasoning', parent: 'reason-789' },
    payload: { thought: 'Deeper analysis needed' },
  },
];
const ids = (messages: readonly Envelope[]) => messages.map(({ id }) => id);

describe('the five strategies of the seed', () => {
  test('give its results on its messages', () => {
    verifies('SUB-06', 'SUB-14');
    expect(ids(mainOnly(seed))).toEqual(['msg-4']);
    expect(ids(withTypes(seed, 'reasoning'))).toEqual(ids(seed));
    expect(ids(withTypes(seed, 'workflow'))).toEqual(['msg-4']);
    expect(ids(conclusionsOnly(seed))).toEqual(['msg-3']);
    expect(ids(ofContext(seed, 'reason-789'))).toEqual(['msg-1', 'msg-2', 'msg-3']);
    expect(ids(ofContext(seed, 'reason-789', { descendants: true }))).toEqual([
      'msg-1',
      'msg-2',
      'msg-3',
      'msg-10',
    ]);
  });

  test('a circle of parents ends', () => {
    const circle = ['a', 'b'].map(
      (id): Envelope => ({ ...base, id, kind: 'chat', context: { id, parent: id === 'a' ? 'b' : 'a' } }),
    );
    expect(ids(ofContext(circle, 'c', { descendants: true }))).toEqual([]);
  });

  test('are the filters of the gateway', () => {
    const chosen = (filter: Parameters<typeof matchesFilter>[1], me = 'x') =>
      ids(seed.filter((message) => matchesFilter(message, filter, { me })));
    expect(chosen({ contexts: 'main' })).toEqual(['msg-4']);
    expect(chosen({ contexts: { types: ['reasoning'] } })).toEqual(ids(seed));
    expect(chosen({ contexts: { ids: ['reason-789'] } })).toEqual(['msg-1', 'msg-2', 'msg-3']);
    expect(chosen({ contexts: 'all', kinds: ['mcp/*'] })).toEqual(['msg-2', 'msg-4']);
    expect(
      matchesFilter({ kind: 'chat', to: ['bob'] }, { contexts: 'all', directed: true }, { me: 'bob' }),
    ).toBe(true);
    expect(
      matchesFilter({ kind: 'chat', to: ['bob'] }, { contexts: 'all', directed: true }, { me: 'eve' }),
    ).toBe(false);
  });
});

describe('prompts', () => {
  const question: Envelope = {
    ...base,
    from: 'bob',
    id: 'q',
    kind: 'chat',
    payload: { text: 'May it run?' },
  };

  test('hold the chosen contexts, and of the others what they came to', () => {
    verifies('SUB-14');
    expect(promptMessages([question, ...seed], { me: 'agent-1', contexts: 'main' })).toEqual([
      { role: 'user', content: 'bob: May it run?' },
      {
        role: 'assistant',
        content:
          'agent-1 [reason-789] conclusion: Deny the operation\n' +
          'agent-1 mcp/response:tools/call: {"error":"Operation denied after security analysis"}',
      },
    ]);
    const without = promptMessages(seed, { me: 'bob', contexts: 'main', conclusions: false });
    expect(without).toEqual([{ role: 'user', content: expect.not.stringContaining('Deny') }]);
    const nested = promptMessages(seed, {
      me: 'bob',
      contexts: { ids: ['sub-reason-abc'] },
      conclusions: false,
    });
    expect(nested).toEqual([
      { role: 'user', content: 'agent-1 [sub-reason-abc] reflection: Deeper analysis needed' },
    ]);
  });

  test('leave out what says nothing', () => {
    expect(describeMessage({ ...question, payload: null })).toBeNull();
    expect(promptMessages([{ ...question, payload: undefined }], { me: 'x' })).toEqual([]);
  });
});

describe('kinds', () => {
  test('are read with method and target', () => {
    expect(parseMcpKind('mcp/request:tools/call:read_file')).toEqual({
      act: 'request',
      method: 'tools/call',
      target: 'read_file',
    });
    expect(parseMcpKind('mcp/request:resources/read:file:///a:b')).toMatchObject({ target: 'file:///a:b' });
    expect(parseMcpKind('chat')).toBeUndefined();
  });

  test('that claim one tool and name another are not to be acted on', () => {
    const call = (name: string) => ({
      kind: 'mcp/request:tools/call:safe_tool',
      payload: { method: 'tools/call', params: { name } },
    });
    expect(kindMatchesPayload(call('safe_tool'))).toBe(true);
    expect(kindMatchesPayload(call('dangerous_tool'))).toBe(false);
    expect(kindMatchesPayload({ kind: 'mcp/request:tools/list', payload: { method: 'tools/call' } })).toBe(
      false,
    );
  });
});

test('addresses are made from what the server said it listens on', () => {
  const address = new URL(podAddress({ url: 'https://host.example/base/', pod: 'p', since: 3, epoch: 'e' }));
  expect(address.href).toBe('wss://host.example/base/ws?pod=p&since=3&epoch=e');
  expect(podAddress({ url: 'ws://h:1/ws', pod: 'p', filter: { contexts: 'main' } })).toContain('filter=%7B');
});
