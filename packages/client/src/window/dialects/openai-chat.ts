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

/** `POST /v1/chat/completions`. */
export const openaiChat: DialectFormat = {
  before: ({ model, tools }) => ({
    ...(typeof model === 'string' && { model }),
    system: undefined,
    tools: listOf(tools).filter(isData),
  }),
  read: (body) => listOf(body.messages).map((message, place) => readMessage(message, ['messages', place])),
  replace(body, { path: message }, text) {
    const path = under(message, 'content');
    const json = JSON.stringify(typeof valueAt(body, path) === 'string' ? text : [{ type: 'text', text }]);
    return { path, kind: 'set', json };
  },
};

const ROLES: Record<string, Message['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  tool: 'user',
  assistant: 'assistant',
};

function readMessage(message: unknown, path: Path): Message {
  const said = need(textIn(message, 'role'), 'role');
  const role = ROLES[said];
  if (!role) throw new UnknownShape(`role ${said}`);
  const { content, tool_calls, role: _, ...rest } = message as Data;
  if (said === 'tool') return readResult(message as Data, path);
  const parts: Part[] = readContent(content, under(path, 'content'));
  for (const [place, call] of listOf(tool_calls).entries()) {
    const asked = isData(call) ? (call.function ?? call.custom) : undefined;
    const input = textIn(asked, 'arguments') ?? textIn(asked, 'input');
    parts.push({
      kind: 'call',
      id: need(textIn(call, 'id'), 'id'),
      name: need(textIn(asked, 'name'), 'name'),
      input: parsed(input),
      path: under(path, 'tool_calls', place),
      tokens: weighText(input ?? '') + 20,
    });
  }
  const besides = weigh(rest);
  if (Object.keys(rest).length > 0) {
    parts.push({ kind: 'other', isFixed: false, path, tokens: besides.tokens });
  }
  const said_ = [content, tool_calls].map((value) =>
    typeof value === 'string' ? value : weigh(value).canonical,
  );
  return { role, path, parts, canonical: [said, ...said_, besides.canonical].join('\n') };
}

function readContent(content: unknown, path: Path): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') {
    return content === '' ? [] : [{ kind: 'text', text: content, path, tokens: weighText(content) }];
  }
  return listOf(content).map((part, place): Part => {
    const text = textIn(part, 'text');
    const at = under(path, place);
    return text === undefined
      ? { kind: 'other', isFixed: false, path: at, tokens: weigh(part).tokens }
      : { kind: 'text', text, path: at, tokens: weighText(text) };
  });
}

function readResult(message: Data, path: Path): Message {
  const { content } = message;
  const text = typeof content === 'string' ? content : plainText(listOf(content), ['text']);
  const id = need(textIn(message, 'tool_call_id'), 'tool_call_id');
  const { tokens, canonical } =
    text === undefined ? weigh(content) : { tokens: weighText(text), canonical: text };
  const isFixed = text === undefined || content === undefined;
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
    canonical: `tool ${id} ${canonical}`,
  };
}
