import type { Message, Part, Path } from '../types.ts';
import { weighText } from '../weight.ts';
import { type DialectFormat, valueAt } from './dialect.ts';
import {
  type Data,
  isData,
  listOf,
  need,
  parsed,
  plainText,
  textIn,
  UnknownShape,
  under,
  weigh,
} from './values.ts';

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

const ROLES: Record<string, Message['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};
/** What the API itself ran, and thinking: it goes with the step that it belongs to. */
const GOES_ALONG =
  /^(reasoning|web_search_call|file_search_call|code_interpreter_call|image_generation_call)$/;

function readItem(item: unknown, path: Path): Message {
  if (!isData(item)) throw new UnknownShape('an item is no object');
  const type = textIn(item, 'type') ?? 'message';
  if (type === 'message') return readMessage(item, path);
  if (CALLS[type]) return readCall(item, path, CALLS[type](item));
  if (type.endsWith('_call_output') && type !== 'tool_search_call_output') return readResult(item, path);
  const { tokens, canonical } = weigh(item);
  const isFixed = !GOES_ALONG.test(type);
  return { role: 'assistant', path, parts: [{ kind: 'other', isFixed, path, tokens }], canonical };
}

function readMessage(item: Data, path: Path): Message {
  const said = need(textIn(item, 'role'), 'role');
  const role = ROLES[said];
  if (!role) throw new UnknownShape(`role ${said}`);
  const { content } = item;
  const inside = under(path, 'content');
  const parts =
    typeof content === 'string'
      ? [{ kind: 'text' as const, text: content, path: inside, tokens: weighText(content) }]
      : listOf(content).map((part, place): Part => {
          const text = textIn(part, 'text');
          const at = under(inside, place);
          return text === undefined
            ? { kind: 'other', isFixed: false, path: at, tokens: weigh(part).tokens }
            : { kind: 'text', text, path: at, tokens: weighText(text) };
        });
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

function readResult(item: Data, path: Path): Message {
  const { output } = item;
  const id = need(textIn(item, 'call_id') ?? textIn(item, 'id'), 'call_id');
  const text = typeof output === 'string' ? output : plainText(listOf(output), ['input_text', 'output_text']);
  const { tokens, canonical } =
    text === undefined ? weigh(output) : { tokens: weighText(text), canonical: text };
  const isFixed = text === undefined || output === undefined;
  return {
    role: 'user',
    path,
    parts: [
      {
        kind: 'result',
        id,
        text: text ?? '',
        isError: false,
        isFixed,
        bringsTools: false,
        path,
        tokens: tokens + 10,
      },
    ],
    canonical: `result ${id} ${canonical}`,
  };
}
