import type { ContextPayload, EnvelopeContext, EnvelopeInput, Limits } from '@infold/protocol';
import type { Budget, Holder } from '../pod/budget.ts';
import type { ContextRow } from '../queries.ts';
import { copyOf, isConclusion, openingText, tidySummary } from '../wire/payload-text.ts';
import type { PodPolicy } from './policy.ts';
import { jsonOf, recordOf } from './projection.ts';
import { type ContextRecord, isBeginning, metadataAtBeginning, reduceContext } from './reducer.ts';
import { ancestorsOf, type KnownContexts } from './rules.ts';

/** Its summary is not tidied, and its metadata are kept while it is live. */
export interface LiveContext extends ContextRecord {
  /** When it or anything below it was used. */
  touchedAt: number;
  /** What it takes in memory, and its metadata of that. */
  bytes: number;
  metadataBytes: number;
  /** Messages in it that history does not have yet. */
  unstored: number;
}

/** Concluded contexts that are still known, so that who names one as a parent finds its place in the tree. */
const REMEMBERED = 10_000;
/** What a context takes besides its texts: two entries of maps, and its numbers. */
const CONTEXT_BYTES = 500;
/** A record takes about so many times what its JSON does. */
const RECORD_FACTOR = 3;

/** Contexts that history has: fetched when somebody names them, and let go of when memory is needed. */
export interface StoredElsewhere {
  get(id: string): LiveContext | undefined;
  children(id: string): string[];
  /** Some that are open are in history alone now. */
  onDropped(): void;
}

/** SUB-02 to SUB-04: the contexts of one pod. They begin, nest and end by being used or not. */
export class ContextIndex implements KnownContexts, Holder {
  readonly #contexts = new Map<string, LiveContext>();
  readonly #children = new Map<string, Set<string>>();
  readonly #owned = new Map<string, number>();
  readonly #limits: Limits;
  readonly #policy: PodPolicy;
  readonly #budget: Budget;
  readonly #stored: StoredElsewhere | undefined;
  #concluded = 0;
  #bytes = 0;
  #isIncomplete = false;

