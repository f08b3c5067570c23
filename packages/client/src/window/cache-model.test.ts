import { describe, expect, test } from 'vitest';
import { billed, createProvider, PRICES, promptTokens } from './cache-model.suite.ts';

const MINUTE = 60_000;
const MARK = { cache_control: { type: 'ephemeral' } };
const LONG = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const prose = (seed: number, words = 2000) =>
  Array.from({ length: words }, (_, index) => `word${(index * 31 + seed) % 97}`).join(' ');
const text = (seed: number, mark: object = {}, words?: number) => ({
  type: 'text',
  text: prose(seed, words),
  ...mark,
});
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });

describe('Anthropic', () => {
  const begin = (options = {}) => {
    const provider = createProvider('anthropic', options);
    return (at: number, ...messages: object[]) => provider.ask({ model: 'm', at, body: { messages } });
  };

  test('reads what a mark kept, and writes what is new up to the next mark', () => {
    const ask = begin();
    const first = ask(0, user(text(1, MARK)));
    expect(first).toMatchObject({ input: 0, cache_read: 0 });
    expect(first.cache_write).toBeGreaterThan(2000);
    const second = ask(MINUTE, user(text(1)), assistant(text(2)), user(text(3, MARK)));
    expect(second).toMatchObject({ input: 0, cache_read: first.cache_write });
    const third = ask(
      MINUTE,
      user(text(1)),
      assistant(text(2)),
      user(text(3)),
      assistant(text(4)),
      user(text(5)),
    );
    expect(third, 'without a mark nothing is looked for').toMatchObject({ cache_read: 0, cache_write: 0 });
  });

  test('forgets after five minutes, or an hour, from the last use', () => {
    for (const [mark, minutes] of [
      [MARK, 5],
      [LONG, 60],
    ] as const) {
      const ask = begin();
      const { cache_write, cache_write_long } = ask(0, user(text(1, mark)));
      expect(cache_write_long).toBe(minutes === 60 ? cache_write : 0);
      const kept = (minutes - 1) * MINUTE;
      expect(ask(kept, user(text(1, mark))).cache_read).toBe(cache_write);
      expect(ask(2 * kept, user(text(1, mark))).cache_read, 'refreshed').toBe(cache_write);
      expect(ask(2 * kept + minutes * MINUTE, user(text(1, mark))).cache_read, 'forgotten').toBe(0);
    }
  });

  test('looks twenty blocks back from a mark and no further', () => {
    for (const [more, isFound] of [
      [19, true],
      [20, false],
    ] as const) {
      const ask = begin();
      ask(0, user(text(1, MARK)));
      const added = Array.from({ length: more }, (_, index) =>
        text(index, index === more - 1 ? MARK : {}, 20),
      );
      expect(ask(1, user(text(1), ...added)).cache_read > 0).toBe(isFound);
    }
  });

  test('keeps nothing that is short, and nothing behind a change', () => {
    const ask = begin();
    expect(ask(0, user(text(1, MARK, 100)))).toMatchObject({ cache_read: 0, cache_write: 0 });
    ask(0, user(text(2, MARK), text(3, MARK)));
    const changed = ask(1, user(text(2, MARK), text(4, MARK)));
    expect(changed.cache_read).toBeGreaterThan(2000);
    expect(changed.cache_write).toBeGreaterThan(2000);
  });

  test('takes a mark and the form of a text for nothing, a model for something else', () => {
    const provider = createProvider('anthropic');
    const ask = (model: string, content: unknown, next: object[]) =>
      provider.ask({ model, at: 0, body: { messages: [{ role: 'user', content }, ...next] } });
    const { cache_write } = ask('m', [text(1, MARK)], []);
    const next = [assistant(text(2)), user(text(3, MARK))];
    expect(ask('m', prose(1), next).cache_read).toBe(cache_write);
    expect(ask('n', prose(1), next).cache_read).toBe(0);
  });
});

describe('OpenAI and Gemini', () => {
  test('read the longest beginning that was there lately, in steps of 128 from 1,024 on', () => {
    for (const dialect of ['openai-chat', 'openai-responses', 'gemini'] as const) {
      const provider = createProvider(dialect);
      const ask = (at: number, ...seeds: number[]) => {
        const messages = seeds.map((seed) => ({ role: 'user', content: prose(seed) }));
        const contents = seeds.map((seed) => ({ role: 'user', parts: [{ text: prose(seed) }] }));
        const body = {
          gemini: { contents, systemInstruction: {} },
          'openai-responses': { input: messages },
          'openai-chat': { messages },
        };
        return provider.ask({ model: 'm', at, body: body[dialect] });
      };
      const first = ask(0, 1, 2);
      expect(first.cache_read).toBe(0);
      const second = ask(MINUTE, 1, 2, 3);
      expect(second.cache_read % 128).toBe(0);
      expect(promptTokens(first) - second.cache_read).toBeLessThan(128);
      expect(ask(2 * MINUTE, 1, 4).cache_read, 'up to the change').toBeLessThan(
        promptTokens(first) / 2 + 128,
      );
      expect(ask(20 * MINUTE, 1, 2, 3).cache_read, 'forgotten').toBe(0);
    }
  });
});

test('a bill is in input tokens', () => {
  const usage = { input: 100, cache_read: 1000, cache_write: 300, cache_write_long: 100, output: 10 };
  expect(billed(usage, PRICES.anthropic)).toBeCloseTo(100 + 100 + 200 * 1.25 + 200 + 50);
});
