import type {
  FunctionTool,
  ResponseInput,
  ResponseInputItem,
  ResponseInputText,
} from 'openai/resources/responses/responses';
import type { Collapser } from '../collapse/collapser.ts';
import { checkNames, type ListedTool } from '../collapse/tools.ts';
import type { MessageFormat } from './format.ts';

/** `input` items of OpenAI's Responses: a tool result is an item. Calls that the API runs itself stay as they are. */
export const openaiResponsesItems: MessageFormat<ResponseInputItem> = {
  name: 'openai-responses',
  project(item, shrink) {
    if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return item;
    const text = shrink(item.call_id, item.output, item);
    if (text === undefined) return item;
    const output: string | ResponseInputText[] = Array.isArray(item.output)
      ? [{ type: 'input_text', text }]
      : text;
    return { ...item, output };
  },
};

/** An MCP server's tools as the API takes them. Names that it refuses are told to the collapser's `onWarning`. */
export function openaiResponsesTools(collapser: Collapser, tools: readonly ListedTool[]): FunctionTool[] {
  checkNames(collapser, tools);
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: inputSchema,
    strict: false,
  }));
}

/**
 * What to send as `input`: a copy of the history in which consumed results are their summaries. For applications that
 * send the whole history; with `previous_response_id` the history is not theirs to shorten. A string passes as it is.
 */
export function projectOpenAIResponses(collapser: Collapser, input: string): string;
export function projectOpenAIResponses(
  collapser: Collapser,
  input: readonly ResponseInputItem[],
): ResponseInput;
export function projectOpenAIResponses(
  collapser: Collapser,
  input: string | readonly ResponseInputItem[],
): string | ResponseInput;
export function projectOpenAIResponses(
  collapser: Collapser,
  input: string | readonly ResponseInputItem[],
): string | ResponseInput {
  return typeof input === 'string' ? input : collapser.project(input, openaiResponsesItems);
}
