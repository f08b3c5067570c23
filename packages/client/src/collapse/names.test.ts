import { collapsedText } from '@infold/protocol';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { aiSdkTools } from '../formats/ai-sdk.ts';
import { anthropicTools } from '../formats/anthropic.ts';
import { openaiChatTools } from '../formats/openai-chat.ts';
import { openaiResponsesTools } from '../formats/openai-responses.ts';
import { Conversation, FETCH, page, STORE, stored } from './fixtures.suite.ts';
import { consumerName, toolName } from './names.ts';

test.each([
  ['memory.load', 'infold', 'memory_load'],
  ['mcp__infold__memory_load', 'infold', 'memory_load'],
  ['mcp__my_server__memory_load', 'another name', 'memory_load'],
  ['mcp_infold_memory_load', 'Infold', 'memory_load'],
  ['infold_memory_load', 'infold', 'memory_load'],
  ['my-server_find', 'my.server', 'find'],
  ['notes_save', 'infold', 'notes_save'],
  ['infold_', 'infold', 'infold_'],
  ['search_records', 'search', 'records'],
])('%s of the server %s is %s', (name, server, expected) => {
  verifies('TCP-11');
  expect(toolName(name, server)).toBe(expected);
});

test('a consumer is of the server that names it, unless it is named in full', () => {
  expect(consumerName('mcp__infold__store', 'Infold')).toBe('store');
  expect(consumerName('store', 'infold')).toBe('store');
  expect(consumerName('mcp__Notes__save.note', 'infold')).toBe('mcp__notes__save_note');
});

const LISTED = ['context', 'memory.setup', 'memory.load'].map((name) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: {} },
}));

test.each([
  ['Anthropic', anthropicTools],
  ['OpenAI Chat', openaiChatTools],
  ['OpenAI Responses', openaiResponsesTools],
])('a tool list for %s with names that model APIs refuse is told', (_name, toolsFor) => {
  verifies('KERN-09');
  const conversation = new Conversation();
  expect(JSON.stringify(toolsFor(conversation.collapser, LISTED))).toContain('memory.setup');
  expect(conversation.codes).toEqual(['bad_tool_name']);
  expect(conversation.warnings[0]!.message).toContain('/mcp?names=portable');
  expect(conversation.warnings[0]!.message).toContain('memory.setup, memory.load');
  const portable = LISTED.map((tool) => ({ ...tool, name: tool.name.replace('.', '_') }));
  expect(toolsFor(conversation.collapser, portable)).toHaveLength(3);
  expect(conversation.codes).toHaveLength(1);
});

test('and so is a tool set for the AI SDK', () => {
  const conversation = new Conversation();
  const tools = Object.fromEntries(LISTED.map((tool) => [tool.name, tool]));
  expect(aiSdkTools(conversation.collapser, tools)).toBe(tools);
  expect(conversation.codes).toEqual(['bad_tool_name']);
});

test('the server counts what the client shows in place of a result', () => {
  const conversation = new Conversation();
  const first = conversation.call(FETCH, page(1, { 'infold/handle': 'rs_1' }));
  conversation.call(STORE, stored('rs_1'));
  const { summary } = conversation.collapser.state().results[0]!;
  expect(conversation.shown(first)).toBe(collapsedText(summary!, 'rs_1'));
});
