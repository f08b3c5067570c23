import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** As the scripted agent of `@infold/demo` knows them, which may not be installed; a test compares. */
export const CATEGORY_NAMES = ['Web Dev', 'AI', 'Support'] as const;
export const PER_PAGE = 15;

/**
 * What the sample and the demo work on: 132 activities, of which some are filed in the wrong category, and the workflow that finds
 * them. Made here rather than read from a file, so that both run wherever the program is installed.
 */
export const RECORDS = 132;
export const PAGES = Math.ceil(RECORDS / PER_PAGE);
export const WORKFLOW = 'reclassify';
export const JOB = { workflow: WORKFLOW, model: 'activity' };
const FIRST_ID = 72;

export interface Activity {
  id: number;
  title: string;
  category: string;
  project: string;
  minutes: number;
  started_at: string;
  notes: string;
  tags: string[];
}

const WORK: readonly (readonly [belongs: (typeof CATEGORY_NAMES)[number], title: string, notes: string])[] = [
  [
    'Web Dev',
    'Rebuilt the hero of the landing page',
    'Replaced two bitmap icons, wrote the styles for small screens anew and measured the layout shift again on three phones.',
  ],
  [
    'AI',
    'Compared two models for the summary job',
    'Read thirty summaries side by side, noted where the cheaper one leaves figures out, and kept it for short documents.',
  ],
  [
    'Support',
    'Called a customer about a failed import',
    'Collected the sample files, found the column with mixed dates and agreed on a day for the second attempt.',
  ],
  [
    'Web Dev',
    'Fixed the form on the checkout page',
    'The post code field lost its value on the way back; wrote a test that walks through the form in both directions.',
  ],
  [
    'Support',
    'Answered customer tickets about sign-in',
    'Most of them were expired invitations; wrote a help article, linked it from the form and closed eleven tickets.',
  ],
  [
    'AI',
    'Labelled examples for the intent model',
    'Sorted four hundred messages with the data team and wrote down which two labels annotators mix up most often.',
  ],
  [
    'Web Dev',
    'Made the pricing page load faster',
    'Split the script in two, loads the calculator when it is opened, and checked the first paint on a slow connection.',
  ],
];

/** @param index from 0 */
export function activity(index: number): Activity {
  const [belongs, title, notes] = WORK[(index * 5 + Math.floor(index / 7)) % WORK.length]!;
  // Every fifth or so stands where the next category is.
  const misfiled = (index * 11) % 16 < 3;
  const place = CATEGORY_NAMES.indexOf(belongs) + (misfiled ? 1 : 0);
  return {
    id: FIRST_ID + index,
    title,
    category: CATEGORY_NAMES[place % CATEGORY_NAMES.length]!,
    project: `client-${(index * 13) % 17}`,
    minutes: 15 + ((index * 37) % 200),
    started_at: `2026-0${1 + (index % 9)}-1${index % 9}T09:${10 + (index % 50)}:00Z`,
    notes: `${notes} Follow-up ${(FIRST_ID + index) * 31} is due next week.`,
    tags: ['billing', 'review', 'urgent', 'mobile'].slice(index % 3),
  };
}

export function recordLines(): string {
  return Array.from({ length: RECORDS }, (_, index) => `${JSON.stringify(activity(index))}\n`).join('');
}

export const WORKFLOW_PATH = 'workflow/RECLASSIFY.md';

/** @param model the records that it goes through */
export function workflowText(model: string = JOB.model): string {
  return `---
name: ${WORKFLOW}
title: Reclassify activities
description: Find activities that are filed in the wrong category, page by page.
tags: [cleanup]
models: [${model}]
steps:
  - order: 1
    title: Agree on the categories
    description: Ask which categories there are, unless the user has said it.
  - order: 2
    title: Fetch activities
    description: Fetch one page of activities.
    tool: search_records
    toolArgs: { model: ${model}, per_page: ${PER_PAGE} }
    loopGroup: fetch-analyze
    exhaustive: true
    contextHint:
      lifecycle: transient
      consumedBy: store_analysis_memory
  - order: 3
    title: Store findings
    description: >-
      Decide which activities of the page are in the wrong category. Store one finding for each category that some
      belong to, with their ids. A page without any is a finding too.
    tool: store_analysis_memory
    toolArgs: { analysis_id: ${WORKFLOW} }
    loopGroup: fetch-analyze
  - order: 4
    title: Report
    description: Say how many activities move to which category.
---

# Reclassify activities

Each page is fetched, analysed and left behind: what matters of it is in the findings.
`;
}

/** The records, and a library with the workflow for them, in a folder. */
export function writeMaterial(
  folder: string,
  model: string = JOB.model,
): { records: string; library: string } {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  };
  const records = join(folder, 'activities.jsonl');
  const library = join(folder, 'library');
  write(records, recordLines());
  write(join(library, WORKFLOW_PATH), workflowText(model));
  return { records, library };
}
