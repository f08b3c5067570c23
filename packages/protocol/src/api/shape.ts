import { z } from 'zod';
import type { Limits } from '../limits.ts';

/** What a caller's token must allow. */
export const SCOPES = ['read', 'write', 'review', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The doors, and what belongs to none of them. */
export type ApiDoor = 'fold' | 'library' | 'memory' | 'transient' | 'gateway' | 'system';

/** Where an action is served over HTTP. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** What stands in braces is a field of the input: `/api/branches/{id}`. */
  path: `/api/${string}`;
  /** Fields that a request with a body gives in its address. A request without one gives all of them there. */
  query?: readonly string[];
  /** Fields that it may give in either place. */
  either?: readonly string[];
  /** The field that takes a body of lines (`application/x-ndjson`, `text/plain`) as it is. */
  lines?: string;
}

/** One thing that can be done, as everybody who asks for it knows it. */
export interface ActionShape<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** The seed's name where the action is one of its tools. */
  name: string;
  door: ApiDoor;
  /** One sentence. */
  summary: string;
  scope: Scope;
  /** A function where limits decide what is accepted. */
  input: Input | ((limits: Limits) => Input);
  output: Output;
  route?: Route;
  /** The field of the answer that holds a page of a list; `cursor` takes what `next` said. */
  list?: string;
}

/** Keeps the types of the schemas. */
export function describeAction<Input extends z.ZodObject, Output extends z.ZodObject>(
  shape: ActionShape<Input, Output>,
): ActionShape<Input, Output> {
  return shape;
}

export function inputOf<Input extends z.ZodObject>(
  { input }: Pick<ActionShape<Input>, 'input'>,
  limits: Limits,
): Input {
  return typeof input === 'function' ? input(limits) : input;
}

export type InputOf<Shape> = Shape extends ActionShape<infer Input, z.ZodObject> ? z.output<Input> : never;
export type OutputOf<Shape> = Shape extends ActionShape<z.ZodObject, infer Output> ? z.input<Output> : never;

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
