import type { Collapser } from '@infold/client';

export interface ToolListing {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  schema: Record<string, unknown>;
}

export interface ModelCall {
  id: string;
  name: string;
  /** Undefined where the model wrote something that is not an object. */
  input: Record<string, unknown> | undefined;
}

export interface ModelTurn<Message> {
  /** What goes to the history. */
  message: Message;
  calls: ModelCall[];
  text: string;
  /** The answer was longer than it may be, and is not whole. */
  cut: boolean;
  /** Input tokens as the provider counted them: system prompt and tool definitions included. */
  reported: number | undefined;
}

export interface CallOutcome {
  id: string;
  text: string;
  failed: boolean;
}

/** What the agent's loop needs of a model API. The history is in the API's own messages. */
export interface ModelApi<Message = unknown> {
  readonly name: ApiName;
  begin(task: string): Message[];
  ask(
    system: string,
    messages: readonly Message[],
    tools: readonly ToolListing[],
  ): Promise<ModelTurn<Message>>;
  results(outcomes: readonly CallOutcome[]): Message[];
  project(collapser: Collapser, history: readonly Message[]): Message[];
  /** Tokens of the messages alone. */
  tokens(messages: readonly Message[]): number;
}

export const API_NAMES = ['openai', 'anthropic'] as const;
export type ApiName = (typeof API_NAMES)[number];

/** An object, or undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
