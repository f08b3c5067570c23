/** A host's conversation as the window's rules read it: OpenAI's chat dialect, which every host's own messages can be written in. */
export type ChatMessage =
  | { role: 'user' | 'system'; content: string | readonly ChatPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: readonly ChatCall[] }
  | { role: 'tool'; tool_call_id: string; content: string | readonly ChatPart[] };

/** Text, or something that only its kind and size are told of: it stays as it is. */
export type ChatPart = { type: 'text'; text: string } | { type: 'file'; mime: string };

export interface ChatCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export function chatCall(id: string, name: string, input: unknown): ChatCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } };
}
