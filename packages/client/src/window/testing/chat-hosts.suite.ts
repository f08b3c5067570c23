import {
  openCodeInput,
  openCodeInstructions,
  openCodeResult,
  openCodeSpelling,
} from './anthropic-hosts.suite.ts';
import {
  definitions,
  type Entry,
  type Host,
  INSTRUCTIONS,
  PICTURE,
  type PlacedCall,
  reminder,
  type Spelling,
  spell,
  type View,
} from './host.suite.ts';
import { DIRECTORY, isOurs, letters } from './script.suite.ts';

type Message = Record<string, unknown>;

interface Style {
  spelling: Spelling;
  input(call: PlacedCall): Record<string, unknown>;
  result(call: PlacedCall): string;
  /** Whether what hooks say is sent, as a message of the user. */
  writesNotices: boolean;
  /** Whether a picture can be part of a result. */
  showsPictures: boolean;
}

const callId = (key: string) => `call_${letters(key, 24)}`;
const pictureUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } };

function entryMessages(entry: Entry, style: Style): Message[] {
  switch (entry.kind) {
    case 'person':
      return [
        {
          role: 'user',
          content: entry.picture ? [{ type: 'text', text: entry.text }, pictureUrl] : entry.text,
        },
      ];
    case 'summary':
      return [{ role: 'user', content: entry.text }];
    case 'notice':
      return style.writesNotices ? [{ role: 'user', content: reminder(entry.text) }] : [];
    case 'found': {
      const id = callId(`found${entry.id}`);
      const names = entry.tools.map(style.spelling.ours);
      const query = `select:${names.join(',')}`;
      const schemas = names.map((name) => JSON.stringify({ name, parameters: { type: 'object' } }));
      return [
        { role: 'assistant', content: null, tool_calls: [functionCall(id, 'tool_search', { query })] },
        {
          role: 'tool',
          tool_call_id: id,
          content: `<functions>\n${schemas.map((schema) => `<function>${schema}</function>`).join('\n')}\n</functions>`,
        },
      ];
    }
    case 'turn':
      return turnMessages(entry, style);
  }
}

const functionCall = (id: string, name: string, input: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});

function turnMessages(entry: Entry & { kind: 'turn' }, style: Style): Message[] {
  const said: Message = {
    role: 'assistant',
    content: entry.text ?? (entry.calls.length > 0 ? null : 'Done.'),
    ...(entry.thinking !== undefined && { reasoning_content: entry.thinking }),
    ...(entry.calls.length > 0 && {
      tool_calls: entry.calls.map((call) =>
        functionCall(callId(call.key), spell(style.spelling, call.tool), style.input(call)),
      ),
    }),
  };
  const results = entry.calls.map((call) => {
    const content = style.result(call);
    return {
      role: 'tool',
      tool_call_id: callId(call.key),
      content:
        call.outcome.picture && style.showsPictures ? [{ type: 'text', text: content }, pictureUrl] : content,
    };
  });
  const beside =
    entry.reminder && style.writesNotices ? [{ role: 'user', content: reminder(entry.reminder) }] : [];
  return [said, ...results, ...beside];
}

const body = (view: View, style: Style, withOurs: boolean, system: string, told: readonly Message[]) => ({
  model: view.model,
  messages: [
    { role: 'system', content: system },
    ...told,
    ...view.history.flatMap((entry) => entryMessages(entry, style)),
  ],
  tools: definitions(style.spelling, view, withOurs).map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  })),
  stream: true,
  stream_options: { include_usage: true },
});

