import type { Dialect } from '@infold/client/window';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeptBytes, UsageReader } from './usage.ts';

const STREAM = 'text/event-stream; charset=utf-8';
const event = (value: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;

/** Reads an answer that comes in the given pieces. */
function usageOf(dialect: Dialect, type: string, pieces: readonly (Buffer | string)[], most = 1 << 20) {
  const budget = new KeptBytes(most);
  const reader = new UsageReader(dialect, type, budget);
  for (const piece of pieces) reader.write(Buffer.from(piece));
  const usage = reader.end();
  // Everything that was kept has been given back.
  expect(budget.take(most)).toBe(true);
  return usage;
}

const noise = 'Grüße 🪟 "usage": {"input_tokens": 99} \\"usage\\"';

type Told = [what: string, dialect: Dialect, type: string, text: string, expected: object];

const ANSWERS: Told[] = [
  [
    'Anthropic streams',
    'anthropic',
    STREAM,
    event(
      {
        type: 'message_start',
        message: {
          usage: {
            input_tokens: 3,
            cache_read_input_tokens: 100,
            cache_creation_input_tokens: 50,
            cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 },
            output_tokens: 1,
          },
        },
      },
      'message_start',
    ) +
      event({ type: 'content_block_delta', delta: { text: noise } }) +
      ': ping\n\n' +
      event({ type: 'message_delta', usage: { output_tokens: 77 } }) +
      event({ type: 'message_stop' }),
    { input: 3, cache_read: 100, cache_write: 50, cache_write_long: 20, output: 77 },
  ],
  [
    'Anthropic at once, with a call that has figures of its own',
    'anthropic',
    'application/json',
    JSON.stringify({
      content: [{ type: 'tool_use', input: { usage: { input_tokens: 1_000_000 } } }, { text: noise }],
      usage: { input_tokens: 7, output_tokens: 2 },
    }),
    { input: 7, cache_read: 0, cache_write: 0, cache_write_long: 0, output: 2 },
  ],
  [
    'chat streams',
    'openai-chat',
    STREAM,
    event({ choices: [{ delta: { content: noise } }], usage: null }).repeat(3) +
      event({
        choices: [],
        usage: { prompt_tokens: 30, prompt_tokens_details: { cached_tokens: 20 }, completion_tokens: 9 },
      }) +
      'data: [DONE]\n\n',
    { input: 10, cache_read: 20, cache_write: 0, cache_write_long: 0, output: 9 },
  ],
  [
    'chat at once',
    'openai-chat',
    'application/json',
    JSON.stringify({ choices: [], usage: { prompt_tokens: 30, completion_tokens: 9 } }, null, 2),
    { input: 30, cache_read: 0, cache_write: 0, cache_write_long: 0, output: 9 },
  ],
  [
    'responses stream',
    'openai-responses',
    STREAM,
    event({ type: 'response.created', response: { usage: null, instructions: noise } }) +
      event({
        type: 'response.completed',
        response: {
          output: [{ arguments: '{"usage":{"input_tokens":5}}' }],
          usage: { input_tokens: 40, input_tokens_details: { cached_tokens: 8 }, output_tokens: 6 },
        },
      }),
    { input: 32, cache_read: 8, cache_write: 0, cache_write_long: 0, output: 6 },
  ],
  [
    'responses at once',
    'openai-responses',
    'application/json',
    JSON.stringify({ usage: { input_tokens: 40, output_tokens: 6 } }),
    { input: 40, cache_read: 0, cache_write: 0, cache_write_long: 0, output: 6 },
  ],
  [
    'Gemini streams, the last figures counting',
    'gemini',
    STREAM,
    event({ candidates: [], usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1 } }).replaceAll(
      '\n',
      '\r\n',
    ) +
      event({
        candidates: [
          { content: { parts: [{ functionCall: { args: { usageMetadata: { promptTokenCount: 9 } } } }] } },
        ],
        usageMetadata: {
          promptTokenCount: 12,
          cachedContentTokenCount: 4,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 3,
        },
      }),
    { input: 8, cache_read: 4, cache_write: 0, cache_write_long: 0, output: 8 },
  ],
  [
    'Gemini as a list',
    'gemini',
    'application/json',
    JSON.stringify(
      [
        { usageMetadata: { promptTokenCount: 12 } },
        { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5 } },
      ],
      null,
      2,
    ),
    { input: 12, cache_read: 0, cache_write: 0, cache_write_long: 0, output: 5 },
  ],
  ...(['openai-chat', 'openai-responses'] as const).map((dialect): Told => {
    const [asked, answered] = dialect === 'openai-chat' ? ['prompt', 'completion'] : ['input', 'output'];
    const usage = {
      [`${asked}_tokens`]: 1000,
      [`${answered}_tokens`]: 50,
      [`${asked}_tokens_details`]: { cached_tokens: 600, cache_write_tokens: 300 },
    };
    return [
      `${dialect}, with what it wrote to its cache`,
      dialect,
      'application/json',
      JSON.stringify({ usage }),
      { input: 100, cache_read: 600, cache_write: 300, cache_write_long: 0, output: 50 },
    ];
  }),
];

describe('usage', () => {
  test.each(ANSWERS)('%s', (_what, dialect, type, text, expected) => {
    expect(usageOf(dialect, type, [text])).toEqual(expected);
  });

  test.each(ANSWERS)('%s: the same wherever the pieces are cut', (_what, dialect, type, text, expected) => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(usageOf(dialect, type, pieces)).toEqual(expected);
      }),
    );
    expect(
      usageOf(
        dialect,
        type,
        Array.from(bytes, (byte) => Buffer.from([byte])),
      ),
    ).toEqual(expected);
  });

  test('a stream that is cut off tells what it told', () => {
    const [, dialect, type, text] = ANSWERS[0]!;
    expect(usageOf(dialect, type, [text.slice(0, text.indexOf('message_delta'))])).toMatchObject({
      input: 3,
      output: 1,
    });
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'data: {"usage": {nonsense\n\n'],
    ['figures that are none', event({ usage: { input_tokens: -4, output_tokens: 1.5 } })],
    ['another shape', event({ usage: { input_tokens: '12' } }).replace('{"input', '["input')],
  ])('of %s nothing is known', (_what, text) => {
    expect(usageOf('anthropic', STREAM, [text])).toBeNull();
  });

  test.each([1 << 20, 50_000])(
    'of a long stream the beginning and the end count (room for %i bytes)',
    (most) => {
      const [, dialect, type, text, expected] = ANSWERS[0]!;
      const at = text.indexOf('data: {"type":"message_delta"');
      const between = event({ type: 'content_block_delta', delta: { text: noise } }).repeat(8000);
      const pieces = (text.slice(0, at) + between + text.slice(at)).match(/[\s\S]{1,40000}/g)!;
      expect(usageOf(dialect, type, pieces, most)).toEqual(expected);
    },
  );

  test('a line that is too long is given up, and those after it are read', () => {
    const long = event({ text: 'x'.repeat(5000), usage: { output_tokens: 1 } });
    const after = event({ usage: { output_tokens: 8 } });
    const pieces = (text: string) => text.match(/[\s\S]{1,100}/g)!;
    expect(usageOf('anthropic', STREAM, pieces(long), 1000)).toBeNull();
    expect(usageOf('anthropic', STREAM, pieces(long + after), 1000)).toMatchObject({ output: 8 });
  });
});
