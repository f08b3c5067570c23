import type { Message, Part, Path } from '../types.ts';
import { weighText } from '../weight.ts';
import { type DialectFormat, valueAt } from './dialect.ts';
import { ROLES, readContent, resultMessage } from './openai.ts';
import { type Data, isData, listOf, need, parsed, textIn, UnknownShape, under, weigh } from './values.ts';

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

function readMessage(message: unknown, path: Path): Message {
  const said = need(textIn(message, 'role'), 'role');
  const role = ROLES[said];
  if (!role) throw new UnknownShape(`role ${said}`);
  const { content, tool_calls, role: _, ...rest } = message as Data;
  if (said === 'tool')
    return resultMessage(need(textIn(message, 'tool_call_id'), 'tool_call_id'), content, path);
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
  const texts = [content, tool_calls].map((value) =>
    typeof value === 'string' ? value : weigh(value).canonical,
  );
  return { role, path, parts, canonical: [said, ...texts, besides.canonical].join('\n') };
}
