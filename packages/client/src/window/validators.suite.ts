import type { Dialect } from './types.ts';

/**
 * What each API demands of a request, as far as taking things out of one could break it. Says what is wrong, in words;
 * nothing where the provider would accept it.
 */
export function problemsOf(dialect: Dialect, body: unknown, original?: unknown): string[] {
  const problems: string[] = [];
  const say = (problem: string) => problems.push(problem);
  VALIDATORS[dialect](body as Json, say);
  if (original !== undefined) signedProblems(dialect, body as Json, original as Json, say);
  return problems;
}

type Json = Record<string, unknown>;
type Say = (problem: string) => void;

const VALIDATORS: Record<Dialect, (body: Json, say: Say) => void> = {
  anthropic: anthropicProblems,
  'openai-chat': chatProblems,
  'openai-responses': responsesProblems,
  gemini: geminiProblems,
};

const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Ids that are called and not answered, or the other way round, or twice. */
function pairProblems(calls: readonly unknown[], results: readonly unknown[], where: string, say: Say): void {
  for (const id of calls) if (!results.includes(id)) say(`${where}: call ${id} has no result`);
  for (const id of results) if (!calls.includes(id)) say(`${where}: result ${id} has no call`);
  if (new Set(calls).size < calls.length) say(`${where}: two calls have the same id`);
  if (new Set(results).size < results.length) say(`${where}: a call has two results`);
}

const blocksOf = ({ content }: Json): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);

const MARKS = 4;
/** The API refuses a mark on these. */
const UNMARKABLE = ['thinking', 'redacted_thinking'];

function anthropicProblems(body: Json, say: Say): void {
  const messages = objects(body.messages);
  if (messages.length === 0) say('there are no messages');
  if (messages[0] && messages[0].role !== 'user') say('messages[0]: the first message is not of the user');
  if (messages.at(-1)?.role === 'assistant') say('the last message is of the assistant');
  const names = new Set(objects(body.tools).map(({ name }) => name));
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    const blocks = blocksOf(message);
    if (isEmpty(message.content)) say(`${where}: empty content`);
    const next = messages[index + 1];
    if (!['user', 'assistant', 'system'].includes(String(message.role)))
      say(`${where}: role ${message.role}`);
    if (message.role === 'system' && messages[index - 1]?.role === 'assistant')
      say(`${where}: a system message directly after the assistant's`);
    if (message.role !== 'system' && message.role === next?.role)
      say(`${where}: two messages of role ${message.role} in a row`);
    for (const block of blocks) anthropicBlockProblems(block, where, names, say);
    const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    if (message.role !== 'assistant' && calls.length > 0) say(`${where}: a call that is not the assistant's`);
    if (message.role === 'assistant') {
      const answering = next?.role === 'user' ? blocksOf(next) : [];
      pairProblems(calls, resultIds(answering), where, say);
      if (thinkingIsLate(blocks)) say(`${where}: thinking is not before everything else`);
      if (blocks.length > 0 && blocks.every(({ type }) => UNMARKABLE.includes(String(type))))
        say(`${where}: thinking without what it led to`);
    } else {
      const results = resultIds(blocks);
      if (results.length > 0 && messages[index - 1]?.role !== 'assistant')
        say(`${where}: results do not follow the assistant's message`);
      const other = blocks.findIndex(({ type }) => type !== 'tool_result');
      const last = blocks.findLastIndex(({ type }) => type === 'tool_result');
      if (other >= 0 && other < last) say(`${where}: something stands before a result`);
    }
  }
  const marks = count(body, 'cache_control');
  if (marks > MARKS) say(`${marks} cache marks; at most ${MARKS} are accepted`);
  markOrderProblems(body, say);
}

function anthropicBlockProblems(block: Json, where: string, names: Set<unknown>, say: Say): void {
  const { type } = block;
  if (type === 'text' && (typeof block.text !== 'string' || block.text.trim() === ''))
    say(`${where}: an empty text block`);
  if (block.cache_control !== undefined && UNMARKABLE.includes(String(type)))
    say(`${where}: a cache mark on ${type}`);
  if (type === 'thinking' && isEmpty(block.signature)) say(`${where}: thinking without its signature`);
  if (type === 'tool_use' && (typeof block.input !== 'object' || block.input === null))
    say(`${where}: the input of a call is not an object`);
  if (type !== 'tool_result') return;
  for (const part of objects(block.content)) {
    if (part.type === 'text' && isEmpty(part.text)) say(`${where}: an empty text in a result`);
    if (part.type === 'tool_reference' && !names.has(part.tool_name))
      say(`${where}: a reference to ${part.tool_name}, which is not among the tools`);
  }
}

