import { restoreRevision } from '../../library/actions/restore.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { inLibrary } from './library-project.ts';

export function libraryRestore(
  run: Run,
  flags: ProjectFlag,
  path: string,
  revision: string,
): Promise<number> {
  return act(run, restoreRevision, inLibrary(run.output, flags, { id: path, revision }), {
    show: (answer) =>
      `${path} is as it was at revision ${answer.restored}; published as revision ${answer.revision}.`,
  });
}
