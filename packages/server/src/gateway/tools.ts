import {
  type ContextNode,
  type EnvelopeInput,
  podContextsInput,
  podContextsOutput,
  podReadInput,
  podReadOutput,
  podSendInput,
  podSendOutput,
} from '@infold/protocol';
import type { CallContext } from '../call/context.ts';
import { defineTool, type ToolDefinition } from '../call/tool.ts';
import { branchById, isOwnBranch } from '../fold/queries.ts';
import { InfoldError } from '../kernel/errors.ts';
import { randomId } from '../kernel/ids.ts';
import { cutToFit, fitting, roomFor } from '../kernel/pages.ts';
import { admits } from '../trust/access.ts';
import { projectById, projectByName } from '../trust/identity/queries.ts';
import { mayEnterPod, participantOf } from './access.ts';
import { operationOf } from './branches.ts';
import { resolveCorrelation, shownResolved } from './correlation.ts';
import { Refusal } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { contextTree, type StoredEnvelope } from './queries.ts';
import { type Reader, type Reading, type ReadPage, readPod } from './reading.ts';

/** Participation for an agent whose host speaks MCP alone. */
export function gatewayTools(gatewayOf: () => Gateway): ToolDefinition[] {
  return [sendTool(gatewayOf), readTool(gatewayOf), contextsTool(gatewayOf)];
}

interface Where {
  pod?: string | undefined;
  project?: string | undefined;
}

/** The pod that is named, else that of the project. */
function podOf(context: CallContext, { pod, project }: Where): string {
  if (pod !== undefined) mayEnterPod(context.database, context.caller, pod);
  const { org } = context.caller;
  const own = pod !== undefined && projectById(context.database, org, pod) ? pod : undefined;
  const home = context.project(project ?? own);
  const namesake = pod === undefined ? undefined : projectByName(context.database, org, pod);
  if (namesake && admits(context.caller, { kind: 'project', id: namesake.id }).allowed) {
    context.notices.push(`The pod of the project "${pod}" is ${namesake.id}; "${pod}" is another one`);
  }
  return pod ?? home.id;
}

const sendTool = (gatewayOf: () => Gateway) =>
  defineTool({
    name: 'pod_send',
    door: 'gateway',
    title: 'Say something in a pod',
    description:
      'Broadcast a message to everyone in a pod. Put reasoning in a context of its own, and end it with kind "conclusion".',
    searchHint: 'message other agents or people, chat, share, ask the team',
    input: podSendInput,
    output: podSendOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    scope: 'write',
    identifiers: [
      ...['id', 'kind', 'to', 'correlation_id', 'participant', 'pod'],
      ...['context.id', 'context.type', 'context.parent'],
    ],
    async run(input, context) {
      const pod = podOf(context, input);
      const { text, payload, kind, to, correlation_id } = input;
      // SUB-02: unguessable.
      const place = input.context && { ...input.context, id: input.context.id ?? randomId('ctx') };
      if ((text === undefined) === (payload === undefined)) {
        throw new InfoldError('invalid_arguments', 'Give either text or payload');
      }
      const participant = participantOf(context.caller, input.participant);
      const envelope: EnvelopeInput = {
        id: input.id ?? randomId('msg'),
        kind,
        ...(to ? { to } : {}),
        ...(correlation_id === undefined ? {} : { correlation_id }),
        ...(place ? { context: place } : {}),
        payload: payload ?? { text },
      };
      const gateway = gatewayOf();
      const { caller, database } = context;
      const message = { org: caller.org, pod, principal: caller.principal, envelope: envelope as never };
      // Counted as the branch's operation when it is written: counting the call too would count it twice.
      context.isCounted = operationOf(database, message, gateway.settings.mirrorBranches) !== undefined;
      const { seq } = await refusalsAsErrors(() => gateway.say(pod, caller, participant, envelope));
      return { structured: { pod, id: envelope.id, ...(place ? { context: place.id } : {}), seq } };
    },
  });

const readTool = (gatewayOf: () => Gateway) =>
  defineTool({
    name: 'pod_read',
    door: 'gateway',
    title: 'Read what was said in a pod',
    description:
      'Messages of a pod after a position, oldest first. Go on with since = next; wait_seconds listens.',
    searchHint: 'what other agents or people said, chat history, wait for an answer',
    input: podReadInput,
    output: podReadOutput,
    annotations: { readOnlyHint: true },
    scope: 'read',
    async run(input, context) {
      const pod = podOf(context, input);
      const participant = participantOf(context.caller, input.participant);
      const { since, filter, text, from, after_time, limit, wait_seconds } = input;
      const reading: Reading = {
        ...{ context: input.context, correlation: input.correlation_id, text, from, filter, limit },
        since: since ?? 0,
        after_time: after_time === undefined ? undefined : Date.parse(after_time),
      };
      const { org, principal } = context.caller;
      const owns = (branchId: string) => {
        const branch = branchById(context.database, branchId);
        return branch !== undefined && isOwnBranch(context, branch);
      };
      const place = { org, pod, participant, principal, owns };
      const page = await readOrWait(gatewayOf(), context, place, reading, wait_seconds * 1000);
      return { structured: { pod, ...shortPage(page, context.config.limits.pageCharacters) } };
    },
  });