const resultIds = (blocks: readonly Json[]) =>
  blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);

function thinkingIsLate(blocks: readonly Json[]): boolean {
  const first = blocks.findIndex(({ type }) => !UNMARKABLE.includes(String(type)));
  const last = blocks.findLastIndex(({ type }) => UNMARKABLE.includes(String(type)));
  return last > 0 && first === 0;
}

/** A cache that is kept for an hour has to come before those that are kept for minutes. */
function markOrderProblems(body: Json, say: Say): void {
  const marks: unknown[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { cache_control: control } = value as Json;
    for (const member of Object.values(value)) if (member !== control) walk(member);
    if (control) marks.push((control as Json).ttl ?? '5m');
  };
  for (const key of ['tools', 'system', 'messages']) walk(body[key]);
  if (marks.lastIndexOf('1h') > marks.indexOf('5m') && marks.includes('5m'))
    say('a cache mark of an hour stands behind one of five minutes');
}

function count(value: unknown, key: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = !Array.isArray(value) && (value as Json)[key] ? 1 : 0;
  return Object.values(value).reduce((sum: number, member) => sum + count(member, key), own);
}

function chatProblems(body: Json, say: Say): void {
  const messages = objects(body.messages);
  if (messages.length === 0) say('there are no messages');
  if (messages.at(-1)?.role === 'assistant') say('the last message is of the assistant');
  if (!messages.some(({ role }) => role === 'user')) say('there is no message of the user');
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    const { role } = message;
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(String(role)))
      say(`${where}: role ${role}`);
    const calls = objects(message.tool_calls).map(({ id }) => id);
    if (Array.isArray(message.tool_calls) && calls.length === 0) say(`${where}: an empty list of calls`);
    if (isEmpty(message.content) && calls.length === 0 && !(role === 'tool' && message.content === ''))
      say(`${where}: empty content`);
    if (role === 'assistant') {
      let end = index + 1;
      while (messages[end]?.role === 'tool') end++;
      const results = messages.slice(index + 1, end).map(({ tool_call_id }) => tool_call_id);
      pairProblems(calls, results, where, say);
      if (messages[index + 1]?.role === 'assistant') say(`${where}: two messages of role assistant in a row`);
    }
    if (role === 'tool') {
      const before = messages[index - 1]?.role;
      if (before !== 'tool' && before !== 'assistant') say(`${where}: a result that follows no call`);
    }
  }
}

const CALLS = ['function_call', 'custom_tool_call', 'tool_search_call', 'local_shell_call'];
const outputTypeOf = (type: string) =>
  type === 'tool_search_call' ? 'tool_search_output' : `${type}_output`;

function responsesProblems(body: Json, say: Say): void {
  const items = objects(body.input);
  if (items.length === 0) say('there are no items');
  if (!items.some(({ type, role }) => (type ?? 'message') === 'message' && role === 'user'))
    say('there is no message of the user');
  const open = new Map<unknown, string>();
  const answered = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const where = `input[${index}]`;
    const type = String(item.type ?? 'message');
    if (type === 'message') {
      if (isEmpty(item.content)) say(`${where}: empty content`);
      for (const part of objects(item.content))
        if ('text' in part && isEmpty(part.text)) say(`${where}: an empty text`);
      if (open.size > 0 && item.role !== 'developer')
        say(`${where}: a message before the result of ${[...open.keys()]}`);
    } else if (type === 'reasoning') {
      if (isEmpty(item.encrypted_content)) say(`${where}: reasoning without its content`);
      const next = items[index + 1];
      const isFollowed =
        next && (CALLS.includes(String(next.type)) || next.type === 'reasoning' || next.role === 'assistant');
      if (!isFollowed) say(`${where}: reasoning without what it led to`);
      if (open.size > 0) say(`${where}: reasoning before the result of ${[...open.keys()]}`);
    } else if (CALLS.includes(type)) {
      if (open.has(item.call_id) || answered.has(item.call_id)) say(`${where}: two calls have the same id`);
      open.set(item.call_id, type);
    } else if (type.endsWith('_output')) {
      const call = open.get(item.call_id);
      if (answered.has(item.call_id)) say(`${where}: a call has two results`);
      else if (call === undefined) say(`${where}: result ${item.call_id} has no call`);
      else if (outputTypeOf(call) !== type) say(`${where}: ${type} answers a ${call}`);
      if (type !== 'tool_search_output' && (item.output === undefined || item.output === null))
        say(`${where}: a result without output`);
      if (Array.isArray(item.output) && item.output.length === 0) say(`${where}: empty content`);
      open.delete(item.call_id);
      answered.add(item.call_id);
    }
  }
  for (const id of open.keys()) say(`call ${id} has no result`);
  const last = items.at(-1);
  if (last?.role === 'assistant' || last?.type === 'reasoning') say('the last item is of the assistant');
}

