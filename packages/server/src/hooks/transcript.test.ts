import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/fixtures.suite.ts';
import { forkedFrom, lastCalls, lastCompression } from './transcript.ts';

function transcriptOf(...lines: unknown[]): string {
  const path = join(temporaryFolder(), 'transcript.jsonl');
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(path, text);
  return path;
}

const readFile = (path: string) => ({ message: { content: [{ name: 'Read', input: { file_path: path } }] } });

test('calls are those at the end, the newest first', async () => {
  const path = transcriptOf(readFile('a'), { type: 'user', message: { content: 'name' } }, readFile('b'));
  expect(await lastCalls(path)).toEqual([
    { tool: 'Read', input: { file_path: 'b' } },
    { tool: 'Read', input: { file_path: 'a' } },
  ]);
  expect(await lastCalls(path, JSON.stringify(readFile('b')).length + 10)).toHaveLength(1);
});

test('a fork names where it comes from, as Claude Code and Codex write it', async () => {
  const claude = { type: 'user', forkedFrom: { sessionId: 'parent-1', messageUuid: 'x' } };
  expect(await forkedFrom(transcriptOf({ type: 'summary' }, claude))).toBe('parent-1');
  const codex = { type: 'session_meta', payload: { id: 'child', forked_from_id: 'parent-2' } };
  expect(await forkedFrom(transcriptOf(codex))).toBe('parent-2');
  expect(await forkedFrom(transcriptOf({ type: 'user', sessionId: 'own' }))).toBeUndefined();
});

test('nothing is read of what is not there, or is no file', async () => {
  for (const path of ['/nowhere/at/all', temporaryFolder(), '/dev/zero']) {
    expect(await lastCalls(path)).toEqual([]);
    expect(await forkedFrom(path)).toBeUndefined();
    expect(await lastCompression(path)).toBeUndefined();
  }
});

test('whatever stands there is no reason to fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.json(), fc.jsonValue())), async (lines) => {
      const path = transcriptOf(...lines);
      for (const { tool } of await lastCalls(path)) expect(typeof tool).toBe('string');
      await forkedFrom(path);
      await lastCompression(path);
    }),
    { numRuns: 40 },
  );
});
