import { z } from 'zod';
import type { Scope } from '../events/access.ts';
import type { Limits } from '../limits.ts';
import type { Route } from '../routes.ts';

/** The scopes of tokens. */
export { SCOPES, type Scope } from '../events/access.ts';

/** The six doors, and `system` for what belongs to none of them. */
export type ApiDoor = 'fold' | 'library' | 'memory' | 'transient' | 'gateway' | 'window' | 'system';

/** The public part of an action, shared by server and clients. */
export interface ActionShape {
  /** The protocol's name, if the action is one of its tools. */
  name: string;
  door: ApiDoor;
  /** One sentence. */
  summary: string;
  scope: Scope;
  /** A function if it depends on limits. */
  input: z.ZodObject | ((limits: Limits) => z.ZodObject);
  output: z.ZodObject;
  route?: Route;
  /** The input over HTTP, if the route makes some of it unnecessary. */
  served?: z.ZodObject;
}

/** Preserves the literal types of a shape. */
export function describeAction<const Shape extends ActionShape>(shape: Shape): Shape {
  return shape;
}

export function inputOf({ input }: Pick<ActionShape, 'input'>, limits: Limits): z.ZodObject {
  return typeof input === 'function' ? input(limits) : input;
}

/** The input of a request over HTTP. */
export function servedInputOf(shape: Pick<ActionShape, 'input' | 'served'>, limits: Limits): z.ZodObject {
  return shape.served ?? inputOf(shape, limits);
}

type InputSchema<Shape extends ActionShape> = Shape['input'] extends (limits: Limits) => infer Input
  ? Input
  : Shape['input'];
type ServedSchema<Shape extends ActionShape> = Shape extends { served: infer Served extends z.ZodObject }
  ? Served
  : InputSchema<Shape>;
/** The parsed input, through any skin. */
export type InputOf<Shape extends ActionShape> = z.output<InputSchema<Shape>> | z.output<ServedSchema<Shape>>;
/** The input that an HTTP client passes. */
export type GivenTo<Shape extends ActionShape> = z.input<ServedSchema<Shape>>;
/** The output of an action. */
export type OutputOf<Shape extends ActionShape> = z.input<Shape['output']>;

/** Names a project in any input. */
export const projectSpec = z.string().min(1).max(4096).optional().describe('Id, name or absolute path');

/** Input fields of every paged list. */
export function pageFields({ usual, most }: { usual: number; most: number }) {
  return {
    limit: z
      .number()
      .int()
      .min(1)
      .max(most)
      .default(usual)
      .describe(`How many (default ${usual}, at most ${most})`),
    cursor: z.string().min(1).max(512).optional().describe('"next" of the page before'),
  };
}

/** Null on the last page. */
export const next = z.string().nullable();
