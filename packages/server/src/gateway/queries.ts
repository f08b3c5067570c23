import type { ContextNode, Envelope } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { KnownContext, KnownContexts } from './contexts/rules.ts';

export interface PodRow {
  id: number;
  org: string;
  name: string;
  /** The newest message's position, and the life of the pod in which it got that. */
  seq: number;
  epoch: string | null;
  /** Retention took out everything up to here. */
  trimmed: number;
  created_at: number;
  last_at: number;
}

export function podIdOf(database: Database, org: string, name: string): number | undefined {
  return database.get<{ id: number }>('SELECT id FROM gateway_pod WHERE org = ? AND name = ?', org, name)?.id;
}

export function podByName(database: Database, org: string, name: string): PodRow | undefined {
  return database.get<PodRow>('SELECT * FROM gateway_pod WHERE org = ? AND name = ?', org, name);
}

export function listPods(database: Database, org: string): PodRow[] {
  return database.all<PodRow>('SELECT * FROM gateway_pod WHERE org = ? ORDER BY last_at DESC, name', org);
}

export function allPods(database: Database): PodRow[] {
  return database.all<PodRow>('SELECT * FROM gateway_pod ORDER BY id');
}

/** Those with contexts that nobody has concluded yet, the last used first. */
export function podsInUse(database: Database): PodRow[] {
  return database.all<PodRow>(
    `SELECT * FROM gateway_pod WHERE EXISTS (SELECT 1 FROM gateway_context AS c
       WHERE c.pod = gateway_pod.id AND c.state <> 'concluded' AND c.state = 'live')
     ORDER BY last_at DESC LIMIT 100`,
  );
}

/** A full-text row for each envelope: pods count to two millions, positions to four billions. */
export function textRow(pod: number, seq: number): number {
  return pod * 2 ** 32 + seq;
}

/** Among how many of a pod's newest messages an id stands once. */
export const KNOWN_IDS = 10_000;

/** Where a message of this id stands among the newest. */
export function positionOfId(database: Database, pod: PodRow, id: string): number | undefined {
  return database.get<{ seq: number }>(
    'SELECT seq FROM gateway_envelope WHERE pod = ? AND id = ? AND seq > ?',
    pod.id,
    id,
    pod.seq - KNOWN_IDS,
  )?.seq;
}

export interface ContextRow {
  id: string;
  type: string | null;
  parent: string | null;
  state: 'live' | 'concluded' | 'placeholder';
  creator: string;
  messages: number;
  tokens: number;
  created_at: number;
  last_at: number;
  summary: string | null;
  summary_seq: number;
  has_conclusion: number;
  begun_seq: number;
  /** JSON: of its first message and its template, and of its conclusion. */
  metadata: string | null;
  conclusion_seq: number;
  conclusion_metadata: string | null;
  concluded_by: number | null;
}

/** How many contexts each participant has open. */
export function openCounts(database: Database, pod: number): { creator: string; count: number }[] {
  return database.all<{ creator: string; count: number }>(
    `SELECT creator, count(*) AS count FROM gateway_context WHERE pod = ? AND state <> 'concluded'
     GROUP BY creator`,
    pod,
  );
}

/** Contexts that are not over, page by page: those after one of this creator and id. */
export function openContexts(
  database: Database,
  pod: number,
  after: Pick<ContextRow, 'creator' | 'id'>,
  most: number,
): ContextRow[] {
  return database.all<ContextRow>(
    `SELECT * FROM gateway_context INDEXED BY gateway_context_open
     WHERE pod = ? AND (creator, id) > (?, ?) AND state <> 'concluded' ORDER BY creator, id LIMIT ?`,
    pod,
    after.creator,
    after.id,
    most,
  );
}

export function contextRow(database: Database, pod: number, id: string): ContextRow | undefined {
  return database.get<ContextRow>('SELECT * FROM gateway_context WHERE pod = ? AND id = ?', pod, id);
}

/** What is said of a context: what its conclusion says counts. */
export function metadataOf({
  metadata,
  conclusion_metadata: conclusion,
}: Pick<ContextRow, 'metadata' | 'conclusion_metadata'>): Record<string, unknown> | null {
  if (metadata === null && conclusion === null) return null;
  return { ...JSON.parse(metadata ?? '{}'), ...JSON.parse(conclusion ?? '{}') };
}

