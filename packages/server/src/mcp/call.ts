import { type ContextStateHeader, META, type TransientMark } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { requireScope } from '../trust/access.ts';
import type { Caller } from '../trust/caller.ts';
import { type ClientIdentity, shownHalf } from '../trust/client.ts';
import type { DenialLog } from '../trust/denials.ts';
import { errorFor, textFor } from '../trust/discretion.ts';
import { checkNames, withNames } from '../trust/identifiers.ts';
import type { PromptSource } from '../trust/prompt.ts';
import type { RateLimiter } from '../trust/rate.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { scrubValue } from '../trust/scrubbing.ts';
import type { Session } from '../trust/sessions/queries.ts';
import type { Connection } from '../trust/sessions/resolve.ts';
import type { Sources } from '../trust/sources.ts';
import { type ClientLog, type ToolAnswer, ToolContext } from '../trust/tool.ts';
import type { Turns } from '../trust/turns.ts';
import { nameSession, type SessionOfReference } from './references.ts';
import type { RegisteredTool, ToolRegistry } from './registry.ts';
import type { ResourceHub } from './resources.ts';
import { answerResult, type CallResult, errorResult } from './result.ts';
import { parseArguments, unknownArguments } from './validation.ts';

export interface CallObserver {
  called(tool: string, outcome: 'ok' | 'error', seconds: number): void;
}

/** What every call needs, whichever transport brought it. */
export interface CallServices {
  journal: Journal;
  registry: ToolRegistry;
  resources: ResourceHub;
  prompts?: readonly PromptSource[];
  clock: Clock;
  config: Config;
  limiter: RateLimiter;
  turns: Turns;
  denials: DenialLog;
  scrubber: Scrubber;
  log: Logger;
  observer?: CallObserver;
  meter?: CallMeter;
  /** Results that calls may name as their sources. */
  sources?: Sources;
  /** The session of a branch, a handle or a scratch. */
  sessionOf?: SessionOfReference;
  /** The state of a session, for the header and its mirror. */
  contextState(sessionId: string): ContextStateHeader;
}

export interface Call {
  name: string;
  arguments: unknown;
  caller: Caller;
  connection: Connection;
  client?: ClientIdentity | undefined;
  /** What the host told of its session beside the call. */
  hostSession?: string | undefined;
  /** What the caller should know already. */
  notices?: readonly string[];
  signal: AbortSignal;
  progress?: (done: number, total: number, message?: string) => void;
  log?: ClientLog;
}

/** A failure is here only where a seed document asks for a JSON-RPC error. */
export type CallOutcome = ({ result: CallResult } | { failure: InfoldError }) & {
  state: ContextStateHeader | undefined;
};

/** Counts what calls cost a session (the fold door). */
export interface CallMeter {
  /** Whether calls that were answered are still being counted; then `settled` waits for those of a session. */
  readonly isCounting: boolean;
  settled(sessionId: string): Promise<void>;
  admit(session: Session, input: unknown): Promise<void>;
  /** Answers what the caller should be told about the branch's budget. */
  record(call: {
    caller: Caller;
    session: Session;
    tool: string;
    input: unknown;
    text: string;
    mark?: { handle: string; summary: string } | undefined;
    consumes?: readonly string[] | undefined;
  }): Promise<string[]>;
}

const nobody = () => {};

/** Runs one tool call. A refused call is a result with `isError`; only the fold door's RPC errors are thrown. */
export async function callTool(services: CallServices, call: Call): Promise<CallOutcome> {
  const started = performance.now();
  const tool = services.registry.find(call.name);
  const context = contextFor(services, call);
  context.notices.push(...(call.notices ?? []));
  let answer: ToolAnswer<unknown> | undefined;
  let failure: InfoldError | undefined;
  try {
    if (!tool) throw new InfoldError('unknown_tool', 'Unknown tool');
    answer = await runTool(services, tool, call, context);
  } catch (error) {
    failure = errorFor(call.caller, error, services, call.name);
    if (tool) noteDenial(services, call.caller, tool.scope, tool.name, failure);
  }
  const told = () => context.notices.map((notice) => textFor(call.caller, notice, services.config));
  const render = (): CallResult =>
    failure ? errorResult(failure, told()) : answerResult(answer!, told(), call.client);
  let result = render();
  const { mark, consumes } = markOf(result);
  if (consumes) {
    // The call has done its work, whether or not this can be noted.
    await services.sources
      ?.used(call.caller, consumes)
      .catch((error: unknown) => services.log.warn({ err: error }, 'used results were not noted'));
  }
  if (tool && isMetered(tool) && !context.isCounted && !failure?.rpc) {
    const begins = !failure && beginsSession(tool);
    const session = begins ? await context.beginSession() : context.sessionToMeter;
    const metered = {
      caller: call.caller,
      tool: tool.name,
      input: call.arguments,
      text: readBy(call.client, result),
      mark,
      consumes,
    };
    const warnings = (session && (await services.meter?.record({ ...metered, session }))) ?? [];
    context.notices.push(...warnings);
    if (warnings.length > 0) result = render();
  }
  services.observer?.called(
    tool?.name ?? 'unknown',
    failure ? 'error' : 'ok',
    (performance.now() - started) / 1000,
  );
  const notices = told();
  for (const notice of notices) context.log('warning', notice);
  const state = context.contextState ?? (context.session && services.contextState(context.session.id));
  if (failure?.rpc) return { failure, state };
  result._meta = {
    ...result._meta,
    ...(state ? { [META.contextState]: state } : {}),
    [META.seq]: services.journal.head().seq,
    ...(notices.length > 0 ? { [META.notices]: notices } : {}),
  };
  return { result, state };
}

