import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { veiled } from '../support/compare-with-page.ts';
import { connectHttp, type Envelope, runJson, startServer, temporaryFolder } from '../support/program.ts';

const page = readFileSync(new URL('../../../docs/protocols/library.md', import.meta.url), 'utf8');
const EXAMPLE = fileURLToPath(new URL('../../../examples/library', import.meta.url));

interface Step {
  tool: string;
  input: string;
  kind: 'answer' | 'error';
  expected: string;
}

/** The page's JSON blocks in order: a call, then its answer or error. */
function steps(): Step[] {
  const blocks = [...page.matchAll(/^```json (.+)\n([\s\S]*?)^```$/gm)].map(([, title, body]) => ({
    title: title!,
    body: body!,
  }));
  return Array.from({ length: blocks.length / 2 }, (_, index) => {
    const [asked, answered] = [blocks[index * 2]!, blocks[index * 2 + 1]!];
    return {
      tool: asked.title.replace('call ', ''),
      input: asked.body,
      kind: answered.title as Step['kind'],
      expected: answered.body,
    };
  });
}

describe('the worked example of the library page', () => {
  test('gives what the page says, step by step', async () => {
    verifies('LIB-01', 'LIB-03', 'LIB-05', 'LIB-07', 'LIB-09');
    const data = temporaryFolder();
    await runJson(data, 'library', 'import', EXAMPLE, '--publish', '--project', 'default');
    const { url } = await startServer({ data });
    const client = await connectHttp(`${url}/mcp`, '2025');
    let id = '';
    expect(steps()).toHaveLength(7);
    for (const { tool, input, kind, expected } of steps()) {
      const named = (text: string) => JSON.parse(text.replaceAll('$1', id)) as Record<string, unknown>;
      const result = (await client.callTool({ name: tool, arguments: named(input) })) as unknown as Envelope;
      const { structuredContent, isError } = result;
      expect(isError, tool).toBe(kind === 'error');
      const { items } = structuredContent as { items?: { id: string }[] };
      if (tool === 'memory.discover') id = items![0]!.id;
      const wanted = named(expected);
      expect(veiled(structuredContent, wanted), tool).toEqual(wanted);
    }
  });
});
