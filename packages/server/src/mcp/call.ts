import { type ContextStateHeader, META } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { errorBody, InfoldError, messageOf } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { type Caller, requireScope } from '../trust/caller.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import type { Connection } from '../trust/sessions/resolve.ts';
import { ToolContext } from '../trust/tool.ts';
import type { RegisteredTool, ToolRegistry } from './registry.ts';
import { parseArguments, unknownArguments } from './validation.ts';

export interface CallResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
  _meta?: Record<string, unknown>;
}

export interface CallObserver {
  called(tool: string, outcome: 'ok' | 'error', seconds: number): void;
}

/** What every call needs, whichever transport brought it. */
export interface CallServices {
  journal: Journal;
  registry: ToolRegistry;
  clock: Clock;
  config: Config;
  scrubber: Scrubber;
  log: Logger;
  observer?: CallObserver;
  /** The state of a session, for the header and its mirror. */
  contextState(sessionId: string): ContextStateHeader;
}

export interface Call {
  name: string;
  arguments: unknown;
  caller: Caller;
  connection: Connection;
  signal: AbortSignal;
  progress?: (done: number, total: number, message?: string) => void;
}

export interface CallOutcome {
  result: CallResult;
  state: ContextStateHeader | undefined;
}

const noProgress = () => {};

/** Runs one tool call. A refused call is a result with `isError`; only the fold door's RPC errors are thrown. */
export async function callTool(services: CallServices, call: Call): Promise<CallOutcome> {
  const started = performance.now();
  const tool = services.registry.find(call.name);
  let outcome: CallOutcome;
  try {
    if (!tool) throw new InfoldError('unknown_tool', 'Unknown tool');
    outcome = await runTool(services, tool, call);
  } catch (error) {
    services.observer?.called(tool?.name ?? 'unknown', 'error', (performance.now() - started) / 1000);
    const known = asInfoldError(error, services.log, call.name);
    if (known.rpc) throw known;
    return { result: errorResult(known), state: undefined };
  }
  services.observer?.called(tool.name, 'ok', (performance.now() - started) / 1000);
  return outcome;
}

async function runTool(services: CallServices, tool: RegisteredTool, call: Call): Promise<CallOutcome> {
  requireScope(call.caller, tool.scope);
  const notices = unknownArguments(tool, call.arguments).map((name) => `Ignored unknown argument "${name}"`);
  const parsed = parseArguments(tool, call.arguments);
  // KERN-12: what a writing tool gets has no secrets in it, so none can reach the journal through any door.
  const scrubbed = tool.scope === 'read' ? { value: parsed, count: 0, kinds: [] } : scrub(services, parsed);
  const context = new ToolContext({
    journal: services.journal,
    clock: services.clock,
    config: services.config,
    caller: call.caller,
    connection: call.connection,
    sessionId: parsed.session_id as string | undefined,
    signal: call.signal,
    progress: call.progress ?? noProgress,
    secrets: scrubbed,
  });
  context.notices.push(...notices);
  const answer = await tool.run(scrubbed.value as never, context);
  const state = context.session && services.contextState(context.session.id);
  const structured = answer.structured as Record<string, unknown>;
  return {
    state,
    result: {
      content: [{ type: 'text', text: answer.text ?? JSON.stringify(structured) }],
      structuredContent: structured,
      isError: false,
      _meta: {
        ...answer.meta,
        ...(state ? { [META.contextState]: state } : {}),
        [META.seq]: services.journal.head().seq,
        ...(context.notices.length > 0 ? { [META.notices]: context.notices } : {}),
      },
    },
  };
}

/** Fails closed: when the scrubber cannot say that the text is clean, nothing is stored. */
function scrub(services: CallServices, value: Record<string, unknown>) {
  try {
    return services.scrubber.scrubValue(value);
  } catch (error) {
    throw new InfoldError(
      'scrub_failed',
      'The text could not be checked for secrets, so nothing was stored',
      {
        retryable: true,
        cause: error,
      },
    );
  }
}

export function errorResult(error: InfoldError): CallResult {
  return {
    content: [{ type: 'text', text: error.message }],
    structuredContent: errorBody(error),
    isError: true,
  };
}

/** Errors of ours pass; anything else is a defect, which is logged whole and told in one sentence. */
export function asInfoldError(error: unknown, log: Logger, where: string): InfoldError {
  if (InfoldError.isInstance(error)) return error;
  log.error({ err: error, where }, 'unexpected error');
  return new InfoldError('internal', `Internal error: ${messageOf(error)}`, { retryable: true });
}
