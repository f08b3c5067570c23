import type { ContextPlace, EnvelopeContext, EnvelopeInput, Limits } from '@infold/protocol';
import { Refusal } from '../errors.ts';
import type { PodPolicy } from './policy.ts';

/** What is asked of a pod's contexts before a message is taken: in memory where the pod is open, else in the tables. */
export interface KnownContexts {
  get(id: string): KnownContext | undefined;
  children(id: string): Iterable<string>;
  /** How many a participant has open. */
  openOf(participant: string): number;
}

export interface KnownContext {
  type: string | null;
  parent: string | null;
  state: 'live' | 'concluded' | 'placeholder';
}

/** From the parent outwards. */
export function ancestorsOf(known: KnownContexts, id: string, most: number): string[] {
  const path: string[] = [];
  let parent = known.get(id)?.parent ?? null;
  while (parent !== null && path.length < most) {
    path.push(parent);
    parent = known.get(parent)?.parent ?? null;
  }
  return path;
}

/** SUB-03, SUB-04, SUB-08: what a message may do to the tree of contexts. */
export class ContextRules {
  readonly #limits: Limits;
  readonly #policy: PodPolicy;

  constructor(limits: Limits, policy: PodPolicy) {
    this.#limits = limits;
    this.#policy = policy;
  }

  /** Where a message would be said, with the first type and parent that were named for the context. */
  placeOf(known: KnownContexts, context: EnvelopeContext): ContextPlace {
    const found = known.get(context.id);
    const parent = found?.parent ?? context.parent;
    const path = parent === undefined ? [] : [parent, ...this.#ancestors(known, parent)];
    return {
      id: context.id,
      type: found?.type ?? context.type ?? null,
      stated: context.type ?? null,
      ancestors: path.map((id) => ({ id, type: known.get(id)?.type ?? null })),
    };
  }

  /** Refuses what would pass a limit or close a circle; changes nothing. True when a context would begin. */
  check(
    known: KnownContexts,
    { id: messageId, kind }: Pick<EnvelopeInput, 'id' | 'kind'>,
    context: EnvelopeContext,
    participant: string,
  ): boolean {
    const found = known.get(context.id);
    const isNew = found?.state !== 'live';
    const { parent } = context;
    this.#checkTemplate(known, messageId, kind, context, found);
    if (parent !== undefined) {
      if (parent === context.id || this.#ancestors(known, parent).includes(context.id)) {
        throw new Refusal('parent_cycle', `"${short(parent)}" is below "${short(context.id)}"`, messageId);
      }
      // A context that has its parent already keeps it, whatever later messages say.
      if (!found || found.parent === null) this.#checkDepth(known, found && context.id, parent, messageId);
    }
    if (isNew && found?.state !== 'placeholder') {
      const most = this.#limits.contextsPerParticipant;
      const more = parent !== undefined && !isOpen(known, parent) ? 2 : 1;
      if (known.openOf(participant) + more > most) {
        const message = `${most} contexts of yours are open; let some conclude`;
        throw new Refusal('context_limit', message, messageId, { limit: most });
      }
    }
    return isNew;
  }

  /** SUB-11: what the template of its type allows in a context, and how deep it may stand. */
  #checkTemplate(
    known: KnownContexts,
    messageId: string,
    kind: string,
    context: EnvelopeContext,
    found: KnownContext | undefined,
  ): void {
    const type = found?.type ?? context.type ?? null;
    const template = this.#policy.template(type);
    if (!template) return;
    if (!template.allows(kind)) {
      throw new Refusal(
        'capability_violation',
        `Contexts of the type "${type}" do not take "${kind}"`,
        messageId,
        { attempted_kind: kind, allowed_kinds: template.kinds },
      );
    }
    if (template.depth === undefined || (found?.state === 'live' && found.parent !== null)) return;
    const depth = this.placeOf(known, context).ancestors.length + 1;
    if (depth > template.depth) {
      throw new Refusal(
        'depth_limit',
        `Contexts of the type "${type}" stand at most ${template.depth} deep; this one would be at ${depth}`,
        messageId,
        { limit: template.depth },
      );
    }
  }

  /** What is below a context comes along with it; below one that nobody has heard of there is nothing. */
  #checkDepth(known: KnownContexts, id: string | undefined, parent: string, messageId: string): void {
    const depth = this.#ancestors(known, parent).length + 2;
    const most = this.#limits.contextDepth;
    if (depth + (id === undefined ? 1 : heightOf(known, id)) - 1 > most) {
      throw new Refusal('depth_limit', `Contexts nest at most ${most} deep`, messageId, { limit: most });
    }
  }

  #ancestors(known: KnownContexts, id: string): string[] {
    return ancestorsOf(known, id, this.#limits.contextDepth);
  }
}

/** 1 for a context without children. */
function heightOf(known: KnownContexts, id: string): number {
  let height = 1;
  for (const child of known.children(id)) height = Math.max(height, 1 + heightOf(known, child));
  return height;
}

function isOpen(known: KnownContexts, id: string): boolean {
  const found = known.get(id);
  return found !== undefined && found.state !== 'concluded';
}

function short(id: string): string {
  return id.length > 60 ? `${id.slice(0, 60)}…` : id;
}
