import { META } from '@infold/protocol';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../../../../test/requirements.ts';
import { proseAnswer } from '../../call/answer.ts';
import { defineTool } from '../../call/tool.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { callerNamed, callOf, noteTool, testServices } from '../../testing/fixtures.suite.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import { callTool, type McpServices, type ToolOutcome } from './call.ts';

const answering = (run: Parameters<typeof defineTool>[0]['run'], scope: 'read' | 'write' = 'read') =>
  defineTool({
    name: 'test.tool',
    title: 'Test',
    description: 'A test.',
    input: z.object({ text: z.string().optional() }),
    output: z.object({ value: z.number() }),
    annotations: { readOnlyHint: scope === 'read' },
    scope,
    run: run as never,
  });

async function resultOf(services: McpServices, ...call: Parameters<typeof callOf>) {
  return resultIn(await callTool(services, callOf(...call)));
}

function resultIn(outcome: ToolOutcome) {
  if ('failure' in outcome) throw outcome.failure;
  return outcome.result;
}

describe('a call that succeeds', () => {
  test('answers the JSON of its structured content as text', async () => {
    verifies('KERN-07');
    const services = await testServices();
    const { content, structuredContent, isError, _meta } = await resultOf(services, 'infold_status', {});
    expect(isError).toBe(false);
    expect(content).toHaveLength(1);
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
    expect(structuredContent).toMatchObject({ organisation: 'local', session: null, doors: [] });
    expect(_meta).toEqual({ [META.seq]: 0 });
  });

  test('answers prose where the tool has prose', async () => {
    verifies('KERN-07');
    const tool = answering(() => ({
      structured: { value: 7 },
      text: 'Seven.',
      meta: { 'test/extra': true },
    }));
    const result = await resultOf(await testServices({ tools: [tool] }), 'test_tool', {});
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'Seven.' }],
      structuredContent: { value: 7 },
      _meta: { 'test/extra': true },
    });
  });

  test('shows after its text what is no text', async () => {
    const image = { type: 'image' as const, mimeType: 'image/png', data: 'AAAA' };
    const tool = answering(() => ({ structured: { value: 7 }, text: 'Seven.', attachments: [image] }));
    const result = await resultOf(await testServices({ tools: [tool] }), 'test_tool', {});
    expect(result.content).toEqual([{ type: 'text', text: 'Seven.' }, image]);
  });

  test('of a session carries the state of that session and the position of the journal', async () => {
    const services = await testServices({ tools: [noteTool] });
    const call = callOf('memory.note', { text: 'hello', session_id: 'thread' });
    const outcome = await callTool(services, call);
    const { state } = outcome;
    const result = resultIn(outcome);
    expect(state?.session_id).toMatch(/^sess_/);
    expect(result._meta?.[META.contextState]).toEqual(state);
    expect(result._meta?.[META.seq]).toBe(services.journal.head().seq);
    const status = await resultOf(services, 'infold_status', { session_id: 'thread' });
    expect(status.structuredContent.session).toMatchObject({ id: state?.session_id, host_id: 'thread' });
  });

  test('without a session carries no state', async () => {
    const outcome = await callTool(await testServices(), callOf('infold_status', {}));
    expect(outcome.state).toBeUndefined();
    expect(resultIn(outcome)._meta).not.toHaveProperty(META.contextState);
  });

  test('ignores an argument that it does not know, and says so', async () => {
    const result = await resultOf(await testServices(), 'infold_status', { projekt: 'shop' });
    expect(result.isError).toBe(false);
    const notices = ['Ignored unknown argument "projekt"'];
    expect(result._meta?.[META.notices]).toEqual(notices);
    expect(result.structuredContent.notices).toEqual(notices);
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
  });

  test('says in prose what is to be known as the last lines, and keeps it out of the prose in its data', async () => {
    const tool = answering((_input, { notices }) => {
      notices.push('One was left out', 'It is late');
      return proseAnswer('Seven.', { value: 7 });
    });
    const { content, structuredContent } = await resultOf(
      await testServices({ tools: [tool] }),
      'test.tool',
      {},
    );
    expect(content).toEqual([
      { type: 'text', text: 'Seven.\n\nNotice: One was left out\nNotice: It is late' },
    ]);
    expect(structuredContent).toEqual({
      value: 7,
      text: 'Seven.',
      notices: ['One was left out', 'It is late'],
    });
  });

  test('does not repeat an unknown argument of any length', async () => {
    const result = await resultOf(await testServices(), 'infold_status', { ['x'.repeat(1_000_000)]: 1 });
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
  });
});

