import type { CachePrices } from '../collapse/policy.ts';
import { canCarry, type Layout, weighLayout } from './layout.ts';
import type { Reading } from './read.ts';

/** What the provider's cache holds of a request, as far as can be told. */
export interface CacheState {
  prices: CachePrices;
  /** Messages before this place were sent before, in the layout of that time. */
  sent: number;
  /** Where requests ended that it surely still holds, the longest first: one that wants marks holds nothing in between. */
  ends: readonly number[];
  /** Nothing of it is there any more, or nothing ever was. */
  isCold: boolean;
}

export interface Cost {
  /** In input tokens. */
  cost: number;
  /** What is sent, and what of it the provider has to write to its cache. */
  tokens: number;
  written: number;
  /** A message that needs a mark, or the provider would not find what it holds up to there. */
  mark?: number;
}

/** A provider looks this many blocks back from a mark for something that it holds. */
const LOOK_BACK = 18;
const MOST_MARKS = 4;

/**
 * What a request costs in a layout, when the one before it was sent in another. Everything from the first difference on is
 * written to the cache again.
 */
export function costOf(
  reading: Reading,
  layout: Layout,
  before: Layout,
  { prices, sent, ends, isCold }: CacheState,
): Cost {
  const { conversation } = reading;
  const weights = weighLayout(reading, layout);
  const base = conversation.system.tokens + conversation.tools.tokens;
  const tokens = weights.reduce((sum, one) => sum + one, base);
  if (isCold) return { cost: prices.write * tokens, tokens, written: tokens };
  const same = Math.min(sent, firstDifference(reading, layout, before));
  const { held, mark } = same === sent ? { held: sent } : heldUpTo(reading, layout, same, ends);
  const read = weights.slice(0, held).reduce((sum, one) => sum + one, base);
  return {
    cost: prices.read * read + prices.write * (tokens - read),
    tokens,
    written: tokens - read,
    ...(mark !== undefined && { mark }),
  };
}

/** Up to where the provider finds what it holds, when only the messages before `same` are as they were. */
function heldUpTo(
  reading: Reading,
  layout: Layout,
  same: number,
  ends: readonly number[],
): { held: number; mark?: number } {
  const { conversation } = reading;
  const { cache, messages } = conversation;
  if (!cache) return { held: same };
  const held = ends.find((end) => end <= same) ?? 0;
  if (held === 0) return { held };
  let blocks = 0;
  for (let place = held; place < messages.length; place++) {
    if (!layout.dropped.has(place)) blocks += messages[place]!.parts.length;
  }
  if (blocks <= LOOK_BACK) return { held };
  const last = messages[held - 1]!;
  const isPossible =
    cache.count < MOST_MARKS && !layout.dropped.has(held - 1) && canCarry(reading, last.parts.at(-1)!);
  return isPossible ? { held, mark: held - 1 } : { held: 0 };
}

/** The first message that is not sent as before. */
function firstDifference({ conversation }: Reading, one: Layout, other: Layout): number {
  const { messages } = conversation;
  for (const [place, { parts }] of messages.entries()) {
    if (one.dropped.has(place) !== other.dropped.has(place)) return place;
    if (one.moved.get(place)?.length !== other.moved.get(place)?.length) return place;
    for (const part of parts) {
      if (part.kind === 'result' && one.texts.get(part.id)?.text !== other.texts.get(part.id)?.text)
        return place;
    }
  }
  return messages.length;
}
