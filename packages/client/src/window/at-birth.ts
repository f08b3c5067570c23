import { toolUseOf } from './known-tools.ts';
import { isAskedForWhole, shortenedText } from './rules/at-birth.ts';
import { shorten } from './shorteners/index.ts';
import { weighText } from './weight.ts';

/** A result before any model has seen it. */
export interface NewResult {
  /** As the model knows the tool. */
  tool: string;
  input: unknown;
  text: string;
}

/**
 * What a window's rules would leave of a result that is new to the model, for those that can put it in the result's place where
 * it arises. Undefined where it is to stay as it is. The model is taken to have `context_expand`.
 */
export function shortenAtBirth({ tool, input, text }: NewResult, handle: string): string | undefined {
  if (isAskedForWhole(tool)) return undefined;
  const short = shorten(toolUseOf(tool, input), tool, text);
  if (!short) return undefined;
  const shown = shortenedText({ name: tool, input }, short, text.length, handle, true);
  return shown.length < text.length && weighText(shown) < weighText(text) ? shown : undefined;
}
