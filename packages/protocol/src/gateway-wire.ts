/**
 * The words of the gateway's wire, how kinds are matched and what rules say of them, without schemas: a client in a browser
 * needs these and not a validator.
 */
export const ENVELOPE_PROTOCOL = 'mcpp/v0.1';
export const GATEWAY_SENDER = 'system:gateway';

export const CLOSE_CODES = {
  goingAway: 1001,
  tokenRevoked: 4001,
  tooSlow: 4008,
  replaced: 4009,
} as const;

/** A pattern in which `*` stands for any text, also in the middle. Linear in the text, whatever the pattern. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return (text) => text === pattern;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const middle = parts.slice(1, -1).filter((part) => part !== '');
  return (text) => {
    if (text.length < first.length + last.length) return false;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let place = first.length;
    const end = text.length - last.length;
    for (const part of middle) {
      const found = text.indexOf(part, place);
      if (found === -1 || found + part.length > end) return false;
      place = found + part.length;
    }
    return place <= end;
  };
}

/** Kinds seen at once by one matcher; a sender that makes up new ones must not fill the memory. */
const REMEMBERED_KINDS = 256;

/**
 * SUB-07: what capabilities allow, compiled once. `!` forbids, whatever else allows it; a list that only forbids
 * allows the rest. An empty list allows nothing.
 */
export function compileCapabilities(capabilities: readonly string[]): (kind: string) => boolean {
  const allowed = capabilities.filter((capability) => !capability.startsWith('!')).map(wildcard);
  const denied = capabilities
    .filter((capability) => capability.startsWith('!'))
    .map((text) => wildcard(text.slice(1)));
  if (allowed.length === 0 && denied.length > 0) allowed.push(() => true);
  const known = new Map<string, boolean>();
  return (kind) => {
    const answer = known.get(kind);
    if (answer !== undefined) return answer;
    const verdict = allowed.some((matches) => matches(kind)) && !denied.some((matches) => matches(kind));
    if (known.size < REMEMBERED_KINDS) known.set(kind, verdict);
    return verdict;
  };
}

/** A rule of `gateway.rules`: who may send what where, beyond the capabilities of tokens. */
export interface GatewayRule {
  effect: 'allow' | 'deny';
  kind: string | readonly string[];
  /** Absent: anywhere. `within` is a context's id, or `type:` and a type: it and everything nested in it. */
  context?:
    | 'main'
    | { type?: string | undefined; id?: string | undefined; within?: string | undefined }
    | undefined;
  from?: string | readonly string[] | undefined;
  pod?: string | readonly string[] | undefined;
}

/** Where somebody wants to say something. */
export interface ContextPlace {
  id: string;
  /** What the context is, and what the message says that it is. */
  type: string | null;
  stated: string | null;
  /** From the parent outwards. */
  ancestors: readonly { id: string; type: string | null }[];
}

export interface RuleVerdict {
  effect: 'allow' | 'deny';
  /** Where it stands in the configuration. */
  rule: string;
}

type Matcher = (text: string) => boolean;

export interface CompiledRule {
  name: string;
  effect: 'allow' | 'deny';
  kind: Matcher;
  from: Matcher;
  pod: Matcher;
  holds(place: ContextPlace | null, strictly: boolean): boolean;
}

export function compileRule(rule: GatewayRule, name: string): CompiledRule {
  return {
    name,
    effect: rule.effect,
    kind: anyOf(rule.kind),
    from: anyOf(rule.from),
    pod: anyOf(rule.pod),
    holds: compileContext(rule.context),
  };
}

/** SUB-11: deny wins; undefined when no rule speaks of it. `place` is null in the main context. */
export function verdictOf(
  rules: readonly CompiledRule[],
  from: string,
  place: ContextPlace | null,
): RuleVerdict | undefined {
  let allowed: RuleVerdict | undefined;
  for (const { name: rule, effect, from: sender, holds } of rules) {
    if (!sender(from) || !holds(place, effect === 'allow')) continue;
    if (effect === 'deny') return { effect, rule };
    allowed ??= { effect, rule };
  }
  return allowed;
}

/** What comes from the gateway must come from the gateway, and what an agent did in a branch from the branch. */
const RESERVED = /^(?:system|fold)\//;

/** What the capabilities of somebody who may write say of kinds. */
export class Capabilities {
  readonly allows: Matcher;
  readonly #forbids: Matcher;

  constructor(capabilities: readonly string[]) {
    this.allows = compileCapabilities(capabilities);
    const forbidden = capabilities.filter((capability) => capability.startsWith('!'));
    const others = compileCapabilities(forbidden);
    // What a capability with `!` forbids stays forbidden, whatever a rule of the pod allows.
    this.#forbids = (kind) => forbidden.length > 0 && !others(kind);
  }

  /** What they and the pod's rules come to. */
  permits(kind: string, verdict: RuleVerdict | undefined): boolean {
    if (RESERVED.test(kind) || verdict?.effect === 'deny') return false;
    return this.allows(kind) || (verdict?.effect === 'allow' && !this.#forbids(kind));
  }
}

export function anyOf(given: string | readonly string[] | undefined): Matcher {
  if (given === undefined) return () => true;
  const matchers = [given].flat().map(wildcard);
  return (text) => matchers.some((matches) => matches(text));
}

/**
 * A message may call its context something else than it is. What is denied is denied under either name; what is
 * allowed is allowed for what the context is.
 */
function compileContext(context: GatewayRule['context']): CompiledRule['holds'] {
  if (context === undefined) return () => true;
  if (context === 'main') return (place) => place === null;
  const { type, id, within } = context;
  const outer = within?.startsWith('type:') ? within.slice(5) : undefined;
  const isType = (place: ContextPlace, wanted: string, strictly: boolean) =>
    place.type === wanted || (!strictly && place.stated === wanted);
  return (place, strictly) => {
    if (place === null) return false;
    if (id !== undefined && place.id !== id) return false;
    if (type !== undefined && !isType(place, type, strictly)) return false;
    if (within === undefined) return true;
    if (outer !== undefined) {
      return isType(place, outer, strictly) || place.ancestors.some((ancestor) => ancestor.type === outer);
    }
    return place.id === within || place.ancestors.some((ancestor) => ancestor.id === within);
  };
}
