import type { Collapser } from './collapser.ts';
import { toolName } from './names.ts';
import type { Reporter } from './reporter.ts';

export interface ToolCall {
  name: string;
  arguments?: Record<string, unknown> | undefined;
  /** The model's id of the call; it is not sent to the server. */
  callId: string;
}

/** What is needed of an MCP client: that of the official SDK fits, in both its major versions. */
export interface ToolCaller<Options, Result> {
  callTool(params: { name: string; arguments?: Record<string, unknown> }, options?: Options): Promise<Result>;
}

export interface ObservedOptions {
  collapser: Collapser;
  /** Your name for this server, the same for the whole conversation. */
  server: string;
  /** For servers other than Infold, which counts its own calls. */
  reporter?: Reporter;
  /** The name under which the model gets originals of results without a server's handle (default `context_expand`). */
  expandTool?: string;
}

export interface ObservedTools<Options, Result> {
  callTool(call: ToolCall, options?: Options): Promise<Result>;
}

/**
 * The client's `callTool`, with the model's call id: every result is observed on its way, and comes back as it was. A
 * call that throws is not observed.
 */
export function observed<Options, Result extends object>(
  client: ToolCaller<Options, Result>,
  { collapser, server, reporter, expandTool = 'context_expand' }: ObservedOptions,
): ObservedTools<Options, Result> {
  reporter?.follow(collapser);
  return {
    async callTool({ callId, ...params }, options) {
      const { name, arguments: input } = params;
      const request = input === undefined ? { name } : { name, arguments: input };
      const isExpand = name === expandTool || toolName(name, server) === expandTool;
      const local = isExpand ? expandedLocally(collapser, input?.handle) : undefined;
      const result = local ? (local as Result) : await client.callTool(request, options);
      collapser.observe({ server, tool: name, callId, result, ...(input && { input }) });
      const { content, structuredContent } = result as { content?: unknown; structuredContent?: unknown };
      reporter?.report({ callId, tool: name, input, output: structuredContent ?? content });
      return result;
    },
  };
}

/** Only for handles of ours: a server's own handle is for the server to answer, who has pages and access rules. */
function expandedLocally(collapser: Collapser, handle: unknown): object | undefined {
  if (typeof handle !== 'string' || !handle.startsWith('local_')) return undefined;
  const original = collapser.expand(handle);
  if (typeof original !== 'object' || original === null) return undefined;
  // Without its `_meta`: the model asked for it, so it stays.
  const { _meta, ...shown } = original as { _meta?: unknown };
  return shown;
}
