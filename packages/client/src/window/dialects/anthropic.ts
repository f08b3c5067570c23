import type { Message, Part, Path, ResultPart } from '../types.ts';
import { weighText } from '../weight.ts';
import { type DialectFormat, valueAt } from './dialect.ts';
import { type Data, isData, listOf, need, plainText, textIn, UnknownShape, under, weigh } from './values.ts';

/** What goes with its message. Anything else may be what a later version of the API brings. */
const GOES_ALONG =
  /^(redacted_)?thinking$|^(image|document|search_result|container_upload)$|^(server|mcp)_tool_use$|_tool_result$/;
/** Brings tools that are used later. */
const BRINGS_TOOLS = /^tool_(reference|search)/;

/** `POST /v1/messages`. */
export const anthropic: DialectFormat = {
  before: ({ model, system, tools }) => ({
    ...(typeof model === 'string' && { model }),
    system,
    tools: listOf(tools).filter(isData),
  }),
  read: (body) => listOf(body.messages).map((message, place) => readMessage(message, ['messages', place])),
  replace(body, result, text) {
    const path = under(result.path, 'content');
    const content = valueAt(body, path);
    if (typeof content === 'string') return { path, kind: 'set', json: JSON.stringify(text) };
    const mark = listOf(content).flatMap((block) =>
      isData(block) && block.cache_control ? [block.cache_control] : [],
    );
    const block = { type: 'text', text, ...(mark.length > 0 && { cache_control: mark.at(-1) }) };
    return { path, kind: 'set', json: JSON.stringify([block]) };
  },
  partsOf: ({ path }) => under(path, 'content'),
  movedPart: (body, { path }) => {
    const block = valueAt(body, path);
    return JSON.stringify(typeof block === 'string' ? { type: 'text', text: block } : block);
  },
  marks: true,
};

function readMessage(message: unknown, path: Path): Message {
  const role = textIn(message, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system') throw new UnknownShape(`role ${role}`);
  const { content } = message as Data;
  const inside = under(path, 'content');
  if (typeof content === 'string') {
    const parts: Part[] = [{ kind: 'text', text: content, path: inside, tokens: weighText(content) }];
    return { role, path, parts, canonical: `${role}\n${content}` };
  }
  if (!Array.isArray(content)) throw new UnknownShape('content is neither text nor a list');
  const read = content.map((block, place) => readBlock(block, under(inside, place)));
  return {
    role,
    path,
    parts: read.map(({ part }) => part),
    canonical: [role, ...read.map(({ canonical }) => canonical)].join('\n'),
  };
}

function readBlock(block: unknown, path: Path): { part: Part; canonical: string } {
  const type = need(textIn(block, 'type'), 'the type of a block');
  const data = block as Data;
  const text = textIn(block, 'text');
  if (type === 'text' && text !== undefined) {
    return { part: { kind: 'text', text, path, tokens: weighText(text) }, canonical: text };
  }
  if (type === 'tool_use') {
    const [id, name] = [need(textIn(block, 'id'), 'id'), need(textIn(block, 'name'), 'name')];
    const { tokens, canonical } = weigh(data.input);
    const part: Part = { kind: 'call', id, name, input: data.input, path, tokens: tokens + 20 };
    return { part, canonical: `${id} ${name} ${canonical}` };
  }
  if (type === 'tool_result') {
    const part = readResult(data, path);
    return { part, canonical: `${part.id} ${part.isFixed ? weigh(data.content).canonical : part.text}` };
  }
  const { tokens, canonical } = weigh(block);
  const isFixed = BRINGS_TOOLS.test(type) || !GOES_ALONG.test(type);
  return { part: { kind: 'other', isFixed, path, tokens }, canonical };
}

function readResult(block: Data, path: Path): ResultPart {
  const id = need(textIn(block, 'tool_use_id'), 'tool_use_id');
  const { content = '' } = block;
  const text = typeof content === 'string' ? content : plainText(listOf(content), ['text']);
  const tokens =
    text === undefined
      ? listOf(content).reduce<number>((sum, one) => sum + weigh(one).tokens, 0)
      : weighText(text);
  return {
    kind: 'result',
    id,
    text: text ?? '',
    isError: block.is_error === true,
    isFixed: text === undefined || block.content === undefined,
    bringsTools: listOf(content).some((one) => BRINGS_TOOLS.test(textIn(one, 'type') ?? '')),
    path,
    tokens: tokens + 15,
  };
}
