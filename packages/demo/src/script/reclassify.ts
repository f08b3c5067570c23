import type { Conversation } from './conversation.ts';
import { CATEGORY_NAMES, type Category, categoryFor, type Job, PER_PAGE } from './job.ts';

/** What an agent did, as it could tell from the answers that it got. */
export interface Done {
  activities: number;
  pages: number;
}

interface Row {
  id: number;
  title: string;
  category: string;
}
export interface PageOfRows {
  records: Row[];
  pagination: { total_pages: number };
}

export interface Finding {
  finding: string;
  category?: Category;
}

const LOOP_STEP = 2;
const LAST_STEP = 4;

const step = (conversation: Conversation, { workflow }: Job, number: number) =>
  conversation.call('get_workflow_step', { workflow, step: number });

/** The workflow's loop, which is where its hints are. */
export async function begin(conversation: Conversation, job: Job): Promise<void> {
  await step(conversation, job, LOOP_STEP);
}

export function fetchPage(conversation: Conversation, { model }: Job, page: number): Promise<PageOfRows> {
  return conversation.call<PageOfRows>('search_records', { model, page, per_page: PER_PAGE });
}

export async function store(
  conversation: Conversation,
  { workflow }: Job,
  findings: readonly Finding[],
  more: object = {},
): Promise<void> {
  await conversation.call('store_analysis_memory', { analysis_id: workflow, findings, ...more });
}

/** Reads a page as a model would: which activities are not where their title says that they belong? */
export function analyse(rows: readonly Row[]): Finding[] {
  const findings = CATEGORY_NAMES.flatMap((category) =>
    findingFor(
      category,
      rows.filter((row) => row.category !== category && categoryFor(row.title) === category),
    ),
  );
  return findings.length > 0 ? findings : [{ finding: 'Nothing is misfiled' }];
}

export function findingFor(category: Category, rows: readonly { id: number }[]): Finding[] {
  if (rows.length === 0) return [];
  return [{ finding: `${rows.map(({ id }) => id).join(', ')} to ${category}`, category }];
}

/** The workflow's last step, after which there is nothing more to call. */
export async function report<Work extends Done>(
  conversation: Conversation,
  job: Job,
  done: Work,
): Promise<Work> {
  await step(conversation, job, LAST_STEP);
  conversation.finish(`${done.activities} activities are done; what moves where is in the findings.`);
  return done;
}

/** The loop as the workflow tells it: fetch a page, store what was found, fetch the next one. */
export async function pageByPage(conversation: Conversation, job: Job): Promise<Done> {
  await begin(conversation, job);
  const done = { activities: 0, pages: 0 };
  for (let last = 1; done.pages < last; ) {
    const { records, pagination } = await fetchPage(conversation, job, ++done.pages);
    last = pagination.total_pages;
    done.activities += records.length;
    await store(conversation, job, analyse(records));
  }
  return report(conversation, job, done);
}