/** A call's context; reads of resources have one too. */
export function contextFor(services: CallServices, call: Omit<Call, 'name'>): ToolContext {
  const { session_id, project_path, project } = (call.arguments ?? {}) as Record<string, unknown>;
  return new ToolContext({
    journal: services.journal,
    clock: services.clock,
    config: services.config,
    limiter: services.limiter,
    sources: services.sources,
    caller: call.caller,
    connection: call.connection,
    client: call.client,
    sessionId: textIn(session_id),
    hostSession: call.hostSession,
    projectSpec: textIn(project_path) ?? textIn(project),
    signal: call.signal,
    progress: call.progress ?? nobody,
    log: call.log ?? nobody,
  });
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What is read beside calls: resources, prompts, completions. */
export function readContext(
  services: CallServices,
  { caller, connection, client }: Pick<Call, 'caller' | 'connection' | 'client'>,
  signal: AbortSignal,
): ToolContext {
  requireScope(caller, 'read');
  return contextFor(services, { arguments: {}, caller, connection, client, signal });
}

async function runTool(
  services: CallServices,
  tool: RegisteredTool,
  call: Call,
  context: ToolContext,
): Promise<ToolAnswer<unknown>> {
  requireScope(call.caller, tool.scope);
  const parsed = parseArguments(tool, call.arguments);
  context.notices.push(
    ...unknownArguments(tool, call.arguments).map((name) => `Ignored unknown argument "${name}"`),
  );
  refuseSecretNames(services, tool, call, parsed);
  // KERN-12: what a writing tool gets has no secrets in it, so none can reach the journal through any door.
  const input = tool.scope === 'read' ? parsed : scrubArguments(services, tool, context, parsed);
  await nameSession(services.sessionOf, parsed, context);
  const { meter } = services;
  if (meter && (isMetered(tool) || meter.isCounting)) {
    const session = context.findSession(tool.scope === 'read');
    if (session && isMetered(tool)) await meter.admit(session, call.arguments);
    else if (session) await meter.settled(session.id);
  }
  return tool.run(input as never, context);
}

/** What the client's model reads of a result: that is what it costs. */
function readBy(client: ClientIdentity | undefined, result: CallResult): string {
  return shownHalf(client) === 'data' ? JSON.stringify(result.structuredContent) : result.content[0].text;
}

/** What a result says about the window: that it may be collapsed, or which results it used up. */
function markOf({ _meta = {} }: CallResult): Pick<Parameters<CallMeter['record']>[0], 'mark' | 'consumes'> {
  const { lifecycle, summary } = (_meta.context ?? {}) as Partial<TransientMark>;
  const handle = _meta[META.handle] as string | undefined;
  return {
    ...(lifecycle && summary !== undefined && handle !== undefined ? { mark: { handle, summary } } : {}),
    ...(_meta[META.consumes] ? { consumes: _meta[META.consumes] as string[] } : {}),
  };
}

const DENIALS = new Set(['forbidden', 'project_denied', 'organization_required', 'unauthenticated']);

/** Who was refused what goes on record; what the request held does not. */
export function noteDenial(
  services: { denials: DenialLog },
  who: { org: string; principal: string },
  action: string,
  resource: string,
  { code }: InfoldError,
): void {
  if (DENIALS.has(code)) {
    services.denials.record({ org: who.org, principal: who.principal, action, resource, code });
  }
}

/** Folding costs nothing: the calls that keep the context small are not held against it. */
function isMetered(tool: RegisteredTool): boolean {
  return tool.door !== 'fold';
}

/** Asking what there is begins nothing. */
function beginsSession(tool: RegisteredTool): boolean {
  return tool.door !== undefined;
}

/** Of every tool. Sessions and projects begin with the first call that names them, also one that only reads. */
const NAMES = ['session_id', 'project', 'project_path', 'branch_id', 'agent_id'];

/** KERN-12: what names something is refused where it holds a secret, whoever said it: the call, its host or its client. */
function refuseSecretNames(
  { scrubber }: CallServices,
  { identifiers = [] }: RegisteredTool,
  call: Call,
  parsed: Record<string, unknown>,
): void {
  checkNames(scrubber, call.arguments, NAMES);
  checkNames(scrubber, parsed, identifiers);
  const { connection, client } = call;
  const around = {
    session: [call.hostSession, connection.hostSession],
    project: connection.project,
    clientInfo: { name: client?.name, version: client?.version },
  };
  checkNames(scrubber, around, ['session', 'project', 'clientInfo.*']);
}

function scrubArguments(
  { scrubber }: CallServices,
  { identifiers = [] }: RegisteredTool,
  context: ToolContext,
  parsed: Record<string, unknown>,
): Record<string, unknown> {
  const { value: scrubbed, count, kinds } = scrubValue(scrubber, parsed);
  const value = count === 0 ? scrubbed : withNames(scrubbed, parsed, [...NAMES, ...identifiers]);
  context.secrets.count = count;
  context.secrets.kinds = kinds;
  context.secrets.fields = Object.keys(parsed).filter((key) => parsed[key] !== value[key]);
  return value;
}