describe('a call that is refused', () => {
  test('an unknown tool', async () => {
    verifies('KERN-08');
    for (const name of ['memory.forget', '', 'constructor', 'x'.repeat(100_000)]) {
      expect(await resultOf(await testServices(), name, {})).toMatchObject({
        content: [{ type: 'text', text: 'Unknown tool' }],
        structuredContent: { error: 'Unknown tool', code: 'unknown_tool', retryable: false },
        isError: true,
      });
    }
  });

  test.each([
    ['a wrong type', { text: 7 }, /text: must be a string; it was 7/],
    ['a missing field', {}, /text is required \(string\)/],
    ['too long a text', { text: 'x'.repeat(1001) }, /text: must have at most 1000 characters/],
    ['a wrong session id', { text: 'a', session_id: 5 }, /session_id: must be a string; it was 5/],
    ['no object at all', 'text', /arguments: must be an object; it was "text"/],
  ])('%s: nothing runs, nothing is written', async (_what, input, message) => {
    verifies('KERN-08');
    const services = await testServices({ tools: [noteTool] });
    const result = await resultOf(services, 'memory.note', input);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ code: 'invalid_arguments', retryable: false });
    expect(result.structuredContent.error).toMatch(message);
    expect(result.content[0]?.text).toBe(result.structuredContent.error);
    expect(services.journal.head().seq).toBe(0);
  });

  test('a token that may only read cannot call a tool that writes', async () => {
    const services = await testServices({ tools: [noteTool] });
    const caller = callerNamed('reader', { scopes: ['read'] });
    const result = await resultOf(services, 'memory.note', { text: 'hello' }, { caller });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'forbidden' } });
    expect(services.journal.head().seq).toBe(0);
    expect((await resultOf(services, 'infold_status', {}, { caller })).isError).toBe(false);
  });

  test('a project that is not open', async () => {
    verifies('KERN-10');
    const services = await testServices();
    const caller = callerNamed('alice', { projects: ['proj_mine'] });
    const connection = new Connection('/theirs');
    const result = await resultOf(services, 'infold_status', {}, { caller, connection });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(/^Project access denied: proj_[0-9a-f]{16}$/);
  });

  test('is told of what was ignored, in both halves and where the schema admits it', async () => {
    const services = await testServices();
    const result = await resultOf(services, 'infold_status', { project: 'nowhere', projekt: 'shop' });
    const { error } = result.structuredContent;
    expect(result.isError).toBe(true);
    expect(result.structuredContent.notices).toEqual(['Ignored unknown argument "projekt"']);
    expect(result.content[0]?.text).toBe(`${error}\n\nNotice: Ignored unknown argument "projekt"`);
    const [listed] = services.registry.list('seed');
    const validate = new AjvJsonSchemaValidator().getValidator(listed!.outputSchema as object);
    expect(validate(result.structuredContent).valid).toBe(true);
    expect(validate({ ...result.structuredContent, notices: 'one' }).valid).toBe(false);
  });

  test('an unknown session, for a tool that only reads', async () => {
    const result = await resultOf(await testServices(), 'infold_status', { session_id: 'sess_none' });
    expect(result.structuredContent).toMatchObject({ code: 'session_not_found' });
  });
});

