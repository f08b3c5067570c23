/**
 * Patterns of paths: `*` and `?` within a segment, `**` for any number of them, `{a,b}` for one of several. A pattern without a
 * slash is about names in any folder, one that ends with a slash about everything below that folder.
 */

/** Beyond these a pattern is no pattern: matching costs at most its length times that of the path, for each alternative. */
const MOST_CHARACTERS = 256;
const MOST_ALTERNATIVES = 64;
const MOST_PATH = 4096;

export interface Glob {
  matches(path: string): boolean;
}

/** What is wrong with a pattern, in a few words; undefined where nothing is. */
export function globProblem(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'is empty';
  if (pattern.length > MOST_CHARACTERS) return `is longer than ${MOST_CHARACTERS} characters`;
  if (pattern.startsWith('!')) return 'begins with "!": a pattern says what is meant, not what is left out';
  if (pattern.split('/').includes('..')) return 'leads out of its folder';
  const alternatives = expand(normal(pattern));
  if (alternatives === undefined) return 'has braces that do not match, or too many alternatives';
  return undefined;
}

/** Undefined for what is no pattern. Equal patterns are read once. */
export function globOf(pattern: string): Glob | undefined {
  const known = read.get(pattern);
  if (known !== undefined) return known ?? undefined;
  const glob = globProblem(pattern) === undefined ? new Pattern(pattern) : null;
  if (read.size >= MOST_READ) read.clear();
  read.set(pattern, glob);
  return glob ?? undefined;
}

/** Whether one of the patterns is about the path. */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => globOf(pattern)?.matches(path) === true);
}

const read = new Map<string, Glob | null>();
const MOST_READ = 2000;

class Pattern implements Glob {
  readonly #alternatives: readonly (readonly string[])[];

  constructor(pattern: string) {
    this.#alternatives = expand(normal(pattern))!.map((one) => one.split('/'));
  }

  matches(path: string): boolean {
    if (path.length > MOST_PATH) return false;
    const segments = path.replaceAll('\\', '/').replace(/^\.\//, '').split('/');
    return this.#alternatives.some((pattern) => matchesSegments(pattern, segments));
  }
}

function normal(pattern: string): string {
  const path = pattern
    .trim()
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '');
  const whole = path.endsWith('/') ? `${path}**` : path;
  return whole.includes('/') ? whole : `**/${whole}`;
}

/** The patterns that one with braces stands for. */
function expand(pattern: string): string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const next = open.pop()!;
    const end = next.indexOf('}');
    const start = end < 0 ? next.indexOf('{') : next.lastIndexOf('{', end);
    if (end < 0 && start < 0) done.push(next);
    else if (end < 0 || start < 0) return undefined;
    else {
      const parts = next.slice(start + 1, end).split(',');
      for (const part of parts) open.push(next.slice(0, start) + part + next.slice(end + 1));
    }
    if (done.length + open.length > MOST_ALTERNATIVES) return undefined;
  }
  return done;
}

/** Which beginnings of the path the pattern has used up so far, one segment of it after another. */
function matchesSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const [index, part] of pattern.entries()) {
    const next = new Set<number>();
    if (part === '**') {
      // At the end it stands for what is below, so that a folder is not below itself.
      const first = Math.min(...reached) + (index === pattern.length - 1 ? 1 : 0);
      for (let at = first; at <= segments.length; at++) next.add(at);
    } else {
      for (const at of reached)
        if (at < segments.length && matchesName(part, segments[at]!)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(segments.length);
}

/** `*` and `?` in a name. Only the last `*` is ever tried again, which is enough. */
function matchesName(pattern: string, name: string): boolean {
  let [at, from] = [0, 0];
  let [star, resume] = [-1, 0];
  while (from < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      resume = from;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
