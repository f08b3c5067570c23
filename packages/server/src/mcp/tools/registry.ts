import { toolError } from '@infold/protocol';
import { z } from 'zod';
import { type BoundAction, bindAction } from '../../call/action.ts';
import type { ToolDefinition } from '../../call/tool.ts';
import type { Config, DoorName, Spelling } from '../../kernel/config.ts';
import { instructionsFor } from './instructions.ts';

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema: { type: 'object'; [key: string]: unknown };
  annotations: ToolDefinition['annotations'] & { title: string; openWorldHint: false };
  _meta?: Record<string, unknown>;
}

export interface RegisteredTool extends ToolDefinition {
  action: BoundAction;
  name: string;
  portableName: string;
}

const sessionId = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe('Session to act in, when the connection does not already say');

/** What the caller should know beside the answer: any tool may say so, in an error too. */
const NOTICES = { notices: { type: 'array', items: { type: 'string' } } };

export function portableName(name: string): string {
  return name.replaceAll('.', '_');
}

/** The tools of the open doors. Schemas are compiled once, here; lists are made once per spelling. */
export class ToolRegistry {
  readonly #all: readonly RegisteredTool[];
  readonly #byName = new Map<string, RegisteredTool>();
  readonly #lists = new Map<Spelling, ListedTool[]>();
  readonly #instructions = new Map<Spelling, string>();
  readonly #listeners = new Set<() => void>();
  #tools: readonly RegisteredTool[] = [];

  constructor(tools: readonly ToolDefinition[], { toolsets, limits }: Pick<Config, 'toolsets' | 'limits'>) {
    this.#all = tools.map((tool) => ({
      ...tool,
      action: inSession(bindAction(tool.action, limits)),
      name: tool.action.name,
      portableName: portableName(tool.action.name),
    }));
    this.open(toolsets);
  }

  get tools(): readonly RegisteredTool[] {
    return this.#tools;
  }

  /** Opens these doors and closes the others; clients are told that the list has changed. */
  open(toolsets: readonly DoorName[]): void {
    this.#tools = this.#all.filter(
      ({ action: { door } }) => door === 'system' || toolsets.some((open) => open === door),
    );
    this.#byName.clear();
    this.#lists.clear();
    this.#instructions.clear();
    for (const tool of this.#tools) {
      for (const name of new Set([tool.name, tool.portableName])) {
        if (this.#byName.has(name)) throw new Error(`Two tools are named ${name}`);
        this.#byName.set(name, tool);
      }
    }
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever the list has changed; returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  find(name: string): RegisteredTool | undefined {
    return this.#byName.get(name);
  }

  /** The name that a client with this spelling knows a tool by. */
  nameOf(name: string, spelling: Spelling): string {
    return spelling === 'seed' ? name : portableName(name);
  }

  list(spelling: Spelling): ListedTool[] {
    let list = this.#lists.get(spelling);
    if (!list) {
      list = this.tools.map((tool) => this.#listed(tool, spelling));
      this.#lists.set(spelling, list);
    }
    return list;
  }

  /** What clients are told when they connect; made once, too. */
  instructions(spelling: Spelling): string {
    const text = this.#instructions.get(spelling) ?? instructionsFor(this, spelling);
    this.#instructions.set(spelling, text);
    return text;
  }

  /** What `infold_status` and `doctor` show. */
  doors(): { name: string; tools: string[] }[] {
    const doors = new Map<string, string[]>();
    for (const { name, action } of this.tools) {
      if (action.door !== 'system') doors.set(action.door, [...(doors.get(action.door) ?? []), name]);
    }
    return [...doors].map(([name, tools]) => ({ name, tools }));
  }

  #listed(tool: RegisteredTool, spelling: Spelling): ListedTool {
    return {
      name: this.nameOf(tool.name, spelling),
      title: tool.title,
      description: this.#spelt(tool.description, spelling),
      inputSchema: JSON.parse(this.#spelt(JSON.stringify(listed(tool, tool.action.input)), spelling)),
      // Some clients validate error results against the output schema too, so it admits both shapes.
      outputSchema: {
        type: 'object',
        properties: NOTICES,
        anyOf: [listed(tool, tool.action.output), jsonSchema(toolError)],
      },
      annotations: { title: tool.title, openWorldHint: false, ...tool.annotations },
      ...discovery(tool),
    };
  }

  /** A description that speaks of another tool calls it as the list does. */
  #spelt(text: string, spelling: Spelling): string {
    return this.tools.reduce((spelt, { name }) => spelt.replaceAll(name, this.nameOf(name, spelling)), text);
  }
}

/** Every tool takes the session that it acts in. */
function inSession(action: BoundAction): BoundAction {
  const { input } = action;
  return 'session_id' in input.shape ? action : { ...action, input: input.extend({ session_id: sessionId }) };
}

/** For hosts that keep tools out of the window until a search finds them. */
function discovery({ alwaysLoad, searchHint }: ToolDefinition): { _meta?: Record<string, unknown> } {
  if (alwaysLoad) return { _meta: { 'anthropic/alwaysLoad': true } };
  return searchHint === undefined ? {} : { _meta: { 'anthropic/searchHint': searchHint } };
}

function listed({ unlisted = [] }: ToolDefinition, schema: z.ZodObject): ReturnType<typeof jsonSchema> {
  const shown = Object.entries(schema.shape).filter(([name]) => !unlisted.includes(name));
  return jsonSchema(unlisted.length === 0 ? schema : z.object(Object.fromEntries(shown)));
}

/** In "input" mode objects stay open: unknown arguments are ignored with a notice, and results may gain fields. */
function jsonSchema(schema: z.ZodObject): { type: 'object'; [key: string]: unknown } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { ...rest, type: 'object' };
}