  constructor(limits: Limits, policy: PodPolicy, budget: Budget, stored?: StoredElsewhere) {
    this.#limits = limits;
    this.#policy = policy;
    this.#budget = budget;
    this.#stored = stored;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Those that history has can always be let go of. */
  get hasRoom(): boolean {
    return this.#stored !== undefined || (this.#bytes < this.#limits.contextBytes && !this.#budget.isFull);
  }

  get hasOpen(): boolean {
    return this.#owned.size > 0;
  }

  get(id: string): LiveContext | undefined {
    const known = this.#contexts.get(id) ?? this.#stored?.get(id);
    if (known) this.restore(known);
    return known;
  }

  values(): IterableIterator<LiveContext> {
    return this.#contexts.values();
  }

  get size(): number {
    return this.#contexts.size;
  }

  children(id: string): Iterable<string> {
    const known = this.#children.get(id) ?? [];
    return this.#isIncomplete && this.#stored ? new Set([...known, ...this.#stored.children(id)]) : known;
  }

  openOf(participant: string): number {
    return this.#owned.get(participant) ?? 0;
  }

  /** From the parent outwards. */
  ancestors(id: string): string[] {
    return ancestorsOf(this, id, this.#limits.contextDepth);
  }

  /** Counts a message that was accepted. Answers the context, and whether the message began it. */
  apply(
    { kind, payload }: Pick<EnvelopeInput, 'kind' | 'payload'>,
    { id, type, parent, metadata }: EnvelopeContext,
    { from, seq, at }: { from: string; seq: number; at: number },
  ): { context: LiveContext; created: boolean } {
    const known = this.get(id);
    const created = isBeginning(known);
    const concludes = isConclusion(kind);
    const defaults = () => this.#policy.template(known?.type ?? type ?? null)?.metadata;
    const next = reduceContext(known, {
      event: 'message',
      id,
      type,
      parent,
      from,
      seq,
      at,
      tokens: 0,
      text: openingText(payload),
      concludes,
      beginning: created ? metadataAtBeginning(defaults(), metadata) : null,
      conclusion: concludes ? (metadata ?? null) : null,
    });
    const isPlaced = next.parent !== null && next.parent !== known?.parent;
    const context = known ? this.#change(known, next) : this.#add(next);
    if (isPlaced) this.#place(context, from, at);
    // The last used last, so that it is let go of last.
    if (this.#contexts.delete(context.id)) this.#contexts.set(context.id, context);
    this.#weigh(context, created || concludes);
    context.touchedAt = at;
    for (const outer of this.ancestors(context.id)) {
      const ancestor = this.get(outer);
      if (ancestor) ancestor.touchedAt = at;
    }
    return { context, created };
  }

  /** How many each participant has open in history, which are fetched when somebody needs them. */
  countOpen(counts: Iterable<{ creator: string; count: number }>): void {
    for (const { creator, count } of counts) this.#count(creator, count);
  }

  /** Puts back what history knows; those that are open were counted when the pod was opened. */
  restore(context: LiveContext): void {
    if (this.#contexts.has(context.id)) return;
    this.#contexts.set(context.id, context);
    if (context.parent !== null) this.#link(context.parent, context.id);
    if (context.state === 'concluded') this.#concluded++;
    this.#weigh(context, true);
  }

  clear(): void {
    for (const kept of [this.#contexts, this.#children, this.#owned]) kept.clear();
    this.#concluded = 0;
    this.#isIncomplete = false;
    this.#hold(-this.#bytes);
  }

  /** The oldest that is concluded, or that history has as it is here. */
  dropOldest(): boolean {
    for (const context of this.#contexts.values()) {
      const isElsewhere = this.#stored !== undefined && context.unstored === 0;
      if (!isElsewhere && (context.state !== 'concluded' || this.#children.has(context.id))) continue;
      if (context.state === 'concluded') this.#concluded--;
      else this.#stored!.onDropped();
      this.#isIncomplete = true;
      this.#remove(context);
      return true;
    }
    return false;
  }

  /** Those that nobody used for a while, innermost first. Types may have a time of their own. */
  idle(now: number, usual: number): LiveContext[] {
    const wait = (type: string | null) => this.#policy.template(type)?.idleMs ?? usual;
    return [...this.#contexts.values()]
      .filter((context) => context.state !== 'concluded' && context.touchedAt <= now - wait(context.type))
      .map((context) => ({ context, depth: this.ancestors(context.id).length }))
      .sort((one, other) => other.depth - one.depth)
      .map(({ context }) => context);
  }

  conclude(context: LiveContext): void {
    if (context.state === 'concluded') return;
    this.#count(context.creator, -1);
    if (context.state === 'placeholder') {
      this.#remove(context);
      return;
    }
    takeOver(context, reduceContext(context, { event: 'ended', summary: null, entry: null }));
    if (++this.#concluded > REMEMBERED) this.#forgetOldest();
  }

  /** Of one that is concluded: what it came to, if that is known. */
  summarise(context: LiveContext, summary: string | null): void {
    takeOver(context, reduceContext(context, { event: 'summarised', summary, entry: null }));
  }

  #forgetOldest(): void {
    for (const context of this.#contexts.values()) {
      if (context.state !== 'concluded' || this.#children.has(context.id)) continue;
      this.#remove(context);
      this.#concluded--;
      return;
    }
  }

  /** Of one that is concluded and announced: nothing in memory asks for it any more. */
  dropMetadata(context: LiveContext): void {
    context.metadata = null;
    context.conclusionMetadata = null;
    this.#weigh(context, true);
  }

  /** What it takes has changed. */
  #weigh(context: LiveContext, withMetadata: boolean): void {
    const { id, type, parent, creator, summary } = context;
    if (withMetadata) {
      const texts = [context.metadata, context.conclusionMetadata].map((record) => jsonOf(record) ?? '');
      context.metadataBytes = RECORD_FACTOR * texts.join('').length;
    }
    const texts = [id, type, parent, creator, summary].reduce((sum, text) => sum + (text?.length ?? 0), 0);
    const bytes = CONTEXT_BYTES + 2 * texts + context.metadataBytes;
    const more = bytes - context.bytes;
    context.bytes = bytes;
    if (this.#contexts.get(id) === context) this.#hold(more);
  }

  #hold(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.change(this, bytes);
  }

  #remove(context: LiveContext): void {
    if (this.#contexts.get(context.id) !== context) return;
    this.#contexts.delete(context.id);
    this.#hold(-context.bytes);
    if (context.parent === null) return;
    const siblings = this.#children.get(context.parent);
    siblings?.delete(context.id);
    if (siblings?.size === 0) this.#children.delete(context.parent);
  }

  /** With copies of its names: those of a message would keep the whole message. */
  #add(record: ContextRecord): LiveContext {
    const context = liveOf(record, record.metadata, record.conclusionMetadata);
    context.id = copyOf(record.id);
    if (record.type !== null) context.type = copyOf(record.type);
    this.#contexts.set(context.id, context);
    this.#count(context.creator, 1);
    this.#weigh(context, false);
    return context;
  }

  /** In place: who stores its messages holds it too. */
  #change(context: LiveContext, next: ContextRecord): LiveContext {
    if (context.state === 'concluded') this.#concluded--;
    if (context.state === 'placeholder') this.#count(context.creator, -1);
    if (context.state !== 'live') this.#count(next.creator, 1);
    const isTyped = context.type === null && next.type !== null;
    takeOver(context, next);
    if (isTyped) context.type = copyOf(next.type!);
    return context;
  }

  /** Below the parent that was named for it, which may be known by its name only. */
  #place(context: LiveContext, from: string, at: number): void {
    const parent = copyOf(context.parent!);
    context.parent = parent;
    this.#link(parent, context.id);
    if (!this.get(parent)) this.#add(reduceContext(undefined, { event: 'named', id: parent, from, at }));
  }

  #link(parent: string, child: string): void {
    const children = this.#children.get(parent);
    if (children) children.add(child);
    else this.#children.set(parent, new Set([child]));
  }

  #count(participant: string, change: number): void {
    const count = (this.#owned.get(participant) ?? 0) + change;
    if (count > 0) this.#owned.set(participant, count);
    else this.#owned.delete(participant);
  }
}

/** Field by field too: every message in a context passes here. */
function takeOver(context: LiveContext, next: ContextRecord): void {
  context.type = next.type;
  context.parent = next.parent;
  context.state = next.state;
  context.creator = next.creator;
  context.messages = next.messages;
  context.tokens = next.tokens;
  context.createdAt = next.createdAt;
  context.lastAt = next.lastAt;
  context.summary = next.summary;
  context.summarySeq = next.summarySeq;
  context.hasConclusion = next.hasConclusion;
  context.begunSeq = next.begunSeq;
  context.metadata = next.metadata;
  context.conclusionSeq = next.conclusionSeq;
  context.conclusionMetadata = next.conclusionMetadata;
  context.concludedBy = next.concludedBy;
}

/** As history would have it. */
export function rowOf(live: LiveContext): ContextRow {
  const { id, type, parent, state, creator, messages, tokens } = live;
  return {
    ...{ id, type, parent, state, creator, messages, tokens },
    created_at: live.createdAt,
    last_at: live.lastAt,
    summary: tidySummary(live.summary),
    summary_seq: live.summarySeq,
    has_conclusion: live.hasConclusion ? 1 : 0,
    begun_seq: live.begunSeq,
    metadata: jsonOf(live.metadata),
    conclusion_seq: live.conclusionSeq,
    conclusion_metadata: jsonOf(live.conclusionMetadata),
    concluded_by: live.concludedBy,
  };
}

/** As history has it. */
export function contextOf(row: ContextRow): LiveContext {
  const record = recordOf(row);
  const parsed = (json: string | null) =>
    record.state === 'live' && json !== null ? (JSON.parse(json) as Record<string, unknown>) : null;
  return liveOf(record, parsed(record.metadata), parsed(record.conclusionMetadata));
}

/** Field by field: an object that is copied from another takes many times as long to make and to use. */
function liveOf(
  record: ContextRecord<unknown>,
  metadata: LiveContext['metadata'],
  conclusionMetadata: LiveContext['conclusionMetadata'],
): LiveContext {
  return {
    id: record.id,
    type: record.type,
    parent: record.parent,
    state: record.state,
    creator: record.creator,
    messages: record.messages,
    tokens: record.tokens,
    createdAt: record.createdAt,
    lastAt: record.lastAt,
    summary: record.summary,
    summarySeq: record.summarySeq,
    hasConclusion: record.hasConclusion,
    begunSeq: record.begunSeq,
    metadata,
    conclusionSeq: record.conclusionSeq,
    conclusionMetadata,
    concludedBy: record.concludedBy,
    touchedAt: record.lastAt,
    bytes: 0,
    metadataBytes: 0,
    unstored: 0,
  };
}

/** As it is announced. */
export function contextPayload(event: ContextPayload['event'], context: LiveContext): ContextPayload {
  const { id, type, parent, messages, tokens } = context;
  const metadata = { ...context.metadata, ...context.conclusionMetadata };
  const hasMetadata = context.metadata !== null || context.conclusionMetadata !== null;
  return {
    ...{ event, id, context: id, type, parent, messages, tokens },
    summary: tidySummary(context.summary),
    ...(hasMetadata ? { metadata } : {}),
  };
}