function geminiProblems(body: Json, say: Say): void {
  const contents = objects(body.contents);
  if (contents.length === 0) say('there are no contents');
  if (contents[0] && contents[0].role !== 'user') say('contents[0]: the first content is not of the user');
  if (contents.at(-1)?.role === 'model') say('the last content is of the model');
  for (const [index, { role, parts }] of contents.entries()) {
    const where = `contents[${index}]`;
    if (role !== 'user' && role !== 'model') say(`${where}: role ${role}`);
    if (isEmpty(parts)) say(`${where}: no parts`);
    const before = contents[index - 1];
    const calls = callsOf(parts);
    const responses = objects(parts).flatMap((part) =>
      part.functionResponse ? [part.functionResponse as Json] : [],
    );
    for (const part of objects(parts)) if ('text' in part && part.text === '') say(`${where}: an empty text`);
    if (calls.length > 0 && role !== 'model') say(`${where}: a call that is not the model's`);
    if (calls.length > 0 && before?.role !== 'user') say(`${where}: a call that follows no turn of the user`);
    if (calls.length > 0 && responseCount(contents[index + 1]) !== calls.length)
      say(`${where}: ${calls.length} calls, ${responseCount(contents[index + 1])} responses`);
    if (responses.length > 0) responseProblems(responses, before, where, say);
  }
  signatureProblems(contents, say);
}

const callsOf = (parts: unknown) =>
  objects(parts).flatMap((part) => (part.functionCall ? [part.functionCall as Json] : []));
const responseCount = (content: Json | undefined) =>
  objects(content?.parts).filter((part) => part.functionResponse).length;

function responseProblems(
  responses: readonly Json[],
  before: Json | undefined,
  where: string,
  say: Say,
): void {
  const calls = before?.role === 'model' ? callsOf(before.parts) : [];
  if (calls.length === 0) say(`${where}: responses without calls`);
  for (const [index, { name, id, response }] of responses.entries()) {
    const call = calls[index];
    if (call && (call.name !== name || call.id !== id))
      say(`${where}: response ${index} is not that of call ${index}`);
    if (typeof response !== 'object' || response === null)
      say(`${where}: response ${index} is not an object`);
  }
}

/** Models that sign want every first call of the current turn signed; older turns may be without. */
function signatureProblems(contents: readonly Json[], say: Say): void {
  const firstCalls = contents.map(({ parts }) => objects(parts).find((part) => part.functionCall));
  if (!firstCalls.some((part) => part?.thoughtSignature)) return;
  const turnBegins = contents.findLastIndex(
    ({ role, parts }) => role === 'user' && !objects(parts).some((part) => part.functionResponse),
  );
  for (const [index, part] of firstCalls.entries())
    if (index > turnBegins && part && !part.thoughtSignature)
      say(`contents[${index}]: a call of the current turn without its signature`);
}

/** What the assistant said is signed as a whole: it is sent as it came, or not at all, and in the order that it had. */
function signedProblems(dialect: Dialect, body: Json, original: Json, say: Say): void {
  const left = saidIn(dialect, original);
  let place = 0;
  for (const said of saidIn(dialect, body)) {
    const found = left.indexOf(said, place);
    if (found < 0) say(`the assistant never said ${said.slice(0, 120)}`);
    else place = found + 1;
  }
}

function saidIn(dialect: Dialect, body: Json): string[] {
  const list = objects(
    body[{ gemini: 'contents', 'openai-responses': 'input' }[dialect as string] ?? 'messages'],
  );
  return list
    .filter(
      ({ role, type }) =>
        role === 'assistant' || role === 'model' || type === 'reasoning' || CALLS.includes(String(type)),
    )
    .map(withoutMarks);
}

/** The JSON of a message, without cache marks, and a string as the one block that it is. */
export function withoutMarks(message: Json): string {
  const { content } = message;
  const plain =
    typeof content === 'string' ? { ...message, content: [{ type: 'text', text: content }] } : message;
  return JSON.stringify(plain, (key, value) => (key === 'cache_control' ? undefined : value));
}
