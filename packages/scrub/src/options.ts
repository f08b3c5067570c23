import type { Detector, Pass } from './detect/detectors.ts';
import { type Finding, Rank } from './detect/types.ts';
import { compilePattern, type Pattern } from './patterns.ts';

export interface UserRule {
  kind: string;
  pattern: string;
  flags?: string;
  keywords?: string[];
  group?: number;
}

export interface ScrubOptions {
  /** Rules of one's own beside the built-in ones. */
  rules?: UserRule[];
  /** Sources of regular expressions; a finding whose text one of them matches is left alone. */
  allow?: string[];
}

export interface CompiledOptions {
  /** Keywords that switch a rule on, with what they switch. */
  triggers: [string, Detector][];
  /** Runs the rules that were switched on, and those that need no keyword. */
  run(pass: Pass): void;
  isAllowed(text: string, finding: Finding): boolean;
}

const KIND = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Checks and compiles what the configuration says. Throws with the reason and the rule's position. */
export function compileOptions(options: ScrubOptions): CompiledOptions {
  const rules = (options.rules ?? []).map(compileRule);
  const allowed = (options.allow ?? []).map((source, index) => compile(source, '', `scrub.allow[${index}]`));
  return {
    triggers: rules.flatMap(({ keywords }, index) =>
      keywords.map((keyword): [string, Detector] => [keyword, (pass) => pass.switchedOn.add(index)]),
    ),
    run(pass) {
      rules.forEach((rule, index) => {
        if (rule.keywords.length === 0 || pass.switchedOn.has(index)) rule.run(pass);
      });
    },
    isAllowed(text, finding) {
      if (allowed.length === 0) return false;
      const value = text.slice(finding.start, finding.end);
      return allowed.some((expression) => expression.test(value));
    },
  };
}

function compile(source: string, flags: string, where: string): Pattern {
  try {
    return compilePattern(source, flags);
  } catch (error) {
    throw new Error(
      `${where}: the pattern is not usable: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function compileRule(rule: UserRule, index: number): { keywords: string[]; run(pass: Pass): void } {
  const where = `scrub.rules[${index}]`;
  if (typeof rule.kind !== 'string' || rule.kind.length > 64 || !KIND.test(rule.kind)) {
    throw new Error(`${where}: kind must be lower-case words joined by hyphens, such as "acme-api-key".`);
  }
  const flags = rule.flags ?? '';
  if (!/^[imsu]*$/.test(flags)) throw new Error(`${where}: flags may be i, m, s and u only.`);
  const expression = compile(rule.pattern, flags, where);
  if (expression.test(''))
    throw new Error(`${where}: the pattern matches the empty text and would redact everything.`);
  const keywords = (rule.keywords ?? []).map((keyword) => {
    if (!/^[\x20-\x7e]{2,64}$/.test(keyword))
      throw new Error(`${where}: a keyword is 2 to 64 ASCII characters.`);
    return keyword;
  });
  const group = rule.group ?? 0;
  return {
    keywords,
    run(pass) {
      for (const [start, end] of expression.spans(pass.text, group)) {
        if (end > start) pass.findings.push({ start, end, kind: rule.kind, rank: Rank.format });
      }
    },
  };
}
