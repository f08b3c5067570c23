import type { Client } from '@modelcontextprotocol/client';
import type { Session } from '../../api/session.ts';
import type { ToolAnswer } from '../entries.ts';
import type { Schema } from '../form/fields.ts';

export interface Tool {
  /** As model APIs take it: `memory_load`. */
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  /** Only who may write can call it. */
  needsWrite: boolean;
}

/** An MCP client of this page to this server. */
export interface Connection {
  tools: readonly Tool[];
  call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
}

/** Calls of one conversation belong to one session of the server. */
export type SessionName = () => string;

/** Connects to `/mcp` as any host does. The library is loaded with the first connection. */
export async function connect(
  session: Session,
  project: string | undefined,
  sessionName: SessionName,
): Promise<Connection> {
  const { Client, StreamableHTTPClientTransport } = await import('./client.ts');
  const client = new Client(
    { name: 'infold-console', version: '0.1.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const address = new URL('/mcp?names=portable', location.origin);
  if (project !== undefined) address.searchParams.set('project', project);
  const send: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('X-Infold-Session', sessionName());
    return session.fetch(input, { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(address, { fetch: send }));
  return { tools: await toolsOf(client), call: (name, input, signal) => call(client, name, input, signal) };
}

async function toolsOf(client: Client): Promise<Tool[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name, title, description = '', inputSchema, annotations }) => ({
    name,
    title: title ?? annotations?.title ?? name,
    description,
    inputSchema,
    needsWrite: annotations?.readOnlyHint !== true,
  }));
}

async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  return client.callTool({ name, arguments: input }, signal ? { signal } : undefined);
}
