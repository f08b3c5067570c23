import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { Collapser } from '../collapse/collapser.ts';
import { checkNames, type ListedTool } from '../collapse/tools.ts';
import type { MessageFormat } from './format.ts';

/** `messages` of OpenAI's Chat Completions: a tool result is a message of its own. */
export const openaiChatMessages: MessageFormat<ChatCompletionMessageParam> = {
  name: 'openai-chat',
  project(message, shrink) {
    if (message.role !== 'tool' || message.tool_call_id === undefined) return message;
    const text = shrink(message.tool_call_id, message.content, message);
    if (text === undefined) return message;
    const content: ChatCompletionToolMessageParam['content'] = Array.isArray(message.content)
      ? [{ type: 'text', text }]
      : text;
    return { ...message, content };
  },
};

/** An MCP server's tools as the API takes them. Names that it refuses are told to the collapser's `onWarning`. */
export function openaiChatTools(
  collapser: Collapser,
  tools: readonly ListedTool[],
): ChatCompletionFunctionTool[] {
  checkNames(collapser, tools);
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters: inputSchema },
  }));
}

/** What to send: a copy of the history in which consumed results are their summaries. */
export function projectOpenAIChat(
  collapser: Collapser,
  messages: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  return collapser.project(messages, openaiChatMessages);
}
