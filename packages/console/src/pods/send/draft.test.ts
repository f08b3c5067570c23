import { describe, expect, test } from 'vitest';
import { contextOf, draftOf, EMPTY_DRAFT, NEW, payloadOf, placeOfContext, problemsOf } from './draft.ts';

describe('a draft', () => {
  test('says what is missing or wrong before it is sent', () => {
    expect(problemsOf({ ...EMPTY_DRAFT, text: 'Hello' })).toEqual({});
    expect(problemsOf({ ...EMPTY_DRAFT, kind: '' })).toMatchObject({
      kind: expect.any(String),
      text: expect.any(String),
    });
    expect(problemsOf({ ...EMPTY_DRAFT, text: '{', isJson: true }).text).toMatch(/not JSON/);
    expect(problemsOf({ ...EMPTY_DRAFT, text: 'x', kind: 'mcp/response:a' }).correlation).toBeTruthy();
    expect(
      problemsOf({ ...EMPTY_DRAFT, text: 'x', kind: 'mcp/proposal:a', correlation: 'm' }).correlation,
    ).toBeTruthy();
  });

  test('puts what is said where its kind has it, or sends the JSON as it is', () => {
    expect(payloadOf({ ...EMPTY_DRAFT, text: 'Hello' })).toEqual({ text: 'Hello' });
    expect(payloadOf({ ...EMPTY_DRAFT, kind: 'reflection', text: 'Hm' })).toEqual({ thought: 'Hm' });
    expect(payloadOf({ ...EMPTY_DRAFT, kind: 'constructor', text: 'Hm' })).toEqual({ text: 'Hm' });
    expect(payloadOf({ ...EMPTY_DRAFT, text: '[1]', isJson: true })).toEqual([1]);
  });

  test('goes to a context that is known, or to one that it begins', () => {
    const newId = () => 'made';
    expect(contextOf(EMPTY_DRAFT, () => null, newId)).toBe(undefined);
    expect(contextOf({ ...EMPTY_DRAFT, place: placeOfContext('new') }, () => 'plan', newId)).toEqual({
      id: 'new',
      type: 'plan',
    });
    const fresh = { ...EMPTY_DRAFT, place: NEW, newType: 'plan', newParent: 'p' };
    expect(contextOf(fresh, () => null, newId)).toEqual({ id: 'made', type: 'plan', parent: 'p' });
  });

  test('comes back from what was refused', () => {
    const sent = { kind: 'conclusion', payload: { conclusion: 'Yes' }, to: ['bob'], context: { id: 'c' } };
    expect(draftOf(sent)).toMatchObject({
      text: 'Yes',
      isJson: false,
      to: ['bob'],
      place: placeOfContext('c'),
    });
    expect(draftOf({ kind: 'chat', payload: { text: 'a', more: 1 } })).toMatchObject({ isJson: true });
    expect(draftOf({ kind: 'chat', payload: null })).toMatchObject({ isJson: true, text: 'null' });
  });
});
