import { API } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blankForm, LIFETIMES, readForm, SCOPES, type TokenForm } from './form.ts';

const form: TokenForm = { ...blankForm(false, ['read', 'write']), name: ' ann ' };

describe('the form of a token', () => {
  test('says only what was chosen: what is left open is the maker’s', () => {
    expect(readForm(form)).toEqual({ given: { name: 'ann', scopes: ['read', 'write'], expires: '90d' } });
    expect(readForm({ ...form, projects: ['p'], capabilities: 'chat, task/*  chat', expires: '' })).toEqual({
      given: { name: 'ann', scopes: ['read', 'write'], projects: ['p'], capabilities: ['chat', 'task/*'] },
    });
  });

  test('says what is wrong at each field', () => {
    expect(readForm({ ...form, name: ' ', scopes: [] })).toEqual({
      problems: { name: 'Enter the name of whoever will use it', scopes: 'Choose at least one' },
    });
    expect(readForm({ ...form, name: 'x'.repeat(65) })).toHaveProperty('problems.name');
    for (const capabilities of ['chat, <b>', 'mcp/{request}', '“chat”', 'x!', `${'x'.repeat(257)}`])
      expect(readForm({ ...form, capabilities })).toHaveProperty('problems.capabilities');
    expect(readForm({ ...form, capabilities: '!mcp/request:tools/* chat_2.a-b' })).toHaveProperty('given');
  });

  test('offers the first token every scope, and nobody more than they have', () => {
    const all = Object.keys(SCOPES) as TokenForm['scopes'];
    expect(blankForm(true, all).scopes).toEqual(all);
    expect(blankForm(true, ['read']).scopes).toEqual(['read']);
    expect(blankForm(false, all).scopes).toEqual(['read', 'write']);
    expect(blankForm(true, all).expires).toBe(blankForm(false, all).expires);
  });

  test('what it lets pass, the server takes', () => {
    const { input } = API.createToken;
    const forms = fc.record({
      name: fc.string({ maxLength: 80 }),
      scopes: fc.subarray(Object.keys(SCOPES)) as fc.Arbitrary<TokenForm['scopes']>,
      projects: fc.array(fc.string({ minLength: 1 })),
      capabilities: fc.string({ maxLength: 200 }),
      expires: fc.constantFrom(...LIFETIMES.map(({ value }) => value)),
    });
    fc.assert(
      fc.property(forms, (given) => {
        const read = readForm(given);
        if ('given' in read) expect(input.safeParse(read.given).error).toBeUndefined();
      }),
    );
  });
});
