import { readFrontMatter } from './front-matter.ts';
import { globProblem, matchesAny } from './globs.ts';

/** What a file says of itself in its front matter besides what it is: for which work it is meant, and whether it still holds. */
export interface FileTraits {
  tags?: string[];
  /** Patterns of the files that it is about. */
  appliesTo?: string[];
  /** Hosts whose agents it is for; all without it. */
  hosts?: string[];
  deprecated?: true;
  /** The path of the file that took its place. */
  successor?: string;
}

const MOST_VALUES = 50;
const MOST_CHARACTERS = 256;
/** What other tools' rule files call it. */
const PATTERN_KEYS = ['applies_to', 'globs', 'applyTo', 'paths'] as const;

/** Null where it says nothing of the kind, as most files do. What is malformed counts as not said. */
export function traitsOf(text: string): FileTraits | null {
  const { values } = readFrontMatter(text);
  const tags = valuesIn(values.tags);
  const key = PATTERN_KEYS.find((name) => values[name] !== undefined);
  const appliesTo = key === undefined ? [] : valuesIn(values[key]).filter((one) => !globProblem(one));
  const hosts = valuesIn(values.hosts).map((host) => host.toLowerCase());
  const successor = typeof values.successor === 'string' ? values.successor.trim() : '';
  const traits: FileTraits = {
    ...(tags.length > 0 && { tags }),
    ...(appliesTo.length > 0 && { appliesTo }),
    ...(hosts.length > 0 && { hosts }),
    ...(isTrue(values.deprecated) && { deprecated: true as const }),
    ...(isTrue(values.deprecated) && successor !== '' && { successor }),
  };
  return Object.keys(traits).length === 0 ? null : traits;
}

/** A list, or a text with commas between its parts; a comma within braces belongs to its pattern. */
export function valuesIn(value: unknown): string[] {
  const parts = typeof value === 'string' ? value.split(/,(?![^{]*\})/) : Array.isArray(value) ? value : [];
  const texts = parts.filter((part): part is string => typeof part === 'string').map((part) => part.trim());
  return [...new Set(texts.filter((part) => part !== '' && part.length <= MOST_CHARACTERS))].slice(
    0,
    MOST_VALUES,
  );
}

export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes)$/i.test(value.trim()));
}

/** Whether it is about one of these files. */
export function appliesToAny({ appliesTo = [] }: FileTraits, paths: readonly string[]): boolean {
  return appliesTo.length > 0 && paths.some((path) => matchesAny(appliesTo, path));
}

/** Whether it is for agents of this host; of a host that nobody knows it may be. */
export function isForHost({ hosts }: FileTraits, host: string | undefined): boolean {
  return hosts === undefined || host === undefined || hosts.includes(host);
}
