import {
  analyse,
  begin,
  CATEGORIES,
  type Category,
  type Conversation,
  type Done,
  fetchPage,
  findingFor,
  type Job,
  type PageOfRows,
  pageByPage,
  report,
  store,
} from './script/index.ts';

/** What an agent did in one of the ways. */
export interface Work extends Done {
  /** Branches that the server folded, and how many tokens it counted in them. */
  folded?: { branches: number; tokens: number };
}

/** One way to do the same job. */
export interface Way {
  name: string;
  label: string;
  /** Whether used results are collapsed. */
  collapses: boolean;
  run(conversation: Conversation, job: Job, project: string): Promise<Work>;
}

export const WAYS: readonly Way[] = [
  { name: 'none', label: 'no collapsing', collapses: false, run: pageByPage },
  { name: 'collapsed', label: 'collapsed', collapses: true, run: pageByPage },
  { name: 'lean', label: 'lean mode', collapses: false, run: byFilters },
  { name: 'folding', label: 'folding', collapses: false, run: branchPerPage },
];

interface FoldAnswer {
  summary: { tokens_folded: number };
}

/** The activities that a finding moves; none for one that is not about moving. */
export function movesIn(finding: string): [id: number, category: string][] {
  const [, ids, category] = /^(\d+(?:, \d+)*) to (.+)$/.exec(finding) ?? [];
  return ids === undefined ? [] : ids.split(', ').map((id) => [Number(id), category!]);
}

/** No row is ever shown, so that there is no need for pages: the rows stay on the server, which answers by filters. */
async function byFilters(conversation: Conversation, job: Job): Promise<Work> {
  await begin(conversation, job);
  const { scratch_ref, count } = await conversation.call<{ scratch_ref: string; count: number }>(
    'search_records',
    { model: job.model, per_page: 200, lean: true },
  );
  for (const [category, word] of Object.entries(CATEGORIES) as [Category, string][]) {
    const filters = { title: { contains: word }, category: { ne: category } };
    const { records } = await conversation.call<PageOfRows>('scratch_read', {
      ref: scratch_ref,
      filters,
      fields: ['id'],
    });
    await store(conversation, job, findingFor(category, records), { scratch_ref });
  }
  return report(conversation, job, { activities: count, pages: 1 });
}

/** A branch for each page: what happened in it leaves the conversation when it is folded to its summary. */
async function branchPerPage(conversation: Conversation, job: Job, project_path: string): Promise<Work> {
  await begin(conversation, job);
  const folded = { branches: 0, tokens: 0 };
  const done = { activities: 0, pages: 0, folded };
  for (let last = 1; done.pages < last; ) {
    const page = ++done.pages;
    const { branch_id } = await conversation.call<{ branch_id: string }>('context_branch', {
      description: `Page ${page}`,
      prompt: `Steps 2 and 3 for page ${page}`,
      project_path,
    });
    const mark = conversation.mark();
    const { records, pagination } = await fetchPage(conversation, job, page);
    last = pagination.total_pages;
    done.activities += records.length;
    const findings = analyse(records);
    await store(conversation, job, findings);
    const found = findings.map(({ finding }) => finding).join('; ');
    const message = `Page ${page}/${last}: ${found}. Stored.`;
    const { summary } = await conversation.call<FoldAnswer>('context_return', { message, project_path });
    folded.branches++;
    folded.tokens += summary.tokens_folded;
    conversation.fold(mark, `${message}\n[folded: context_expand ${branch_id}]`);
  }
  return report(conversation, job, done);
}
