import type { Conversation } from './conversation.ts';
import { CATEGORIES, type Category, categoryFor, PER_PAGE, WORKFLOW } from './material.ts';

/** What an agent did, as it could tell from the answers that it got. */
export interface Done {
  activities: number;
  pages: number;
  /** Branches that the server folded, and how many tokens it counted in them. */
  folded?: { branches: number; tokens: number };
}

/** One way to do the same job. */
export interface Way {
  name: string;
  label: string;
  /** Whether used results are collapsed. */
  collapses: boolean;
  run(conversation: Conversation, project: string): Promise<Done>;
}

export const WAYS: readonly Way[] = [
  { name: 'none', label: 'no collapsing', collapses: false, run: pageByPage },
  { name: 'collapsed', label: 'collapsed', collapses: true, run: pageByPage },
  { name: 'lean', label: 'lean mode', collapses: false, run: byFilters },
  { name: 'folding', label: 'folding', collapses: false, run: branchPerPage },
];

interface Row {
  id: number;
  title: string;
  category: string;
}
interface PageOfRows {
  records: Row[];
  pagination: { total_pages: number };
}

interface FoldAnswer {
  summary: { tokens_folded: number };
}

const LOOP_STEP = 2;
const LAST_STEP = 4;

const step = (conversation: Conversation, number: number) =>
  conversation.call('get_workflow_step', { workflow: WORKFLOW, step: number });

const fetchPage = (conversation: Conversation, page: number) =>
  conversation.call<PageOfRows>('search_records', { model: 'activity', page, per_page: PER_PAGE });

const store = (conversation: Conversation, findings: readonly Finding[], more: object = {}) =>
  conversation.call('store_analysis_memory', { analysis_id: WORKFLOW, findings, ...more });

interface Finding {
  finding: string;
  category?: Category;
}

/** Reads a page as a model would: which activities are not where their title says that they belong? */
function analyse(rows: readonly Row[]): Finding[] {
  const findings = (Object.keys(CATEGORIES) as Category[]).flatMap((category) =>
    findingFor(
      category,
      rows.filter((row) => row.category !== category && categoryFor(row.title) === category),
    ),
  );
  return findings.length > 0 ? findings : [{ finding: 'Nothing is misfiled' }];
}

function findingFor(category: Category, rows: readonly { id: number }[]): Finding[] {
  if (rows.length === 0) return [];
  return [{ finding: `${rows.map(({ id }) => id).join(', ')} to ${category}`, category }];
}

/** The activities that a finding moves; none for one that is not about moving. */
export function movesIn(finding: string): [id: number, category: string][] {
  const [, ids, category] = /^(\d+(?:, \d+)*) to (.+)$/.exec(finding) ?? [];
  return ids === undefined ? [] : ids.split(', ').map((id) => [Number(id), category!]);
}

/** The workflow's last step, after which there is nothing more to call. */
async function report(conversation: Conversation, done: Done): Promise<Done> {
  await step(conversation, LAST_STEP);
  conversation.finish(`${done.activities} activities are done; what moves where is in the findings.`);
  return done;
}

/** The loop as the workflow tells it: fetch a page, store what was found, fetch the next one. */
async function pageByPage(conversation: Conversation): Promise<Done> {
  await step(conversation, LOOP_STEP);
  const done = { activities: 0, pages: 0 };
  for (let last = 1; done.pages < last; ) {
    const { records, pagination } = await fetchPage(conversation, ++done.pages);
    last = pagination.total_pages;
    done.activities += records.length;
    await store(conversation, analyse(records));
  }
  return report(conversation, done);
}

/** No row is ever shown, so that there is no need for pages: the rows stay on the server, which answers by filters. */
async function byFilters(conversation: Conversation): Promise<Done> {
  await step(conversation, LOOP_STEP);
  const { scratch_ref, count } = await conversation.call<{ scratch_ref: string; count: number }>(
    'search_records',
    { model: 'activity', per_page: 200, lean: true },
  );
  for (const [category, word] of Object.entries(CATEGORIES) as [Category, string][]) {
    const filters = { title: { contains: word }, category: { ne: category } };
    const { records } = await conversation.call<PageOfRows>('scratch_read', {
      ref: scratch_ref,
      filters,
      fields: ['id'],
    });
    await store(conversation, findingFor(category, records), { scratch_ref });
  }
  return report(conversation, { activities: count, pages: 1 });
}

/** A branch for each page: what happened in it leaves the conversation when it is folded to its summary. */
async function branchPerPage(conversation: Conversation, project_path: string): Promise<Done> {
  await step(conversation, LOOP_STEP);
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
    const { records, pagination } = await fetchPage(conversation, page);
    last = pagination.total_pages;
    done.activities += records.length;
    const findings = analyse(records);
    await store(conversation, findings);
    const found = findings.map(({ finding }) => finding).join('; ');
    const message = `Page ${page}/${last}: ${found}. Stored.`;
    const { summary } = await conversation.call<FoldAnswer>('context_return', { message, project_path });
    folded.branches++;
    folded.tokens += summary.tokens_folded;
    conversation.fold(mark, `${message}\n[folded: context_expand ${branch_id}]`);
  }
  return report(conversation, done);
}
