import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Collapser } from '../collapse/collapser.ts';
import { checkNames, type ListedTool } from '../collapse/tools.ts';
import { type MessageFormat, replaceParts, type Shrink } from './format.ts';

/** `messages` of Anthropic's Messages API: tool results are blocks of user messages. */
export const anthropicMessages: MessageFormat<MessageParam> = {
  name: 'anthropic',
  project(message, shrink) {
    const { role, content } = message;
    if (role !== 'user' || !Array.isArray(content)) return message;
    const blocks = replaceParts<ContentBlockParam>(content, (block) =>
      block.type === 'tool_result' ? collapsedBlock(block, shrink) : undefined,
    );
    return blocks ? { ...message, content: blocks } : message;
  },
};

function collapsedBlock(block: ToolResultBlockParam, shrink: Shrink): ToolResultBlockParam | undefined {
  if (block.is_error === true) return undefined;
  const { content } = block;
  const text = shrink(block.tool_use_id, content, block);
  if (text === undefined) return undefined;
  if (!Array.isArray(content)) return { ...block, content: text };
  const control = breakpointIn(content);
  return {
    ...block,
    content: [control ? { type: 'text', text, cache_control: control } : { type: 'text', text }],
  };
}

/** A cache breakpoint inside the old content stays at its place. */
function breakpointIn(content: readonly unknown[]): CacheControlEphemeral | undefined {
  for (const part of content) {
    const { cache_control } = (part ?? {}) as { cache_control?: CacheControlEphemeral | null };
    if (cache_control) return cache_control;
  }
  return undefined;
}

/** What to send: a copy of the history in which consumed results are their summaries. */
export function projectAnthropic(collapser: Collapser, messages: readonly MessageParam[]): MessageParam[] {
  return collapser.project(messages, anthropicMessages);
}

/** An MCP server's tools as the API takes them. Names that it refuses are told to the collapser's `onWarning`. */
export function anthropicTools(collapser: Collapser, tools: readonly ListedTool[]): Tool[] {
  checkNames(collapser, tools);
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    ...(description !== undefined && { description }),
    input_schema: inputSchema as Tool['input_schema'],
  }));
}

/** How sure it must be that a page goes after one call: being wrong costs 0.9 of it, being right saves 0.25. */
const SURE = 0.78;

/**
 * Puts a cache breakpoint where it pays: at the end of the messages, but before fresh transient results that will be
 * collapsed after the next call. Those are then paid as plain input instead of being written to a cache that nobody
 * reads. Call it on projected messages; it changes none of them.
 */
export function withCacheBreakpoint(
  collapser: Collapser,
  messages: readonly MessageParam[],
  control: CacheControlEphemeral = { type: 'ephemeral' },
): MessageParam[] {
  const copy = messages.slice();
  let from = firstUnstable(collapser, messages);
  for (let place = messages.length - 1; place >= 0; place--) {
    const blocks = blocksOf(messages[place]!).slice();
    const marked = blocks.slice(0, from).findLastIndex(canCarry);
    from = Number.POSITIVE_INFINITY;
    if (marked < 0) continue;
    blocks[marked] = { ...blocks[marked]!, cache_control: control } as ContentBlockParam;
    copy[place] = { ...messages[place]!, content: blocks } as MessageParam;
    break;
  }
  return copy;
}

/** The block of the last message from which on nothing is worth caching; of several new pages all but one stay longer. */
function firstUnstable(collapser: Collapser, messages: readonly MessageParam[]): number {
  const last = messages.at(-1);
  if (!last || collapser.stats().consumedNextTurn < SURE) return Number.POSITIVE_INFINITY;
  const fresh = blocksOf(last).flatMap((block, place) =>
    block?.type === 'tool_result' && collapser.isFresh(block.tool_use_id) ? [place] : [],
  );
  return fresh.length === 1 ? fresh[0]! : Number.POSITIVE_INFINITY;
}

/** The API takes no breakpoint on thinking and on empty text. */
function canCarry(block: ContentBlockParam | null): boolean {
  if (typeof block !== 'object' || block === null) return false;
  if (block.type === 'text') return block.text !== '';
  return block.type !== 'thinking' && block.type !== 'redacted_thinking';
}

function blocksOf(message: MessageParam): ContentBlockParam[] {
  const content: unknown = message?.content;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as ContentBlockParam[]) : [];
}
