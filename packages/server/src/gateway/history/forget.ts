import type { Envelope } from '@infold/protocol';
import { listBranches } from '../../fold/queries.ts';
import type { Database } from '../../kernel/sqlite.ts';
import {
  entriesMentioning,
  entriesOfPrincipal,
  FORGOTTEN_TEXT,
  type ForgetTarget,
  type Forgetter,
} from '../../trust/forget.ts';
import {
  type ContextConcluded,
  contextItemId,
  type EnvelopeAccepted,
  type EnvelopeSubmitted,
} from '../events.ts';
import { summaryText } from '../wire/payload-text.ts';

/**
 * What a principal said goes, with the metadata of its contexts, and what was told of a branch or session; that it was
 * said, and where, stays.
 */
export const gatewayForgetter: Forgetter = {
  entriesOf(database, target) {
    const entries = entriesOf(database, target);
    return entries.length > 0 ? entries : undefined;
  },
  // What tools of a branch read of it may have been told in the project's pod.
  mentionsOf: (database, target) => entriesMentioning(database, 'pod', target),
  redact({ type, data }, target) {
    switch (type) {
      case 'context.concluded':
        if (data.summary === null || !concerns(data, target)) return undefined;
        return { type, data: { ...data, summary: FORGOTTEN_TEXT } };
      case 'envelope.accepted':
        return isAbout(data, target) ? { type, data: withoutText(data) } : undefined;
      case 'envelope.submitted':
        return isAbout(data, target) ? { type, data: withoutText(data) } : undefined;
      default:
        return undefined;
    }
  },
};

function entriesOf(database: Database, target: ForgetTarget): number[] {
  const { kind, id, org } = target;
  if (kind === 'principal') {
    return [
      ...entriesOfPrincipal(database, target),
      ...found(
        database,
        `SELECT entry FROM gateway_conclusion AS c JOIN gateway_pod AS p ON p.id = c.pod
         WHERE p.org = ? AND EXISTS (SELECT 1 FROM json_each(c.principals) WHERE value = ?)`,
        org,
        id,
      ),
    ];
  }
  if (kind === 'item') return conclusionsOfItem(database, target);
  const branches = kind === 'branch' ? [id] : listBranches(database, id).map((branch) => branch.id);
  return found(
    database,
    `WITH branch (id) AS (SELECT value FROM json_each(?1))
     SELECT e.entry FROM gateway_envelope AS e WHERE e.context IN branch
     UNION SELECT e.entry FROM gateway_correlation AS c
       JOIN gateway_envelope AS e ON e.pod = c.pod AND e.seq = c.seq WHERE c.org = ?2 AND c.target IN branch
     UNION SELECT entry FROM gateway_conclusion WHERE context IN branch`,
    JSON.stringify(branches),
    org,
  );
}

/** All conclusions of the context that the item is of: each held what it came to at its time. */
function conclusionsOfItem(database: Database, { id, org }: ForgetTarget): number[] {
  if (!id.startsWith('ctx_')) return [];
  return database
    .all<{ entry: number; pod: string; context: string }>(
      `SELECT c.entry, c.context, p.name AS pod FROM gateway_conclusion AS c JOIN gateway_pod AS p ON p.id = c.pod
       WHERE p.org = ? AND c.remembered = 1`,
      org,
    )
    .filter(({ pod, context }) => contextItemId({ org, pod, id: context }) === id)
    .map(({ entry }) => entry);
}

function found(database: Database, query: string, ...values: string[]): number[] {
  return database.all<{ entry: number }>(query, ...values).map(({ entry }) => entry);
}

function concerns(concluded: ContextConcluded, target: ForgetTarget): boolean {
  const { org, id, principals, session_id, remember } = concluded;
  if (target.kind === 'item') return remember !== undefined && contextItemId(concluded) === target.id;
  if (target.kind === 'principal') return org === target.org && principals.includes(target.id);
  if (target.kind === 'branch') return session_id !== undefined && id === target.id;
  return target.kind === 'session' && session_id === target.id;
}

/** Entries of a principal are theirs as a whole; of a branch or session only what it told or said. */
function isAbout(
  { envelope, mirrors, operation_of }: EnvelopeSubmitted & Partial<EnvelopeAccepted>,
  { kind, id, names = [] }: ForgetTarget,
): boolean {
  if (kind === 'principal') return true;
  const told = mirrors === undefined ? '' : JSON.stringify(envelope.payload ?? null);
  if (names.some((name) => told.includes(name))) return true;
  const place = mirrors ?? operation_of;
  if (kind === 'branch') return place?.branch_id === id;
  return kind === 'session' && place?.session_id === id;
}

function withoutText<Data extends EnvelopeSubmitted>(data: Data): Data {
  const { protocol, id, ts, from, to, kind, correlation_id, context, payload } = data.envelope;
  const envelope: Envelope = {
    ...{ protocol, id, ts, from, kind },
    ...(to === undefined ? {} : { to }),
    ...(correlation_id === undefined ? {} : { correlation_id }),
    // That there was something to say stays: it replaced what was said before.
    ...(context === undefined
      ? {}
      : { context: context.metadata === undefined ? context : { ...context, metadata: {} } }),
    ...(summaryText(payload) === null ? {} : { payload: FORGOTTEN_TEXT }),
  };
  return { ...data, envelope };
}