const LOOK_AGAIN = 500;

/** The first page with something in it, or the last empty one when the time is up. */
async function readOrWait(
  gateway: Gateway,
  { journal, signal }: CallContext,
  place: Reader,
  reading: Reading,
  milliseconds: number,
): Promise<ReadPage> {
  const deadline = performance.now() + milliseconds;
  let wake = () => {};
  const stop = journal.watch(({ events }) => {
    if (events.some(({ type }) => type === 'envelope.accepted')) wake();
  });
  try {
    for (let since = reading.since; ; ) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const page = await readPod(gateway, place, { ...reading, since });
      const left = deadline - performance.now();
      if (page.messages.length > 0 || left <= 0 || signal.aborted || gateway.ending.aborted) return page;
      since = page.next;
      // What only memory keeps is not announced by the journal.
      await waitFor(news, Math.min(left, LOOK_AGAIN), AbortSignal.any([signal, gateway.ending]));
    }
  } finally {
    stop();
  }
}

function waitFor(news: Promise<void>, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    void news.then(done);
  });
}

const contextsTool = (gatewayOf: () => Gateway) =>
  defineTool({
    name: 'pod_contexts',
    door: 'gateway',
    title: 'See the contexts of a pod',
    description:
      "The tree of a pod's sub-contexts, branches among them, with figures and summaries; or, by id, where a context is.",
    searchHint: 'discussions and reasoning of other agents, who works on what',
    input: podContextsInput,
    output: podContextsOutput,
    annotations: { readOnlyHint: true },
    scope: 'read',
    async run(input, context) {
      const pod = podOf(context, input);
      const gateway = gatewayOf();
      const { caller, journal } = context;
      if (input.id !== undefined) {
        const found = await resolveCorrelation(journal, gateway, caller, input.id);
        return { structured: shownResolved(found, input.id) };
      }
      const tree = contextTree(await gateway.contexts(caller.org, pod));
      return { structured: { pod, contexts: (input.live ? liveOnly(tree) : tree) as never } };
    },
  });

/** A context that is over stays where something below it goes on. */
function liveOnly(nodes: readonly ContextNode[]): ContextNode[] {
  return nodes.flatMap((node) => {
    const children = liveOnly(node.children);
    return node.state === 'live' || children.length > 0 ? [{ ...node, children }] : [];
  });
}

/** As many of the messages as fit; the rest comes with the next page. One that fills a page alone has its payload cut. */
function shortPage({ messages, next, more }: ReadPage, characters: number) {
  const room = roomFor(characters, {});
  const shownOnes = fitting(messages.map(shown), room);
  const last = shownOnes.at(-1);
  const isCut = last !== undefined && shownOnes.length < messages.length;
  const [only] = shownOnes;
  const fits = shownOnes.length > 1 || only === undefined;
  return {
    messages: fits ? [...shownOnes] : [{ ...only, envelope: withShortPayload(only.envelope, room) }],
    next: isCut ? last.seq : next,
    more: more || isCut,
  };
}

function withShortPayload(envelope: StoredEnvelope['envelope'], room: number): StoredEnvelope['envelope'] {
  const { payload, ...rest } = envelope;
  const { items, cut } = cutToFit([{ payload }], roomFor(room, rest));
  return cut === 0 ? envelope : { ...envelope, payload: items[0]!.payload };
}

function shown({ seq, envelope }: StoredEnvelope) {
  return { seq, envelope };
}

const ERRORS: Partial<Record<Refusal['code'], string>> = {
  capability_violation: 'capability_violation',
  duplicate_id: 'conflict',
  message_size: 'too_large',
  not_stored: 'not_stored',
  secret_identifier: 'secret_identifier',
  rate_limit: 'rate_limited',
};

/** What the gateway answers a participant with, as an error of a call. */
export async function refusalsAsErrors<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { retry_after, ...details } = error.details;
    throw new InfoldError(ERRORS[error.code] ?? 'invalid_arguments', error.message, {
      retryable: error.code === 'rate_limit' || details.retryable === true,
      ...(typeof retry_after === 'number' ? { retryAfter: retry_after } : {}),
      details: { reason: error.code, ...details },
    });
  }
}