export function contextRows(database: Database, pod: number, most: number): ContextRow[] {
  return database.all<ContextRow>(
    'SELECT * FROM gateway_context WHERE pod = ? ORDER BY last_at DESC, id LIMIT ?',
    pod,
    most,
  );
}

/** The contexts of a pod as the tables have them, for who has not read them all. */
export class StoredContexts implements KnownContexts {
  readonly #database: Database;
  readonly #pod: number;

  constructor(database: Database, pod: number | undefined) {
    this.#database = database;
    this.#pod = pod ?? -1;
  }

  get(id: string): KnownContext | undefined {
    return this.#database.get<Required<KnownContext>>(
      'SELECT type, parent, state FROM gateway_context WHERE pod = ? AND id = ?',
      this.#pod,
      id,
    );
  }

  children(id: string): string[] {
    return this.#database
      .all<{ id: string }>('SELECT id FROM gateway_context WHERE pod = ? AND parent = ?', this.#pod, id)
      .map((row) => row.id);
  }

  openOf(participant: string): number {
    return this.#database.get<{ count: number }>(
      `SELECT count(*) AS count FROM gateway_context WHERE pod = ? AND creator = ? AND state <> 'concluded'`,
      this.#pod,
      participant,
    )!.count;
  }
}

/** SUB-04: contexts as a tree. One whose parent is not among them stands at the top. */
export function contextTree(rows: readonly ContextRow[]): ContextNode[] {
  const nodes = new Map<string, ContextNode>();
  const ordered = [...rows].sort((one, other) => one.created_at - other.created_at);
  for (const row of ordered) {
    nodes.set(row.id, {
      id: row.id,
      type: row.type,
      parent: row.parent,
      state: row.state,
      messages: row.messages,
      tokens: row.tokens,
      created_at: isoTime(row.created_at),
      last_at: isoTime(row.last_at),
      summary: row.summary,
      metadata: metadataOf(row),
      children: [],
    });
  }
  const top: ContextNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.parent === null ? undefined : nodes.get(node.parent);
    (parent?.children ?? top).push(node);
  }
  return top;
}

/** What history is asked for. Positions are exclusive: after `since`, before `before`. */
export interface HistoryQuery {
  since?: number | undefined;
  before?: number | undefined;
  context?: string | undefined;
  type?: string | undefined;
  kind?: string | undefined;
  from?: string | undefined;
  text?: string | undefined;
  after_time?: number | undefined;
  before_time?: number | undefined;
  correlation?: string | undefined;
  /** From the newest down; otherwise from the oldest up. */
  isNewestFirst?: boolean | undefined;
  limit: number;
  /** A page ends where it holds about so much. */
  bytes: number;
}

export interface HistoryPage {
  messages: StoredEnvelope[];
  /** There may be more: the page ended with its limit, or held enough. */
  more: boolean;
}

export interface StoredEnvelope {
  seq: number;
  epoch: string;
  type: string | null;
  at: number;
  envelope: Envelope;
}

/** With whose account it was said on. */
export interface OwnedEnvelope extends StoredEnvelope {
  principal: string;
}

interface PointerRow {
  seq: number;
  entry: number;
  place: number;
}

const PLAIN = `SELECT seq, entry, place FROM gateway_envelope AS e WHERE pod = ?1 AND seq > ?2 AND seq < ?3 `;
const CONDITIONS = `
  AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR kind GLOB ?5) AND (?6 IS NULL OR sender = ?6)
  AND (?7 IS NULL OR at >= ?7) AND (?8 IS NULL OR at < ?8)
  AND (?9 IS NULL OR EXISTS (SELECT 1 FROM gateway_correlation AS c WHERE c.target = ?9 AND c.pod = ?1 AND c.seq = e.seq
    AND c.org = (SELECT org FROM gateway_pod WHERE id = ?1)))`;
const LIMIT = { oldest: ' ORDER BY seq LIMIT ?10', newest: ' ORDER BY seq DESC LIMIT ?10' };

