import type { Dialect } from '../types.ts';
import { type Call, isOurs, OUR_TOOLS, type Script, type Turn } from './script.suite.ts';

/** What a host holds of a conversation when it writes the next request. */
export type Entry =
  | { kind: 'person'; text: string; picture: boolean }
  | (Omit<Turn, 'do' | 'calls'> & { kind: 'turn'; id: number; calls: readonly PlacedCall[] })
  | { kind: 'notice'; text: string }
  | { kind: 'found'; id: number; tools: readonly string[] }
  | { kind: 'summary'; text: string };

/** With what makes its id: the same in a fork, another in every turn. */
export type PlacedCall = Call & { key: string };

export interface View {
  history: readonly Entry[];
  model: string;
  session: string;
  agent: string | null;
  /** Names of deferred tools that were found so far. */
  found: readonly string[];
  /** How often the list of tools has grown. */
  extraTools: number;
  prompt: Script['prompt'];
  /** The cache is asked to keep for an hour. */
  keepsLong: boolean;
}

export interface Host {
  name: string;
  dialect: Dialect;
  models: readonly string[];
  /** Tokens that its models take, and from how many on it compacts. */
  contextWindow: number;
  compactsAt: number;
  /** Our tools are not in the first prompt; the model has to search for them. */
  defersTools: boolean;
  /** As the model sees the name of a tool. */
  nameOf(tool: string): string;
  body(view: View): Record<string, unknown>;
  path(view: View): string;
  headers(view: View): Record<string, string>;
  /** What a compaction asks for. */
  compaction: string;
}

export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** What our server tells a host when it connects; each host shows it to its model in another place. */
export const INSTRUCTIONS =
  'Infold keeps your context small, your rules at hand and your work on record.\n' +
  'Before a subtask that reads or tries a lot (search, debugging, long output) call context_branch; when it is done, ' +
  'context_return with what matters: result, paths, names, open tasks. Only that summary stays. context_expand brings ' +
  'originals back; context_branch_status shows how full the window is.\n' +
  'To go through records, page with search_records and keep what you find with store_analysis_memory (sources: the ' +
  'handles); used pages then collapse, context_expand shows them again.';

export const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;

/** The names that a host gives to its own tools, and the inputs that they take. */
export interface Spelling {
  names: Partial<Record<string, string>>;
  /** Of one of ours. */
  ours(tool: string): string;
}

export const spell = ({ names, ours }: Spelling, tool: string) =>
  isOurs(tool) ? ours(tool) : (names[tool] ?? tool);

export interface Definition {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

const PROPERTIES: Record<string, readonly string[]> = {
  context_branch: ['description', 'prompt', 'project_path'],
  context_return: ['message', 'project_path', 'branch_id'],
  context_expand: ['handle'],
};

/** Definitions as a host sends them: of its own tools, and of ours where they are not deferred. */
export function definitions(spelling: Spelling, view: View, withOurs: boolean): Definition[] {
  const own = ['read', 'write', 'edit', 'shell', 'grep', 'list', 'fetch', 'agent'];
  const extra = Array.from({ length: view.extraTools }, (_, index) => `mcp__tracker__query_${index}`);
  const names = [...own.filter((tool) => spelling.names[tool] !== undefined), ...extra];
  return [
    ...names.map((tool) => definition(spell(spelling, tool), tool, view.prompt.tool)),
    ...(withOurs ? OUR_TOOLS : []).map((tool) => ourDefinition(spelling.ours(tool), tool)),
  ];
}

export const ourDefinition = (name: string, tool: string) =>
  definition(name, tool, `Infold: ${tool.replaceAll('_', ' ')}.`);

function definition(name: string, tool: string, description: string): Definition {
  const properties = PROPERTIES[tool] ?? ['path', 'text'];
  return {
    name,
    description,
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties.map((key) => [key, { type: 'string' }])),
    },
  };
}

/** Lines of a file with their numbers before them. */
export function numbered({ input, outcome }: Call, line: (number: number, text: string) => string): string {
  const from = typeof input.from === 'number' ? input.from : 1;
  return outcome.text
    .split('\n')
    .map((text, index) => line(from + index, text))
    .join('\n');
}

/** A user's turn may hold what follows it directly: hosts put consecutive ones together. */
export function merged<Message extends { role: string }>(
  messages: readonly Message[],
  join: (before: Message, after: Message) => Message,
): Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    if (before?.role === 'user' && message.role === 'user') result[result.length - 1] = join(before, message);
    else result.push(message);
  }
  return result;
}
