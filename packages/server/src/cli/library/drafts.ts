import { listDrafts } from '../../library/actions/drafts.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import { spaced } from './draft-text.ts';
import { inLibrary } from './library-project.ts';

const MOST_LISTED = 1000;

export function libraryDrafts(run: Run, { all, ...flags }: ProjectFlag & { all?: boolean }): Promise<number> {
  return act(run, listDrafts, inLibrary(run.output, flags, { all, limit: MOST_LISTED }), {
    show: ({ drafts }) => {
      if (drafts.length === 0) return all ? 'No drafts yet.' : 'No open drafts.';
      const rows = drafts.map((draft) => [
        draft.id,
        draft.draft_path,
        draft.op,
        spaced(draft.status),
        draft.drafted_by,
        draft.updated_at,
        draft.conflict === null ? (draft.description ?? '') : `CONFLICT: ${spaced(draft.conflict)}`,
      ]);
      return table(rows, ['ID', 'DRAFT', 'WHAT', 'STATUS', 'BY', 'CHANGED', '']);
    },
  });
}
