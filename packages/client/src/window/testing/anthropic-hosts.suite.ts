import {
  definitions,
  type Entry,
  type Host,
  INSTRUCTIONS,
  merged,
  numbered,
  ourDefinition,
  PICTURE,
  type PlacedCall,
  reminder,
  type Spelling,
  spell,
  type View,
} from './host.suite.ts';
import { DIRECTORY, isOurs, letters, OUR_TOOLS } from './script.suite.ts';

type Block = Record<string, unknown>;
interface Message {
  role: 'user' | 'assistant' | 'system';
  content: string | Block[];
}

interface Style {
  spelling: Spelling;
  input(call: PlacedCall): Record<string, unknown>;
  result(call: PlacedCall): string | Block[];
  /** Whether the host writes messages of its own between those of the two sides. */
  writesNotices: boolean;
}

const callId = (key: string) => `toolu_01${letters(key, 22)}`;
const text = (value: string): Block => ({ type: 'text', text: value });
const picture = (): Block => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PICTURE },
});

function entryMessages(entry: Entry, style: Style): Message[] {
  switch (entry.kind) {
    case 'person':
      return [{ role: 'user', content: [...(entry.picture ? [picture()] : []), text(entry.text)] }];
    case 'summary':
      return [{ role: 'user', content: [text(entry.text)] }];
    case 'notice':
      return style.writesNotices ? [{ role: 'system', content: entry.text }] : [];
    case 'found':
      return [
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: callId(`found${entry.id}`),
              name: 'ToolSearch',
              input: { query: `select:${entry.tools.map(style.spelling.ours).join(',')}`, max_results: 5 },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: callId(`found${entry.id}`),
              content: entry.tools.map((tool) => ({
                type: 'tool_reference',
                tool_name: style.spelling.ours(tool),
              })),
            },
          ],
        },
      ];
    case 'turn':
      return turnMessages(entry, style);
  }
}

function messagesOf(history: readonly Entry[], style: Style): Message[] {
  const messages = history.flatMap((entry) => entryMessages(entry, style));
  return merged(messages, (before, after) => ({
    role: 'user',
    content: [...(before.content as Block[]), ...(after.content as Block[])],
  }));
}

function turnMessages(entry: Entry & { kind: 'turn' }, style: Style): Message[] {
  const content: Block[] = [];
  if (entry.thinking !== undefined)
    content.push({
      type: 'thinking',
      thinking: entry.thinking,
      signature: letters(`signature${entry.id}`, 320),
    });
  if (entry.text) content.push(text(entry.text));
  for (const call of entry.calls)
    content.push({
      type: 'tool_use',
      id: callId(call.key),
      name: spell(style.spelling, call.tool),
      input: style.input(call),
    });
  const said: Message = { role: 'assistant', content };
  if (entry.calls.length === 0) return [said];
  const results = entry.calls.map((call): Block => {
    const block: Block = { tool_use_id: callId(call.key), type: 'tool_result', content: style.result(call) };
    return call.outcome.isError ? { ...block, is_error: true } : block;
  });
  const beside = entry.reminder ? [text(reminder(entry.reminder))] : [];
  return [said, { role: 'user', content: [...results, ...beside] }];
}

const mark = (view: View) => ({
  cache_control: view.keepsLong ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' },
});

/** The last block of a message is marked; what was one string becomes a block for it. */
function marked(message: Message, control: ReturnType<typeof mark>): Message {
  const blocks = typeof message.content === 'string' ? [text(message.content)] : message.content;
  return {
    ...message,
    content: blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...control } : block)),
  };
}

const claudeSpelling: Spelling = {
  names: {
    read: 'Read',
    write: 'Write',
    edit: 'Edit',
    shell: 'Bash',
    grep: 'Grep',
    list: 'Glob',
    fetch: 'WebFetch',
    agent: 'Task',
    picture: 'Read',
  },
  ours: (tool) => `mcp__infold__${tool}`,
};

const claudeStyle: Style = {
  spelling: claudeSpelling,
  writesNotices: true,
  input({ tool, input }) {
    if (tool === 'read' || tool === 'picture')
      return {
        file_path: `${DIRECTORY}/${input.path}`,
        ...(input.from !== undefined && { offset: input.from }),
        ...(input.lines !== undefined && { limit: input.lines }),
      };
    if (tool === 'write') return { file_path: `${DIRECTORY}/${input.path}`, content: input.content };
    if (tool === 'edit')
      return { file_path: `${DIRECTORY}/${input.path}`, old_string: input.old, new_string: input.new };
    if (tool === 'shell') return { command: input.command, description: 'Run a command' };
    if (tool === 'list') return { pattern: '**/*', path: `${DIRECTORY}/${input.path}` };
    if (tool === 'grep')
      return {
        pattern: input.pattern,
        path: `${DIRECTORY}/${input.path}`,
        output_mode: 'content',
        '-n': true,
      };
    return input;
  },
  result(call) {
    const { tool, input, outcome } = call;
    // Of our tools Claude Code shows the data alone, but of an error the text.
    if (isOurs(tool)) return [text(outcome.isError ? outcome.text : JSON.stringify(outcome.data))];
    if (tool === 'read' && outcome.unchanged)
      return 'File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.';
    if (outcome.picture) return [picture()];
    if (tool === 'read') return numbered(call, (number, line) => `${`${number}`.padStart(6)}→${line}`);
    if (tool === 'write') return `File created successfully at: ${DIRECTORY}/${input.path}`;
    if (tool === 'edit') return `The file ${DIRECTORY}/${input.path} has been updated successfully.`;
    if (tool === 'shell' && outcome.exit) return `Exit code ${outcome.exit}\n${outcome.text}`;
    if (tool === 'agent') return [text(outcome.text)];
    return outcome.text;
  },
};

