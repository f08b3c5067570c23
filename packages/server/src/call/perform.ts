import { ALL_PROJECTS, type ContextStateHeader, META, type TransientMark } from '@infold/protocol';
import type { InfoldError } from '../kernel/errors.ts';
import { errorFor, textFor } from '../trust/access/hide-paths.ts';
import { requireScope } from '../trust/access/rule.ts';
import type { ClientIdentity } from '../trust/clients/client.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { checkNames, withNames } from '../trust/secrets/identifiers.ts';
import { scrubValue } from '../trust/secrets/scrubbing.ts';
import type { Connection } from '../trust/sessions/resolve.ts';
import type { BoundAction } from './action.ts';
import type { Answer } from './answer.ts';
import { parseArguments, unknownArguments } from './arguments.ts';
import { CallContext, type ClientLog } from './context.ts';
import { noteDenial } from './denial.ts';
import { MIN_SEQ, reachMinSeq } from './min-seq.ts';
import type { CallMeter, CallServices, SessionOfReference } from './services.ts';

/** What one call brings along. */
export interface Call {
  input: unknown;
  caller: Caller;
  connection: Connection;
  client?: ClientIdentity | undefined;
  /** What the host told of its session beside the call. */
  hostSession?: string | undefined;
  /** The id that the host's model gave the call. */
  callId?: string | undefined;
  /** The position of the journal that the caller has seen, wherever that was. */
  minSeq?: unknown;
  /** What the caller should know already. */
  notices?: readonly string[];
  /**
   * Names that the input's schema does not know are ignored and told, because hosts add their own to what a model says.
   * Other skins refuse them before: who writes a request or a command has misspelt something.
   */
  tellsUnknown?: true;
  /** What a model will read of the outcome: that is what the call costs its session. Absent where no model is asking. */
  readByModel?: (outcome: Outcome) => string;
  signal: AbortSignal;
  progress?: (done: number, total: number, message?: string) => void;
  log?: ClientLog;
}

/** How a call ended, for a skin to put into words. */
export type Outcome = { notices: string[] } & (
  | { answer: Answer<unknown>; failure?: never }
  | { failure: InfoldError; answer?: never }
);

export type Performed = Outcome & { state: ContextStateHeader | undefined };

/** The one way through which anything is done: who, scope, arguments, scrub, rate, run, meter, observe, denial on record. */
export async function perform(services: CallServices, action: BoundAction, call: Call): Promise<Performed> {
  const started = performance.now();
  const context = contextFor(services, call);
  context.notices.push(...(call.notices ?? []));
  let ended: { answer: Answer<unknown> } | { failure: InfoldError };
  try {
    ended = { answer: await run(services, action, call, context) };
  } catch (error) {
    const failure = errorFor(call.caller, error, services, action.name);
    noteDenial(services, call.caller, action.scope, action.name, failure);
    ended = { failure };
  }
  const outcome = (): Outcome => ({
    ...ended,
    notices: context.notices.map((notice) => textFor(call.caller, notice, services.config)),
  });
  await settleSession(services, action, call, context, outcome());
  const failed = 'failure' in ended;
  if (call.client && !failed) {
    services.parts.clients.heard(call.caller, call.client, context.session, services.clock());
  }
  const seconds = (performance.now() - started) / 1000;
  services.observer?.called(action.name, failed ? 'error' : 'ok', seconds, call.readByModel !== undefined);
  const told = outcome();
  for (const notice of told.notices) context.log('warning', notice);
  const state = context.contextState ?? (context.session && services.contextState(context.session.id));
  return { ...told, state };
}

async function run(
  services: CallServices,
  action: BoundAction,
  call: Call,
  context: CallContext,
): Promise<Answer<unknown>> {
  requireScope(call.caller, action.scope);
  const minSeq =
    call.minSeq ??
    (call.tellsUnknown ? (call.input as { min_seq?: unknown } | undefined)?.min_seq : undefined);
  if (minSeq !== undefined) await reachMinSeq(services.journal, minSeq);
  const parsed = parseArguments(action, call.input);
  if (call.tellsUnknown) {
    const ignored = unknownArguments(action, call.input).filter((name) => name !== MIN_SEQ);
    context.notices.push(...ignored.map((name) => `Ignored unknown argument "${name}"`));
  }
  refuseSecretNames(services, action, call, parsed);
  // KERN-12: what a writing action gets has no secrets in it, so none can reach the journal through any door.
  const writes = action.scope !== 'read' && !action.scrubsItself;
  const input = writes ? scrubInput(services, action, context, parsed) : parsed;
  await nameSession(services.sessionOf, parsed, context);
  const { meter } = services;
  if (call.readByModel && meter && (isMetered(action) || meter.isCounting)) {
    const session = context.findSession(action.scope === 'read');
    if (session && isMetered(action)) await meter.admit(session, call.input);
    else if (session) await meter.settled(session.id);
  }
  if (action.rate) context.spend(action.rate.of, action.rate.amount?.(input as never));
  return action.run(input as never, context);
}

/** Arguments that name something of a session. A model may be the rows of a scratch. */
const NAMING = ['branch_id', 'handle', 'sources', 'scratch_ref', 'ref', 'model'];

