import {
  type ActionShape,
  API,
  describeApi,
  eventsInput,
  journalEntry,
  type PlainRoute,
} from '@infold/protocol';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Action } from '../call/action.ts';
import { DIALECTS } from '../hooks/dialects/index.ts';
import type { Config } from '../kernel/config.ts';
import { VERSION } from '../kernel/version.ts';
import { requireScope } from '../trust/access/rule.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { accepts } from './requests.ts';
import { signInInput, signInOutput, signOutOutput } from './sign-in/index.ts';

const mcp = (method: string, summary: string): PlainRoute => ({
  method,
  path: '/mcp',
  summary,
  query: z.object({
    names: z.enum(['seed', 'portable']).optional().describe('How tools are named'),
    project: z.string().optional().describe('The project that calls are for unless they name one'),
  }),
});

/** What is served besides actions. */
export const OTHER_ROUTES: readonly PlainRoute[] = [
  mcp('GET', 'The stream of an MCP connection.'),
  mcp('POST', 'MCP: tools, resources and prompts for agents.'),
  mcp('DELETE', 'Ends an MCP connection.'),
  {
    method: 'GET',
    path: '/mcp/tools/list',
    summary: 'The tools that an MCP client is shown.',
    query: z.object({ names: z.enum(['seed', 'portable']).optional() }),
    output: z.object({ tools: z.array(z.looseObject({ name: z.string() })) }),
  },
  {
    method: 'POST',
    path: '/hooks/{host}',
    summary: 'Reports a hook event of an agent host. Report and answer are in that host’s own format.',
    inPath: z.object({ host: z.enum(Object.keys(DIALECTS)) }),
    query: z.object({ event: z.string().optional().describe('Where the payload does not name its event') }),
    body: z.looseObject({}),
    output: z.looseObject({}),
  },
  {
    method: 'GET',
    path: '/api/events',
    summary: 'Entries of the journal as they come, as far as the caller may read them: server-sent events.',
    query: eventsInput,
    type: 'text/event-stream',
    output: journalEntry,
  },
  {
    method: 'POST',
    path: '/api/sign-in',
    summary:
      'Says whose token it is; with keep, the browser keeps it in a cookie. Needs X-Infold-Console and our own Origin.',
    body: signInInput,
    output: signInOutput,
    isOpen: true,
  },
  {
    method: 'POST',
    path: '/api/sign-out',
    summary: 'Has the browser forget the token. Needs X-Infold-Console and our own Origin.',
    output: signOutOutput,
    isOpen: true,
  },
  { method: 'GET', path: '/api/openapi.json', summary: 'This description.', output: z.looseObject({}) },
  {
    method: 'GET',
    path: '/',
    summary: 'The console for a browser; for a program, what this is and how to connect to it.',
    output: z.looseObject({ name: z.string(), mcp: z.string() }),
    isOpen: true,
  },
  {
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the process answers.',
    output: z.object({ status: z.string(), version: z.string() }),
    isOpen: true,
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'Whether requests should be sent here.',
    output: z.object({
      status: z.string(),
      reason: z.string().optional(),
      seq: z.number().int().optional(),
      lag: z.number().int().optional(),
    }),
    isOpen: true,
  },
  { method: 'GET', path: '/metrics', summary: 'Prometheus metrics; scope admin.', type: 'text/plain' },
];

/** `GET /api/openapi.json`: what this server serves, with the limits that it was given. */
export function openApiRoutes(
  actions: readonly Action[],
  { limits }: Config,
  callerOf: (context: Context) => Caller,
): Hono {
  const names = new Set(actions.map(({ name }) => name));
  const served = Object.fromEntries(
    Object.entries<ActionShape>(API).filter(([, { name }]) => names.has(name)),
  );
  let text: string | undefined;
  const app = new Hono();
  app.get('/api/openapi.json', accepts(), (context) => {
    requireScope(callerOf(context), 'read');
    text ??= JSON.stringify(describeApi(served, OTHER_ROUTES, { limits, version: VERSION }));
    return context.body(text, 200, { 'Content-Type': 'application/json' });
  });
  return app;
}
