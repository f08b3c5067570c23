import type { Envelope } from '@infold/protocol';

/** The parts of `mcp/request:tools/call:read_file` and its like. */
export interface McpKind {
  act: 'request' | 'response' | 'proposal';
  method: string;
  /** A tool's name or a URI; nothing to do with the envelope's context. */
  target: string | undefined;
}

export function parseMcpKind(kind: string): McpKind | undefined {
  const match = /^mcp\/(request|response|proposal):([^:]+)(?::(.+))?$/s.exec(kind);
  if (!match) return undefined;
  return { act: match[1] as McpKind['act'], method: match[2]!, target: match[3] };
}

/**
 * Whether a request or proposal asks for what its kind says. The gateway looks at kinds alone, so a receiver that
 * acts on the payload must drop what claims one tool and names another.
 */
export function kindMatchesPayload({ kind, payload }: Pick<Envelope, 'kind' | 'payload'>): boolean {
  const parsed = parseMcpKind(kind);
  if (!parsed || parsed.act === 'response') return true;
  const { method, params } = (payload ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; uri?: unknown };
  };
  if (method !== undefined && method !== parsed.method) return false;
  if (parsed.target === undefined) return true;
  const named = params?.name ?? params?.uri;
  return named === undefined || named === parsed.target;
}
