import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import type { HostMessage, Part, PluginHooks } from './host.ts';
import plugin from './index.ts';

interface Told {
  hook_event_name: string;
  session_id: string;
  [field: string]: unknown;
}

let data: string;
let told: Told[];
let answers: Record<string, string>;
let close: () => Promise<void>;
let hooks: PluginHooks;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'infold-opencode-'));
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
  hooks = await plugin.server({ directory: '/project' }, { data });
});

afterEach(async () => {
  await close();
  rmSync(data, { recursive: true, force: true });
});

function answerTo({ hook_event_name: event, originals }: Told): string {
  if (Array.isArray(originals)) return JSON.stringify({ kept: originals.length });
  const additionalContext = answers[event];
  if (additionalContext === undefined) return '';
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } });
}

const events = () => told.map(({ hook_event_name }) => hook_event_name);
const system = async (sessionID = 'ses_1') => {
  const output = { system: ['You help.'] };
  await hooks['experimental.chat.system.transform']({ sessionID }, output);
  return output.system;
};

describe('a session', () => {
  test('begins with what Infold has to say, which then stays as it is', async () => {
    answers.SessionStart = 'One rule is in force.';
    expect(await system()).toEqual(['You help.', 'One rule is in force.']);
    answers.SessionStart = 'Another thing.';
    expect(await system()).toEqual(['You help.', 'One rule is in force.']);
    expect(told).toEqual([expect.objectContaining({ hook_event_name: 'SessionStart', source: 'startup' })]);
  });

  test('says the same again when the host starts again, and what is new behind it', async () => {
    verifies('WIN-04');
    answers.SessionStart = 'Woken.';
    await system();
    answers.SessionStart = 'And resumed.';
    hooks = await plugin.server({ directory: '/project' }, { data });
    expect(await system()).toEqual(['You help.', 'Woken.\n\nAnd resumed.']);
  });

  test('that has a history goes on', async () => {
    await hooks['experimental.chat.messages.transform']({}, { messages: conversation() });
    await system();
    expect(told.at(-1)).toMatchObject({ hook_event_name: 'SessionStart', source: 'resume' });
  });

  test('is told what a compaction may have lost', async () => {
    answers.SessionStart = 'Woken.';
    await system();
    answers.PreCompact = 'Keep branch br_1.';
    const compacting = { context: [] as string[] };
    await hooks['experimental.session.compacting']({ sessionID: 'ses_1' }, compacting);
    expect(compacting.context).toEqual(['Keep branch br_1.']);
    answers.SessionStart = 'Branch br_1 is open.';
    const compacted = async (id: string) => {
      const info = { id, sessionID: 'ses_1', role: 'assistant', summary: true } as const;
      const messages: HostMessage[] = [{ info, parts: [{ type: 'text', text: 'Row 7.' }] }];
      await hooks['experimental.chat.messages.transform']({}, { messages });
    };
    await compacted('msg_8');
    expect(await system()).toEqual(['You help.', 'Woken.\n\nBranch br_1 is open.']);
    expect(told.at(-1)).toMatchObject({ hook_event_name: 'SessionStart', source: 'compact' });
    // Once for each, and the last one alone.
    answers.SessionStart = 'Branch br_2 is open.';
    await compacted('msg_8');
    expect(await system()).toEqual(['You help.', 'Woken.\n\nBranch br_1 is open.']);
    await compacted('msg_9');
    expect(await system()).toEqual(['You help.', 'Woken.\n\nBranch br_2 is open.']);
  });

  test('ends with the host', async () => {
    await system();
    await hooks.dispose();
    expect(events()).toEqual(['SessionStart', 'SessionEnd']);
  });
});

test('what Infold says to a prompt is another part of it, behind the others', async () => {
  answers.UserPromptSubmit = 'Row 7 was empty before, too.';
  const parts: Part[] = [{ type: 'text', id: 'prt_0199', text: 'Why does it stop?' }];
  const message = { id: 'msg_1', sessionID: 'ses_1', role: 'user' } as const;
  await hooks['chat.message']({ sessionID: 'ses_1' }, { message, parts });
  expect(told).toEqual([expect.objectContaining({ prompt: 'Why does it stop?' })]);
  expect(parts[1]).toMatchObject({
    ...{ type: 'text', text: 'Row 7 was empty before, too.', synthetic: true },
    ...{ messageID: 'msg_1', sessionID: 'ses_1', id: expect.stringMatching(/^prt_[0-9a-f]{12}\w{14}$/) },
  });
});

