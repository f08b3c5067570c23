import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { DiffLine, DraftDetails } from '@infold/protocol';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { compareDrafts, listDrafts } from '../../library/actions/drafts.ts';
import { publishDrafts } from '../../library/actions/publish.ts';
import { rebaseDraft } from '../../library/actions/rebase.ts';
import {
  approveDraft,
  commentDraft,
  declineDraft,
  discardDraft,
  reviewDrafts,
  submitDraft,
} from '../../library/actions/review.ts';
import { diffLines } from '../../library/files/merge.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { EXIT, table } from '../output.ts';
import { inLibrary } from './library-project.ts';

const CONTEXT = 3;
const MOST_LISTED = 1000;

const spaced = (word: string) => word.replace('_', ' ');

interface ShownDraft {
  draft_path: string;
  status: string;
  conflict: string | null;
}

const draftText = ({ draft_path, status, conflict }: ShownDraft) =>
  `${draft_path} is ${spaced(status)}${conflict === null ? '' : ` (conflict: ${spaced(conflict)})`}.`;

/** The versions in a conflict are for who merges them. */
const withoutVersions = ({ conflict, ...draft }: DraftDetails) => ({
  ...draft,
  conflict: conflict?.reason ?? null,
});

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

export function libraryDiff(run: Run, flags: ProjectFlag, id?: string): Promise<number> {
  return act(run, compareDrafts, inLibrary(run.output, flags, { id }), {
    show: ({ drafts }) => (drafts.length === 0 ? 'No open drafts.' : drafts.map(drawDraft).join('\n\n')),
  });
}

function drawDraft(draft: DraftDetails): string {
  const moved = draft.new_path === null ? '' : ` (from ${draft.path})`;
  const parts = [
    paint(
      'bold',
      `${draft.op} ${draft.draft_path}${moved} (${draft.id}), ${spaced(draft.status)}, by ${draft.drafted_by}`,
    ),
  ];
  if (draft.description !== null) parts.push(draft.description);
  const { conflict } = draft;
  if (conflict) {
    parts.push(
      paint('yellow', `Conflict: ${spaced(conflict.reason)}. What was published since the draft began:`),
    );
    parts.push(drawDiff(diffLines(conflict.base?.content ?? '', conflict.published?.content ?? '')));
    parts.push(paint('yellow', 'What the draft changes of what it began from:'));
    parts.push(drawDiff(diffLines(conflict.base?.content ?? '', conflict.draft?.content ?? '')));
  } else {
    parts.push(drawDiff(draft.diff));
  }
  for (const { by, at, text } of draft.comments) parts.push(paint('dim', `${by}, ${at}: ${text}`));
  return parts.join('\n');
}

/** Changed lines with a few around them, coloured on a terminal. */
function drawDiff(lines: readonly DiffLine[]): string {
  const shown = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let near = index - CONTEXT; near <= index + CONTEXT; near++) shown.add(near);
  }
  const drawn: string[] = [];
  let gap = false;
  for (const [index, { kind, text }] of lines.entries()) {
    if (!shown.has(index)) {
      gap = true;
      continue;
    }
    if (gap && drawn.length > 0) drawn.push(paint('dim', '  …'));
    gap = false;
    const line = text.replace(/\r?\n$/, '');
    if (kind === 'added') drawn.push(paint('green', `+ ${line}`));
    else if (kind === 'removed') drawn.push(paint('red', `- ${line}`));
    else drawn.push(`  ${line}`);
  }
  return drawn.length === 0 ? '  (the content stays as it is)' : drawn.join('\n');
}

function paint(style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;
}

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
            `${draft_path} (${id}) is ${spaced(status)} and was left; name it, or say --force.`,
        ),
      ].join('\n'),
    exitCode: (answer) => {
      if (answer.failed.length === 0) return EXIT.done;
      return answer.drafts.length > 0 ? EXIT.partly : EXIT.failed;
    },
  });
}

export function libraryComment(run: Run, flags: ProjectFlag, id: string, text: string): Promise<number> {
  return act(run, commentDraft, inLibrary(run.output, flags, { id, text }), {
    json: withoutVersions,
    show: (draft) => draftText(withoutVersions(draft)),
  });
}

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

export function libraryRebase(
  run: Run,
  { take, body, ...flags }: ProjectFlag & { take?: string; body?: string },
  id: string,
): Promise<number> {
  const text = body === undefined ? undefined : textOf(body);
  return act(run, rebaseDraft, inLibrary(run.output, flags, { id, take, body: text }), {
    json: withoutVersions,
    show: ({ rebased, draft_path }) =>
      rebased
        ? `${draft_path} now builds on what is published; submit it for review again.`
        : `${draft_path} already builds on what is published.`,
  });
}

function textOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text !== '') return text;
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${file} cannot be read: ${messageOf(error)}`);
  }
  throw new InfoldError('invalid_arguments', `${file} is empty`);
}
