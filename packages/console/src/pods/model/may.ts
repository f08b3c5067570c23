import type { ContextNode, Participant } from '@infold/protocol';
import {
  Capabilities,
  type CompiledRule,
  type ContextPlace,
  compileCapabilities,
  compileRule,
  verdictOf,
} from '@infold/protocol/gateway-wire';
import type { PodPolicy } from '../queries.ts';

/** Kinds that everybody knows; others are those that were heard in the pod, or that its rules name. */
const USUAL = ['chat', 'reflection', 'conclusion'];
/** Requests to the gateway are no messages. */
const TO_THE_GATEWAY = /^gateway\//;
const MOST_KINDS = 60;

/** Where something would be said: undefined is the main context. */
export interface Target {
  id: string;
  type?: string | undefined;
  parent?: string | undefined;
}

/** What somebody may say in a pod, by the capabilities of their token and the pod's templates and rules. */
export class Permissions {
  readonly #me: Participant;
  readonly #policy: Pick<PodPolicy, 'rules' | 'templates'>;
  readonly #may: Capabilities;
  readonly #rules: readonly CompiledRule[];

  constructor(me: Participant, policy: Pick<PodPolicy, 'rules' | 'templates'>) {
    this.#me = me;
    this.#policy = policy;
    this.#may = new Capabilities(me.capabilities);
    this.#rules = policy.rules.map((rule) => compileRule(rule, rule.name));
  }

  /** Undefined where it may be sent; else why not. */
  refusal(
    kind: string,
    target: Target | undefined,
    contexts: ReadonlyMap<string, ContextNode>,
  ): string | undefined {
    if (TO_THE_GATEWAY.test(kind)) return 'Requests to the gateway are not messages';
    const place = target ? placeOf(target, contexts) : null;
    const verdict = verdictOf(
      this.#rules.filter((rule) => rule.kind(kind)),
      this.#me.id,
      place,
    );
    if (!this.#may.permits(kind, verdict)) {
      return verdict?.effect === 'deny'
        ? `A rule of this pod forbids “${kind}” here (${verdict.rule})`
        : `Your token does not allow “${kind}” here`;
    }
    const template = place?.type == null ? undefined : this.#templateOf(place.type);
    if (template?.kinds && !compileCapabilities(template.kinds)(kind)) {
      return `Contexts of the type “${place!.type}” do not take “${kind}”`;
    }
    const depth = (place?.ancestors.length ?? 0) + 1;
    if (template?.depth !== undefined && !contexts.has(target!.id) && depth > template.depth) {
      return `Contexts of the type “${place!.type}” may be nested ${template.depth} deep; this would be ${depth}`;
    }
    return undefined;
  }

  /** Kinds that may be sent there, among those that somebody could mean. */
  offered(
    heard: Iterable<string>,
    target: Target | undefined,
    contexts: ReadonlyMap<string, ContextNode>,
  ): string[] {
    const { rules, templates } = this.#policy;
    const named = [
      ...this.#me.capabilities,
      ...rules.flatMap(({ kind }) => kind),
      ...Object.values(templates).flatMap(({ kinds = [] }) => kinds),
    ].filter((kind) => !/^!|\*/.test(kind));
    const all = new Set([...USUAL, ...named, ...heard]);
    return [...all].filter((kind) => this.refusal(kind, target, contexts) === undefined).slice(0, MOST_KINDS);
  }

  /** Whether kinds may be sent that nobody can list. */
  get isOpen(): boolean {
    const { capabilities } = this.#me;
    const patterns = capabilities.filter((one) => !one.startsWith('!'));
    if (capabilities.length > 0 && patterns.length === 0) return true;
    return (
      patterns.some((one) => one.includes('*')) ||
      this.#policy.rules.some(
        ({ effect, kind }) => effect === 'allow' && [kind].flat().some((one) => one.includes('*')),
      )
    );
  }

  #templateOf(type: string) {
    return Object.hasOwn(this.#policy.templates, type) ? this.#policy.templates[type] : undefined;
  }
}

function placeOf({ id, type, parent }: Target, contexts: ReadonlyMap<string, ContextNode>): ContextPlace {
  const known = contexts.get(id);
  const ancestors: ContextPlace['ancestors'][number][] = [];
  for (
    let outer = known?.parent ?? parent;
    outer !== undefined && outer !== null && !ancestors.some((one) => one.id === outer);
    outer = contexts.get(outer)?.parent ?? undefined
  ) {
    ancestors.push({ id: outer, type: contexts.get(outer)?.type ?? null });
  }
  return { id, type: known?.type ?? type ?? null, stated: type ?? null, ancestors };
}
