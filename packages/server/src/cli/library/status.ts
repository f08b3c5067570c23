import { libraryStatus as status } from '../../library/actions/status.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { inLibrary } from './library-project.ts';

export function libraryStatus(run: Run, flags: ProjectFlag): Promise<number> {
  return act(run, status, inLibrary(run.output, flags), {
    show: (value) =>
      [
        `${value.project} (${value.workspace_id}), revision ${value.revision}`,
        `${value.rules} rules, ${value.workflows} workflows, ${value.context} context files, ` +
          `${value.meta_prompt ? 'a meta prompt of its own' : 'the meta prompt that every project begins with'}`,
        `${value.drafts} open drafts: ${value.in_review} in review, ${value.approved} approved, ${value.conflicts.length} in conflict`,
        ...value.conflicts.map((path) => `  conflict: ${path}`),
      ].join('\n'),
  });
}
