import { describe, expect, test } from 'vitest';
import { problemsOf } from './validators.suite.ts';

const text = (value: string) => ({ type: 'text', text: value });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'abc' };
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const mark = { cache_control: { type: 'ephemeral' } };
const longMark = { cache_control: { type: 'ephemeral', ttl: '1h' } };

describe('Anthropic', () => {
  const problems = (...messages: object[]) => problemsOf('anthropic', { messages });
  const begin = user(text('Hello'));

  test('accepts what is right', () => {
    expect(
      problems(
        begin,
        assistant(thinking, text('Reading.'), use('a'), use('b')),
        user(result('b'), result('a'), { ...text('Also this.'), ...mark }),
        { role: 'system', content: 'A reminder.' },
        assistant(use('c')),
        user(result('c')),
      ),
    ).toEqual([]);
  });

  test.each<[string, RegExp, object[]]>([
    ['nothing', /no messages/, []],
    ['the assistant first', /first message/, [assistant(text('Hi')), begin]],
    ['the assistant last', /last message/, [begin, assistant(text('Hi'))]],
    ['a call without its result', /call a has no result/, [begin, assistant(use('a')), user(text('Go on'))]],
    [
      'one of two parallel calls answered',
      /call b has no result/,
      [begin, assistant(use('a'), use('b')), user(result('a'))],
    ],
    ['a result without its call', /result a has no call/, [begin, assistant(text('Hi')), user(result('a'))]],
    [
      'a result that comes too late',
      /do not follow/,
      [begin, assistant(use('a')), { role: 'system', content: 'x' }, user(result('a'))],
    ],
    ['a result twice', /two results/, [begin, assistant(use('a')), user(result('a'), result('a'))]],
    ['text before a result', /before a result/, [begin, assistant(use('a')), user(text('x'), result('a'))]],
    ['two of the assistant in a row', /in a row/, [begin, assistant(text('x')), assistant(text('y')), begin]],
    ['two of the user in a row', /in a row/, [begin, begin]],
    ['an empty message', /empty content/, [begin, assistant(text('x')), user()]],
    ['an empty text', /empty text/, [user(text(''))]],
    ['thinking alone', /without what it led to/, [begin, assistant(thinking), begin]],
    [
      'thinking without its signature',
      /signature/,
      [begin, assistant({ ...thinking, signature: '' }, text('x')), begin],
    ],
    [
      'thinking behind text',
      /before everything/,
      [begin, assistant(text('x'), thinking, use('a')), user(result('a'))],
    ],
    [
      'a mark on thinking',
      /cache mark on thinking/,
      [begin, assistant({ ...thinking, ...mark }, text('x')), begin],
    ],
    ['five marks', /5 cache marks/, [user(...Array.from({ length: 5 }, () => ({ ...text('x'), ...mark })))]],
    [
      'a long mark behind a short one',
      /an hour/,
      [user({ ...text('x'), ...mark }, { ...text('y'), ...longMark })],
    ],
    [
      'a reference to a tool that is not there',
      /reference to Gone/,
      [
        begin,
        assistant(use('a')),
        user({ ...result('a'), content: [{ type: 'tool_reference', tool_name: 'Gone' }] }),
      ],
    ],
  ])('refuses %s', (_, problem, messages) => {
    expect(problems(...messages).join('\n')).toMatch(problem);
  });

  test('sees what the assistant said changed, taken apart or moved', () => {
    const before = [
      begin,
      assistant(thinking, use('a')),
      user(result('a')),
      assistant(use('b')),
      user(result('b')),
    ];
    const after = (...messages: object[]) => problemsOf('anthropic', { messages }, { messages: before });
    expect(after(...before)).toEqual([]);
    expect(after(begin, ...before.slice(3))).toEqual([]);
    expect(after(begin, assistant(use('a')), ...before.slice(2))).toHaveLength(1);
    expect(after(begin, before[3]!, before[4]!, before[1]!, before[2]!)).toHaveLength(1);
  });
});

