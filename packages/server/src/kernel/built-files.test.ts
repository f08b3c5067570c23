import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtFile } from './built-files.ts';

test.each([
  ['file:///app/packages/server/src/kernel/built-files.ts'],
  ['file:///app/packages/server/dist/kernel/built-files.js'],
  ['file:///app/packages/server/dist/bundle/main.js'],
  ['file:///app/packages/server/dist/bundle/chunks/services.js'],
])('seen from %s', (here) => {
  expect(builtFile('kernel/x.js', here).href).toBe('file:///app/packages/server/dist/kernel/x.js');
});

test('the thread that counts tokens is there', () => {
  expect(existsSync(builtFile('kernel/tokens/worker.js'))).toBe(true);
});
