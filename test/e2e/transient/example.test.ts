import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { anything, veiled } from '../support/compare-with-page.ts';
import { callTool, connectHttp, type Envelope, startServer } from '../support/program.ts';
import { SAMPLE_CONFIG, sampleData } from '../support/sample-calls.ts';

interface Step {
  tool: string;
  input: unknown;
  /** What the page shows of the answer: `answer`, `text`, `meta`. */
  shown: { kind: string; body: string }[];
}

const page = readFileSync(new URL('../../../docs/protocols/transient.md', import.meta.url), 'utf8');

function steps(): Step[] {
  const found: Step[] = [];
  for (const [, title = '', body = ''] of page.matchAll(/^```(?:json|text) (.+)\n([\s\S]*?)^```$/gm)) {
    const [kind = '', tool] = title.split(' ');
    if (tool !== undefined) found.push({ tool, input: JSON.parse(body), shown: [] });
    else found.at(-1)!.shown.push({ kind, body });
  }
  return found;
}

/** `$handle` on the page is the handle of an earlier answer. */
function withNames(text: string, names: Record<string, string>): unknown {
  return JSON.parse(text.replaceAll(/"\$(\w+)"/g, (_, name: string) => JSON.stringify(names[name])));
}

describe('the worked example of the transient page', () => {
  test('gives what the page says, step by step', async () => {
    verifies('TCP-01', 'TCP-02', 'TCP-04', 'TCP-05', 'TCP-08', 'TCP-09');
    const server = await startServer({ data: await sampleData(), args: ['--config', SAMPLE_CONFIG] });
    const client = await connectHttp(`${server.url}/mcp?project=/home/someone/shop`, '2025');
    const names: Record<string, string> = {};
    expect(steps().map(({ shown }) => shown.length)).toEqual([2, 2, 3, 1, 1, 1]);
    for (const { tool, input, shown } of steps()) {
      const result: Envelope = await callTool(client, tool, withNames(JSON.stringify(input), names));
      expect(result.isError, result.content[0]?.text).toBe(false);
      for (const name of ['handle', 'scratch_ref']) {
        const value = result.structuredContent[name];
        if (typeof value === 'string') names[name] = value;
      }
      for (const { kind, body } of shown) {
        if (kind === 'text') expect(result.content[0]!.text).toContain(body.trimEnd());
        else {
          const expected = withNames(body, names);
          // The state of the session and the like go out with every answer.
          const meta = Object.entries(result._meta ?? {}).filter(
            ([key]) => !/^infold\/(contextState|seq|notices)$/.test(key),
          );
          const actual = kind === 'meta' ? Object.fromEntries(meta) : result.structuredContent;
          expect(veiled(actual, expected, anything), `${tool} ${kind}`).toEqual(expected);
        }
      }
    }
  });
});
