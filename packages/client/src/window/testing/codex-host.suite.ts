import {
  definitions,
  type Entry,
  type Host,
  INSTRUCTIONS,
  ourDefinition,
  PICTURE,
  type PlacedCall,
  reminder,
  type Spelling,
  spell,
} from './host.suite.ts';
import { DIRECTORY, isOurs, letters } from './script.suite.ts';

type Item = Record<string, unknown>;

const NAMESPACE = 'mcp__infold';
const spelling: Spelling = {
  names: {
    shell: 'exec_command',
    edit: 'apply_patch',
    fetch: 'web_fetch',
    agent: 'spawn_agent',
    picture: 'view_image',
  },
  ours: (tool) => tool,
};

const callId = (key: string) => `call_${letters(key, 24)}`;
const message = (role: string, text: string, picture = false): Item => ({
  type: 'message',
  role,
  content: [
    { type: role === 'assistant' ? 'output_text' : 'input_text', text },
    ...(picture ? [{ type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` }] : []),
  ],
});
const reasoning = (id: number): Item => ({
  type: 'reasoning',
  summary: [],
  content: null,
  encrypted_content: `gAAAAA${letters(`reasoning${id}`, 400)}`,
});

function entryItems(entry: Entry): Item[] {
  switch (entry.kind) {
    case 'person':
      return [message('user', entry.text, entry.picture)];
    case 'summary':
      return [message('user', entry.text)];
    case 'notice':
      return [message('developer', entry.text)];
    case 'found':
      return [
        {
          type: 'tool_search_call',
          call_id: callId(`found${entry.id}`),
          execution: 'client',
          arguments: { query: entry.tools.join(' '), limit: 8 },
          status: 'completed',
        },
        {
          type: 'tool_search_output',
          call_id: callId(`found${entry.id}`),
          execution: 'client',
          status: 'completed',
          tools: [
            {
              type: 'namespace',
              name: NAMESPACE,
              description: 'Folds and memory of Infold.',
              tools: entry.tools.map((tool) => {
                const { name, description, schema } = ourDefinition(tool, tool);
                return {
                  type: 'function',
                  name,
                  description,
                  strict: false,
                  defer_loading: true,
                  parameters: schema,
                };
              }),
            },
          ],
        },
      ];
    case 'turn':
      return turnItems(entry);
  }
}

function turnItems(entry: Entry & { kind: 'turn' }): Item[] {
  const said = [
    ...(entry.thinking !== undefined ? [reasoning(entry.id)] : []),
    ...(entry.text || entry.calls.length === 0 ? [message('assistant', entry.text ?? 'Done.')] : []),
  ];
  const between = entry.hook && entry.calls.length > 0 ? [message('developer', entry.hook)] : [];
  const beside = entry.reminder ? [message('developer', reminder(entry.reminder))] : [];
  return [...said, ...entry.calls.map(callItem), ...between, ...entry.calls.map(outputItem), ...beside];
}

/** Codex has no tools for files: its model reads them in the shell, and writes them as patches. */
function commandOf({ tool, input }: PlacedCall): string | undefined {
  if (tool === 'shell') return String(input.command);
  if (tool === 'grep') return `rg -n '${input.pattern}' ${input.path}`;
  if (tool === 'list') return `rg --files ${input.path}`;
  if (tool !== 'read') return undefined;
  if (input.from === undefined && input.lines === undefined) return `cat ${input.path}`;
  const from = Number(input.from ?? 1);
  return `sed -n '${from},${input.lines === undefined ? '$' : from + Number(input.lines) - 1}p' ${input.path}`;
}

function patchOf({ tool, input }: PlacedCall): string | undefined {
  const lines = (prefix: string, text: unknown) =>
    String(text)
      .split('\n')
      .map((line) => prefix + line)
      .join('\n');
  if (tool === 'write')
    return `*** Begin Patch\n*** Add File: ${input.path}\n${lines('+', input.content)}\n*** End Patch\n`;
  if (tool === 'edit')
    return `*** Begin Patch\n*** Update File: ${input.path}\n@@\n${lines('-', input.old)}\n${lines('+', input.new)}\n*** End Patch\n`;
  return undefined;
}

function callItem(call: PlacedCall): Item {
  const call_id = callId(call.key);
  const patch = patchOf(call);
  if (patch !== undefined)
    return { type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch', input: patch };
  const command = commandOf(call);
  return {
    type: 'function_call',
    name: command === undefined ? spell(spelling, call.tool) : 'exec_command',
    ...(isOurs(call.tool) && { namespace: NAMESPACE }),
    arguments: JSON.stringify(command === undefined ? call.input : { cmd: command, workdir: DIRECTORY }),
    call_id,
  };
}

function outputItem(call: PlacedCall): Item {
  const call_id = callId(call.key);
  const { outcome, input } = call;
  if (patchOf(call) !== undefined)
    return {
      type: 'custom_tool_call_output',
      call_id,
      output: `Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM ${input.path}\n`,
    };
  const output = (text: string) => ({ type: 'function_call_output', call_id, output: text });
  // Of our tools Codex shows the data alone, of an error too.
  if (isOurs(call.tool)) return output(`Wall time: 0.0210 seconds\nOutput:\n${JSON.stringify(outcome.data)}`);
  if (outcome.picture)
    return {
      type: 'function_call_output',
      call_id,
      output: [{ type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` }],
    };
  if (commandOf(call) === undefined) return output(outcome.text);
  const head = [
    `Chunk ID: ${letters(call.key, 6).toLowerCase()}`,
    'Wall time: 0.0521 seconds',
    `Process exited with code ${outcome.exit ?? 0}`,
    `Original token count: ${outcome.text.length >> 2}`,
  ];
  return output(`${head.join('\n')}\nOutput:\n${outcome.text}`);
}

export const codex: Host = {
  name: 'codex',
  dialect: 'openai-responses',
  models: ['gpt-5.2-codex', 'gpt-5.2'],
  contextWindow: 400_000,
  compactsAt: 244_800,
  defersTools: true,
  nameOf: (tool) => spell(spelling, tool),
  path: () => '/v1/responses',
  headers: ({ session, agent }) => ({ 'session-id': session, 'thread-id': agent ?? session }),
  compaction: 'You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for another LLM.',
  body(view) {
    return {
      model: view.model,
      instructions: view.prompt.system,
      input: [
        message('developer', '<permissions instructions>Sandboxing is off.</permissions instructions>'),
        message('user', `<environment_context>\n  <cwd>${DIRECTORY}</cwd>\n</environment_context>`),
        ...view.history.flatMap(entryItems),
      ],
      tools: [
        ...definitions(spelling, view, false).map(({ name, description, schema }) =>
          name === 'apply_patch'
            ? { type: 'custom', name, description, format: { type: 'grammar', syntax: 'lark' } }
            : { type: 'function', name, description, strict: false, parameters: schema },
        ),
        {
          type: 'tool_search',
          execution: 'client',
          description: `${view.prompt.tool}\n- infold: ${INSTRUCTIONS}`,
          parameters: { type: 'object' },
        },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'medium', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: view.session,
    };
  },
};
