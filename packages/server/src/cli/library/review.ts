import {
  approveDraft,
  commentDraft,
  declineDraft,
  discardDraft,
  reviewDrafts,
  submitDraft,
} from '../../library/actions/review.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { EXIT } from '../output.ts';
import { draftText, spaced, withoutVersions } from './draft-text.ts';
import { inLibrary } from './library-project.ts';

export interface StepFlags extends ProjectFlag {
  all?: boolean;
  /** `discard --all` means those in review too. */
  force?: boolean;
  note?: string;
}

const STEPS = { submit: submitDraft, approve: approveDraft, decline: declineDraft, discard: discardDraft };

/** One draft is answered by itself; of several, what was done and what could not be (exit code 3). */
export function libraryStep(
  run: Run,
  { all, force, note, ...flags }: StepFlags,
  step: keyof typeof STEPS,
  drafts: readonly string[],
): Promise<number> {
  if (drafts.length === 1 && !all) {
    return act(run, STEPS[step], inLibrary(run.output, flags, { id: drafts[0], note }), { show: draftText });
  }
  return act(run, reviewDrafts, inLibrary(run.output, flags, { step, drafts, all, force, note }), {
    show: (answer) =>
      [
        ...(answer.drafts.length + answer.failed.length === 0 ? [`There are no drafts to ${step}.`] : []),
        ...answer.drafts.map(({ draft_path, status }) => `${draft_path} is ${spaced(status)}.`),
        ...answer.failed.map(({ draft_path, error }) => `${draft_path}: ${error}`),
        ...(answer.left ?? []).map(
          ({ draft_path, id, status }) =>
            `${draft_path} (${id}) is ${spaced(status)} and was skipped; name it, or add --force.`,
        ),
      ].join('\n'),
    exitCode: (answer) => {
      if (answer.failed.length === 0) return EXIT.done;
      return answer.drafts.length > 0 ? EXIT.partly : EXIT.failed;
    },
  });
}

export interface CommentFlags extends ProjectFlag {
  line?: string;
  side?: string;
}

export function libraryComment(run: Run, flags: CommentFlags, id: string, text: string): Promise<number> {
  const { line, side } = flags;
  const place = { ...(line !== undefined && { line }), ...(side !== undefined && { side }) };
  return act(run, commentDraft, inLibrary(run.output, flags, { id, text, ...place }), {
    json: withoutVersions,
    show: (draft) => draftText(withoutVersions(draft)),
  });
}