/** Where neither the call nor its host or connection says which session it is for, what it is about does. */
async function nameSession(
  sessionOf: SessionOfReference | undefined,
  input: Record<string, unknown>,
  context: CallContext,
): Promise<void> {
  if (!sessionOf || context.sessionId !== undefined || context.hasOwnSession) return;
  for (const reference of referencesIn(input)) {
    context.about = await sessionOf(context.caller, reference);
    if (context.about !== undefined) return;
  }
}

function referencesIn(input: Record<string, unknown>): string[] {
  return NAMING.flatMap((name) => input[name] ?? []).filter((value) => typeof value === 'string');
}

/** What the call leaves in its session: results that it used up, and what it cost. */
async function settleSession(
  services: CallServices,
  action: BoundAction,
  call: Call,
  context: CallContext,
  outcome: Outcome,
): Promise<void> {
  const { mark, consumes } = markOf(outcome.answer);
  if (consumes) {
    // The call has done its work, whether or not this can be noted.
    await services.sources
      ?.used(call.caller, consumes)
      .catch((error: unknown) => services.log.warn({ err: error }, 'used results could not be recorded'));
  }
  if (!call.readByModel || !isMetered(action) || context.isCounted || outcome.failure?.rpc) return;
  const text = call.readByModel(outcome);
  const begins = outcome.answer && beginsSession(action);
  const session = begins ? await context.beginSession() : context.sessionToMeter;
  if (!session) return;
  const metered = {
    caller: call.caller,
    session,
    tool: action.name,
    callId: call.callId,
    input: call.input,
    text,
    mark,
    consumes,
  };
  context.notices.push(...((await services.meter?.record(metered)) ?? []));
}

/** A call's context; reads of resources have one too. */
export function contextFor(services: CallServices, call: Call): CallContext {
  const { session_id, project_path, project } = (call.input ?? {}) as Record<string, unknown>;
  return new CallContext({
    journal: services.journal,
    clock: services.clock,
    config: services.config,
    limiter: services.limiter,
    scrubber: services.scrubber,
    parts: services.parts,
    sources: services.sources,
    giveWay: () => services.turns.giveWay(call.caller),
    isReadByModel: call.readByModel !== undefined,
    caller: call.caller,
    connection: call.connection,
    client: call.client,
    sessionId: textIn(session_id),
    hostSession: call.hostSession,
    projectSpec: textIn(project_path) ?? (project === ALL_PROJECTS ? undefined : textIn(project)),
    get signal() {
      return call.signal;
    },
    progress: call.progress ?? nobody,
    log: call.log ?? nobody,
  });
}

const nobody = () => {};

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What is read beside actions: resources, prompts, completions. */
export function readContext(
  services: CallServices,
  { caller, connection, client }: Pick<Call, 'caller' | 'connection' | 'client'>,
  signal: AbortSignal,
): CallContext {
  requireScope(caller, 'read');
  return contextFor(services, { input: {}, caller, connection, client, signal });
}

/** What an answer says about the window: that it may be collapsed, or which results it used up. */
function markOf({
  meta = {},
}: Partial<Answer<unknown>> = {}): Pick<Parameters<CallMeter['record']>[0], 'mark' | 'consumes'> {
  const { lifecycle, summary } = (meta.context ?? {}) as Partial<TransientMark>;
  const handle = meta[META.handle] as string | undefined;
  return {
    ...(lifecycle && summary !== undefined && handle !== undefined ? { mark: { handle, summary } } : {}),
    ...(meta[META.consumes] ? { consumes: meta[META.consumes] as string[] } : {}),
  };
}

/** Folding costs nothing: the calls that keep the context small are not held against it. */
function isMetered({ door }: BoundAction): boolean {
  return door !== 'fold';
}

/** Asking what there is begins nothing. */
function beginsSession({ door }: BoundAction): boolean {
  return door !== 'system';
}

/** Of every action. Sessions and projects begin with the first call that names them, also one that only reads. */
const NAMES = ['session_id', 'project', 'project_path', 'branch_id', 'agent_id'];

/** What the host and the client say beside a call. */
const AROUND = ['session', 'project'];
const CLIENT = ['clientInfo.name', 'clientInfo.version'];

/** KERN-12: what names something is refused where it holds a secret, whoever said it: the call, its host or its client. */
function refuseSecretNames(
  { scrubber }: CallServices,
  { identifiers = [] }: BoundAction,
  call: Call,
  parsed: Record<string, unknown>,
): void {
  checkNames(scrubber, call.input, NAMES);
  checkNames(scrubber, parsed, identifiers);
  const { connection, client } = call;
  checkNames(
    scrubber,
    { session: [call.hostSession, connection.hostSession], project: connection.project },
    AROUND,
  );
  if (client) checkNames(scrubber, { clientInfo: client }, CLIENT);
}

function scrubInput(
  { scrubber }: CallServices,
  { identifiers = [] }: BoundAction,
  context: CallContext,
  parsed: Record<string, unknown>,
): Record<string, unknown> {
  const { value: scrubbed, count, kinds } = scrubValue(scrubber, parsed);
  const value = count === 0 ? scrubbed : withNames(scrubbed, parsed, [...NAMES, ...identifiers]);
  context.secrets.count = count;
  context.secrets.kinds = kinds;
  context.secrets.fields = Object.keys(parsed).filter((key) => parsed[key] !== value[key]);
  return value;
}
