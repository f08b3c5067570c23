const SUMMARY_CHARACTERS = 500;
const INDEXED_CHARACTERS = 16_384;

/** Where a payload says something in words, the most telling first. */
const TELLING = ['conclusion', 'decision', 'summary', 'text', 'content', 'thought', 'message', 'description'];

/** Kinds with which a context's result is told. */
const CONCLUSIONS = ['conclusion', 'reasoning/conclusion', 'reasoning/end'];

export function isConclusion(kind: string): boolean {
  return CONCLUSIONS.includes(kind);
}

/** A part of a string can keep the whole alive; a copy does not. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

export function summaryText(payload: unknown): string | null {
  return tidySummary(openingText(payload));
}

/** The beginning of what a payload says. Taken from every message in a context, so it is not tidied yet. */
export function openingText(payload: unknown): string | null {
  const text = tellingText(payload);
  const opening = text?.slice(0, 2 * SUMMARY_CHARACTERS) ?? '';
  if (opening.trim() === '') return null;
  return opening.length < text!.length ? copyOf(opening) : text;
}

/** One line, not too long. */
export function tidySummary(text: string | null): string | null {
  const line = text?.replace(/\s+/g, ' ').trim() ?? '';
  if (line === '') return null;
  return line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS - 1)}…` : line;
}

function tellingText(payload: unknown): string | null {
  if (typeof payload === 'string') return payload;
  if (typeof payload !== 'object' || payload === null) return null;
  for (const key of TELLING) {
    const value = (payload as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** All words of a payload, for counting and for search. */
export function payloadText(payload: unknown): string {
  if (typeof payload === 'string') return payload;
  const parts: string[] = [];
  let length = 0;
  const walk = (value: unknown): void => {
    if (length > INDEXED_CHARACTERS) return;
    if (typeof value === 'string') {
      parts.push(value);
      length += value.length;
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) walk(inner);
    }
  };
  walk(payload);
  return parts.join('\n');
}

/** What search looks through. */
export function searchText(payload: unknown): string {
  return payloadText(payload).slice(0, INDEXED_CHARACTERS);
}
