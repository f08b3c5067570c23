/** A stretch of a text, and whether it is a word that was sought. */
export interface Stretch {
  text: string;
  isSought: boolean;
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Endings that differ between a word and what was typed of it. */
const ENDING = 3;
const SHORTEST = 3;

/** A text with the words of a search marked: those that begin alike, since words are found in all their forms. */
export function marked(text: string, sought: string): Stretch[] {
  const words = (sought.toLowerCase().match(WORD) ?? []).filter((word) => word.length >= SHORTEST);
  const stems = words.map((word) => word.slice(0, Math.max(4, word.length - ENDING)));
  const stretches: Stretch[] = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const lower = word.toLowerCase();
    if (!stems.some((stem) => lower.startsWith(stem))) continue;
    if (index > at) stretches.push({ text: text.slice(at, index), isSought: false });
    stretches.push({ text: word, isSought: true });
    at = index + word.length;
  }
  if (at < text.length) stretches.push({ text: text.slice(at), isSought: false });
  return stretches;
}

/** As much of a text as fits into a result, around the first word that was sought. */
export function around(text: string, sought: string, most: number): string {
  if (text.length <= most) return text;
  let at = 0;
  for (const { text: part, isSought } of marked(text, sought)) {
    if (isSought) break;
    at += part.length;
  }
  const from = at >= text.length || at < most / 2 ? 0 : text.indexOf(' ', at - Math.floor(most / 3)) + 1;
  const shown = text.slice(from, from + most);
  return `${from > 0 ? '… ' : ''}${shown}${from + most < text.length ? ' …' : ''}`;
}
