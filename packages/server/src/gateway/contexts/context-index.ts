import type { ContextPayload, EnvelopeContext, EnvelopeInput, Limits } from '@infold/protocol';
import type { Budget, Holder } from '../pod/budget.ts';
import { type ContextRow, metadataOf } from '../queries.ts';
import { copyOf, isConclusion, openingText, tidySummary } from '../wire/payload-text.ts';
import type { PodPolicy } from './policy.ts';
import { ancestorsOf, type KnownContexts } from './rules.ts';

export interface LiveContext {
  id: string;
  type: string | null;
  parent: string | null;
  state: 'live' | 'concluded' | 'placeholder';
  /** The participant on whose account it is kept. */
  creator: string;
  messages: number;
  tokens: number;
  createdAt: number;
  lastAt: number;
  /** Of itself or of anything below it. */
  touchedAt: number;
  /** The text of its conclusion, else of its last message; not tidied. */
  summary: string | null;
  concludedBy: boolean;
  /** What its template says of it, over that its first message, and over that its conclusion. While it is live. */
  metadata: Record<string, unknown> | null;
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
    context: EnvelopeContext,
    participant: string,
    now: number,
  ): { context: LiveContext; created: boolean } {
    let known = this.get(context.id);
    const created = known?.state !== 'live';
    if (!known) known = this.#add(context.id, 'live', participant, now);
    else if (known.state !== 'live') this.#revive(known, participant, now);
    if (known.type === null && context.type !== undefined) known.type = copyOf(context.type);
    if (known.parent === null && context.parent !== undefined) {
      this.#setParent(known, copyOf(context.parent), participant, now);
    }
    if (created) known.metadata = this.metadataOf(known.type, context);
    else if (context.metadata && isConclusion(kind))
      known.metadata = { ...known.metadata, ...context.metadata };
    known.messages++;
    known.lastAt = now;
    const concludes = isConclusion(kind);
    if (concludes || !known.concludedBy) {
      known.summary = openingText(payload) ?? known.summary;
      known.concludedBy ||= concludes;
    }
    // The last used last, so that it is let go of last.
    if (this.#contexts.delete(known.id)) this.#contexts.set(known.id, known);
    this.#weigh(known, created || concludes);
    known.touchedAt = now;
    for (const id of this.ancestors(known.id)) {
      const ancestor = this.get(id);
      if (ancestor) ancestor.touchedAt = now;
    }
    return { context: known, created };
  }

  /** What a context of this type has from the beginning. */
  metadataOf(type: string | null, { metadata }: EnvelopeContext): Record<string, unknown> | null {
    const defaults = this.#policy.template(type)?.metadata;
    return defaults || metadata ? { ...defaults, ...metadata } : null;
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
    context.state = 'concluded';
    if (++this.#concluded > REMEMBERED) this.#forgetOldest();
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
    this.#weigh(context, true);
  }

  /** What it takes has changed. */
  #weigh(context: LiveContext, withMetadata: boolean): void {
    const { id, type, parent, creator, summary, metadata } = context;
    if (withMetadata)
      context.metadataBytes = metadata === null ? 0 : RECORD_FACTOR * JSON.stringify(metadata).length;
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

  #add(id: string, state: LiveContext['state'], creator: string, now: number): LiveContext {
    const context: LiveContext = {
      id: copyOf(id),
      type: null,
      parent: null,
      state,
      creator,
      messages: 0,
      tokens: 0,
      createdAt: now,
      lastAt: now,
      touchedAt: now,
      summary: null,
      concludedBy: false,
      metadata: null,
      metadataBytes: 0,
      bytes: 0,
      unstored: 0,
    };
    this.#contexts.set(context.id, context);
    this.#count(creator, 1);
    this.#weigh(context, false);
    return context;
  }

  /** A placeholder that is used at last, or a concluded context that goes on. */
  #revive(context: LiveContext, participant: string, now: number): void {
    if (context.state === 'concluded') {
      this.#concluded--;
      this.#count(participant, 1);
    } else {
      this.#count(context.creator, -1);
      this.#count(participant, 1);
      context.createdAt = now;
    }
    context.creator = participant;
    context.state = 'live';
    context.concludedBy = false;
  }

  #setParent(context: LiveContext, parent: string, participant: string, now: number): void {
    context.parent = parent;
    this.#link(parent, context.id);
    if (!this.get(parent)) this.#add(parent, 'placeholder', participant, now);
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

/** As history would have it. */
export function rowOf(live: LiveContext): ContextRow {
  const { bytes: _bytes, metadataBytes: _metadataBytes, unstored: _unstored, ...context } = live;
  return {
    ...context,
    created_at: context.createdAt,
    last_at: context.lastAt,
    summary: tidySummary(context.summary),
    has_conclusion: context.concludedBy ? 1 : 0,
    metadata: context.metadata === null ? null : JSON.stringify(context.metadata),
    conclusion_metadata: null,
  };
}

/** As history has it. */
export function contextOf(row: ContextRow): LiveContext {
  const { id, type, parent, state, creator, messages, tokens, summary } = row;
  return {
    ...{ id, type, parent, state, creator, messages, tokens, summary },
    createdAt: row.created_at,
    lastAt: row.last_at,
    touchedAt: row.last_at,
    concludedBy: row.has_conclusion === 1,
    metadata: state === 'live' ? metadataOf(row) : null,
    metadataBytes: 0,
    bytes: 0,
    unstored: 0,
  };
}

/** As it is announced. */
export function contextPayload(event: ContextPayload['event'], context: LiveContext): ContextPayload {
  const { id, type, parent, messages, tokens, metadata } = context;
  return {
    ...{ event, id, context: id, type, parent, messages, tokens },
    summary: tidySummary(context.summary),
    ...(metadata === null ? {} : { metadata }),
  };
}
