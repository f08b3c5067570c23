import { styleText } from 'node:util';
import { type ContextNode, type Envelope, wildcard } from '@infold/protocol';
import { contexts, resolve } from '../../gateway/actions/contexts.ts';
import { listPodMessages } from '../../gateway/actions/messages.ts';
import { send } from '../../gateway/actions/send.ts';
import type { EnvelopeAccepted } from '../../gateway/events.ts';
import { podByName } from '../../gateway/queries.ts';
import { payloadText, summaryText } from '../../gateway/wire/payload-text.ts';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { LOCAL_ORG, ownerIn } from '../../trust/identity/caller.ts';
import { act, actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';
import type { ActionCaller } from '../services/calls.ts';
import { untilStopped } from '../signals.ts';

export interface ReadFlags {
  org?: string;
  context?: string;
  type?: string;
  kind?: string;
  from?: string;
  text?: string;
  since?: string;
  limit?: string;
  once?: boolean;
}

export interface SendFlags {
  org?: string;
  from?: string;
  kind: string;
  id?: string;
  to?: string[];
  context?: string;
  type?: string;
  parent?: string;
  correlation?: string;
}

interface Message {
  seq: number;
  epoch: string;
  envelope: Envelope;
}

const PAGE = 1000;

/** Page by page, up to the limit of the flags, which may be more than one page. Of a pod that nobody has used, nothing. */
async function* read(call: ActionCaller, pod: string, flags: ReadFlags): AsyncGenerator<Message[]> {
  const { context, type, kind, from, text, since, limit } = flags;
  let left = Number(limit ?? Number.POSITIVE_INFINITY);
  let cursor: string | null | undefined;
  do {
    // What is no number is for the action to refuse.
    const size = Number.isNaN(left) ? limit : Math.min(left, PAGE);
    const query = { context, type, kind, from, q: text, since, cursor, limit: size };
    const page = await call(listPodMessages, { pod, ...query }).catch((error: unknown) => {
      if (InfoldError.isInstance(error) && error.code === 'not_found') return { messages: [], next: null };
      throw error;
    });
    yield page.messages;
    left -= page.messages.length;
    cursor = page.next;
  } while (cursor !== null && left > 0);
}

export function podReplay(run: Run, pod: string, flags: ReadFlags): Promise<void> {
  return actInFolder(run, { caller: ownerIn(flags.org) }, async (call) => {
    const messages: Message[] = [];
    for await (const page of read(call, pod, flags)) messages.push(...page);
    const next = messages.length === Number(flags.limit) ? messages.at(-1)!.seq : null;
    run.output.answer({ messages, next }, () =>
      messages.length === 0 ? 'No messages.' : messages.map(lineOf).join('\n'),
    );
  });
}

/** One envelope a line, with its position: what a script reads, and what an import could. */
export function podExport(run: Run, pod: string, flags: ReadFlags): Promise<void> {
  return actInFolder(run, { caller: ownerIn(flags.org) }, async (call) => {
    for await (const page of read(call, pod, flags)) {
      const lines = page.map((message) => `${jsonOf(message)}\n`);
      if (!process.stdout.write(lines.join('')))
        await new Promise((drained) => process.stdout.once('drain', drained));
    }
  });
}

function jsonOf({ seq, epoch, envelope }: Message): string {
  return JSON.stringify({ ...envelope, seq, epoch });
}

export function podTail(run: Run, pod: string, flags: ReadFlags): Promise<void> {
  const { org = LOCAL_ORG, limit } = flags;
  const show = (message: Message) => {
    process.stdout.write(`${run.output.json ? jsonOf(message) : lineOf(message)}\n`);
  };
  return actInFolder(run, { caller: ownerIn(org) }, async (call, { journal }) => {
    const head = podByName(journal.database, org, pod)?.seq ?? 0;
    const since = flags.since ?? String(Math.max(0, head - (Number(limit) || 0)));
    for await (const page of read(call, pod, { ...flags, since })) page.forEach(show);
    if (flags.once) return;
    const fits = fitsFlags(flags);
    const stop = journal.watch(({ events }) => {
      for (const { type, data } of events) {
        if (type !== 'envelope.accepted') continue;
        if (data.org === org && data.pod === pod && fits(data)) show(data);
      }
    });
    // The watch itself does not keep the process alive.
    const alive = setInterval(() => {}, 60_000);
    await untilStopped();
    clearInterval(alive);
    stop();
  });
}

function fitsFlags({ context, type, kind, from, text }: ReadFlags): (accepted: EnvelopeAccepted) => boolean {
  const kindFits = kind === undefined ? () => true : wildcard(kind);
  const words = text?.toLowerCase().split(/\s+/) ?? [];
  return (accepted) => {
    const { envelope } = accepted;
    if (context !== undefined && envelope.context?.id !== context) return false;
    if (type !== undefined && accepted.type !== type) return false;
    if (from !== undefined && envelope.from !== from) return false;
    const said = words.length > 0 ? payloadText(envelope.payload).toLowerCase() : '';
    return kindFits(envelope.kind) && words.every((word) => said.includes(word));
  };
}

export function podSend(run: Run, pod: string, text: string, flags: SendFlags): Promise<number> {
  const { org, from, kind, id, to, context, type, parent, correlation: correlation_id } = flags;
  if (context === undefined && (type ?? parent) !== undefined) {
    throw new InfoldError('invalid_arguments', '--type and --parent need --context');
  }
  const place =
    context === undefined ? undefined : { id: context, ...(type && { type }), ...(parent && { parent }) };
  return act(
    run,
    send,
    { pod, text, kind, id, to, correlation_id, context: place },
    { caller: ownerIn(org, from), show: (said) => `Sent as ${said.id}, at position ${said.seq}.` },
  );
}

export function podResolve(run: Run, id: string, flags: { org?: string }): Promise<number> {
  return act(
    run,
    resolve,
    { id },
    {
      caller: ownerIn(flags.org),
      show: (found) =>
        [
          ...found.contexts.map(
            ({ pod, type, state, messages, tokens, summary }) =>
              `${pod}  ${type ?? 'context'}, ${state}, ${messages} messages, ${tokens} tokens${
                summary === null ? '' : `  ${quiet(summary.slice(0, 60))}`
              }`,
          ),
          ...found.linked.map((message) => `  ${message.pod}: ${lineOf(message)}`),
        ].join('\n'),
    },
  );
}

export function podContexts(run: Run, pod: string, flags: { org?: string }): Promise<number> {
  return act(
    run,
    contexts,
    { pod },
    {
      caller: ownerIn(flags.org),
      show: (found) => {
        const tree = found.contexts as ContextNode[];
        return tree.length === 0 ? 'No contexts yet.' : ['main', ...drawContexts(tree, '')].join('\n');
      },
    },
  );
}

function drawContexts(contexts: readonly ContextNode[], indent: string): string[] {
  return contexts.flatMap((context, index) => {
    const last = index === contexts.length - 1;
    const figures = `${context.messages} messages, ${context.tokens} tokens, ${context.state}`;
    const says = context.summary === null ? '' : `  ${quiet(context.summary.slice(0, 60))}`;
    const name = `${context.id}${context.type === null ? '' : ` (${context.type})`}`;
    const shown = context.state === 'live' ? colour('cyan', name) : quiet(name);
    return [
      `${indent}${last ? '└─' : '├─'} ${shown}  ${figures}${says}`,
      ...drawContexts(context.children, `${indent}${last ? '   ' : '│  '}`),
    ];
  });
}

/** A line for people: who said what, where. */
function lineOf({ seq, envelope }: Message): string {
  const { from, kind, context, ts } = envelope;
  const where = context ? ` ${colour('magenta', `[${context.id}]`)}` : '';
  const says = summaryText(envelope.payload) ?? JSON.stringify(envelope.payload ?? null).slice(0, 200);
  return `${quiet(`${seq} ${isoTime(Date.parse(ts)).slice(11, 19)}`)} ${colour('cyan', from)}${where} ${quiet(kind)} ${says}`;
}

function colour(name: 'cyan' | 'magenta' | 'dim', text: string): string {
  return process.stdout.isTTY ? styleText(name, text) : text;
}

function quiet(text: string): string {
  return colour('dim', text);
}
