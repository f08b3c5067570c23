import type { DroppedItem } from '@infold/protocol';

/**
 * FOLD-18: what a branch knew and its summary does not say. Deliberately narrow: things that are useless when
 * paraphrased (a path, an address, an error code, an id) and work that is still open. Names of functions and
 * ordinary words are not here, because a list that is always long is never read.
 */
const MOST = 24;
/** A fold must not take longer because a branch read a library: beyond this nothing is looked at. */
export const MOST_TEXT = 2_000_000;

const URL = /\bhttps?:\/\/[^\s"'<>()[\]{}`\\]{3,300}/g;
const PATH =
  /(?<![\w:/.-])(?:[A-Za-z]:\\(?:[\w.@-]{1,80}\\){0,20}[\w.@-]{1,80}|(?:~|\.{1,2})?(?:\/[\w.@+-]{1,80}){2,20}|(?:[\w.@+-]{1,80}\/){1,20}[\w@+-]{1,80}\.[A-Za-z]\w{0,9})(?![\w/])/g;
const FILE =
  /(?<![\w/\\.-])[\w-]{1,60}\.(?:ts|tsx|js|jsx|mjs|cjs|py|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|sql|sh|json|jsonl|ya?ml|toml|ini|env|md|txt|csv|log|html|css|lock|conf|cfg|xml|proto|tf)(?![\w/])/g;
const IDENTIFIER = new RegExp(
  [
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', // UUID
    '[A-Z][A-Z0-9]{1,9}-\\d{1,7}', // PROJ-123, CVE-2024, RFC-9562
    'E[A-Z]{4,20}', // ECONNREFUSED
    '[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8}', // ERR_BAD_THING
    '[A-Z]{1,4}\\d{3,6}', // TS2345, E1001
    '[a-z]{2,12}_(?=[A-Za-z0-9]{0,60}\\d)[A-Za-z0-9]{3,60}', // br_abc123
    '(?=[0-9a-f]{0,39}\\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}', // a commit
  ]
    .map((pattern) => `(?:${pattern})`)
    .join('|')
    .replace(/^/, '(?<![\\w-])(?:')
    .replace(/$/, ')(?![\\w-])'),
  'g',
);
/** Ids of ours come with every answer; an agent has no need to note them. */
const OWN_ID = /^(?:proj|sess|br|op|tok|msg|epoch|ctx)_/;
const OPEN_TASK =
  /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[ \][ \t]+(.{3,200}?)[ \t]*$|\b(?:TODO|FIXME)\b[:\s]\s*(.{3,160}?)(?:[.;]?\s*$)/gm;
const DONE_TASK = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[xX]\][ \t]+(.{3,200}?)[ \t]*$/gm;

interface Mention extends DroppedItem {
  weight: number;
  first: number;
}

/** `said` are the agent's own words, which weigh more than what tools printed. */
export function findDropped(
  said: readonly string[],
  seen: readonly string[],
  summary: string,
): { items: DroppedItem[]; more: number } {
  const mentions = new Map<string, Mention>();
  const done = new Set<string>();
  let budget = MOST_TEXT;
  for (const [texts, weight] of [
    [said, 5],
    [seen, 1],
  ] as const) {
    for (const text of texts) {
      if (budget <= 0) break;
      const part = text.length > budget ? text.slice(0, budget) : text;
      budget -= part.length;
      collect(part, weight, mentions, done);
    }
  }
  const words = new Set(wordsOf(summary));
  const missing = [...mentions.values()]
    .filter(({ kind, text }) =>
      kind === 'task' ? !done.has(text) && !tells(words, text) : !summary.includes(text),
    )
    .sort((one, other) => rank(other) - rank(one) || one.first - other.first);
  return {
    items: missing.slice(0, MOST).map(({ kind, text }) => ({ kind, text })),
    more: Math.max(0, missing.length - MOST),
  };
}

/** Open work first: losing it costs most. Then what was mentioned often, or by the agent itself. */
function rank({ kind, weight }: Mention): number {
  return (kind === 'task' ? 1000 : 0) + Math.min(weight, 100);
}

function collect(text: string, weight: number, mentions: Map<string, Mention>, done: Set<string>): void {
  const add = (kind: DroppedItem['kind'], value: string) => {
    const key = `${kind} ${value}`;
    const known = mentions.get(key);
    if (known) known.weight += weight;
    else mentions.set(key, { kind, text: value, weight, first: mentions.size });
  };
  eachMatch(DONE_TASK, text, (match) => done.add(match[1]!.trim()));
  eachMatch(OPEN_TASK, text, (match) => add('task', (match[1] ?? match[2])!.trim()));
  // An address holds what looks like paths, and a path what looks like ids: take each text away once it is named.
  let rest = text.replace(URL, (url) => {
    add('url', url.replace(/[.,;:!?]+$/, ''));
    return ' ';
  });
  for (const pattern of [PATH, FILE]) {
    rest = rest.replace(pattern, (path) => {
      add('path', path.replace(/\.$/, ''));
      return ' ';
    });
  }
  eachMatch(IDENTIFIER, rest, ([id]) => {
    if (!OWN_ID.test(id)) add('identifier', id);
  });
}

/** As `matchAll`, which makes a new expression for every text; a branch has hundreds of short ones. */
function eachMatch(pattern: RegExp, text: string, visit: (match: RegExpExecArray) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) visit(match);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

/** A summary tells of a task when it uses most of its words. */
function tells(words: Set<string>, task: string): boolean {
  const own = wordsOf(task);
  if (own.length === 0) return true;
  return own.filter((word) => words.has(word)).length / own.length >= 0.6;
}
