import type { EnvelopeContext, EnvelopeInput, Limits } from '@infold/protocol';
import { Refusal } from './errors.ts';
import { copyOf, openingText } from './text.ts';

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
}

/** Concluded contexts that are still known, so that who names one as a parent finds its place in the tree. */
const REMEMBERED = 10_000;

/** SUB-02 to SUB-04: the contexts of one pod. They begin, nest and end by being used or not. */
export class ContextIndex {
  readonly #contexts = new Map<string, LiveContext>();
  readonly #children = new Map<string, Set<string>>();
  readonly #owned = new Map<string, number>();
  readonly #limits: Limits;
  #concluded = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get(id: string): LiveContext | undefined {
    return this.#contexts.get(id);
  }

  values(): IterableIterator<LiveContext> {
    return this.#contexts.values();
  }

  get size(): number {
    return this.#contexts.size;
  }

  /** From the parent outwards. */
  ancestors(id: string): string[] {
    const path: string[] = [];
    let parent = this.#contexts.get(id)?.parent ?? null;
    while (parent !== null && path.length < this.#limits.contextDepth) {
      path.push(parent);
      parent = this.#contexts.get(parent)?.parent ?? null;
    }
    return path;
  }

  /** Refuses what would pass a limit or close a circle; changes nothing. True when a context would begin. */
  check({ id: messageId }: EnvelopeInput, context: EnvelopeContext, participant: string): boolean {
    const known = this.#contexts.get(context.id);
    const isNew = known?.state !== 'live';
    const { parent } = context;
    if (parent !== undefined) {
      if (parent === context.id || this.ancestors(parent).includes(context.id)) {
        throw new Refusal('parent_cycle', `"${short(parent)}" is below "${short(context.id)}"`, messageId);
      }
      // A context that has its parent already keeps it, whatever later messages say.
      if (!known || known.parent === null) this.#checkDepth(context.id, parent, messageId);
    }
    if (isNew) {
      const more = parent !== undefined && !this.#isLive(parent) ? 2 : 1;
      const most = this.#limits.contextsPerParticipant;
      if ((this.#owned.get(participant) ?? 0) + more > most && known?.state !== 'placeholder') {
        throw new Refusal(
          'context_limit',
          `${most} contexts of yours are open; let some conclude`,
          messageId,
          {
            limit: most,
          },
        );
      }
    }
    return isNew;
  }

  #checkDepth(id: string, parent: string, messageId: string): void {
    const depth = this.ancestors(parent).length + 2;
    const most = this.#limits.contextDepth;
    if (depth + this.#height(id) - 1 > most) {
      throw new Refusal('depth_limit', `Contexts nest at most ${most} deep`, messageId, { limit: most });
    }
  }

  /** 1 for a context without children. */
  #height(id: string): number {
    let height = 1;
    for (const child of this.#children.get(id) ?? []) height = Math.max(height, 1 + this.#height(child));
    return height;
  }

  #isLive(id: string): boolean {
    const known = this.#contexts.get(id);
    return known !== undefined && known.state !== 'concluded';
  }

  /** Counts a message that was accepted. Answers the context, and whether the message began it. */
  apply(
    { kind, payload }: Pick<EnvelopeInput, 'kind' | 'payload'>,
    context: EnvelopeContext,
    participant: string,
    now: number,
  ): { context: LiveContext; created: boolean } {
    let known = this.#contexts.get(context.id);
    const created = known?.state !== 'live';
    if (!known) known = this.#add(context.id, 'live', participant, now);
    else if (known.state !== 'live') this.#revive(known, participant, now);
    if (known.type === null && context.type !== undefined) known.type = copyOf(context.type);
    if (known.parent === null && context.parent !== undefined) {
      this.#setParent(known, copyOf(context.parent), participant, now);
    }
    known.messages++;
    known.lastAt = now;
    const isConclusion = kind === 'conclusion' || kind === 'reasoning/conclusion' || kind === 'reasoning/end';
    if (isConclusion || !known.concludedBy) {
      known.summary = openingText(payload) ?? known.summary;
      known.concludedBy ||= isConclusion;
    }
    known.touchedAt = now;
    for (const id of this.ancestors(known.id)) {
      const ancestor = this.#contexts.get(id);
      if (ancestor) ancestor.touchedAt = now;
    }
    return { context: known, created };
  }

  /** Puts back what history knows, when a pod is opened. */
  restore(context: LiveContext): void {
    this.#contexts.set(context.id, context);
    if (context.parent !== null) this.#link(context.parent, context.id);
    if (context.state === 'concluded') this.#concluded++;
    else this.#count(context.creator, 1);
  }

  /** Those that nobody used for a while, innermost first. */
  idle(before: number): LiveContext[] {
    return [...this.#contexts.values()]
      .filter((context) => context.state !== 'concluded' && context.touchedAt <= before)
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
    const known = this.#contexts.get(parent);
    if (!known) this.#add(parent, 'placeholder', participant, now);
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

function short(id: string): string {
  return id.length > 60 ? `${id.slice(0, 60)}…` : id;
}
