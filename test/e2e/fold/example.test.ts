import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { veiled } from '../support/compare-with-page.ts';
import { startServer } from '../support/program.ts';

interface Step {
  /** `call TOOL` or `POST PATH`. */
  what: string;
  input: unknown;
  kind: 'answer' | 'error';
  expected: unknown;
}

const page = readFileSync(new URL('../../../docs/protocols/fold.md', import.meta.url), 'utf8');

/** The page's JSON blocks in order: a call or a post, then its answer or error. */
function steps(): Step[] {
  const blocks = [...page.matchAll(/^```json (.+)\n([\s\S]*?)^```$/gm)].map(([, title, body]) => ({
    title: title!,
    body: JSON.parse(body!) as unknown,
  }));
  const found: Step[] = [];
  for (let index = 0; index < blocks.length; index += 2) {
    const [asked, answered] = [blocks[index]!, blocks[index + 1]!];
    found.push({
      what: asked.title,
      input: asked.body,
      kind: answered.title as Step['kind'],
      expected: answered.body,
    });
  }
  return found;
}

async function send(
  url: string,
  { what, input }: Step,
): Promise<{ answer?: unknown; error?: unknown; state: string | null }> {
  const [verb, target] = what.split(' ') as [string, string];
  const headers = { 'content-type': 'application/json' };
  if (verb === 'POST') {
    const response = await fetch(url + target, { method: 'POST', headers, body: JSON.stringify(input) });
    return { answer: await response.json(), state: null };
  }
  const params = { name: target, arguments: input };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
  const message = (await response.json()) as { result?: { structuredContent: unknown }; error?: unknown };
  const state = response.headers.get('x-context-state');
  return { answer: message.result?.structuredContent, error: message.error, state };
}

describe('the worked example of the fold page', () => {
  test('gives what the page says, step by step', async () => {
    verifies('FOLD-03', 'FOLD-04', 'FOLD-08');
    const { url } = await startServer();
    expect(steps().length).toBe(6);
    for (const step of steps()) {
      const got = (await send(url, step))[step.kind];
      expect(veiled(got, step.expected), step.what).toEqual(step.expected);
    }
  });

  test('and the header at its end is the one that the page shows', async () => {
    verifies('FOLD-09');
    const { url } = await startServer();
    let state: string | null = null;
    for (const step of steps()) state = (await send(url, step)).state ?? state;
    const shown = /^X-Context-State: (.+)$/m.exec(page)![1]!;
    const actual = JSON.parse(state!) as Record<string, unknown>;
    expect({ ...actual, session_id: 'sess_…' }).toEqual(JSON.parse(shown));
  });
});
