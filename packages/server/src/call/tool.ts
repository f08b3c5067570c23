import type { ActionShape, Limits } from '@infold/protocol';
import type { z } from 'zod';
import type { Action } from './action.ts';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';

/** An action that a model can call, with what the model reads about it. */
export interface ToolDefinition {
  action: Action;
  title: string;
  description: string;
  /** In the window from the start, also in hosts that hide tools behind a search. */
  alwaysLoad?: true;
  /** Words of tasks that such a search should find the tool by, besides its description. */
  searchHint?: string;
  /** Fields of the input and the answer that are for people and programs: they work, but no model reads about them. */
  unlisted?: readonly string[];
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
}

/** A tool and its action at once. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Omit<ToolDefinition, 'action'> &
    Pick<Action, 'name' | 'scope' | 'identifiers' | 'rate' | 'scrubsItself'> & {
      door?: ActionShape['door'];
      input: Input | ((limits: Limits) => Input);
      output: Output;
      run(
        input: z.output<Input>,
        context: CallContext,
      ): Promise<Answer<z.input<Output>>> | Answer<z.input<Output>>;
    },
): ToolDefinition {
  const { title, description, alwaysLoad, searchHint, annotations, door = 'system', ...action } = tool;
  return {
    action: { ...action, door, summary: description } as unknown as Action,
    title,
    description,
    annotations,
    ...(alwaysLoad && { alwaysLoad }),
    ...(searchHint === undefined ? {} : { searchHint }),
  };
}
