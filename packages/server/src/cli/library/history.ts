import { listRevisions } from '../../library/actions/items.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import { inLibrary } from './library-project.ts';

export function libraryHistory(run: Run, flags: ProjectFlag, path: string): Promise<number> {
  return act(run, listRevisions, inLibrary(run.output, flags, { id: path }), {
    show: ({ revisions }) =>
      table(
        revisions
          .toReversed()
          .map((entry) => [
            String(entry.revision),
            entry.op,
            entry.previous_path === null ? entry.path : `${entry.previous_path} → ${entry.path}`,
            entry.hash.slice(7, 19),
            entry.organisation === undefined ? entry.source : `organisation@${entry.organisation}`,
            entry.author,
            entry.reviewer ?? '-',
            entry.publisher,
            entry.at,
            entry.note ?? '',
          ]),
        ['REVISION', 'WHAT', 'PATH', 'HASH', 'FROM', 'AUTHOR', 'REVIEWER', 'PUBLISHER', 'AT', 'NOTE'],
      ),
  });
}
