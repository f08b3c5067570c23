import { expect, test } from 'vitest';
import { didYouMean } from './did-you-mean.ts';

const NAMES = ['claude-code', 'codex', 'gemini', 'opencode', 'vscode', 'pi'];

test.each([
  ['claude', 'claude-code'],
  ['Claude', 'claude-code'],
  ['gemini-cli', 'gemini'],
  ['opnecode', 'opencode'],
  ['codx', 'codex'],
  ['vscodee', 'vscode'],
])('%s is near %s', (typed, meant) => {
  expect(didYouMean(typed, NAMES)).toBe(` (did you mean ${meant}?)`);
});

test.each(['emacs', '', 'xy', 'nobody'])('"%s" is near none', (typed) => {
  expect(didYouMean(typed, NAMES)).toBe('');
});
