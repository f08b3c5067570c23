import type { ActionShape } from '@infold/protocol';
import type { z } from 'zod';
import { type Action, defineAction } from './action.ts';

/** An action that a model can call, with what the model reads about it. */
export interface ToolDefinition {
  action: Action;
  title: string;
  description: string;
  /** In the window from the start, also in hosts that hide tools behind a search. */
  alwaysLoad?: true;
  /** Words of tasks that such a search should find the tool by, besides its description. */
  searchHint?: string;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
}

type Shape<Input extends z.ZodObject, Output extends z.ZodObject> = ActionShape<Input, Output>;

/** A tool and its action at once. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Omit<ToolDefinition, 'action'> &
    Pick<Shape<Input, Output>, 'name' | 'scope' | 'input' | 'output'> &
    Partial<Pick<Shape<Input, Output>, 'door'>> &
    Parameters<typeof defineAction<Shape<Input, Output>>>[1],
): ToolDefinition {
  const { title, description, alwaysLoad, searchHint, annotations, door = 'system', ...rest } = tool;
  const { name, scope, input, output, ...doing } = rest;
  const shape = { name, door, scope, input, output, summary: description };
  return {
    action: defineAction(shape, doing),
    title,
    description,
    annotations,
    ...(alwaysLoad && { alwaysLoad }),
    ...(searchHint === undefined ? {} : { searchHint }),
  };
}
