import type { Entry } from '../../journal/journal.ts';
import type { Database, SqlValue } from '../../kernel/sqlite.ts';
import type { EnvelopeAccepted } from '../events.ts';
import { type ContextRow, contextRow, podIdOf } from '../queries.ts';
import { isConclusion, summaryText } from '../wire/payload-text.ts';
import {
  type ContextChange,
  type ContextRecord,
  isBeginning,
  metadataAtBeginning,
  type NamedAsParent,
  reduceContext,
} from './reducer.ts';

/** With its metadata as JSON. */
type StoredContext = ContextRecord<string>;

/** What the events of an entry do to the contexts of its pod. Each is read once and written once, however often it is used. */
export function updateContexts(database: Database, { seq: entry, events }: Entry): void {
  let contexts: ContextTable | undefined;
  for (const { type, data } of events) {
    if (type === 'envelope.accepted' && data.envelope.context) {
      contexts ??= new ContextTable(database, podIdOf(database, data.org, data.pod)!);
      contexts.applyMessage(data);
    } else if (type === 'context.concluded') {
      const pod = podIdOf(database, data.org, data.pod);
      if (pod === undefined) continue;
      contexts ??= new ContextTable(database, pod);
      contexts.apply(data.id, { event: 'ended', summary: data.summary, entry });
    }
  }
  contexts?.write();
}

class ContextTable {
  readonly #database: Database;
  readonly #pod: number;
  readonly #read = new Map<string, StoredContext | undefined>();
  readonly #changed = new Map<string, StoredContext>();

  constructor(database: Database, pod: number) {
    this.#database = database;
    this.#pod = pod;
  }

  get(id: string): StoredContext | undefined {
    const changed = this.#changed.get(id);
    if (changed || this.#read.has(id)) return changed ?? this.#read.get(id);
    const row = contextRow(this.#database, this.#pod, id);
    const context = row && recordOf(row);
    this.#read.set(id, context);
    return context;
  }

  apply(id: string, change: ContextChange<string>): void {
    const previous = this.get(id);
    const next = reduceContext(previous, change);
    if (next && next !== previous) this.#changed.set(id, next);
  }

  applyMessage(accepted: EnvelopeAccepted): void {
    const { envelope, seq, at, tokens } = accepted;
    const { id, type, parent, metadata } = envelope.context!;
    const { from } = envelope;
    const concludes = isConclusion(envelope.kind);
    const previous = this.get(id);
    const next = reduceContext(previous, {
      event: 'message',
      id,
      type,
      parent,
      from,
      seq,
      at,
      tokens,
      text: summaryText(envelope.payload),
      concludes,
      beginning: isBeginning(previous) ? beginningOf(accepted) : null,
      conclusion: concludes ? jsonOf(metadata ?? null) : null,
    });
    this.#changed.set(id, next);
    if (next.parent === null || next.parent === previous?.parent) return;
    const named: NamedAsParent = { event: 'named', id: next.parent, from, at };
    this.apply(next.parent, named);
  }

  write(): void {
    for (const [id, context] of this.#changed) this.#write(context, this.#read.get(id));
  }

  #write(context: StoredContext, stored: StoredContext | undefined): void {
    const values: SqlValue[] = [
      this.#pod,
      context.id,
      context.type,
      context.parent,
      context.messages,
      context.tokens,
      context.createdAt,
      context.lastAt,
      context.summary,
      context.summarySeq,
      context.hasConclusion ? 1 : 0,
      context.begunSeq,
      context.metadata,
      context.conclusionSeq,
      context.conclusionMetadata,
      context.concludedBy,
    ];
    // An index holds who has it open: it stays as it is while those do.
    if (stored && stored.state === context.state && stored.creator === context.creator) {
      this.#database.run(UPDATE, ...values);
    } else this.#database.run(UPSERT, ...values, context.state, context.creator);
  }
}

const SET = `type = ?3, parent = ?4, messages = ?5, tokens = ?6, created_at = ?7, last_at = ?8, summary = ?9, summary_seq = ?10,
  has_conclusion = ?11, begun_seq = ?12, metadata = ?13, conclusion_seq = ?14, conclusion_metadata = ?15, concluded_by = ?16`;
const UPDATE = `UPDATE gateway_context SET ${SET} WHERE pod = ?1 AND id = ?2`;
const UPSERT = `INSERT INTO gateway_context (pod, id, type, parent, messages, tokens, created_at, last_at, summary, summary_seq,
    has_conclusion, begun_seq, metadata, conclusion_seq, conclusion_metadata, concluded_by, state, creator)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
  ON CONFLICT (pod, id) DO UPDATE SET ${SET}, state = ?17, creator = ?18`;

/** What a context has that begins with this message. */
export function beginningOf({ envelope, defaults }: EnvelopeAccepted): string | null {
  return jsonOf(metadataAtBeginning(defaults, envelope.context?.metadata));
}

export function jsonOf(metadata: Record<string, unknown> | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}

/** Field by field: with every message a row is read, and copying objects into one another takes longer than that. */
export function recordOf(row: ContextRow): StoredContext {
  return {
    id: row.id,
    type: row.type,
    parent: row.parent,
    state: row.state,
    creator: row.creator,
    messages: row.messages,
    tokens: row.tokens,
    createdAt: row.created_at,
    lastAt: row.last_at,
    summary: row.summary,
    summarySeq: row.summary_seq,
    hasConclusion: row.has_conclusion === 1,
    begunSeq: row.begun_seq,
    metadata: row.metadata,
    conclusionSeq: row.conclusion_seq,
    conclusionMetadata: row.conclusion_metadata,
    concludedBy: row.concluded_by,
  };
}
