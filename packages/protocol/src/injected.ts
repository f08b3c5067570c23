/**
 * Everything that Infold adds to a model's prompt is wrapped in this tag. Code that extracts memories from a conversation
 * strips it, so that Infold does not remember its own text again.
 */
const TAG = 'infold-context';
const OPEN = `<${TAG}`;
const CLOSE = `</${TAG}>`;
/** Tags inside the text, which would close the wrapper early or open another. */
const MARKS = new RegExp(`<(?=/?${TAG})`, 'gi');
const WHOLE = new RegExp(`<${TAG}(?: [^>]*)?>[\\s\\S]*?(?:</${TAG}>\\n?|$)`, 'gi');

/** The model sees the occasion: one plain word, or a few. */
export function injected(occasion: string, text: string): string {
  return `${OPEN} about="${occasion}">\n${text.replaceAll(MARKS, '‹')}\n${CLOSE}`;
}

/** Removes what Infold added. Where the closing tag was cut off, everything after the opening tag goes. */
export function withoutInjected(text: string): string {
  return text.replaceAll(WHOLE, '');
}
