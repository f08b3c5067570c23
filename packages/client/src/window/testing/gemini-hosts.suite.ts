import { cliInput, cliResult } from './chat-hosts.suite.ts';
import {
  definitions,
  type Entry,
  type Host,
  INSTRUCTIONS,
  merged,
  PICTURE,
  type PlacedCall,
  reminder,
  type Spelling,
  spell,
} from './host.suite.ts';
import { isOurs, letters } from './script.suite.ts';

type Part = Record<string, unknown>;
interface Content {
  role: 'user' | 'model';
  parts: Part[];
}

interface Style {
  spelling: Spelling;
  hasIds: boolean;
  signs: boolean;
  /** As its MCP client hands a result on. */
  shows(call: PlacedCall): string;
}

const picture = { inlineData: { mimeType: 'image/png', data: PICTURE } };

function entryContents(entry: Entry, style: Style): Content[] {
  switch (entry.kind) {
    case 'person':
      return [{ role: 'user', parts: [{ text: entry.text }, ...(entry.picture ? [picture] : [])] }];
    case 'summary':
      return [{ role: 'user', parts: [{ text: entry.text }] }];
    case 'notice':
    case 'found':
      return [];
    case 'turn':
      return turnContents(entry, style);
  }
}

function contentsOf(history: readonly Entry[], style: Style): Content[] {
  const contents = history.flatMap((entry) => entryContents(entry, style));
  return merged(contents, (before, after) => ({ role: 'user', parts: [...before.parts, ...after.parts] }));
}

function turnContents(entry: Entry & { kind: 'turn' }, style: Style): Content[] {
  const id = (call: PlacedCall) =>
    style.hasIds ? { id: `${spell(style.spelling, call.tool)}_1772442000000_${letters(call.key, 8)}` } : {};
  const calls = entry.calls.map((call, index) => ({
    functionCall: { ...id(call), name: spell(style.spelling, call.tool), args: cliInput(call) },
    ...(style.signs && index === 0 && { thoughtSignature: letters(`thought${entry.id}`, 240) }),
  }));
  const words = entry.text || calls.length === 0 ? [{ text: entry.text ?? 'Done.' }] : [];
  const said: Content = { role: 'model', parts: [...words, ...calls] };
  if (calls.length === 0) return [said];
  const results = entry.calls.flatMap((call): Part[] => {
    const text = isOurs(call.tool) ? style.shows(call) : cliResult(call);
    // A command that fails is a result like any other; only what could not be run at all is an error.
    const response = call.outcome.isError && call.tool !== 'shell' ? { error: text } : { output: text };
    return [
      {
        functionResponse: {
          ...id(call),
          name: spell(style.spelling, call.tool),
          response,
          ...(call.outcome.picture && style.signs && { parts: [picture] }),
        },
      },
    ];
  });
  // Pictures that cannot be part of a response stand behind all of them.
  const pictures = entry.calls.some(({ outcome }) => outcome.picture) && !style.signs ? [picture] : [];
  const beside = entry.reminder ? [{ text: reminder(entry.reminder) }] : [];
  return [said, { role: 'user', parts: [...results, ...pictures, ...beside] }];
}

/** What servers say stands before the first words. */
const told = ([first, ...rest]: Content[]): Content[] =>
  first
    ? [
        {
          ...first,
          parts: [{ text: `<project_context>\n${INSTRUCTIONS}\n</project_context>` }, ...first.parts],
        },
        ...rest,
      ]
    : [];

const names = {
  read: 'read_file',
  write: 'write_file',
  edit: 'replace',
  shell: 'run_shell_command',
  grep: 'grep_search',
  list: 'list_directory',
  fetch: 'web_fetch',
  agent: 'delegate_to_agent',
  picture: 'read_file',
};

function gemini(name: string, models: string[], style: Style): Host {
  return {
    name,
    dialect: 'gemini',
    models,
    contextWindow: 1_048_576,
    compactsAt: 524_288,
    defersTools: false,
    nameOf: (tool) => spell(style.spelling, tool),
    path: ({ model }) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    headers: () => ({}),
    compaction: 'First, reason in your scratchpad. Then, generate the <state_snapshot>.',
    body: (view) => ({
      contents: told(contentsOf(view.history, style)),
      systemInstruction: { role: 'user', parts: [{ text: view.prompt.system }] },
      tools: [
        {
          functionDeclarations: definitions(style.spelling, view, true).map(
            ({ name, description, schema }) => ({ name, description, parametersJsonSchema: schema }),
          ),
        },
      ],
      generationConfig: { temperature: 1, topP: 0.95, thinkingConfig: { includeThoughts: true } },
    }),
  };
}

/** The text in a warning; of an error the whole result. */
function untrusted({ outcome }: PlacedCall): string {
  const text = outcome.isError
    ? JSON.stringify({
        content: [{ type: 'text', text: outcome.text }],
        structuredContent: outcome.data,
        isError: true,
      })
    : outcome.text;
  return `<untrusted_context>\n${text}\n</untrusted_context>`;
}

const cliSpelling: Spelling = { names, ours: (tool) => `mcp_infold_${tool}` };

export const geminiTwo = gemini('gemini-cli-2.5', ['gemini-2.5-pro', 'gemini-2.5-flash'], {
  spelling: cliSpelling,
  hasIds: true,
  signs: false,
  shows: untrusted,
});

export const geminiThree = gemini('gemini-cli-3', ['gemini-3.1-pro', 'gemini-3.1-flash'], {
  spelling: cliSpelling,
  hasIds: true,
  signs: true,
  shows: untrusted,
});

/** A program of somebody's own on Google's SDK: no ids, and our tools by their own names. */
export const geminiBare = gemini('google-genai', ['gemini-2.5-flash', 'gemini-2.5-pro'], {
  spelling: { names, ours: (tool) => tool },
  hasIds: false,
  signs: false,
  shows: ({ outcome }) => outcome.text,
});