/** Envelopes of a pod, in the order that was asked for. */
export function readHistory(journal: Journal, pod: number, query: HistoryQuery): HistoryPage {
  const {
    since: _since,
    before: _before,
    isNewestFirst: _order,
    limit: _limit,
    bytes: _bytes,
    ...conditions
  } = query;
  const isPlain = Object.values(conditions).every((value) => value === undefined);
  if (isPlain) return readRange(journal, pod, query);
  const rows = pointers(journal.database, pod, query);
  const messages = fetchEnvelopes(journal, rows, query.bytes, query.isNewestFirst);
  return { messages, more: rows.length === query.limit || messages.length < rows.length };
}

/** Neighbours stand in the same entries: those are asked for, not each message. */
function readRange(journal: Journal, pod: number, query: HistoryQuery): HistoryPage {
  const { since = 0, before = Number.MAX_SAFE_INTEGER, isNewestFirst = false, limit, bytes } = query;
  const rows = journal.database.all<{ entry: number; first: number; last: number }>(
    `SELECT entry, min(seq) AS first, max(seq) AS last FROM
       (SELECT entry, seq FROM gateway_envelope WHERE pod = ? AND seq > ? AND seq < ?
        ORDER BY seq ${isNewestFirst ? 'DESC' : ''} LIMIT ?)
     GROUP BY entry ORDER BY first`,
    pod,
    since,
    before,
    limit,
  );
  const ranges = new Map(rows.map((row) => [row.entry, row]));
  const found: StoredEnvelope[] = [];
  const entries = journal.entriesAt([...ranges.keys()], bytes, isNewestFirst);
  for (const { seq: entry, events } of entries) {
    const { first, last } = ranges.get(entry)!;
    for (const { type, data } of events) {
      if (type === 'envelope.accepted' && data.seq >= first && data.seq <= last) found.push(data);
    }
  }
  found.sort((one, other) => (isNewestFirst ? other.seq - one.seq : one.seq - other.seq));
  return { messages: found, more: found.length === limit || entries.length < ranges.size };
}

function pointers(database: Database, pod: number, query: HistoryQuery): PointerRow[] {
  const { since = 0, before = Number.MAX_SAFE_INTEGER, limit } = query;
  const { type, kind, from, after_time, before_time, correlation } = query;
  const conditions = CONDITIONS + LIMIT[query.isNewestFirst ? 'newest' : 'oldest'];
  const values = [
    pod,
    since,
    before,
    type ?? null,
    kind === undefined ? null : globOf(kind),
    from ?? null,
    after_time ?? null,
    before_time ?? null,
    correlation ?? null,
    limit,
  ] as const;
  if (query.text !== undefined) {
    const match = matchOf(query.text);
    if (match === '') return [];
    return database.all<PointerRow>(
      `${PLAIN} AND seq IN (SELECT rowid - ?1 * 4294967296 FROM gateway_text WHERE gateway_text MATCH ?11
         AND rowid BETWEEN ?1 * 4294967296 AND ?1 * 4294967296 + 4294967295)
       AND (?12 IS NULL OR context = ?12) ${conditions}`,
      ...values,
      match,
      query.context ?? null,
    );
  }
  if (query.context !== undefined) {
    return database.all<PointerRow>(`${PLAIN} AND context = ?11 ${conditions}`, ...values, query.context);
  }
  return database.all<PointerRow>(PLAIN + conditions, ...values);
}

/** Every word must occur; signs are no operators. */
export function matchOf(text: string): string {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? [])
    .slice(0, 32)
    .map((word) => `"${word}"`)
    .join(' ');
}

