import type { ToolUse } from '../known-tools.ts';
import { shortenDiff } from './diff.ts';
import { opened } from './envelope.ts';
import { shortenJson } from './json.ts';
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
  for (const [kind, shortener] of shortenersOf(use)) {
    const short = shortener(body);
    if (short === undefined) continue;
    const whole = close(short);
    return whole.length <= text.length * SHARE ? { kind, text: whole, kept: keptLength(whole) } : undefined;
  }
  return undefined;
}

type Shortener = (body: string) => string | undefined;

/** In the order in which they are asked; the first that knows the text's form has it. */
function shortenersOf(_use: ToolUse | undefined): [kind: string, shortener: Shortener][] {
  return [
    ['JSON', shortenJson],
    ['diff', (body) => shortenDiff(linesOf(body))],
  ];
}
