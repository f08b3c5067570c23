import { type Call, DIRECTORY, letters, type OurTool, type Outcome } from './script.suite.ts';

/** Calls of our own tools, with results in the shapes that `@infold/protocol` gives them. */

const SESSION = 'sess_k4fw7m2hxq9tz3ncpd8u';
const TIME = '2026-03-02T09:00:00.000Z';
const contextState = (branch: string | null, depth: number, tokens: number) => ({
  active_branch_id: branch,
  branch_depth: depth,
  total_tokens: 1200 + tokens,
  main_thread_tokens: 1200,
  current_branch_tokens: tokens,
  collapsible: 0,
});

export const branchId = (seed: string) => `br_${letters(seed, 20).toLowerCase()}`;
export const handleOf = (seed: string) => `rs_${letters(seed, 20).toLowerCase()}`;

function ours(
  tool: OurTool,
  input: Record<string, unknown>,
  data: Record<string, unknown>,
  text?: string,
): Call {
  return { tool, input, outcome: { text: text ?? linedJson(data), data } };
}

export function refused(call: Call, error: string): Call {
  const outcome: Outcome = {
    text: error,
    data: { error, code: 'not_found', retryable: false },
    isError: true,
  };
  return { ...call, outcome };
}

export function branch(id: string, description: string, prompt: string, parent: string | null = null): Call {
  const depth = parent === null ? 1 : 2;
  return ours(
    'context_branch',
    { description, prompt, project_path: DIRECTORY },
    {
      branch_id: id,
      session_id: SESSION,
      parent_branch_id: parent,
      created_at: TIME,
      branch_depth: depth,
      context_state: contextState(id, depth, prompt.length >> 2),
    },
  );
}

export function giveBack(
  id: string,
  message: string,
  options: { parent?: string | null; sources?: string[]; named?: boolean } = {},
): Call {
  const { parent = null, sources, named = false } = options;
  return ours(
    'context_return',
    {
      message,
      project_path: DIRECTORY,
      ...(named && { branch_id: id }),
      ...(sources && { sources }),
    },
    {
      folded_at: TIME,
      branch_id: id,
      parent_branch_id: parent,
      summary: {
        tokens_folded: 7690,
        tokens_saved: 7690 - (message.length >> 2),
        operations_count: 7,
        secrets_scrubbed: 0,
        summary_redacted: false,
      },
      context_state: contextState(parent, parent === null ? 0 : 1, 0),
      context_health: { warning: 'none', main_thread_usage: 0.04 },
      dropped: [],
    },
  );
}

/** To a folded branch it opens that one again; to `main` it discards every branch that is open. */
export function rollBack(target: string, discarded: string[], options: { abandon?: boolean } = {}): Call {
  return ours(
    'context_rollback',
    { project_path: DIRECTORY, branch_id: target, ...(options.abandon && { abandon: true }) },
    {
      rolled_back_to: options.abandon ? 'main' : target,
      branches_discarded: discarded,
      tokens_recovered: 4210,
      context_state: {
        active_branch_id: target === 'main' || options.abandon ? null : target,
        branch_depth: target === 'main' || options.abandon ? 0 : 1,
        total_tokens: 1200,
        collapsible: 0,
      },
    },
  );
}

export type Row = Record<string, string | number | boolean | null>;

export function searchPage(
  handle: string,
  model: string,
  page: number,
  pages: number,
  records: readonly Row[],
): Call {
  return ours(
    'search_records',
    { model, page, per_page: records.length },
    {
      schema: { model, columns: Object.keys(records[0] ?? {}) },
      records,
      pagination: {
        page,
        per_page: records.length,
        total: pages * records.length,
        total_pages: pages,
        has_more: page < pages,
      },
      handle,
    },
  );
}

export function store(seed: string, findings: readonly string[], sources: readonly string[]): Call {
  const ids = findings.map((_, index) => `mem_${letters(`${seed}${index}`, 20).toLowerCase()}`);
  const text = [
    `Stored ${findings.length} analysis finding(s) (ephemeral (as long as the session, at least 24 hours)).`,
    'Analysis: review',
    'Categories: quality',
    `IDs: ${ids.join(', ')}`,
  ].join('\n');
  return ours(
    'store_analysis_memory',
    {
      analysis_id: 'review',
      findings: findings.map((finding) => ({ finding, category: 'quality' })),
      ...(sources.length > 0 && { sources }),
    },
    {
      analysis_id: 'review',
      stored: findings.length,
      ids,
      categories: ['quality'],
      persistent: false,
      expires_at: '2026-03-03T09:00:00.000Z',
      text,
    },
    text,
  );
}

export function expand(handle: string, items: readonly unknown[]): Call {
  return ours(
    'context_expand',
    { handle },
    { handle, kind: 'result', page: 1, total_pages: 1, items: [...items] },
  );
}

/** As the server writes it for models that read the text: each item of a list on a line of its own. */
function linedJson(value: Record<string, unknown>): string {
  const parts = Object.entries(value).map(([key, member]) => {
    const isList = Array.isArray(member) && member.length > 1 && typeof member[0] === 'object';
    const json = isList
      ? `[\n${member.map((item) => JSON.stringify(item)).join(',\n')}\n]`
      : JSON.stringify(member);
    return `${JSON.stringify(key)}:${json}`;
  });
  return `{${parts.join(',')}}`;
}
