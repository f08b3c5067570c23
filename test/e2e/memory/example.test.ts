import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { anything, veiled } from '../support/compare-with-page.ts';
import { startServer } from '../support/program.ts';

const page = readFileSync(new URL('../../../docs/protocols/memory.md', import.meta.url), 'utf8');

/** The page's JSON blocks in order: a call, then its answer. */
function steps(): { tool: string; input: unknown; expected: unknown }[] {
  const blocks = [...page.matchAll(/^```json (.+)\n([\s\S]*?)^```$/gm)].map(([, title, body]) => ({
    title: title!,
    body: JSON.parse(body!) as unknown,
  }));
  return blocks.flatMap(({ title, body }, index) =>
    title.startsWith('call ')
      ? [{ tool: title.slice('call '.length), input: body, expected: blocks[index + 1]!.body }]
      : [],
  );
}

describe('the worked example of the memory page', () => {
  test('gives what the page says', async () => {
    verifies('PACK-02', 'PACK-07');
    const { url } = await startServer();
    expect(steps()).toHaveLength(2);
    for (const { tool, input, expected } of steps()) {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: tool, arguments: input },
        }),
      });
      const { result } = (await response.json()) as { result: { structuredContent: unknown } };
      expect(veiled(result.structuredContent, expected, anything), tool).toEqual(expected);
    }
  });
});