describe('secrets', () => {
  test('when the scrubber fails, nothing is stored', async () => {
    const broken = () => {
      throw new Error('out of memory');
    };
    const scrubber = { scrub: broken, scrubValue: broken };
    const services = await testServices({ tools: [noteTool], scrubber });
    const result = await resultOf(services, 'memory.note', { text: 'hello' });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { code: 'scrub_failed', retryable: true },
    });
    expect(result.content[0]?.text).not.toContain('out of memory');
    expect(services.journal.head().seq).toBe(0);
  });

  test('a tool that writes gets the scrubbed arguments', async () => {
    const scrubValue = <T>(value: T) => ({
      value: JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[REDACTED]')) as T,
      count: 1,
      kinds: ['password'],
    });
    const scrubber = { scrub: (text: string) => ({ text, count: 0, kinds: [] }), scrubValue };
    const services = await testServices({ tools: [noteTool], scrubber });
    const result = await resultOf(services, 'memory.note', { text: 'it is hunter2' });
    expect(result.structuredContent).toEqual({ noted: 'it is [REDACTED]' });
    expect(JSON.stringify(services.journal.entriesAfter(0, 100))).not.toContain('hunter2');
  });
});

describe('a tool that throws', () => {
  test('a known error keeps its code, its advice and its details', async () => {
    const tool = answering(() => {
      throw new InfoldError('rate_limited', 'Too fast', {
        retryable: true,
        retryAfter: 3,
        details: { most: 5 },
      });
    });
    const result = await resultOf(await testServices({ tools: [tool] }), 'test.tool', {});
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({
      error: 'Too fast',
      code: 'rate_limited',
      retryable: true,
      retryAfter: 3,
      most: 5,
    });
  });

  test('a defect is told in one sentence, without its stack', async () => {
    const tool = answering(() => {
      throw new TypeError('x is undefined');
    });
    const result = await resultOf(await testServices({ tools: [tool] }), 'test.tool', {});
    expect(result.structuredContent).toMatchObject({
      code: 'internal',
      error: 'Internal error: x is undefined',
    });
    expect(JSON.stringify(result)).not.toContain('call.test');
  });

  test('an error with a JSON-RPC code is handed over, for the transport to answer', async () => {
    const rpc = { code: -32003, data: { current_status: 'folded' } };
    const tool = answering(() => {
      throw new InfoldError('conflict', 'Not active', { rpc });
    });
    const services = await testServices({ tools: [tool] });
    expect(await callTool(services, callOf('test.tool', {}))).toMatchObject({ failure: { rpc } });
  });
});

test('every result, errors too, matches the output schema that the tool lists', async () => {
  verifies('KERN-07');
  const failing = answering((input) => {
    const { text } = input as { text?: string };
    if (text === 'known') throw new InfoldError('not_found', 'No', { details: { options: ['a'] } });
    if (text) throw new Error(text);
    return { structured: { value: 1 } };
  });
  const services = await testServices({ tools: [failing, noteTool] });
  const validators = new Map(
    services.registry
      .list('seed')
      .map(({ name, outputSchema }) => [
        name,
        new AjvJsonSchemaValidator().getValidator(outputSchema as object),
      ]),
  );
  const calls: [string, unknown][] = [
    ['infold_status', {}],
    ['infold_status', { project: 'nowhere' }],
    ['infold_status', { project: 7 }],
    ['memory.note', { text: 'a' }],
    ['memory.note', {}],
    ['test.tool', {}],
    ['test.tool', { text: 'known' }],
    ['test.tool', { text: 'defect' }],
  ];
  for (const [name, input] of calls) {
    const { structuredContent } = await resultOf(services, name, input);
    expect(validators.get(name)!(structuredContent), `${name} ${JSON.stringify(input)}`).toMatchObject({
      valid: true,
    });
  }
  expect(validators.get('test.tool')!({ value: 'text' }).valid).toBe(false);
});

test('calls are counted by tool and outcome; unknown names do not become labels', async () => {
  const seen: string[] = [];
  const observer = { called: (tool: string, outcome: string) => seen.push(`${tool} ${outcome}`) };
  const services = await testServices({ tools: [noteTool], observer });
  await resultOf(services, 'memory_note', { text: 'a' });
  await resultOf(services, 'memory_note', {});
  await resultOf(services, 'some_random_name', {});
  expect(seen).toEqual(['memory.note ok', 'memory.note error', 'unknown error']);
});
