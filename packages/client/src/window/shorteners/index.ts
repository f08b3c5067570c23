import type { ToolUse } from '../known-tools.ts';
import { shortenBuild } from './builds.ts';
import { printsOf } from './commands.ts';
import { shortenDiff } from './diff.ts';
import { opened } from './envelope.ts';
import { shortenJson } from './json.ts';
import { shortenListing } from './listings.ts';
import { shortenLog } from './logs.ts';
import { shortenSearch } from './searches.ts';
import { shortenTests } from './tests.ts';
import { hasGaps, keptLength, linesOf } from './text.ts';

export interface Shortened {
  /** What it was taken for. */
  kind: string;
  text: string;
  /** Characters of the original that are still there. */
  kept: number;
}

/** Below this many characters there is nothing to gain. */
const SMALL = 2_000;
/** What stays longer than this share of the original stays whole. */
const SHARE = 0.6;

/**
 * A tool's result with what matters of it, or undefined when it is to stay as it is: it is small, it is a file's content,
 * nobody here knows what it is, or little would be gained. Both the call and the text's own form have to say what it is.
 */
export function shorten(use: ToolUse | undefined, name: string, text: string): Shortened | undefined {
  if (text.length < SMALL || hasGaps(text) || /context[._]expand$/.test(name)) return undefined;
  if (use && use.kind !== 'command' && use.kind !== 'search' && use.kind !== 'list') return undefined;
  const { body, close } = opened(text);
  const lines = linesOf(body);
  for (const [kind, shortener] of shortenersOf(use)) {
    const short = shortener(lines, body);
    if (short === undefined) continue;
    const whole = close(short);
    return whole.length <= text.length * SHARE ? { kind, text: whole, kept: keptLength(whole) } : undefined;
  }
  return undefined;
}

type Shortener = (lines: string[], body: string) => string | undefined;
type Named = [kind: string, shortener: Shortener];

const ANY: Named[] = [
  ['JSON', (_lines, body) => shortenJson(body)],
  ['diff', shortenDiff],
];
const LISTING: Named = ['listing', (lines) => shortenListing(lines, false)];
const PATHS: Named = ['listing', (lines) => shortenListing(lines, true)];
const SEARCH: Named = ['search', shortenSearch];

/** In the order in which they are asked; the first that knows the text's form has it. */
function shortenersOf(use: ToolUse | undefined): Named[] {
  if (use?.kind === 'list') return [...ANY, LISTING];
  // A search may give matches, or only the names of files.
  if (use?.kind === 'search') return [...ANY, SEARCH, PATHS];
  if (use?.kind !== 'command') return ANY;
  const prints = printsOf(use.command);
  const known: Named[] = [...ANY];
  if (prints.search) known.push(SEARCH, PATHS);
  if (prints.listing) known.push(LISTING);
  if (prints.tests) known.push(['test run', shortenTests]);
  if (prints.build)
    known.push(['build', (lines) => shortenBuild(lines, prints.build === 'surely' ? 0.2 : 0.5)]);
  if (prints.log) known.push(['log', shortenLog]);
  return known;
}
