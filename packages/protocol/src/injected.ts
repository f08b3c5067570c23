/**
 * What Infold itself puts before a model stands between these marks, wherever it is said. Who takes memories from a
 * conversation leaves it out: what was remembered once would be remembered again as news.
 */
const TAG = 'infold-context';
const OPEN = `<${TAG}`;
const CLOSE = `</${TAG}>`;
/** Marks within the text, which would end it too early or begin another. */
const MARKS = new RegExp(`<(?=/?${TAG})`, 'gi');
const WHOLE = new RegExp(`<${TAG}(?: [^>]*)?>[\\s\\S]*?(?:</${TAG}>\\n?|$)`, 'gi');

/** The occasion is shown to the model, and is a plain word or several. */
export function injected(occasion: string, text: string): string {
  return `${OPEN} about="${occasion}">\n${text.replaceAll(MARKS, '‹')}\n${CLOSE}`;
}

/** A text without what Infold put into it. One that was cut off before its end loses everything behind the mark. */
export function withoutInjected(text: string): string {
  return text.replaceAll(WHOLE, '');
}
