import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alnum, hex } from './examples/sample.suite.ts';
import { createScrubber } from './index.ts';

const scrubber = createScrubber();
const github = `gh${'p_'}${alnum(36)}`;

/** A shell's variable, as configurations refer to it. */
const reference = (name: string): string => ['$', '{', name, '}'].join('');

describe('structured values', () => {
  it('lose what stands under a secret name, whatever it looks like', () => {
    const value = {
      user: 'bob',
      password: 'kitty',
      nested: { api_key: 'k1', Authorization: 'Bearer abc', cookie: 'a=b' },
    };
    expect(scrubber.scrubValue(value)).toEqual({
      value: {
        user: 'bob',
        password: '[REDACTED:password]',
        nested: {
          api_key: '[REDACTED:api-key]',
          Authorization: '[REDACTED:authorization]',
          cookie: '[REDACTED:cookie]',
        },
      },
      count: 4,
      kinds: ['api-key', 'authorization', 'cookie', 'password'],
    });
  });

  it('keep ids of a prefix and twenty letters, which open nothing', () => {
    const randomId = (prefix: string) => `${prefix}_${'abcdefghijkmnpqrstuv'}`;
    const value = {
      session_id: randomId('sess'),
      token_id: randomId('tok'),
      session: { id: randomId('sess') },
    };
    expect(scrubber.scrubValue(value)).toMatchObject({ value, count: 0 });
    const other = { session_id: alnum(26) };
    expect(scrubber.scrubValue(other).count).toBe(1);
  });

  it('keep counters, settings and placeholders', () => {
    const value = {
      max_tokens: 4096,
      token_count: 3,
      tokens: 123456,
      input_tokens: 200000,
      next_page_token: 'abcdef',
      nextToken: 'xyz1',
      pass: 10,
      credentials: 'include',
      auth: 'oauth2',
      secret: true,
      password: '',
      token: null,
      apiKey: reference('API_KEY'),
      private_key: '<your key>',
      tokenizer: 'cl100k_base',
      keyboard: 'qwerty1',
      passwordless: 'yes',
      stop_token: '</s>',
    };
    const result = scrubber.scrubValue(value);
    expect(result).toEqual({ value, count: 0, kinds: [] });
    expect(result.value).toBe(value);
  });

  it('lose secrets in strings and in keys', () => {
    expect(scrubber.scrubValue({ note: `see ${github}`, [github]: 1 }).value).toEqual({
      note: 'see [REDACTED:github-token]',
      '[REDACTED:github-token]': 1,
    });
  });

  it('keep two keys apart that were both secrets', () => {
    const other = `gh${'p_'}${alnum(36)}`;
    expect(Object.keys(scrubber.scrubValue({ [github]: 1, [other]: 2 }).value)).toHaveLength(2);
  });

  it('lose long numbers under secret names', () => {
    expect(scrubber.scrubValue({ password: 48213377, token: 42 }).value).toEqual({
      password: '[REDACTED:password]',
      token: 42,
    });
  });

  it('lose lists under secret names, and the values of named pairs', () => {
    expect(
      scrubber.scrubValue({
        'set-cookie': ['a=b', 'c=d'],
        headers: [
          { name: 'X-Api-Key', value: 'abc' },
          { name: 'Accept', value: '*' },
        ],
      }).value,
    ).toEqual({
      'set-cookie': ['[REDACTED:cookie]', '[REDACTED:cookie]'],
      headers: [
        { name: 'X-Api-Key', value: '[REDACTED:api-key]' },
        { name: 'Accept', value: '*' },
      ],
    });
  });

  it('know a provider by the key', () => {
    expect(scrubber.scrubValue({ algoliaAdmin: hex(32) }).kinds).toEqual(['algolia-key']);
  });

  it('keep what did not change by reference', () => {
    const untouched = { deep: ['x', { y: 1 }] };
    const value = { untouched, password: 'kitty' };
    const result = scrubber.scrubValue(value);
    expect(result.value.untouched).toBe(untouched);
    expect(value.password).toBe('kitty');
  });

  it('may be deep', () => {
    const root: Record<string, unknown> = {};
    let inner = root;
    for (let depth = 0; depth < 10_000; depth++) {
      const next: Record<string, unknown> = {};
      inner.a = next;
      inner = next;
    }
    inner.password = 'kitty';
    expect(scrubber.scrubValue(root).count).toBe(1);
  });

  it('may hold themselves or the same part twice', () => {
    const cyclic: Record<string, unknown> = { token: 'kitty' };
    cyclic.self = cyclic;
    expect(scrubber.scrubValue(cyclic).value).toEqual({
      token: '[REDACTED:token]',
      self: '[REDACTED:cycle]',
    });
    const part = { note: github };
    const result = scrubber.scrubValue({ one: part, two: part }).value;
    expect(result.one).toEqual({ note: '[REDACTED:github-token]' });
    expect(result.two).toEqual(result.one);
  });

  it('are not harmed by a key named __proto__', () => {
    const value = JSON.parse('{"__proto__": {"password": "kitty"}, "a": 1}');
    const result = scrubber.scrubValue(value).value;
    expect(JSON.stringify(result)).toBe('{"__proto__":{"password":"[REDACTED:password]"},"a":1}');
    expect(({} as Record<string, unknown>).password).toBeUndefined();
  });

  it('of any shape keep it', () => {
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value === 'object' && value !== null) return Object.values(value).map(shape);
      return null;
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(shape(scrubber.scrubValue(value).value)).toEqual(shape(value));
      }),
    );
  });
});
