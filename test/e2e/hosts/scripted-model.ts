import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIALECTS, type Dialect, type Said } from './dialects.ts';

export interface Asked {
  dialect: keyof typeof DIALECTS;
  path: string;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  body: Record<string, unknown>;
  /** What the newest results said, where the script went on with it. */
  newest: string;
}

export interface ScriptedModel {
  url: string;
  /** The requests of the conversation, in order. */
  asked: Asked[];
  /** Where the host asked for a summary of its history, and how many of the requests above came before. */
  compactions: (Asked & { at: number })[];
  /** Whatever else was asked. */
  aside: string[];
  close(): Promise<void>;
}

/** Claude Code names the agent; Codex gives it a thread of its own within the session. */
function isOfAgent(headers: IncomingMessage['headers']): boolean {
  const { 'thread-id': thread, 'session-id': session } = headers;
  return 'x-claude-code-agent-id' in headers || (thread !== undefined && thread !== session);
}

/** What the model says when a host asks it for a summary. */
const HOST_SUMMARY = '<summary>The work so far was looked at.</summary>';

/** A step says something, knowing what the newest results said. */
export type Step = (newest: string) => Said;

/**
 * A model in all four dialects that follows a script. Agents that it starts in the host follow one of their own. Questions
 * without tools are beside it, and get a word.
 */
export async function startScriptedModel(
  script: readonly Step[],
  ofAgents: readonly Step[] = [],
): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const askedByAgents: Asked[] = [];
  const compactions: ScriptedModel['compactions'] = [];
  const aside: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const path = new URL(request.url!, 'http://model').pathname;
    const found = (Object.entries(DIALECTS) as [keyof typeof DIALECTS, Dialect][]).find(([, { matches }]) =>
      matches.test(path),
    );
    if (!found || request.method !== 'POST') {
      aside.push(`${request.method} ${request.url}`);
      // Codex opens a WebSocket first, and falls back at once on this answer.
      if (request.headers.upgrade) response.writeHead(426).end();
      else if (path.endsWith('/count_tokens')) response.end(JSON.stringify({ input_tokens: 1000 }));
      else
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"none"}}');
      return;
    }
    const [name, dialect] = found;
    const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const newest = dialect.newest(body);
    const one = { dialect: name, path, headers: request.headers, bytes, body, newest };
    if (dialect.isCompaction?.(body)) {
      compactions.push({ ...one, at: asked.length });
      if (dialect.compact) dialect.compact(response, HOST_SUMMARY);
      else dialect.answer(response, 0, { text: HOST_SUMMARY }, body);
      return;
    }
    if (!dialect.offersTools(body)) {
      aside.push(`${request.method} ${request.url}`);
      dialect.answer(response, 0, { text: 'Fine.' }, body);
      return;
    }
    const isAgent = isOfAgent(request.headers);
    const [steps, turns] = isAgent ? [ofAgents, askedByAgents] : [script, asked];
    const step = steps[turns.length] ?? (() => ({ text: 'There was nothing left to say.' }));
    turns.push(one);
    // Ids of calls are made of it.
    dialect.answer(response, turns.length + (isAgent ? 1000 : 0), step(newest), body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    compactions,
    aside,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
