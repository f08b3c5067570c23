import type { ContextPayload, EnvelopeContext, EnvelopeInput, Limits } from '@infold/protocol';
import { ancestorsOf, type KnownContexts } from './context-rules.ts';
import type { PodPolicy } from './policy.ts';
import { type ContextRow, metadataOf } from './queries.ts';
import { copyOf, isConclusion, openingText, tidySummary } from './text.ts';

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
}

/** Concluded contexts that are still known, so that who names one as a parent finds its place in the tree. */
const REMEMBERED = 10_000;

/** SUB-02 to SUB-04: the contexts of one pod. They begin, nest and end by being used or not. */
export class ContextIndex implements KnownContexts {
  readonly #contexts = new Map<string, LiveContext>();
  readonly #children = new Map<string, Set<string>>();
  readonly #owned = new Map<string, number>();
  readonly #limits: Limits;
  readonly #policy: PodPolicy;
  readonly #lookUp: (id: string) => LiveContext | undefined;
  #concluded = 0;

  /** `lookUp`: contexts that history has are fetched when somebody names them. */
  constructor(
    limits: Limits,
    policy: PodPolicy,
    lookUp: (id: string) => LiveContext | undefined = () => undefined,
  ) {
    this.#limits = limits;
    this.#policy = policy;
    this.#lookUp = lookUp;
  }

  get(id: string): LiveContext | undefined {
    const known = this.#contexts.get(id) ?? this.#lookUp(id);
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
    return this.#children.get(id) ?? [];
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
  }

  clear(): void {
    for (const kept of [this.#contexts, this.#children, this.#owned]) kept.clear();
    this.#concluded = 0;
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

  #remove(context: LiveContext): void {
    this.#contexts.delete(context.id);
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
    };
    this.#contexts.set(context.id, context);
    this.#count(creator, 1);
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
export function rowOf(context: LiveContext): ContextRow {
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
