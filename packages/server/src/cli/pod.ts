import { styleText } from 'node:util';
import {
  type ContextNode,
  type EnvelopeInput,
  isTimestamp,
  PARTICIPANT_ID,
  POD_NAME,
  wildcard,
} from '@infold/protocol';
import { badPodName } from '../gateway/access.ts';
import { resolveCorrelation, shownResolved } from '../gateway/correlation.ts';
import type { EnvelopeAccepted } from '../gateway/events.ts';
import {
  contextRows,
  contextTree,
  type HistoryQuery,
  podByName,
  readHistory,
  type StoredEnvelope,
} from '../gateway/queries.ts';
import { payloadText, summaryText } from '../gateway/text.ts';
import { refusalsAsErrors } from '../gateway/tools.ts';
import type { Journal } from '../journal/journal.ts';
import type { SqliteJournal } from '../journal/sqlite.ts';
import { isoTime } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import { randomId } from '../kernel/ids.ts';
import { LOCAL_ORG, LOCAL_OWNER, localOwner } from '../trust/caller.ts';
import type { Output } from './output.ts';
import { createServices, openExistingJournal } from './services.ts';
import { untilStopped } from './signals.ts';

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

const PAGE = 1000;
const CONTEXTS = 10_000;

async function withJournal<T>(
  config: Config,
  pod: string | undefined,
  work: (journal: SqliteJournal) => Promise<T> | T,
): Promise<T> {
  if (pod !== undefined && !POD_NAME.test(pod)) throw badPodName();
  const journal = await openExistingJournal(config);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

function queryOf(config: Config, flags: ReadFlags): HistoryQuery {
  const { context, type, kind, from, text, since } = flags;
  const limit = Number(flags.limit ?? PAGE);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new InfoldError('invalid_arguments', '--limit is a number');
  if (since !== undefined && !/^\d{1,15}$/.test(since) && !isTimestamp(since)) {
    throw new InfoldError('invalid_arguments', '--since is a position or an RFC 3339 time');
  }
  const place =
    since === undefined
      ? {}
      : isTimestamp(since)
        ? { after_time: Date.parse(since) }
        : { since: Number(since) };
  const bytes = config.limits.historyPageBytes;
  return { context, type, kind, from, text, ...place, limit, bytes };
}

/** Page by page, up to the query's limit. */
function* read(journal: Journal, org: string, pod: string, query: HistoryQuery): Generator<StoredEnvelope[]> {
  const row = podByName(journal.database, org, pod);
  if (!row) return;
  for (let { since = 0, limit: left } = query; left > 0; ) {
    const { messages, more } = readHistory(journal, row.id, { ...query, since, limit: Math.min(left, PAGE) });
    yield messages;
    if (!more) return;
    left -= messages.length;
    since = messages.at(-1)!.seq;
  }
}

export function podReplay(config: Config, output: Output, pod: string, flags: ReadFlags): Promise<void> {
  const query = queryOf(config, flags);
  return withJournal(config, pod, (journal) => {
    const messages = [...read(journal, flags.org ?? LOCAL_ORG, pod, query)].flat();
    const next = messages.length === query.limit ? messages.at(-1)!.seq : null;
    output.answer(
      { messages: messages.map(({ seq, epoch, envelope }) => ({ seq, epoch, envelope })), next },
      () => (messages.length === 0 ? 'Nothing was said.' : messages.map(lineOf).join('\n')),
    );
  });
}

/** One envelope a line, with its position: what a script reads, and what an import could. */
export function podExport(config: Config, _output: Output, pod: string, flags: ReadFlags): Promise<void> {
  const query = { ...queryOf(config, { ...flags, limit: '1' }), limit: Number.MAX_SAFE_INTEGER };
  return withJournal(config, pod, async (journal) => {
    for (const page of read(journal, flags.org ?? LOCAL_ORG, pod, query)) {
      const lines = page.map(
        ({ seq, epoch, envelope }) => `${JSON.stringify({ ...envelope, seq, epoch })}\n`,
      );
      if (!process.stdout.write(lines.join('')))
        await new Promise((drained) => process.stdout.once('drain', drained));
    }
  });
}

export function podTail(config: Config, output: Output, pod: string, flags: ReadFlags): Promise<void> {
  const query = queryOf(config, flags);
  const org = flags.org ?? LOCAL_ORG;
  const show = (stored: StoredEnvelope) => {
    const { seq, epoch, envelope } = stored;
    process.stdout.write(`${output.json ? JSON.stringify({ ...envelope, seq, epoch }) : lineOf(stored)}\n`);
  };
  return withJournal(config, pod, async (journal) => {
    const head = podByName(journal.database, org, pod)?.seq ?? 0;
    const since = query.since ?? Math.max(0, head - query.limit);
    for (const page of read(journal, org, pod, { ...query, since })) page.forEach(show);
    if (flags.once) return;
    const fits = fitsQuery(query);
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

function fitsQuery({
  context,
  type,
  kind,
  from,
  text,
}: HistoryQuery): (accepted: EnvelopeAccepted) => boolean {
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

export function podSend(
  config: Config,
  output: Output,
  pod: string,
  text: string,
  flags: SendFlags,
): Promise<void> {
  const { org = LOCAL_ORG, from = LOCAL_OWNER, context, type, parent } = flags;
  if (!PARTICIPANT_ID.test(from))
    throw new InfoldError('invalid_arguments', `"${from}" cannot be a participant`);
  if (context === undefined && (type ?? parent) !== undefined) {
    throw new InfoldError('invalid_arguments', '--type and --parent describe a --context');
  }
  const envelope: EnvelopeInput = {
    id: flags.id ?? randomId('msg'),
    ...(flags.to ? { to: flags.to } : {}),
    kind: flags.kind,
    ...(flags.correlation === undefined ? {} : { correlation_id: flags.correlation }),
    ...(context === undefined
      ? {}
      : { context: { id: context, ...(type ? { type } : {}), ...(parent ? { parent } : {}) } }),
    payload: { text },
  };
  return withJournal(config, pod, async (journal) => {
    const services = createServices(config, journal, 'error');
    try {
      const caller = { ...localOwner, org, principal: from, actor: { org, principal: from } };
      const { id } = envelope;
      const { seq } = await refusalsAsErrors(() => services.openGateway().say(pod, caller, from, envelope));
      output.answer({ id, seq }, () => `Said as ${id}, position ${seq}.`);
    } finally {
      await services.settle();
    }
  });
}

export function podResolve(
  config: Config,
  output: Output,
  id: string,
  flags: { org?: string },
): Promise<void> {
  return withJournal(config, undefined, async (journal) => {
    const caller = { ...localOwner, org: flags.org ?? LOCAL_ORG };
    const found = await resolveCorrelation(journal, undefined, caller, id);
    output.answer({ id, ...shownResolved(found, id) }, () =>
      [
        ...found.contexts.map(
          ({ pod, type, state, messages, tokens, summary }) =>
            `${pod}  ${type ?? 'context'}, ${state}, ${messages} messages, ${tokens} tokens${
              summary === null ? '' : `  ${quiet(summary.slice(0, 60))}`
            }`,
        ),
        ...found.linked.map((stored) => `  ${stored.pod}: ${lineOf(stored)}`),
      ].join('\n'),
    );
  });
}

export function podContexts(
  config: Config,
  output: Output,
  pod: string,
  flags: { org?: string },
): Promise<void> {
  return withJournal(config, pod, (journal) => {
    const row = podByName(journal.database, flags.org ?? LOCAL_ORG, pod);
    const contexts = row ? contextTree(contextRows(journal.database, row.id, CONTEXTS)) : [];
    output.answer({ contexts }, () =>
      contexts.length === 0 ? 'No contexts yet.' : ['main', ...drawContexts(contexts, '')].join('\n'),
    );
  });
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
function lineOf({ seq, at, envelope }: Pick<StoredEnvelope, 'seq' | 'at' | 'envelope'>): string {
  const { from, kind, context } = envelope;
  const where = context ? ` ${colour('magenta', `[${context.id}]`)}` : '';
  const says = summaryText(envelope.payload) ?? JSON.stringify(envelope.payload ?? null).slice(0, 200);
  return `${quiet(`${seq} ${isoTime(at).slice(11, 19)}`)} ${colour('cyan', from)}${where} ${quiet(kind)} ${says}`;
}

function colour(name: 'cyan' | 'magenta' | 'dim', text: string): string {
  return process.stdout.isTTY ? styleText(name, text) : text;
}

function quiet(text: string): string {
  return colour('dim', text);
}
