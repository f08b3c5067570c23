/** The words of what somebody looks for, in lower case. */
export function wordsOf(sought: string): string[] {
  return sought.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether every word is in the text, in whatever order; words of the text may be written together, as in `requestBytes`. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const whole = text.toLowerCase();
  return words.every((word) => whole.includes(word));
}

/** How well a text fits, 0 (not at all) to 1: words that begin with what was sought come before those that have it inside. */
export function rank(text: string, sought: string): number {
  const words = wordsOf(sought);
  if (!hasWords(text, words)) return 0;
  if (words.length === 0) return 1;
  const parts = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const begun = words.filter((word) => parts.some((part) => part.startsWith(word))).length;
  const isFirst = parts[0]?.startsWith(words[0]!) ? 0.2 : 0;
  return 0.3 + (0.5 * begun) / words.length + isFirst;
}

/** What has the words in its name comes before what has some of them in what is said about it. */
export function rankNamed(name: string, sought: string, about: readonly string[] = []): number {
  return rank(name, sought) || 0.3 * rank([name, ...about].join(' '), sought);
}
