/** What happens in a conversation, told without any host or API: the hosts beside it write it down in their own ways. */

export type HostTool = 'read' | 'write' | 'edit' | 'shell' | 'grep' | 'list' | 'fetch' | 'agent' | 'picture';
export const OUR_TOOLS = [
  'context_branch',
  'context_return',
  'context_rollback',
  'context_branch_status',
  'context_expand',
  'search_records',
  'find_records',
  'store_analysis_memory',
  'recall_analysis_memories',
] as const;
export type OurTool = (typeof OUR_TOOLS)[number];
export const isOurs = (tool: string): tool is OurTool => (OUR_TOOLS as readonly string[]).includes(tool);

export interface Outcome {
  /** What the tool says; of a file, the lines that were asked for. */
  text: string;
  /** `structuredContent` of our own tools. */
  data?: Record<string, unknown>;
  isError?: boolean;
  /** Of a command. */
  exit?: number;
  /** A picture comes with it. */
  picture?: boolean;
  /** Nothing changed since the last read: hosts that remember what they have shown say only that. */
  unchanged?: boolean;
}

export interface Call {
  tool: HostTool | OurTool;
  /** `path`, `from` and `lines` of files; `content`; `old` and `new` of edits; `command`; `pattern`; `url`; what our tools take. */
  input: Record<string, unknown>;
  outcome: Outcome;
}

/** What the model answers to one request, and what its calls come to. */
export interface Turn {
  do: 'turn';
  thinking?: string;
  text?: string;
  calls: readonly Call[];
  /** What the host says beside the results. */
  reminder?: string;
  /** What a hook says between a call and its result, where a host writes it there. */
  hook?: string;
  /** Until the next request is sent; a few seconds unless told. */
  milliseconds?: number;
}

export type Step =
  | { do: 'person'; text: string; picture?: boolean }
  | Turn
  /** A message of the host itself, such as new instructions. */
  | { do: 'notice'; text: string }
  /** The model looks for tools that the host does not show it; nothing where the host shows them all. */
  | { do: 'find'; tools: readonly OurTool[] }
  | { do: 'idle'; milliseconds: number }
  | { do: 'model'; model: number }
  /** The host's list of tools gains one. */
  | { do: 'tools' }
  | { do: 'compact'; summary: string }
  /** Back to before the last so many things that a person said. */
  | { do: 'rewind'; words: number }
  /** Goes on under another session id, from before the last so many things that a person said. */
  | { do: 'fork'; words: number }
  /** The host was ended and started again. */
  | { do: 'resume' }
  /** Another agent of the same session works in a window of its own, and its last words are the result of a call. */
  | { do: 'delegate'; prompt: string; steps: readonly Step[] };

export interface Script {
  name: string;
  steps: readonly Step[];
  /** What stands before the messages: the instructions, and the description of a tool. */
  prompt: { system: string; tool: string };
  /** From how many tokens on the host compacts by itself, where it is set lower than usual. */
  compactsAt?: number;
  /** The host asks the provider to keep the cache for an hour. */
  keepsLong?: boolean;
}

export const person = (text: string): Step => ({ do: 'person', text });
export const turn = (text: string, ...calls: Call[]): Turn => ({ do: 'turn', text, calls });
export const think = (thinking: string, ...calls: Call[]): Turn => ({ do: 'turn', thinking, calls });

export const DIRECTORY = '/home/ada/atlas';

export const read = (path: string, content: string, from?: number, lines?: number): Call => ({
  tool: 'read',
  input: { path, ...(from !== undefined && { from }), ...(lines !== undefined && { lines }) },
  outcome: {
    text: content
      .split('\n')
      .slice((from ?? 1) - 1, lines === undefined ? undefined : (from ?? 1) - 1 + lines)
      .join('\n'),
  },
});
export const write = (path: string, content: string): Call => ({
  tool: 'write',
  input: { path, content },
  outcome: { text: `Wrote ${path}` },
});
export const edit = (path: string, before: string, after: string): Call => ({
  tool: 'edit',
  input: { path, old: before, new: after },
  outcome: { text: `Updated ${path}` },
});
export const shell = (command: string, text: string, exit = 0): Call => ({
  tool: 'shell',
  input: { command },
  outcome: { text, exit, isError: exit !== 0 },
});
export const grep = (pattern: string, path: string, text: string): Call => ({
  tool: 'grep',
  input: { pattern, path },
  outcome: { text },
});
export const list = (path: string, text: string): Call => ({
  tool: 'list',
  input: { path },
  outcome: { text },
});
export const fetched = (url: string, text: string): Call => ({
  tool: 'fetch',
  input: { url },
  outcome: { text },
});

/** The same letters for the same seed: ids and signatures that look like those of the providers. */
export function letters(seed: string, length: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let state = 2166136261;
  for (let place = 0; place < seed.length; place++)
    state = Math.imul(state ^ seed.charCodeAt(place), 16777619);
  let text = '';
  for (let place = 0; place < length; place++) {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    text += alphabet[((state ^ (state >>> 13)) >>> 0) % alphabet.length];
  }
  return text;
}
