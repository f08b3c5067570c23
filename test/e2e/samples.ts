import type { Client } from '@modelcontextprotocol/client';
import { callTool, type Envelope } from './support.ts';

type Results = Record<string, Envelope>;

export interface Sample {
  /** The tool, by the seed's name. */
  tool: string;
  /** Arguments that it answers without an error, after the samples before it. */
  input(earlier: Results): Record<string, unknown>;
  /** The text is prose, because the seed shows prose. */
  prose?: true;
}

const project_path = '/home/someone/shop';

/** One for every tool of the program, in an order in which each can be answered. */
export const SAMPLES: readonly Sample[] = [
  { tool: 'infold_status', input: () => ({ project: project_path }) },
  {
    tool: 'context_branch',
    input: () => ({ description: 'Find the cause', prompt: 'Look into checkout.ts', project_path }),
  },
  { tool: 'context_branch_status', input: () => ({ project_path }) },
  { tool: 'context_return', input: () => ({ message: 'The cause is in checkout.ts', project_path }) },
  {
    tool: 'context_expand',
    input: (earlier) => ({ handle: earlier.context_branch!.structuredContent.branch_id }),
  },
  { tool: 'context_list_branches', input: () => ({ project_path }) },
  { tool: 'context_rollback', input: () => ({ branch_id: 'main', project_path }) },
];

/** Calls each listed tool with its sample, in order. A tool that has no sample is an error. */
export async function callEverything(client: Client): Promise<Results> {
  const { tools } = await client.listTools();
  const listed = new Set(tools.map(({ name }) => name));
  const results: Results = {};
  for (const { tool, input } of SAMPLES) {
    const portable = tool.replaceAll('.', '_');
    const name = listed.has(tool) ? tool : portable;
    if (listed.delete(name)) results[tool] = await callTool(client, name, input(results));
  }
  if (listed.size > 0) throw new Error(`Add a sample for ${[...listed].join(', ')}`);
  return results;
}

/** A result without what differs from run to run: ids, times and the like become their kind. */
export function comparable({ structuredContent, isError }: Envelope): unknown {
  const text = JSON.stringify({ structuredContent, isError })
    .replaceAll(/"(sess|br|op|tok)_[a-z0-9]{20}"/g, '"$1_…"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME');
  return JSON.parse(text);
}
