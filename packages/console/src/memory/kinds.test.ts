import { CONTEXT_INTENTS, CONTEXT_LAYERS, MEMORY_KINDS, RELATION_TYPES } from '@infold/protocol';
import { expect, test } from 'vitest';
import { INTENTS, KINDS, LAYERS, RELATIONS } from './kinds.ts';

test('the page offers what the protocol knows', () => {
  expect(KINDS).toEqual(MEMORY_KINDS);
  expect(INTENTS).toEqual(CONTEXT_INTENTS);
  expect(RELATIONS).toEqual(RELATION_TYPES);
  expect(LAYERS).toEqual(CONTEXT_LAYERS);
});
