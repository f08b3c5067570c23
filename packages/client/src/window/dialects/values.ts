import type { Path } from '../types.ts';
import { weighText } from '../weight.ts';

/** A request's body is data from outside: nothing about it is known before it was looked at. */
export type Data = Readonly<Record<string, unknown>>;

export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textIn(value: unknown, key: string): string | undefined {
  const found = isData(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** Something that a dialect does not know is no reason to guess: the request passes as it is. */
export class UnknownShape extends Error {}

export function need(value: string | undefined, what: string): string {
  if (value === undefined) throw new UnknownShape(`${what} is missing`);
  return value;
}

/** What a picture or a file counts for, whatever its bytes are. */
const MEDIA_TOKENS = 1500;
const MEDIA_TYPE = /^(input_)?(image|audio|video|document|file)(_url)?$/;
const MEDIA_KEYS = ['image_url', 'input_audio', 'inlineData', 'inline_data', 'fileData', 'file_data'];

/** Data of which only the weight and the sameness matter. */
export function weigh(value: unknown): { tokens: number; canonical: string } {
  const canonical = JSON.stringify(value, withoutMarks) ?? '';
  const isMedia =
    isData(value) &&
    (MEDIA_TYPE.test(String(value.type ?? '')) || MEDIA_KEYS.some((key) => Object.hasOwn(value, key)));
  return { tokens: isMedia ? MEDIA_TOKENS : weighText(canonical), canonical };
}

/** Marks for a cache move from request to request, and mean nothing to the model. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

/** The text of a list of parts that are text, or undefined where there is anything else. */
export function plainText(parts: readonly unknown[], types: readonly string[]): string | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    const text = textIn(part, 'text');
    if (text === undefined || !types.includes(textIn(part, 'type') ?? '')) return undefined;
    texts.push(text);
  }
  return texts.join('\n');
}

export function parsed(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

export const under = (path: Path, ...keys: Path): Path => [...path, ...keys];

/** Claude Code begins with a line that differs from request to request, and that the provider takes out. */
const BILLING = /^x-anthropic-billing-header/;

export function withoutBilling(system: unknown): unknown {
  if (typeof system === 'string') return [{ type: 'text', text: system }];
  return Array.isArray(system)
    ? system.filter((block) => !BILLING.test(textIn(block, 'text') ?? ''))
    : system;
}
