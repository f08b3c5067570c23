import { CONTEXT_INTENTS, CONTEXT_LAYERS, MEMORY_KINDS } from '@infold/protocol';
import { expect, test } from 'vitest';
import { INTENTS, KINDS, LAYERS } from './kinds.ts';

test('the page offers what the protocol knows', () => {
  expect(KINDS).toEqual(MEMORY_KINDS);
  expect(INTENTS).toEqual(CONTEXT_INTENTS);
  expect(LAYERS).toEqual(CONTEXT_LAYERS);
});
