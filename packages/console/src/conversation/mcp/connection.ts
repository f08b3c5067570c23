import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Session } from '../../api/session.ts';
import type { ToolAnswer } from '../entries.ts';
import type { Schema } from '../form/fields.ts';

export interface McpTool {
  /** As model APIs take it: `memory_load`. */
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  /** Only who may write can call it. */
  needsWrite: boolean;
}

/** An MCP client of this page to this server. */
export interface McpConnection {
  tools: readonly McpTool[];
  call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
  /** Lets the server forget the connection. It works while the page goes, too; a call after it begins anew. */
  end(): void;
}

/** Calls of one conversation belong to one session of the server. */
export type SessionName = () => string;

/** Connects to `/mcp` as any host does. The library is loaded with the first connection. */
export async function connect(
  session: Session,
  project: string | undefined,
  sessionName: SessionName,
): Promise<McpConnection> {
  const address = new URL('/mcp?names=portable', location.origin);
  if (project !== undefined) address.searchParams.set('project', project);
  const begin = () => openLine(session, address, sessionName);
  let line = await begin();
  return {
    tools: await line.during(() => toolsOf(line.client)),
    async call(name, input, signal) {
      const { during, client } = line;
      try {
        return await during(() => call(client, name, input, signal));
      } catch (error) {
        if (!line.isForgotten()) throw error;
        // The server was restarted, or has let go of who was silent for long: the call was not made.
        line = await begin();
        return line.during(() => call(line.client, name, input, signal));
      }
    },
    end: () => line.end(),
  };
}

interface Line {
  client: Client;
  /** Whether the server said that it does not know the client any more. */
  isForgotten(): boolean;
  /** Does something with the client. Where nobody answers, the error is what `fetch` threw, and not what the library makes of it. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  end(): void;
}

async function openLine(session: Session, address: URL, sessionName: SessionName): Promise<Line> {
  const { Client, StreamableHTTPClientTransport } = await import('./client.ts');
  let isForgotten = false;
  let unanswered: TypeError | undefined;
  const send: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('X-Infold-Session', sessionName());
    try {
      const response = await session.fetch(input, { ...init, headers });
      if (response.status === 404 && headers.has(SESSION)) isForgotten = true;
      unanswered = undefined;
      return response;
    } catch (error) {
      if (error instanceof TypeError) unanswered = error;
      throw error;
    }
  };
  const during: Line['during'] = async (work) => {
    try {
      return await work();
    } catch (error) {
      throw unanswered ?? error;
    }
  };
  const client = new Client(
    { name: 'infold-console', version: '0.1.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const transport = new StreamableHTTPClientTransport(address, { fetch: send });
  await during(() => client.connect(transport));
  return {
    client,
    during,
    isForgotten: () => isForgotten,
    end: () => endSession(session, transport, address),
  };
}

const SESSION = 'Mcp-Session-Id';

/** Only the protocol of 2025 has sessions to end. */
function endSession(session: Session, { sessionId }: StreamableHTTPClientTransport, address: URL): void {
  if (sessionId === undefined) return;
  const headers = { [SESSION]: sessionId };
  // Whether it came through is nobody's concern: the server lets go of who is silent for long.
  session.fetch(address, { method: 'DELETE', headers, keepalive: true }).catch(() => {});
}

async function toolsOf(client: Client): Promise<McpTool[]> {
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
