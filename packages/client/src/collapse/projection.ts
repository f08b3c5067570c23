import type { MessageFormat } from '../formats/format.ts';
import { isShorter } from './content.ts';
import type { TrackedResult } from './ledger.ts';
import type { TokenCounter } from './tokens.ts';
import type { Warn } from './warnings.ts';

type Results = ReadonlyMap<string, TrackedResult>;

/** Whether a summary is shorter than what a message holds, remembered for as long as that stays the same. */
interface Verdict {
  content: unknown;
  size: number;
  text: string;
  shorter: boolean;
}

/** Replaces what collapsed. What it remembers only makes it faster; its answer follows from its arguments. */
export function createProjection(count: TokenCounter) {
  const verdicts = new WeakMap<object, Verdict>();

  /** The message may hold less than what was observed, if the application has cut or edited it since. */
  function fits(part: object, content: unknown, isData: boolean, text: string, textTokens: number): boolean {
    const size = isData ? 0 : sizeOf(content);
    const known = verdicts.get(part);
    if (known && known.content === content && known.size === size && known.text === text)
      return known.shorter;
    const shorter = isShorter(text, textTokens, { content, isData }, count);
    verdicts.set(part, { content, size, text, shorter });
    return shorter;
  }

  return function project<Message>(
    messages: readonly Message[],
    format: MessageFormat<Message>,
    results: Results,
    warn: Warn,
  ): Message[] {
    const shrink = (callId: unknown, content: unknown, part: object, isData = false) => {
      const result = results.get(callId as string);
      if (result?.phase !== 'collapsed') return undefined;
      const { text = '', textTokens = 0 } = result;
      return fits(part, content, isData, text, textTokens) ? text : undefined;
    };
    const projected = messages.slice();
    for (let place = 0; place < projected.length; place++) {
      const message = projected[place]!;
      if (typeof message !== 'object' || message === null) {
        warn('unknown_message', 'a message is not an object; it is sent unchanged');
        continue;
      }
      try {
        projected[place] = format.project(message, shrink);
      } catch (error) {
        warn('unknown_message', `a message could not be read and is sent unchanged: ${String(error)}`);
      }
    }
    return projected;
  };
}

/** Tells most edits in place without reading the text again. */
function sizeOf(content: unknown): number {
  if (!Array.isArray(content)) return 0;
  let size = content.length;
  for (const part of content as unknown[]) {
    const text = (part as { text?: unknown } | null | undefined)?.text;
    if (typeof text === 'string') size += text.length;
  }
  return size;
}
