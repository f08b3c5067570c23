import { randomBytes } from 'node:crypto';
import { createScrubber } from '@infold/scrub';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/support/runs.ts';
import { goOn } from '../../kernel/give-way.ts';
import { SecretFinder } from './secrets.ts';

const secret = () => ['ghp', randomBytes(18).toString('hex')].join('_');
const find = (body: unknown, finder = new SecretFinder(createScrubber())) =>
  finder.find(typeof body === 'string' ? body : JSON.stringify(body), goOn);

describe('secrets that are about to leave', () => {
  const key = secret();
  test.each<[string, object]>([
    [
      'Anthropic',
      { system: [{ type: 'text', text: `key ${key}` }], messages: [{ role: 'user', content: key }] },
    ],
    [
      'a result',
      { messages: [{ content: [{ type: 'tool_result', tool_use_id: 'a', content: `x ${key} y` }] }] },
    ],
    [
      'a call',
      { messages: [{ content: [{ type: 'tool_use', id: 'a', input: { deep: [{ text: key }] } }] }] },
    ],
    ['chat', { messages: [{ tool_calls: [{ id: 'a', function: { arguments: JSON.stringify({ key }) } }] }] }],
    [
      'responses',
      { instructions: key, input: [{ type: 'function_call_output', call_id: 'a', output: key }] },
    ],
    ['responses as a text', { input: key }],
    ['Gemini', { contents: [{ parts: [{ functionResponse: { name: 'a', response: { output: key } } }] }] }],
  ])('are found and replaced: %s', async (_what, body) => {
    const { text, fresh, count } = await find(body);
    expect(text).not.toContain(key);
    expect(text).toContain('[REDACTED:');
    expect(() => JSON.parse(text!)).not.toThrow();
    expect([fresh.length, count]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(count).toBeGreaterThan(0);
  });

  test('arguments of calls stay JSON', async () => {
    const { text } = await find({
      messages: [{ tool_calls: [{ function: { arguments: JSON.stringify({ a: key, b: 1 }) } }] }],
    });
    const [message] = (
      JSON.parse(text!) as { messages: { tool_calls: { function: { arguments: string } }[] }[] }
    ).messages;
    expect(JSON.parse(message!.tool_calls[0]!.function.arguments)).toMatchObject({ b: 1 });
  });

  test.each<[string, object]>([
    ['ids', { messages: [{ id: key, tool_call_id: key, content: [{ tool_use_id: key }] }] }],
    ['signed thinking', { messages: [{ content: [{ type: 'thinking', thinking: key, signature: 'x' }] }] }],
    ['encrypted items', { input: [{ type: 'reasoning', summary: [{ text: key }], encrypted_content: 'x' }] }],
    ['signed parts', { contents: [{ parts: [{ functionCall: { args: { key } }, thoughtSignature: 'x' }] }] }],
    [
      'pictures',
      {
        messages: [
          {
            content: [
              { source: { type: 'base64', data: key } },
              { image_url: { url: `data:image/png;base64,${key}` } },
            ],
          },
        ],
      },
    ],
    ['tools and what else is set', { tools: [{ description: key }], metadata: { user_id: key } }],
  ])('are left where only the provider may change something: %s', async (_what, body) => {
    expect(await find(body)).toEqual({ fresh: [], count: 0, text: undefined });
  });

  test('everything around them stays as it was, to the byte', async () => {
    const before = `{ "n": 1.0, "big": 12345678901234567890,\n "messages" : [ {"content":"a ${key} \\u00e9"} ], "messages2":"${key}" }`;
    const { text } = await find(before);
    expect(text).toMatch(
      /^\{ "n": 1\.0, "big": 12345678901234567890,\n "messages" : \[ \{"content":"a \[REDACTED:[\w-]+\] é"\} \], "messages2":"ghp_/,
    );
  });

  test('a call keeps everything else of its input', async () => {
    const before = `{"messages":[{"content":[{"type":"tool_use","id":"a","input":{ "n": 1.0, "password": "${key}", "deep": [12345678901234567890, "${key}"] }}]}]}`;
    const { text } = await find(before);
    expect(text!.replaceAll(/\[REDACTED:[\w-]+\]/g, key)).toBe(before);
    expect(text).not.toContain(key);
  });

  test('become the same in every later request, and are told of once', async () => {
    const finder = new SecretFinder(createScrubber());
    const first = { messages: [{ role: 'user', content: `use ${key} for it` }] };
    const before = await find(first, finder);
    expect(before.fresh).toHaveLength(1);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { maxLength: 5 }), async (more) => {
        const later = {
          messages: [...first.messages, ...more.map((content) => ({ role: 'user', content }))],
        };
        for (const again of [finder, new SecretFinder(createScrubber())]) {
          const { text } = await find(later, again);
          expect(text!.startsWith(before.text!.slice(0, -2))).toBe(true);
        }
        expect((await find(first, finder)).fresh).toEqual([]);
      }),
      { numRuns: runs(30) },
    );
  });
});