describe('Chat', () => {
  const problems = (...messages: object[]) => problemsOf('openai-chat', { messages });
  const system = { role: 'system', content: 'Be brief.' };
  const begin = { role: 'user', content: 'Hello' };
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
  });
  const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });

  test('accepts what is right', () => {
    expect(problems(system, begin, calls('a', 'b'), tool('b'), tool('a'), begin)).toEqual([]);
  });

  test.each<[string, RegExp, object[]]>([
    ['nothing of the user', /no message of the user/, [system]],
    ['a call without its result', /call a has no result/, [begin, calls('a'), begin]],
    ['a message between call and result', /call a has no result/, [begin, calls('a'), begin, tool('a')]],
    ['a result without its call', /result b has no call/, [begin, calls('a'), tool('a'), tool('b')]],
    ['a result after the user', /follows no call/, [begin, tool('a')]],
    ['an empty list of calls', /empty list/, [begin, { ...calls(), content: 'x' }, begin]],
    ['an empty message', /empty content/, [{ role: 'user', content: '' }]],
    ['the assistant last', /last message/, [begin, { role: 'assistant', content: 'x' }]],
  ])('refuses %s', (_, problem, messages) => {
    expect(problems(...messages).join('\n')).toMatch(problem);
  });
});

describe('Responses', () => {
  const problems = (...input: object[]) => problemsOf('openai-responses', { input });
  const message = (role: string) => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text: 'Hello' }],
  });
  const begin = message('user');
  const call = (id: string) => ({
    type: 'function_call',
    call_id: id,
    name: 'exec_command',
    arguments: '{}',
  });
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' });
  const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'abc' };

  test('accepts what is right', () => {
    expect(
      problems(begin, reasoning, call('a'), call('b'), message('developer'), output('a'), output('b')),
    ).toEqual([]);
  });

  test.each<[string, RegExp, object[]]>([
    ['a call without its result', /call a has no result/, [begin, call('a')]],
    ['a result without its call', /result a has no call/, [begin, output('a')]],
    ['a result before its call', /result a has no call/, [begin, output('a'), call('a')]],
    ['a result twice', /two results/, [begin, call('a'), output('a'), output('a')]],
    [
      'a result of another kind',
      /answers a/,
      [begin, call('a'), { ...output('a'), type: 'custom_tool_call_output' }],
    ],
    ['reasoning without its call', /led to/, [begin, reasoning, begin]],
    [
      'reasoning without its content',
      /without its content/,
      [begin, { ...reasoning, encrypted_content: '' }, call('a'), output('a')],
    ],
    ['words between call and result', /before the result/, [begin, call('a'), begin, output('a')]],
    ['the assistant last', /last item/, [begin, message('assistant')]],
  ])('refuses %s', (_, problem, items) => {
    expect(problems(...items).join('\n')).toMatch(problem);
  });
});

describe('Gemini', () => {
  const problems = (...contents: object[]) => problemsOf('gemini', { contents });
  const says = (role: string) => ({ role, parts: [{ text: 'Hello' }] });
  const call = (name: string, signature?: string) => ({
    functionCall: { id: `${name}_1`, name, args: {} },
    ...(signature && { thoughtSignature: signature }),
  });
  const response = (name: string) => ({
    functionResponse: { id: `${name}_1`, name, response: { output: 'ok' } },
  });
  const model = (...parts: object[]) => ({ role: 'model', parts });
  const of = (...parts: object[]) => ({ role: 'user', parts });
  const begin = says('user');

  test('accepts what is right', () => {
    expect(
      problems(
        begin,
        model(call('a', 's'), call('b')),
        of(response('a'), response('b')),
        model(call('c', 't')),
        of(response('c')),
      ),
    ).toEqual([]);
  });

  test('does without signatures in earlier turns', () => {
    const earlier = [begin, model(call('a')), of(response('a')), says('model')];
    expect(problems(...earlier, begin, model(call('b', 's')), of(response('b')))).toEqual([]);
  });

  test.each<[string, RegExp, object[]]>([
    ['a response too few', /2 calls, 1 responses/, [begin, model(call('a'), call('b')), of(response('a'))]],
    [
      'responses in another order',
      /not that of call/,
      [begin, model(call('a'), call('b')), of(response('b'), response('a'))],
    ],
    ['a response without its call', /responses without calls/, [begin, says('model'), of(response('a'))]],
    [
      'a call after the model',
      /follows no turn/,
      [begin, says('model'), model(call('a')), of(response('a'))],
    ],
    ['no parts', /no parts/, [of()]],
    ['the model last', /last content/, [begin, says('model')]],
    [
      'a call of this turn without its signature',
      /without its signature/,
      [begin, model(call('a', 's')), of(response('a')), model(call('b')), of(response('b'))],
    ],
  ])('refuses %s', (_, problem, contents) => {
    expect(problems(...contents).join('\n')).toMatch(problem);
  });
});
