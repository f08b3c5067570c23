import type { TokenCounter } from './tokens.ts';

/** What an image or a file counts for: the least that providers charge, so that a saving is never overstated. */
const MEDIA_TOKENS = 85;

/** What a model is shown: text, a list of parts, or data that is written as JSON. */
export interface Shown {
  content: unknown;
  isData: boolean;
}

interface Sample {
  text: string;
  /** Parts that are not text. */
  media: number;
}

const MEDIA = /image|audio|file|media|document/;

/** The text of a result's content as a model reads it, up to about `limit` characters. A list has parts unless it is data. */
function sampleOf(content: unknown, limit: number, isData: boolean): Sample {
  if (typeof content === 'string') return { text: content.slice(0, limit), media: 0 };
  if (isData || !Array.isArray(content)) return { text: jsonOf(content, limit), media: 0 };
  let text = '';
  let media = 0;
  for (const part of content as unknown[]) {
    if (text.length >= limit) break;
    const { text: own, type } = (part ?? {}) as { text?: unknown; type?: unknown };
    if (typeof own === 'string') text += own.slice(0, limit - text.length);
    else if (typeof type === 'string' && MEDIA.test(type)) media++;
    else text += jsonOf(part, limit - text.length);
  }
  return { text, media };
}

/** The beginning of a value's JSON. The rest is not written: a page of records would cost more than all else here. */
function jsonOf(value: unknown, limit: number): string {
  if (value === undefined) return '';
  return limit === Number.POSITIVE_INFINITY
    ? (JSON.stringify(value) ?? '')
    : written('', value, limit).slice(0, limit);
}

function written(before: string, value: unknown, limit: number): string {
  if (typeof value === 'string') return before + JSON.stringify(value.slice(0, limit));
  if (typeof value !== 'object' || value === null) return before + String(value);
  let text = before + (Array.isArray(value) ? '[' : '{');
  let first = true;
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    // Each level adds a character, so that cycles end here too.
    if (text.length >= limit) return text;
    if (!first) text += ',';
    first = false;
    text = written(typeof key === 'number' ? text : `${text}${JSON.stringify(key)}:`, item, limit);
  }
  return text + (Array.isArray(value) ? ']' : '}');
}

export function contentTokens({ content, isData }: Shown, count: TokenCounter): number {
  const { text, media } = sampleOf(content, Number.POSITIVE_INFINITY, isData);
  return count(text) + media * MEDIA_TOKENS;
}

/**
 * Whether `text` is shorter than `content`, in characters and in tokens. Of long content the beginning is
 * counted first: when that alone has more tokens, the whole has.
 */
export function isShorter(
  text: string,
  tokens: number,
  { content, isData }: Shown,
  count: TokenCounter,
): boolean {
  for (let limit = text.length + 32; ; limit *= 4) {
    const sample = sampleOf(content, limit, isData);
    if (sample.media === 0 && sample.text.length <= text.length) return false;
    if (count(sample.text) + sample.media * MEDIA_TOKENS > tokens) return true;
    if (sample.text.length < limit) return false;
  }
}

/** What of a tool result a model is shown: its content, or its data where it has no content. */
export function shownContent(result: object): Shown {
  const { content, structuredContent } = result as { content?: unknown; structuredContent?: unknown };
  const empty = content === undefined || (Array.isArray(content) && content.length === 0);
  const isData = empty && structuredContent !== undefined;
  return isData ? { content: structuredContent, isData } : { content, isData };
}

/** A tool result as one text, for SDKs whose tool messages are strings. */
export function resultText(result: object): string {
  const { content, isData } = shownContent(result);
  return sampleOf(content, Number.POSITIVE_INFINITY, isData).text;
}
