import {
  anyOf,
  type CompiledRule,
  type ContextPlace,
  type ContextTemplate,
  compileCapabilities,
  compileRule,
  type RuleVerdict,
  verdictOf,
} from '@infold/protocol';
import { z } from 'zod';

const name = z.string().min(1).max(256);
const pattern = name.refine((text) => !text.startsWith('!'), 'say "effect": "deny" instead of "!"');
const patterns = z.union([pattern, z.array(pattern).min(1)], {
  error: (issue) =>
    issue.input === undefined ? 'is missing: name one, or a list of them' : 'is a text, or a list of texts',
});

/** An error that says what would be right: keys are few. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown key ${issue.keys.map((key) => `"${key}"`).join(', ')}; known are ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

const templateSchema = strict({
  description: z.string().max(500).optional(),
  /** What contexts of this type have where their first message does not say otherwise. */
  metadata: z.record(z.string(), z.unknown()).optional(),
  idleMs: z.number().int().min(50).optional(),
  /** How deep a context of this type may stand; 1 is the top. */
  depth: z.number().int().positive().optional(),
  /** What may be said in it, with wildcards; `!` forbids. */
  kinds: z.array(name).min(1).optional(),
  /** Whether the summary of each becomes memory. */
  remember: z.boolean().optional(),
});
export const templatesSchema = z.record(name, templateSchema);
type TemplateSettings = z.infer<typeof templateSchema>;

export interface Template extends Omit<TemplateSettings, 'kinds'> {
  kinds: readonly string[] | undefined;
  allows(kind: string): boolean;
}

const ruleSchema = strict({
  effect: z.enum(['allow', 'deny']),
  kind: patterns,
  /** Absent: anywhere. `within` is a context's id, or `type:` and a type: it and everything nested in it. */
  context: z
    .union(
      [
        z.literal('main'),
        strict({ type: name.optional(), id: name.optional(), within: name.optional() }).refine(
          (context) => Object.keys(context).length > 0,
          'name a type, an id or within',
        ),
      ],
      { error: 'is "main", or an object with type, id or within' },
    )
    .optional(),
  from: patterns.optional(),
  pod: patterns.optional(),
});
export const rulesSchema = z.array(ruleSchema);
type Rule = z.infer<typeof ruleSchema>;

/** Contexts that the program itself makes. */
export const BRANCH_TYPE = 'branch';

interface ConfiguredRule extends CompiledRule {
  rule: Rule;
}

const KINDS_REMEMBERED = 256;

/** Templates and rules of one pod. Rules are asked once for a message, whatever the number of its receivers. */
export class PodPolicy {
  readonly #templates: ReadonlyMap<string, Template>;
  readonly #rules: readonly ConfiguredRule[];
  readonly #byKind = new Map<string, readonly CompiledRule[]>();

  constructor(templates: ReadonlyMap<string, Template>, rules: readonly ConfiguredRule[]) {
    this.#templates = templates;
    this.#rules = rules;
  }

  /** As they are told to who joins. */
  get templates(): Record<string, ContextTemplate> {
    return Object.fromEntries(
      [...this.#templates].map(([type, { allows: _allows, ...template }]) => [type, template]),
    );
  }

  /** As the configuration says them, with where they stand in it. */
  get rules(): (Rule & { name: string })[] {
    return this.#rules.map(({ name, rule }) => ({ name, ...rule }));
  }

  template(type: string | null): Template | undefined {
    return type === null ? undefined : this.#templates.get(type);
  }

  /** SUB-11: deny wins; undefined when no rule speaks of it. `place` is null in the main context. */
  verdict(kind: string, from: string, place: () => ContextPlace | null): RuleVerdict | undefined {
    const rules = this.#rulesFor(kind);
    return rules.length === 0 ? undefined : verdictOf(rules, from, place());
  }

  #rulesFor(kind: string): readonly CompiledRule[] {
    const known = this.#byKind.get(kind);
    if (known) return known;
    const rules = this.#rules.filter((rule) => rule.kind(kind));
    if (this.#byKind.size < KINDS_REMEMBERED) this.#byKind.set(kind, rules);
    return rules;
  }
}

/** What the configuration says of contexts, compiled once. */
export class Policy {
  readonly #templates: ReadonlyMap<string, Template>;
  readonly #rules: readonly ConfiguredRule[];
  /** What whoever wrote the rules should know. */
  readonly notices: readonly string[];

