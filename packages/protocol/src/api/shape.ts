import { z } from 'zod';
import type { Scope } from '../events/access.ts';
import type { Limits } from '../limits.ts';
import type { Route } from '../routes.ts';

/** What a caller's token must allow. */
export { SCOPES, type Scope } from '../events/access.ts';

/** The doors, and what belongs to none of them. */
export type ApiDoor = 'fold' | 'library' | 'memory' | 'transient' | 'gateway' | 'window' | 'system';

/** One thing that can be done, as everybody who asks for it knows it. */
export interface ActionShape {
  /** The seed's name where the action is one of its tools. */
  name: string;
  door: ApiDoor;
  /** One sentence. */
  summary: string;
  scope: Scope;
  /** A function where limits decide what is accepted. */
  input: z.ZodObject | ((limits: Limits) => z.ZodObject);
  output: z.ZodObject;
  route?: Route;
  /** What a request gives, where the address makes unnecessary what a model has to say. */
  served?: z.ZodObject;
}

/** Keeps the types of a shape. */
export function describeAction<const Shape extends ActionShape>(shape: Shape): Shape {
  return shape;
}

export function inputOf({ input }: Pick<ActionShape, 'input'>, limits: Limits): z.ZodObject {
  return typeof input === 'function' ? input(limits) : input;
}

/** Of a request over HTTP. */
export function servedInputOf(shape: Pick<ActionShape, 'input' | 'served'>, limits: Limits): z.ZodObject {
  return shape.served ?? inputOf(shape, limits);
}

type InputSchema<Shape extends ActionShape> = Shape['input'] extends (limits: Limits) => infer Input
  ? Input
  : Shape['input'];
type ServedSchema<Shape extends ActionShape> = Shape extends { served: infer Served extends z.ZodObject }
  ? Served
  : InputSchema<Shape>;
/** What an action gets, whoever asks for it. */
export type InputOf<Shape extends ActionShape> = z.output<InputSchema<Shape>> | z.output<ServedSchema<Shape>>;
/** What who asks for it over HTTP gives. */
export type GivenTo<Shape extends ActionShape> = z.input<ServedSchema<Shape>>;
/** What an action answers. */
export type OutputOf<Shape extends ActionShape> = z.input<Shape['output']>;

/** Wherever a project is taken. */
export const projectSpec = z.string().min(1).max(4096).optional().describe('Id, name or absolute path');

/** Fields of everything that lists something. */
export function pageFields({ usual, most }: { usual: number; most: number }) {
  return {
    limit: z
      .number()
      .int()
      .min(1)
      .max(most)
      .default(usual)
      .describe(`How many (default ${usual}, at most ${most})`),
    cursor: z.string().min(1).max(512).optional().describe('What "next" said'),
  };
}

/** Null on the last page. */
export const next = z.string().nullable();
