import type { ChatMessage, ChatPart } from '@infold/client/host';
import type { HostMessage, Part, ToolPart } from './host.ts';

/** OpenCode's own messages of a conversation: what `chatOf` reads of them is that conversation. */
export function hostMessages(chat: readonly ChatMessage[], session = 'ses_1'): HostMessage[] {
  const results = new Map(
    chat.flatMap((message) => (message.role === 'tool' ? [[message.tool_call_id, message.content]] : [])),
  );
  return chat.flatMap((message, place): HostMessage[] => {
    const info = { id: `msg_${place}`, sessionID: session };
    if (message.role === 'user') {
      const model = { providerID: 'openai', modelID: 'gpt-5.2' };
      return [{ info: { ...info, role: 'user', model }, parts: userParts(message.content) }];
    }
    if (message.role !== 'assistant') return [];
    const calls = (message.tool_calls ?? []).map(
      ({ id, function: { name, arguments: input } }): ToolPart => ({
        type: 'tool',
        tool: name,
        callID: id,
        state: {
          status: 'completed',
          input: JSON.parse(input),
          output: String(results.get(id)),
          time: {},
        },
      }),
    );
    const said: Part[] = message.content === null ? [] : [{ type: 'text', text: message.content }];
    const parts: Part[] = [{ type: 'step-start' }, ...said, ...calls, { type: 'step-finish' }];
    return [{ info: { ...info, role: 'assistant' }, parts }];
  });
}

function userParts(content: string | readonly ChatPart[]): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'file', mime: 'image/png' },
  );
}
