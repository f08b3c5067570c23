import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { callTool, type Envelope, runJson, temporaryFolder } from './program.ts';

type Results = Record<string, Envelope>;

export interface Sample {
  /** The tool, by the seed's name. */
  tool: string;
  /** Arguments that it answers without an error, after the samples before it. */
  input(earlier: Results): Record<string, unknown>;
  /** The text is prose, because the seed shows prose, or Markdown that is made to be read. */
  prose?: true;
}

export const SAMPLE_PROJECT = '/home/someone/shop';
const project_path = SAMPLE_PROJECT;

const examples = (path: string) => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url));
/** The configuration with the records that the samples ask for. */
export const SAMPLE_CONFIG = examples('records/infold.config.json');
/** The gateway's tools are offered only where they are asked for. */
export const EVERY_DOOR = ['--toolsets', 'fold,library,memory,transient,gateway'];
export const SAMPLE_ARGS = ['--config', SAMPLE_CONFIG, ...EVERY_DOOR];

/** A data folder with the workflow that the samples walk. */
export async function sampleData(): Promise<string> {
  const data = temporaryFolder();
  const workflow = examples('library-workflow');
  await runJson(data, 'library', 'import', workflow, '--publish', '--project', project_path);
  return data;
}

/** Over HTTP the 2026 era has no connection: a write says which session it is for. */
function sessionOf({ context_branch }: Results): Record<string, unknown> {
  return { session_id: context_branch!.structuredContent.session_id };
}

/** One for every tool of the program, in an order in which each can be answered. */
export const SAMPLES: readonly Sample[] = [
  { tool: 'infold_status', input: () => ({ project: project_path }) },
  {
    tool: 'context_branch',
    input: () => ({ description: 'Find the cause', prompt: 'Look into checkout.ts', project_path }),
  },
  { tool: 'context_branch_status', input: () => ({ project_path }) },
  {
    tool: 'context_return',
    input: (earlier) => ({ message: 'The cause is in checkout.ts', project_path, ...sessionOf(earlier) }),
  },
  {
    tool: 'context_expand',
    input: (earlier) => ({ handle: earlier.context_branch!.structuredContent.branch_id }),
  },
  { tool: 'context_list_branches', input: () => ({ project_path }) },
  {
    tool: 'context_rollback',
    input: (earlier) => ({ branch_id: 'main', project_path, ...sessionOf(earlier) }),
  },
  { tool: 'memory.setup', input: () => ({ session_id: 'sample-thread' }) },
  {
    tool: 'draft',
    input: () => ({
      resource: 'rule',
      op: { create: { path: 'coding/ROUNDING.md', body: '# Rounding\n\n## Totals\n\n- Round once\n' } },
      session_id: 'sample-thread',
    }),
  },
  { tool: 'memory.discover', input: () => ({ query: 'rounding', session_id: 'sample-thread' }) },
  {
    tool: 'memory.load',
    input: () => ({
      ids: ['coding/ROUNDING.md'],
      knownHashes: { 'coding/ROUNDING.md': '' },
      session_id: 'sample-thread',
    }),
  },
  {
    tool: 'memory.refer',
    input: () => ({
      refs: [{ ruleId: 'coding/ROUNDING.md', constraintId: 'Totals/1' }],
      session_id: 'sample-thread',
    }),
  },
  { tool: 'memory.submit', input: () => ({ summary: 'Rounded totals once', session_id: 'sample-thread' }) },
  { tool: 'memory.reject', input: () => ({ session_id: 'sample-thread' }) },
  {
    tool: 'remember',
    input: () => ({
      content: 'Totals are rounded once, at the end.',
      title: 'Rounding',
      kind: 'decision',
      project: project_path,
    }),
  },
  {
    tool: 'context',
    input: () => ({ goal: 'Fix the rounding of totals', project: project_path }),
    prose: true,
  },
  {
    tool: 'synthesis_plan',
    input: () => ({ goal: 'How totals are rounded', output_type: 'briefing', project: project_path }),
  },
  { tool: 'search_records', input: () => ({ model: 'activity', per_page: 3, lean: true }) },
  { tool: 'find_records', input: () => ({ model: 'activity', record_id: 72 }) },
  {
    tool: 'scratch_read',
    input: (earlier) => ({ ref: earlier.search_records!.structuredContent.scratch_ref }),
  },
  {
    tool: 'store_analysis_memory',
    input: () => ({
      analysis_id: 'sample',
      findings: [{ finding: '72 is filed right', category: 'checked' }],
      project: project_path,
      session_id: 'sample-thread',
    }),
    prose: true,
  },
  {
    tool: 'recall_analysis_memories',
    input: () => ({ analysis_id: 'sample', project: project_path }),
    prose: true,
  },
  {
    tool: 'clear_analysis_memories',
    input: () => ({ analysis_id: 'sample', project: project_path, session_id: 'sample-thread' }),
    prose: true,
  },
  {
    tool: 'get_workflow_step',
    input: () => ({ workflow: 'reclassify', step: 2, project: project_path }),
    prose: true,
  },
  { tool: 'suggest_workflow', input: () => ({ goal: 'reclassify', project: project_path }), prose: true },
  {
    tool: 'pod_send',
    input: () => ({
      pod: 'sample',
      kind: 'conclusion',
      text: 'Totals are rounded once',
      context: { id: 'rounding', type: 'reasoning' },
    }),
  },
  { tool: 'pod_read', input: () => ({ pod: 'sample', filter: { kinds: ['conclusion'] }, since: 0 }) },
  { tool: 'pod_contexts', input: () => ({ pod: 'sample' }) },
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
    // Ids also stand within texts: in the Markdown of a pack, say.
    .replaceAll(/\b(sess|br|op|tok|scr|rs|fnd|mem|run|msg)_[a-z0-9]{20}\b/g, '$1_…')
    // What a turn is called follows from its place in the journal, where sessions begin sooner or later.
    .replaceAll(/\bturn_\d+_\d+\b/g, 'turn_…')
    .replaceAll(/"ws-[0-9a-f]{32}"/g, '"ws-…"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
    // Said only where no connection remembers the session.
    .replace(/,"notices":\["Nothing else tells which session[^\]]*\]/, '');
  return JSON.parse(text);
}
