import { type ActionShape, type InputOf, inputOf, type Limits, type OutputOf } from '@infold/protocol';
import type { z } from 'zod';
import type { Rate } from '../trust/limits/rate.ts';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';

/** How an action is done, and what the pipeline has to know beside its shape. */
interface Doing<Shape extends ActionShape> {
  /** Fields that name something, such as `context.id`. Scrubbing never changes them: one with a secret in it is refused. */
  identifiers?: readonly string[];
  /** What it costs of a rate that is counted by the minute. */
  rate?: { of: Rate; amount?: (input: InputOf<Shape>) => number };
  /** It takes secrets out by itself, piece by piece: what it is given may be large. */
  scrubsItself?: true;
  run(
    input: InputOf<Shape>,
    context: CallContext,
  ): Promise<Answer<OutputOf<Shape>>> | Answer<OutputOf<Shape>>;
}

/** One thing that a door can do, whoever asks for it: a tool, a route, a command. */
export interface Action extends ActionShape, Omit<Doing<ActionShape>, 'rate' | 'run'> {
  rate?: { of: Rate; amount?: (input: never) => number };
  run(input: never, context: CallContext): Promise<Answer<unknown>> | Answer<unknown>;
}

/** An action with the schema that the configured limits make of its input. */
export interface BoundAction extends Action {
  input: z.ZodObject;
}

/** Ties the types of an action's shape to what it does. */
export function defineAction<Shape extends ActionShape>(
  shape: Shape,
  doing: Doing<Shape>,
): Action & Pick<Shape, 'output'> {
  return { ...shape, ...doing } as unknown as Action & Pick<Shape, 'output'>;
}

export function bindAction(action: Action, limits: Limits): BoundAction {
  return { ...action, input: inputOf(action, limits) };
}