/** `*` stands for any text; the other signs of GLOB stand for themselves. */
function globOf(pattern: string): string {
  return pattern.replace(/[[?]/g, (sign) => `[${sign}]`);
}

function fetchEnvelopes(
  journal: Journal,
  rows: readonly PointerRow[],
  bytes: number,
  isNewestFirst = false,
): OwnedEnvelope[] {
  const wanted = [...new Set(rows.map(({ entry }) => entry))];
  const entries = new Map(journal.entriesAt(wanted, bytes, isNewestFirst).map((entry) => [entry.seq, entry]));
  return rows.flatMap(({ entry, place }) => {
    const found = entries.get(entry);
    const event = found?.events[place];
    if (event?.type !== 'envelope.accepted') return [];
    const { seq, epoch, type, at, envelope } = event.data;
    return [{ seq, epoch, type, at, envelope, principal: found!.actor.principal }];
  });
}

/** What was said in a context since it began: the beginning and the end, where that is too much. */
export function contextMessages(
  journal: Journal,
  pod: number,
  context: string,
  most: number,
  bytes: number,
): OwnedEnvelope[] {
  const rows = journal.database.all<PointerRow>(
    `WITH said AS (SELECT seq, entry, place FROM gateway_envelope WHERE pod = ?1 AND context = ?2 AND seq >=
       (SELECT begun_seq FROM gateway_context WHERE pod = ?1 AND id = ?2))
     SELECT * FROM (SELECT * FROM said ORDER BY seq LIMIT ?3)
     UNION SELECT * FROM (SELECT * FROM said ORDER BY seq DESC LIMIT ?3) ORDER BY seq`,
    pod,
    context,
    Math.ceil(most / 2),
  );
  return fetchEnvelopes(journal, rows, bytes);
}

/** SUB-13: the journal's position up to which a session's branches were told in its project's pod. */
export function mirroredThrough(database: Database, sessionId: string): number {
  return (
    database.get<{ through: number }>('SELECT through FROM gateway_mirrored WHERE session_id = ?', sessionId)
      ?.through ?? 0
  );
}

/** SUB-10: contexts with this id, in any pod of the organisation. */
export function contextsNamed(database: Database, org: string, id: string): (ContextRow & { pod: string })[] {
  return database.all<ContextRow & { pod: string }>(
    `SELECT c.*, p.name AS pod FROM gateway_context AS c JOIN gateway_pod AS p ON p.id = c.pod
     WHERE c.id = ? AND p.org = ? AND c.state <> 'placeholder' ORDER BY c.created_at`,
    id,
    org,
  );
}

/** SUB-10: what refers to a context or a message, in any pod of the organisation. */
export function linkedTo(
  journal: Journal,
  org: string,
  target: string,
  most: number,
  bytes: number,
): (StoredEnvelope & { pod: string })[] {
  const rows = journal.database.all<PointerRow & { name: string }>(
    `SELECT e.seq, e.entry, e.place, p.name FROM gateway_correlation AS c
     JOIN gateway_envelope AS e ON e.pod = c.pod AND e.seq = c.seq JOIN gateway_pod AS p ON p.id = c.pod
     WHERE c.org = ? AND c.target = ? ORDER BY e.at, e.seq LIMIT ?`,
    org,
    target,
    most,
  );
  const found: (StoredEnvelope & { pod: string })[] = [];
  let held = 0;
  for (const row of rows) {
    if (held > bytes) break;
    for (const message of fetchEnvelopes(journal, [row], bytes)) {
      found.push({ ...message, pod: row.name });
      held += JSON.stringify(message.envelope).length;
    }
  }
  return found;
}

/** Where in the journal a message stands that was handed in. */
export interface SubmissionRow {
  entry: number;
  place: number;
}

/** Handed in, and neither accepted nor refused yet: who gave out positions may have died. */
export function waitingSubmissions(database: Database, after: number, most: number): SubmissionRow[] {
  return database.all<SubmissionRow>(
    'SELECT entry, place FROM gateway_submitted WHERE seq IS NULL AND entry > ? ORDER BY entry, place LIMIT ?',
    after,
    most,
  );
}

export function submissionsOfPod(
  database: Database,
  org: string,
  pod: string,
  most: number,
): SubmissionRow[] {
  return database.all<SubmissionRow>(
    `SELECT entry, place FROM gateway_submitted WHERE org = ? AND pod = ? AND seq IS NULL
     ORDER BY entry, place LIMIT ?`,
    org,
    pod,
    most,
  );
}

/** What became of a message that was handed in: its position, 0 when it was refused, null while it waits. */
export function submissionOf(
  database: Database,
  org: string,
  pod: string,
  id: string,
): number | null | undefined {
  return database.get<{ seq: number | null }>(
    'SELECT seq FROM gateway_submitted WHERE org = ? AND pod = ? AND id = ? ORDER BY entry DESC LIMIT 1',
    org,
    pod,
    id,
  )?.seq;
}