  constructor(templates: Record<string, TemplateSettings> = {}, rules: readonly Rule[] = []) {
    this.#templates = new Map(
      Object.entries(templates).map(([type, template]) => [type, compileTemplate(template)]),
    );
    this.#rules = rules.map((rule, index) => ({ ...compileRule(rule, nameOf(index)), rule }));
    this.notices = [...contradictions(rules), ...this.#untaken(rules)];
  }

  /** What rules allow and the template of the type does not take. */
  #untaken(rules: readonly Rule[]): string[] {
    return rules.flatMap(({ effect, kind, context }, index) => {
      const type = typeof context === 'object' ? context.type : undefined;
      const template = type === undefined ? undefined : this.#templates.get(type);
      // Of a pattern some may be taken.
      const taken = [kind].flat().some((one) => one.includes('*') || (template?.allows(one) ?? true));
      return effect === 'deny' || taken
        ? []
        : [`${nameOf(index)} allows what gateway.templates.${type} does not take; the template wins`];
    });
  }

  get described(): string {
    return `${this.#templates.size} templates, ${this.#rules.length} rules`;
  }

  forPod(pod: string): PodPolicy {
    return new PodPolicy(
      this.#templates,
      this.#rules.filter((rule) => rule.pod(pod)),
    );
  }

  /** The shortest time after which a context may conclude. */
  leastIdle(usual: number): number {
    return Math.min(usual, ...[...this.#templates.values()].map(({ idleMs }) => idleMs ?? usual));
  }
}

/** Types that rules name and no template has: a rule with a mistyped name would protect nothing. */
export function missingTypes(
  templates: Record<string, TemplateSettings>,
  rules: readonly Rule[],
): { rule: number; key: 'type' | 'within'; type: string }[] {
  return rules.flatMap(({ context }, rule) => {
    if (typeof context !== 'object') return [];
    const within = context.within?.startsWith('type:') ? context.within.slice(5) : undefined;
    const named = [
      ['type', context.type],
      ['within', within],
    ] as const;
    return named.flatMap(([key, type]) =>
      type === undefined || type === BRANCH_TYPE || Object.hasOwn(templates, type)
        ? []
        : [{ rule, key, type }],
    );
  });
}

function compileTemplate(template: TemplateSettings): Template {
  const { kinds } = template;
  return { ...template, kinds, allows: kinds ? compileCapabilities(kinds) : () => true };
}

function nameOf(index: number): string {
  return `gateway.rules.${index}`;
}

/** What one rule allows and another denies as a whole: the first does nothing, which its author may not expect. */
function contradictions(rules: readonly Rule[]): string[] {
  return rules.flatMap((allow, index) => {
    if (allow.effect !== 'allow') return [];
    const stronger = rules.findIndex((deny) => deny.effect === 'deny' && covers(deny, allow));
    return stronger === -1 ? [] : [`${nameOf(index)} allows what ${nameOf(stronger)} denies; deny wins`];
  });
}

function covers(deny: Rule, allow: Rule): boolean {
  return (
    coversText(deny.kind, allow.kind) &&
    coversText(deny.from, allow.from) &&
    coversText(deny.pod, allow.pod) &&
    coversContext(deny.context, allow.context)
  );
}

/** A `*` in the narrower pattern is matched as a character, which only a `*` in the wider one does. */
function coversText(wide: string | string[] | undefined, narrow: string | string[] | undefined): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return [wide].flat().includes('*');
  const matches = anyOf(wide);
  return [narrow].flat().every(matches);
}

function coversContext(wide: Rule['context'], narrow: Rule['context']): boolean {
  if (wide === undefined) return true;
  if (typeof wide === 'string' || typeof narrow !== 'object') return wide === narrow;
  const inWithin =
    wide.within === undefined ||
    wide.within === narrow.within ||
    (narrow.id !== undefined && narrow.id === wide.within) ||
    (narrow.type !== undefined && `type:${narrow.type}` === wide.within);
  return (
    inWithin &&
    (wide.type === undefined || wide.type === narrow.type) &&
    (wide.id === undefined || wide.id === narrow.id)
  );
}