test.each([
  ['of the host', { title: '', output: 'a.ts', metadata: {} }, 'a.ts'],
  ['of an MCP server', { content: [{ type: 'text', text: 'one' }, { type: 'image' }] }, 'one'],
  ['of nobody', undefined, ''],
])('a result of a tool %s is told with the id of its call', async (_, output, text) => {
  verifies('HOST-05');
  const call = { tool: 'bash', sessionID: 'ses_1', callID: 'call_1', args: { command: 'ls' } };
  await hooks['tool.execute.after'](call, output);
  expect(told).toEqual([
    expect.objectContaining({
      ...{ hook_event_name: 'PostToolUse', session_id: 'ses_1', cwd: '/project' },
      ...{ tool_name: 'bash', tool_use_id: 'call_1', tool_input: { command: 'ls' }, tool_response: text },
    }),
  ]);
});

test('an agent within a session is a subagent of it, with its last words', async () => {
  verifies('HOST-05');
  const info = { id: 'ses_2', parentID: 'ses_1' };
  await hooks.event({ event: { type: 'session.created', properties: { info } } });
  await system('ses_2');
  const call = { tool: 'grep', sessionID: 'ses_2', callID: 'call_2', args: {} };
  await hooks['tool.execute.after'](call, { output: 'found' });
  await hooks['experimental.text.complete']({ sessionID: 'ses_2' }, { text: 'It is in a.ts.' });
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_2' } } });
  expect(told).toEqual([
    expect.objectContaining({ hook_event_name: 'SubagentStart', session_id: 'ses_1', agent_id: 'ses_2' }),
    expect.objectContaining({ hook_event_name: 'PostToolUse', session_id: 'ses_1', agent_id: 'ses_2' }),
    expect.objectContaining({
      ...{ hook_event_name: 'SubagentStop', session_id: 'ses_1', agent_id: 'ses_2' },
      last_assistant_message: 'It is in a.ts.',
    }),
  ]);
});

const log = Array.from({ length: 400 }, (_, line) => `INFO read row ${line}`).join('\n');

function step(callID: string, tool: string, input: unknown, output: string): HostMessage {
  const info = { id: `msg_${callID}`, sessionID: 'ses_1', role: 'assistant' } as const;
  const state = { status: 'completed', input, output } as const;
  return { info, parts: [{ type: 'step-start' }, { type: 'tool', tool, callID, state }] };
}

/** A branch that read a log, and was folded. */
function conversation(): HostMessage[] {
  const model = { providerID: 'openai', modelID: 'gpt-5.2' };
  return [
    {
      info: { id: 'msg_1', sessionID: 'ses_1', role: 'user', model },
      parts: [{ type: 'text', text: 'Why does it stop?' }],
    },
    step('1', 'infold_context_branch', { description: 'Read the log' }, '{"branch_id":"br_1"}'),
    step('2', 'bash', { command: 'cat log' }, log),
    step('3', 'infold_context_return', { message: 'Row 7.' }, '{"branch_id":"br_1","folded_at":"2026"}'),
  ];
}

describe('a request', () => {
  test('goes without what was folded, which is in the archive', async () => {
    verifies('WIN-02');
    const output = { messages: conversation() };
    const list = output.messages;
    await hooks['experimental.chat.messages.transform']({}, output);
    // OpenCode goes on with the list that it gave.
    expect(output.messages).toBe(list);
    expect(list).toHaveLength(2);
    expect(JSON.stringify(list)).toContain('Row 7.');
    expect(JSON.stringify(told.at(-1)!.originals)).toContain('read row 399');
  });

  test('is the same to the byte after a start of the host', async () => {
    verifies('WIN-04');
    const first = { messages: conversation() };
    await hooks['experimental.chat.messages.transform']({}, first);
    const later = await plugin.server({ directory: '/project' }, { data });
    const again = { messages: conversation() };
    await later['experimental.chat.messages.transform']({}, again);
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
  });

  test('goes as it is where nobody listens', async () => {
    verifies('WIN-07');
    await close();
    close = async () => {};
    const output = { messages: conversation() };
    await hooks['experimental.chat.messages.transform']({}, output);
    expect(output.messages).toEqual(conversation());
  });
});

test('nothing that a host may send makes a hook throw', async () => {
  verifies('WIN-07');
  const odd = [undefined, null, 7, {}, { messages: [null] }, { messages: [{ info: {}, parts: 7 }] }];
  for (const hook of Object.values(hooks) as ((...values: unknown[]) => Promise<void>)[]) {
    for (const one of odd) for (const other of odd) await expect(hook(one, other)).resolves.toBeUndefined();
  }
});
