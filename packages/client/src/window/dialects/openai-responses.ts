import type { Message, Path } from '../types.ts';
import { type DialectFormat, valueAt } from './dialect.ts';
import { ROLES, readContent, resultMessage } from './openai.ts';
import { type Data, isData, listOf, need, parsed, textIn, UnknownShape, under, weigh } from './values.ts';

/** `POST /v1/responses`: an item is a message here. */
export const openaiResponses: DialectFormat = {
  before: ({ model, instructions, tools }) => ({
    ...(typeof model === 'string' && { model }),
    system: instructions,
    tools: listOf(tools).filter(isData),
  }),
  read(body) {
    // The history before it is the provider's: nothing here says what it holds.
    if (body.previous_response_id !== undefined && body.previous_response_id !== null) {
      throw new UnknownShape('the history is kept by the provider');
    }
    if (typeof body.input === 'string') throw new UnknownShape('the input is one text');
    return listOf(body.input).map((item, place) => readItem(item, ['input', place]));
  },
  replace(body, { path: item }, text) {
    const path = under(item, 'output');
    const json = JSON.stringify(
      typeof valueAt(body, path) === 'string' ? text : [{ type: 'input_text', text }],
    );
    return { path, kind: 'set', json };
  },
};

/** What the API itself ran, and thinking: it goes with the step that it belongs to. */
const GOES_ALONG =
  /^(reasoning|web_search_call|file_search_call|code_interpreter_call|image_generation_call)$/;

function readItem(item: unknown, path: Path): Message {
  if (!isData(item)) throw new UnknownShape('an item is not an object');
  const type = textIn(item, 'type') ?? 'message';
  if (type === 'message') return readMessage(item, path);
  if (CALLS[type]) return readCall(item, path, CALLS[type](item));
  if (type.endsWith('_call_output') && type !== 'tool_search_call_output') {
    const id = need(textIn(item, 'call_id') ?? textIn(item, 'id'), 'call_id');
    return resultMessage(id, item.output, path);
  }
  const { tokens, canonical } = weigh(item);
  const isFixed = !GOES_ALONG.test(type);
  return { role: 'assistant', path, parts: [{ kind: 'other', isFixed, path, tokens }], canonical };
}

function readMessage(item: Data, path: Path): Message {
  const said = need(textIn(item, 'role'), 'role');
  const role = ROLES[said];
  if (!role) throw new UnknownShape(`role ${said}`);
  const { content } = item;
  const parts = readContent(content, under(path, 'content'));
  return {
    role,
    path,
    parts,
    canonical: `${said}\n${typeof content === 'string' ? content : weigh(content).canonical}`,
  };
}

/** Name and input of what the model calls, by the kind of item. */
const CALLS: Record<string, (item: Data) => { name: string; input: unknown }> = {
  function_call(item) {
    const [name, space] = [need(textIn(item, 'name'), 'name'), textIn(item, 'namespace')];
    return { name: space ? `${space}__${name}` : name, input: parsed(textIn(item, 'arguments')) };
  },
  custom_tool_call: (item) => ({ name: need(textIn(item, 'name'), 'name'), input: item.input }),
  local_shell_call: (item) => ({ name: 'local_shell', input: item.action }),
};

function readCall(item: Data, path: Path, { name, input }: { name: string; input: unknown }): Message {
  const id = need(textIn(item, 'call_id') ?? textIn(item, 'id'), 'call_id');
  const { tokens, canonical } = weigh(item);
  return { role: 'assistant', path, parts: [{ kind: 'call', id, name, input, path, tokens }], canonical };
}
