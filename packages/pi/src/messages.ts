import { type Arrangement, type ChatMessage, type ChatPart, chatCall } from '@infold/client/host';
import type { Block, HostMessage } from './host.ts';

/** Pi's messages as the rules read them: one for one. */
export function chatOf(messages: readonly HostMessage[]): ChatMessage[] {
  return messages.map((message): ChatMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: contentOf(message.content) };
      case 'assistant': {
        const said = message.content.map(textOf).join('');
        const calls = message.content.flatMap((block) =>
          block.type === 'toolCall' ? [chatCall(block.id, block.name, block.arguments)] : [],
        );
        const content = said === '' ? null : said;
        return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
      }
      case 'toolResult':
        return { role: 'tool', tool_call_id: message.toolCallId, content: contentOf(message.content) };
      default:
        return { role: 'user', content: JSON.stringify(message) };
    }
  });
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text;
  return block.type === 'thinking' ? block.thinking : '';
}

function contentOf(content: string | readonly Block[]): string | ChatPart[] {
  if (typeof content === 'string') return content;
  const parts = content.map(
    (block): ChatPart =>
      block.type === 'text'
        ? { type: 'text', text: block.text }
        : { type: 'file', mime: block.type === 'image' ? block.mimeType : '' },
  );
  const [first] = parts;
  return parts.length === 1 && first!.type === 'text' ? first!.text : parts;
}

/** The messages as they are to be sent; Pi's own stay what they are. */
export function arranged(messages: readonly HostMessage[], { dropped, texts }: Arrangement): HostMessage[] {
  return messages.flatMap((message, place) => {
    if (dropped.has(place)) return [];
    const text = message.role === 'toolResult' ? texts.get(message.toolCallId) : undefined;
    return [
      text === undefined ? message : ({ ...message, content: [{ type: 'text', text }] } as HostMessage),
    ];
  });
}

/** What the model sees of a result. */
export function resultText(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** What the provider counted for the last prompt. */
export function countedIn(messages: readonly HostMessage[]): number | undefined {
  const last = messages.findLast((message) => message.role === 'assistant' && message.usage);
  if (last?.role !== 'assistant') return undefined;
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = last.usage!;
  return input + cacheRead + cacheWrite || undefined;
}
