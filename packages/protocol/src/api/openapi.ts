import { z } from 'zod';
import type { Limits } from '../limits.ts';
import type { Route } from '../routes.ts';
import { toolError } from '../tool-error.ts';
import { type ActionShape, servedInputOf } from './shape.ts';

type Json = Record<string, unknown>;

/** A route without an action: its purpose, and the JSON that it takes and answers with. */
export interface PlainRoute {
  method: string;
  path: string;
  summary: string;
  /** The parameters in braces in its path. */
  inPath?: z.ZodObject;
  query?: z.ZodObject;
  /** The body, as JSON. */
  body?: z.ZodObject;
  type?: string;
  output?: z.ZodType;
  /** Needs no token. */
  isOpen?: true;
}

/** Describes the API as OpenAPI 3.1, with the schemas for these limits. */
export function describeApi(
  actions: Readonly<Record<string, ActionShape>>,
  others: readonly PlainRoute[],
  { limits, version }: { limits: Limits; version: string },
): Json {
  const paths: Record<string, Json> = {};
  const add = ({ method, path }: { method: string; path: string }, operation: Json) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const [id, action] of Object.entries(actions)) {
    if (action.route) add(action.route, operationOf(id, action, action.route, limits));
  }
  for (const route of others) add(route, plainOperation(route));
  const shared: Json = {};
  const hoisted = hoist(paths, shared) as Record<string, Json>;
  return {
    openapi: '3.1.0',
    info: { title: 'Infold', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    security: [{ bearer: [] }],
    servers: [{ url: '/' }],
    paths: hoisted,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'inf_… or a token of the configured issuer' },
      },
      schemas: { Error: schemaOf(toolError), ...shared },
    },
  };
}

function operationOf(id: string, action: ActionShape, route: Route, limits: Limits): Json {
  const {
    properties = {},
    required = [],
    ...rest
  } = schemaOf(servedInputOf(action, limits)) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const names = Object.keys(properties).filter((name) => !inPath.includes(name));
  const hasBody = route.method === 'POST';
  const inAddress = hasBody ? [...(route.query ?? []), ...(route.either ?? [])] : names;
  const inBody = hasBody ? names.filter((name) => !route.query?.includes(name)) : [];
  const parameter = (place: 'path' | 'query') => (name: string) => {
    const { description, ...schema } = properties[name] ?? {};
    return {
      name,
      in: place,
      required: place === 'path' || (required.includes(name) && !route.either?.includes(name)),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  };
  const parameters = [...inPath.map(parameter('path')), ...inAddress.map(parameter('query'))];
  const needed = required.filter((name) => inBody.includes(name) && !route.either?.includes(name));
  const body = {
    ...rest,
    properties: Object.fromEntries(inBody.map((name) => [name, properties[name]])),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
  return {
    operationId: id,
    tags: [action.door],
    summary: action.summary,
    'x-infold-scope': action.scope,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(inBody.length > 0
      ? {
          requestBody: {
            required: needed.length > 0,
            content: {
              'application/json': { schema: body },
              ...(route.lines ? { 'application/x-ndjson': { schema: { type: 'string' } } } : {}),
            },
          },
        }
      : {}),
    responses: responses('application/json', schemaOf(action.output), route.creates),
  };
}

function plainOperation(route: PlainRoute): Json {
  const { summary, inPath, query, body, type = 'application/json', output, isOpen } = route;
  const parametersOf = (place: 'path' | 'query', given: z.ZodObject | undefined): Json[] => {
    const { properties = {} } = (given ? schemaOf(given) : {}) as { properties?: Record<string, Json> };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      ...(place === 'path' ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
    }));
  };
  const parameters = [...parametersOf('path', inPath), ...parametersOf('query', query)];
  return {
    summary,
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } } }
      : {}),
    responses: responses(type, output ? schemaOf(output) : {}),
  };
}

function responses(type: string, schema: Json, creates = false): Json {
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return {
    200: { description: 'Done', content: { [type]: { schema } } },
    ...(creates ? { 201: { description: 'Created', content: { [type]: { schema } } } } : {}),
    default: { description: 'Refused or failed', content: error },
  };
}

/** Moves the `$defs` of recursive schemas to the document's components. */
function hoist(value: unknown, shared: Json, names: Readonly<Record<string, string>> = {}): unknown {
  if (Array.isArray(value)) return value.map((one) => hoist(one, shared, names));
  if (typeof value !== 'object' || value === null) return value;
  const { $defs, ...rest } = value as Json & { $defs?: Json };
  const own = { ...names };
  for (const name of Object.keys($defs ?? {}))
    own[`#/$defs/${name}`] = `Schema${Object.keys(shared).length + 1}`;
  for (const [name, schema] of Object.entries($defs ?? {})) {
    const known = own[`#/$defs/${name}`]!;
    shared[known] = {};
    shared[known] = hoist(schema, shared, own);
  }
  return Object.fromEntries(
    Object.entries(rest).map(([key, inner]) => {
      const target = key === '$ref' ? own[inner as string] : undefined;
      return [key, target ? `#/components/schemas/${target}` : hoist(inner, shared, own)];
    }),
  );
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
