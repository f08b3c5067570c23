import { isTimestamp, POD_NAME } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import { badPodName, isPodOpen, mayEnterPod } from '../../gateway/access.ts';
import { MOST_BYTES, resolveCorrelation, shownResolved } from '../../gateway/correlation.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import {
  contextTree,
  type HistoryQuery,
  linkedTo,
  listPods,
  type StoredEnvelope,
} from '../../gateway/queries.ts';
import type { Journal } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { requireScope } from '../../trust/access.ts';
import type { Caller } from '../../trust/caller.ts';
import { accepts, badParameter, pageLimit } from '../requests.ts';

const DEFAULT_LIMIT = 50;
const MOST = 1000;
const MESSAGE_PARAMETERS = [
  'context',
  'type',
  'kind',
  'from',
  'q',
  'correlation',
  'since',
  'before',
  'limit',
  'cursor',
];

export interface GatewayRouteServices {
  journal: Journal;
  /** Absent where nothing is served but MCP. */
  gateway?: Gateway;
}

/** What was said in pods, for consoles and for who was not there. */
export function gatewayRoutes(
  { journal, gateway }: GatewayRouteServices & { gateway: Gateway },
  callerOf: (context: Context) => Caller,
): Hono {
  const { database } = journal;
  const app = new Hono();

  const reader = (context: Context): Caller => {
    const caller = callerOf(context);
    requireScope(caller, 'read');
    return caller;
  };
  /** A pod that nobody has used is not there. */
  const podOf = (context: Context, caller: Caller): string => {
    const pod = context.req.param('pod')!;
    if (!POD_NAME.test(pod)) throw badPodName();
    mayEnterPod(database, caller, pod);
    if (!gateway.knows(caller.org, pod)) throw new InfoldError('not_found', `Pod not found: ${pod}`);
    return pod;
  };

  app.get('/pods', accepts(), (context) => {
    const caller = reader(context);
    const stored = listPods(database, caller.org);
    const names = new Set(stored.map(({ name }) => name));
    const open = gateway.openPods(caller.org);
    const seqs = new Map(open.map((pod) => [pod.name, pod.seq]));
    const pods = [
      ...stored.map(({ name, seq, created_at, last_at }) => ({
        name,
        seq: Math.max(seq, seqs.get(name) ?? 0),
        created_at: isoTime(created_at),
        last_at: isoTime(last_at),
      })),
      ...open
        .filter(({ name }) => !names.has(name))
        .map(({ name, seq, usedAt }) => ({ name, seq, created_at: null, last_at: isoTime(usedAt) })),
    ].filter(({ name }) => isPodOpen(database, caller, name));
    return context.json({
      pods: pods.map((pod) => ({
        ...pod,
        history: gateway.settings.historyOf(pod.name),
        participants: gateway.participants(caller.org, pod.name).length,
      })),
      next: null,
    });
  });

  app.get('/pods/:pod/participants', accepts(), (context) => {
    const caller = reader(context);
    return context.json({
      participants: gateway.participants(caller.org, podOf(context, caller)),
      next: null,
    });
  });

  app.get('/pods/:pod/contexts', accepts(), async (context) => {
    const caller = reader(context);
    return context.json({
      contexts: contextTree(await gateway.contexts(caller.org, podOf(context, caller))),
    });
  });

  app.get('/pods/:pod/contexts/:id', accepts(), async (context) => {
    const caller = reader(context);
    const id = context.req.param('id');
    const rows = await gateway.contexts(caller.org, podOf(context, caller));
    const row = rows.find((one) => one.id === id);
    if (!row) throw new InfoldError('not_found', `Context not found: ${id.slice(0, 100)}`);
    const below = rows.filter((one) => one.parent === id);
    const [found] = contextTree([row, ...below]).filter((node) => node.id === id);
    const linked = linkedTo(journal, caller.org, id, MOST, MOST_BYTES)
      .filter(({ pod }) => isPodOpen(database, caller, pod))
      .map(({ pod, ...stored }) => ({ pod, ...shown(stored) }));
    return context.json({ ...found, linked });
  });

  // SUB-10: a correlation id can lead to another pod. What is not open to the caller looks as if it were not there.
  app.get('/correlations/:id', accepts(), async (context) => {
    const caller = reader(context);
    const id = context.req.param('id');
    const found = await resolveCorrelation(journal, gateway, caller, id);
    return context.json({ id, ...shownResolved(found, id) });
  });

  for (const route of ['messages', 'search'] as const) {
    app.get(`/pods/:pod/${route}`, accepts(...MESSAGE_PARAMETERS), async (context) => {
      const caller = reader(context);
      const pod = podOf(context, caller);
      const query = queryOf(context);
      if (route === 'search' && query.text === undefined) {
        throw new InfoldError('invalid_arguments', 'Say what to search for with ?q=');
      }
      const { messages, more } = await gateway.messages(caller.org, pod, query);
      const next = more ? String(messages.at(-1)!.seq) : null;
      return context.json({ messages: messages.map(shown), next });
    });
  }

  return app;
}

function shown({ seq, epoch, envelope }: StoredEnvelope) {
  return { seq, epoch, envelope };
}

/** `cursor` is what `next` said; `since` and `before` take a position or a time. */
function queryOf(context: Context): Omit<HistoryQuery, 'bytes'> {
  const text = (name: string) => context.req.query(name) || undefined;
  const since = placeOf(text('cursor') ?? text('since'), 'since');
  const before = placeOf(text('before'), 'before');
  return {
    context: text('context'),
    type: text('type'),
    kind: text('kind'),
    from: text('from'),
    text: text('q'),
    correlation: text('correlation'),
    since: since?.seq,
    after_time: since?.time,
    before: before?.seq,
    before_time: before?.time,
    limit: pageLimit(context, DEFAULT_LIMIT, MOST),
  };
}

function placeOf(text: string | undefined, name: string): { seq?: number; time?: number } | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return { seq: Number(text) };
  if (isTimestamp(text)) return { time: Date.parse(text) };
  throw badParameter(name, 'is a position or an RFC 3339 time');
}
