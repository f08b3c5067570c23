import type { Message, Part, Path } from '../types.ts';
import { weighText } from '../weight.ts';
import { type DialectFormat, valueAt } from './dialect.ts';
import { type Data, isData, listOf, need, textIn, UnknownShape, under, weigh } from './values.ts';

/** `POST /v1beta/models/…:streamGenerateContent`. */
export const gemini: DialectFormat = {
  before: ({ systemInstruction, system_instruction, tools }) => ({
    system: systemInstruction ?? system_instruction,
    tools: listOf(tools).flatMap((tool) =>
      isData(tool) ? listOf(tool.functionDeclarations ?? tool.function_declarations).filter(isData) : [],
    ),
  }),
  read(body) {
    const pairs = new Pairs();
    return listOf(body.contents).map((content, place) => readContent(content, ['contents', place], pairs));
  },
  replace(body, { path }, text) {
    const response = under(path, 'functionResponse', 'response');
    const key = textKey(valueAt(body, response));
    return key === undefined
      ? { path: response, kind: 'set', json: JSON.stringify({ output: text }) }
      : { path: under(response, key), kind: 'set', json: JSON.stringify(text) };
  },
  partsOf: ({ path }) => under(path, 'parts'),
  movedPart: (body, { path }) => JSON.stringify(valueAt(body, path)),
};

/** Calls have no ids in some hosts: then the nth call of a name and the nth result of it belong together. */
class Pairs {
  readonly #calls = new Map<string, number>();
  readonly #results = new Map<string, number>();

  call(name: string, id: string | undefined): string {
    return id ?? this.#next(this.#calls, name);
  }

  result(name: string, id: string | undefined): string {
    return id ?? this.#next(this.#results, name);
  }

  #next(counts: Map<string, number>, name: string): string {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}#${count}`;
  }
}

function readContent(content: unknown, path: Path, pairs: Pairs): Message {
  const said = textIn(content, 'role') ?? 'user';
  if (said !== 'user' && said !== 'model' && said !== 'function') throw new UnknownShape(`role ${said}`);
  const list = listOf((content as Data).parts);
  return {
    role: said === 'model' ? 'assistant' : 'user',
    path,
    parts: list.map((part, place) => readPart(part, under(path, 'parts', place), pairs)),
    canonical: `${said}\n${weigh(list).canonical}`,
  };
}

function readPart(part: unknown, path: Path, pairs: Pairs): Part {
  if (!isData(part)) throw new UnknownShape('a part is not an object');
  const { functionCall, functionResponse } = part;
  if (isData(functionCall)) {
    const name = need(textIn(functionCall, 'name'), 'name');
    const { tokens } = weigh(part);
    return {
      kind: 'call',
      id: pairs.call(name, textIn(functionCall, 'id')),
      name,
      input: functionCall.args,
      path,
      tokens,
    };
  }
  if (isData(functionResponse)) {
    const name = need(textIn(functionResponse, 'name'), 'name');
    const id = pairs.result(name, textIn(functionResponse, 'id'));
    const { response } = functionResponse;
    const key = textKey(response);
    const text = key === undefined ? weigh(response).canonical : ((response as Data)[key] as string);
    return {
      kind: 'result',
      id,
      text,
      isError: key === 'error',
      isFixed: !isData(response) || listOf(functionResponse.parts).length > 0,
      bringsTools: false,
      path,
      tokens: weighText(text) + 20,
    };
  }
  const text = textIn(part, 'text');
  if (text !== undefined && part.thought !== true && part.thoughtSignature === undefined) {
    return { kind: 'text', text, path, tokens: weighText(text) };
  }
  return { kind: 'other', isFixed: false, path, tokens: weigh(part).tokens };
}

/** The field that is the whole of a response, where one text is. */
function textKey(response: unknown): string | undefined {
  if (!isData(response)) return undefined;
  const keys = Object.keys(response);
  return keys.length === 1 && typeof response[keys[0]!] === 'string' ? keys[0] : undefined;
}
