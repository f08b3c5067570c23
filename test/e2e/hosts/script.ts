import { dirname } from 'node:path';
import type { Step } from './scripted-model.ts';

const PAGES = 4;
export const END = 'All 132 activities were looked at, none is left.';
export const SUMMARY =
  'Four pages of activities were looked at; 72 and 75 belong to Web Dev. notes.md says nothing new.';

/** How a host's model calls things. */
export interface Spelling {
  /** A tool of ours. */
  ours(name: string): string;
  /** What brings the tools where the host leaves them out of the first prompt. */
  search?: Step;
  /** The host's own tool reads a file. */
  read(file: string): ReturnType<Step>;
}

/** A branch, pages of records that are used one by one, a file, the return, the last words. */
export function branchAndRecords({ ours, search, read }: Spelling, file: string): Step[] {
  const project_path = dirname(file);
  const page = (number: number): Step[] => [
    () => ({ tool: ours('search_records'), input: { model: 'activity', page: number, per_page: 33 } }),
    (newest) => ({
      tool: ours('store_analysis_memory'),
      input: {
        analysis_id: 'reclassify',
        findings: [{ finding: `Page ${number} is filed right`, category: 'checked' }],
        sources: [handleIn(newest)],
      },
    }),
  ];
  return [
    ...(search ? [search] : []),
    () => ({
      tool: ours('context_branch'),
      input: {
        project_path,
        description: 'Look at every activity',
        prompt: 'Go through all pages and note what is misfiled.',
      },
    }),
    ...Array.from({ length: PAGES }, (_, index) => page(index + 1)).flat(),
    () => read(file),
    () => ({ tool: ours('context_return'), input: { project_path, message: SUMMARY } }),
    () => ({ text: END }),
  ];
}

/** Also where the result is JSON within JSON. */
function handleIn(newest: string): string {
  return /\\*"handle\\*":\s*\\*"([\w-]+)/.exec(newest)?.[1] ?? 'no-handle-was-seen';
}