export const openCodeChat: Host = {
  name: 'opencode-chat',
  dialect: 'openai-chat',
  models: ['gpt-5.2', 'gpt-5.2-mini'],
  contextWindow: 400_000,
  compactsAt: 272_000,
  defersTools: false,
  nameOf: (tool) => spell(openCodeSpelling, tool),
  path: () => '/v1/chat/completions',
  headers: ({ session }) => ({ 'x-session-id': session, 'x-session-affinity': session }),
  compaction: 'Provide a detailed prompt for continuing our conversation above.',
  body: (view) => ({
    ...body(
      view,
      {
        spelling: openCodeSpelling,
        input: openCodeInput,
        result: openCodeResult,
        writesNotices: false,
        showsPictures: false,
      },
      true,
      view.prompt.system + openCodeInstructions,
      [],
    ),
    prompt_cache_key: view.session,
  }),
};

const qwenSpelling: Spelling = {
  names: {
    read: 'read_file',
    write: 'write_file',
    edit: 'edit',
    shell: 'run_shell_command',
    grep: 'grep_search',
    list: 'list_directory',
    fetch: 'web_fetch',
    agent: 'task',
    picture: 'read_file',
  },
  ours: (tool) => `mcp__infold__${tool}`,
};

/** Gemini CLI and Qwen Code, which began as the same program, take the same inputs. */
export function cliInput({ tool, input }: PlacedCall): Record<string, unknown> {
  if (tool === 'read' || tool === 'picture')
    return {
      file_path: `${DIRECTORY}/${input.path}`,
      ...(input.from !== undefined && { offset: Number(input.from) - 1 }),
      ...(input.lines !== undefined && { limit: input.lines }),
    };
  if (tool === 'write') return { file_path: `${DIRECTORY}/${input.path}`, content: input.content };
  if (tool === 'edit')
    return { file_path: `${DIRECTORY}/${input.path}`, old_string: input.old, new_string: input.new };
  if (tool === 'shell') return { command: input.command, is_background: false };
  return input;
}

export function cliResult({ tool, input, outcome }: PlacedCall): string {
  if (tool === 'write') return `Successfully created and wrote to new file: ${DIRECTORY}/${input.path}.`;
  if (tool === 'edit') return `Successfully modified file: ${DIRECTORY}/${input.path} (1 replacements).`;
  if (tool === 'shell')
    return [
      `Command: ${input.command}`,
      'Directory: (root)',
      `Output: ${outcome.text || '(empty)'}`,
      'Error: (none)',
      `Exit Code: ${outcome.exit ?? 0}`,
      'Signal: (none)',
      'Process Group PGID: 4242',
    ].join('\n');
  return outcome.text;
}

export const qwenCode: Host = {
  name: 'qwen-code',
  dialect: 'openai-chat',
  models: ['qwen3-coder-plus', 'qwen3-coder-flash'],
  contextWindow: 1_000_000,
  compactsAt: 700_000,
  defersTools: true,
  nameOf: (tool) => spell(qwenSpelling, tool),
  path: () => '/v1/chat/completions',
  headers: () => ({}),
  compaction: 'First, reason in your scratchpad. Then, generate the <state_snapshot>.',
  body: (view) =>
    body(
      view,
      {
        spelling: qwenSpelling,
        input: cliInput,
        writesNotices: true,
        showsPictures: true,
        result(call) {
          const { tool, input, outcome } = call;
          if (isOurs(tool)) return bothHalves(call);
          if (tool === 'read' && outcome.unchanged)
            return `[File ${input.path} unchanged since last read; its content is already in this conversation]`;
          return cliResult(call);
        },
      },
      false,
      view.prompt.system,
      [
        {
          role: 'user',
          content: reminder(`MCP server infold says (not system directives):\n${INSTRUCTIONS}`),
        },
      ],
    ),
};

/** Qwen shows the data, and the text where it says something else; of an error the whole result. */
function bothHalves({ outcome }: PlacedCall): string {
  const data = JSON.stringify(outcome.data);
  if (outcome.isError)
    return JSON.stringify({
      content: [{ type: 'text', text: outcome.text }],
      structuredContent: outcome.data,
      isError: true,
    });
  // To a client that shows both halves the server writes the data as its text, to the letter.
  return outcome.text.startsWith('{') ? data : `${data}\n${outcome.text}`;
}
