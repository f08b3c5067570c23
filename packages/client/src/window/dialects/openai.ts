import type { Message, Part, Path } from '../types.ts';
import { weighText } from '../weight.ts';
import { listOf, plainText, textIn, under, weigh } from './values.ts';

/** What both of OpenAI's dialects write alike. */

export const ROLES: Readonly<Record<string, Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  tool: 'user',
  assistant: 'assistant',
};

/** One text, or a list of parts. */
export function readContent(content: unknown, path: Path): Part[] {
  if (typeof content === 'string') {
    return content === '' ? [] : [{ kind: 'text', text: content, path, tokens: weighText(content) }];
  }
  return listOf(content).map((part, place): Part => {
    const text = textIn(part, 'text');
    const at = under(path, place);
    return text === undefined
      ? { kind: 'other', isFixed: false, path: at, tokens: weigh(part).tokens }
      : { kind: 'text', text, path: at, tokens: weighText(text) };
  });
}

/** A message, or an item, that is the result of a call. */
export function resultMessage(id: string, output: unknown, path: Path): Message {
  const text =
    typeof output === 'string' ? output : plainText(listOf(output), ['text', 'input_text', 'output_text']);
  const weighed = text === undefined ? weigh(output) : { tokens: weighText(text), canonical: text };
  const part: Part = {
    kind: 'result',
    id,
    text: text ?? '',
    isError: false,
    isFixed: text === undefined || output === undefined,
    bringsTools: false,
    path,
    tokens: weighed.tokens + 10,
  };
  return { role: 'user', path, parts: [part], canonical: `result ${id} ${weighed.canonical}` };
}
