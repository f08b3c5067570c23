import { publishDrafts } from '../../library/actions/publish.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { inLibrary } from './library-project.ts';
import type { StepFlags } from './review.ts';

export function libraryPublish(
  run: Run,
  { all, note, ...flags }: StepFlags,
  drafts: readonly string[],
): Promise<number> {
  return act(run, publishDrafts, inLibrary(run.output, flags, { drafts, all, note }), {
    show: ({ revision, changes }) =>
      revision === null
        ? 'There are no drafts to publish.'
        : [`Published as revision ${revision}:`, ...changes.map(({ op, path }) => `  ${op} ${path}`)].join(
            '\n',
          ),
  });
}