const headersOf = ({ session, agent }: View): Record<string, string> => ({
  'anthropic-version': '2023-06-01',
  'x-claude-code-session-id': session,
  ...(agent !== null && { 'x-claude-code-agent-id': agent }),
});

export const claudeCode: Host = {
  name: 'claude-code',
  dialect: 'anthropic',
  models: ['claude-sonnet-4-6', 'claude-opus-4-6'],
  contextWindow: 200_000,
  compactsAt: 167_000,
  defersTools: true,
  nameOf: (tool) => spell(claudeSpelling, tool),
  path: () => '/v1/messages?beta=true',
  headers: headersOf,
  compaction:
    'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the conversation so far.',
  body(view) {
    const [first, ...rest] = messagesOf(view.history, claudeStyle);
    const names = OUR_TOOLS.map(claudeSpelling.ours).join('\n');
    const told: Message = {
      role: 'system',
      content: `# MCP Server Instructions\n\n## infold\n${INSTRUCTIONS}\n\nDeferred tools, to be loaded with ToolSearch:\n${names}`,
    };
    const messages = first ? [first, told, ...rest] : [];
    const tools = definitions(claudeSpelling, view, false).map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
    }));
    const deferred = view.found.map((tool) => {
      const { name, description, schema } = ourDefinition(claudeSpelling.ours(tool), tool);
      return { name, description, input_schema: schema, defer_loading: true };
    });
    return {
      model: view.model,
      messages: messages.map((message, index) =>
        index === messages.length - 1 ? marked(message, mark(view)) : message,
      ),
      system: [
        text('x-anthropic-billing-header: cc_version=2.1.325; cc_entrypoint=cli;'),
        { ...text("You are Claude Code, Anthropic's official CLI for Claude."), ...mark(view) },
        { ...text(view.prompt.system), ...mark(view) },
      ],
      tools: [
        ...tools,
        { name: 'ToolSearch', description: view.prompt.tool, input_schema: { type: 'object' } },
        ...deferred,
      ],
      metadata: { user_id: `user_0_account__session_${view.session}` },
      max_tokens: 32000,
      thinking: { type: 'enabled', budget_tokens: 31999 },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      stream: true,
    };
  },
};

export const openCodeInstructions = `\n<mcp_instructions>\n<server name="infold">\n${INSTRUCTIONS}\n</server>\n</mcp_instructions>`;

export const openCodeSpelling: Spelling = {
  names: {
    read: 'read',
    write: 'write',
    edit: 'edit',
    shell: 'bash',
    grep: 'grep',
    list: 'list',
    fetch: 'webfetch',
    agent: 'task',
    picture: 'read',
  },
  ours: (tool) => `infold_${tool}`,
};

export function openCodeInput({ tool, input }: PlacedCall): Record<string, unknown> {
  if (tool === 'read' || tool === 'picture')
    return {
      filePath: `${DIRECTORY}/${input.path}`,
      ...(input.from !== undefined && { offset: input.from }),
      ...(input.lines !== undefined && { limit: input.lines }),
    };
  if (tool === 'write') return { filePath: `${DIRECTORY}/${input.path}`, content: input.content };
  if (tool === 'edit')
    return { filePath: `${DIRECTORY}/${input.path}`, oldString: input.old, newString: input.new };
  if (tool === 'shell') return { command: input.command, description: 'Runs a command' };
  return input;
}

export function openCodeResult(call: PlacedCall): string {
  const { tool, input, outcome } = call;
  if (tool === 'read') {
    const lines = numbered(call, (number, line) => `${`${number}`.padStart(5, '0')}| ${line}`);
    return `<file>\n${lines}\n\n(End of file - total ${outcome.text.split('\n').length} lines)\n</file>`;
  }
  if (tool === 'write') return 'Wrote file successfully.';
  if (tool === 'edit') return 'Edit applied successfully.';
  if (tool === 'agent')
    return `task_id: ses_${letters(String(input.prompt), 24)}\n\n<task_result>\n${outcome.text}\n</task_result>`;
  return outcome.text || '(no output)';
}

const openCodeStyle: Style = {
  spelling: openCodeSpelling,
  writesNotices: false,
  input: openCodeInput,
  result: (call) => {
    const said = openCodeResult(call);
    return call.outcome.picture ? [text(said), picture()] : said;
  },
};

export const openCodeAnthropic: Host = {
  name: 'opencode-anthropic',
  dialect: 'anthropic',
  models: ['claude-sonnet-4-6', 'claude-opus-4-6'],
  contextWindow: 200_000,
  compactsAt: 168_000,
  defersTools: false,
  nameOf: (tool) => spell(openCodeSpelling, tool),
  path: () => '/v1/messages',
  headers: ({ session }) => ({ 'anthropic-version': '2023-06-01', 'x-session-id': session }),
  compaction: 'Provide a detailed prompt for continuing our conversation above.',
  body(view) {
    const messages = messagesOf(view.history, openCodeStyle);
    return {
      model: view.model,
      max_tokens: 32000,
      thinking: { type: 'enabled', budget_tokens: 16000 },
      system: [{ ...text(view.prompt.system + openCodeInstructions), ...mark(view) }],
      messages: messages.map((message, index) =>
        index >= messages.length - 2 ? marked(message, mark(view)) : message,
      ),
      tools: definitions(openCodeSpelling, view, true).map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: schema,
      })),
      tool_choice: { type: 'auto' },
      stream: true,
    };
  },
};
