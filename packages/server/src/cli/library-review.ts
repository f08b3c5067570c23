import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { DraftStatus } from '@infold/protocol';
import type { SqliteJournal } from '../journal/sqlite.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError, messageOf } from '../kernel/errors.ts';
import { type ReviewStep, STEPS } from '../library/commands/review.ts';
import { draftChoice, draftNotFound } from '../library/errors.ts';
import { type DiffLine, diffLines } from '../library/merge.ts';
import { type Draft, draftPath, draftsSeenBy, findDraft, openDrafts } from '../library/queries/drafts.ts';
import type { DraftStep } from '../library/service.ts';
import { draftDetails, draftView } from '../library/views.ts';
import { localOwner } from '../trust/caller.ts';
import { type LibraryWork, type ProjectFlag, withLibrary } from './library.ts';
import { EXIT, type Output, table } from './output.ts';

const CONTEXT = 3;

function shownDrafts({ journal, project }: LibraryWork, all: boolean): Draft[] {
  return draftsSeenBy(journal.database, localOwner, {
    workspaceId: project.workspace_id,
    status: undefined,
    live: !all,
    before: Number.MAX_SAFE_INTEGER,
    limit: 1000,
  });
}

function draftNamed({ journal, project }: LibraryWork, name: string, step?: ReviewStep): Draft {
  const needed = step && STEPS[step];
  const draft = findDraft(journal.database, localOwner, project.workspace_id, name, needed);
  if (!draft) throw draftNotFound(name);
  return draft;
}

function answerDraft(output: Output, journal: SqliteJournal, draft: Draft): void {
  const view = draftView(journal.database, draft);
  output.answer(
    view,
    () => `${view.draft_path} is ${view.status.replace('_', ' ')}${conflictText(view.conflict)}.`,
  );
}

const conflictText = (reason: string | null) =>
  reason === null ? '' : ` (conflict: ${reason.replace('_', ' ')})`;

export function libraryDrafts(
  config: Config,
  output: Output,
  flags: ProjectFlag & { all?: boolean },
): Promise<void> {
  return withLibrary(config, output, flags, async (work) => {
    const drafts = shownDrafts(work, flags.all ?? false).map((draft) =>
      draftView(work.journal.database, draft),
    );
    output.answer({ project: work.project.name, drafts }, () => {
      if (drafts.length === 0) return flags.all ? 'No drafts yet.' : 'No open drafts.';
      const rows = drafts.map((draft) => [
        draft.id,
        draft.draft_path,
        draft.op,
        draft.status.replace('_', ' '),
        draft.drafted_by,
        draft.updated_at,
        draft.conflict === null ? (draft.description ?? '') : `CONFLICT: ${draft.conflict.replace('_', ' ')}`,
      ]);
      return table(rows, ['ID', 'DRAFT', 'WHAT', 'STATUS', 'BY', 'CHANGED', '']);
    });
  });
}

export function libraryDiff(
  config: Config,
  output: Output,
  name: string | undefined,
  flags: ProjectFlag,
): Promise<void> {
  return withLibrary(config, output, flags, async (work) => {
    const drafts = name === undefined ? shownDrafts(work, false) : [draftNamed(work, name)];
    const details = drafts.map((draft) => draftDetails(work.journal.database, draft));
    output.answer({ project: work.project.name, drafts: details }, () =>
      details.length === 0 ? 'No open drafts.' : details.map(drawDraft).join('\n\n'),
    );
  });
}

function drawDraft(draft: ReturnType<typeof draftDetails>): string {
  const moved = draft.new_path === null ? '' : ` (from ${draft.path})`;
  const parts = [
    paint(
      'bold',
      `${draft.op} ${draft.draft_path}${moved} (${draft.id}), ${draft.status.replace('_', ' ')}, by ${draft.drafted_by}`,
    ),
  ];
  if (draft.description !== null) parts.push(draft.description);
  const { conflict } = draft;
  if (conflict) {
    parts.push(
      paint(
        'yellow',
        `Conflict: ${conflict.reason.replace('_', ' ')}. What was published since the draft began:`,
      ),
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
export function drawDiff(lines: readonly DiffLine[]): string {
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

/** Of which drafts `--all` is said; of one's own where the step is the drafter's. */
const ALL_OF: Record<DraftStep | 'publish', { status: readonly DraftStatus[]; own: boolean }> = {
  submit: { status: ['draft'], own: true },
  approve: { status: ['in_review'], own: false },
  decline: { status: ['in_review'], own: false },
  discard: { status: ['draft'], own: true },
  publish: { status: ['approved'], own: false },
};

interface Chosen {
  drafts: Draft[];
  /** Those in review, which are not discarded in passing. */
  left: Draft[];
}

/** Those that are named, or all with which the step can be taken. */
function chosenDrafts(
  work: LibraryWork,
  step: DraftStep | 'publish',
  names: readonly string[],
  { all = false, force = false }: StepFlags,
): Chosen {
  if (all === names.length > 0) {
    throw new InfoldError('invalid_arguments', `Name the drafts to ${step}, or say --all`);
  }
  if (!all) return { drafts: names.map((name) => draftNamed(work, name, step)), left: [] };
  const { status, own } = ALL_OF[step];
  const meant = openDrafts(work.journal.database, localOwner, work.project.workspace_id).filter(
    ({ principal }) => !own || principal === localOwner.principal,
  );
  if (step === 'discard' && force) return { drafts: meant, left: [] };
  const drafts = meant.filter((draft) => status.includes(draft.status));
  return { drafts, left: step === 'discard' ? meant.filter((draft) => !drafts.includes(draft)) : [] };
}

/** One draft is answered by itself; of several, what was done and what could not be (exit code 3). */
export function libraryStep(
  config: Config,
  output: Output,
  step: DraftStep,
  names: readonly string[],
  flags: StepFlags,
): Promise<number> {
  return withLibrary(config, output, flags, async (work) => {
    const { library, journal } = work;
    const chosen = chosenDrafts(work, step, names, flags);
    const note = flags.note ?? null;
    const ids = chosen.drafts.map(({ id }) => id);
    const { drafts, failed } =
      ids.length === 0 ? { drafts: [], failed: [] } : await library.takeStep(localOwner, ids, step, note);
    if (names.length === 1) {
      if (failed[0]) throw failed[0].error;
      answerDraft(output, journal, drafts[0]!);
      return EXIT.done;
    }
    const problems = failed.map(({ draft, error }) => ({
      draft_path: draftPath(draft),
      error: error.message,
      code: error.code,
    }));
    const left = chosen.left.map(draftChoice);
    output.answer(
      {
        drafts: drafts.map((draft) => draftView(journal.database, draft)),
        failed: problems,
        ...(step === 'discard' ? { left } : {}),
      },
      () =>
        [
          ...(ids.length === 0 ? [`There are no drafts to ${step}.`] : []),
          ...drafts.map((draft) => `${draftPath(draft)} is ${draft.status.replace('_', ' ')}.`),
          ...problems.map(({ draft_path, error }) => `${draft_path}: ${error}`),
          ...left.map(
            ({ draft_path, id, status }) =>
              `${draft_path} (${id}) is ${status.replace('_', ' ')} and was left; name it, or say --force.`,
          ),
        ].join('\n'),
    );
    if (failed.length === 0) return EXIT.done;
    return drafts.length > 0 ? EXIT.partly : EXIT.failed;
  });
}

export function libraryComment(
  config: Config,
  output: Output,
  name: string,
  text: string,
  flags: ProjectFlag,
): Promise<void> {
  return withLibrary(config, output, flags, async (work) => {
    if (text.trim() === '') throw new InfoldError('invalid_arguments', 'The comment is empty');
    answerDraft(
      output,
      work.journal,
      await work.library.comment(localOwner, draftNamed(work, name).id, text),
    );
  });
}

export function libraryPublish(
  config: Config,
  output: Output,
  names: readonly string[],
  flags: StepFlags,
): Promise<void> {
  return withLibrary(config, output, flags, async (work) => {
    const ids = chosenDrafts(work, 'publish', names, flags).drafts.map(({ id }) => id);
    if (ids.length === 0) {
      output.answer({ revision: null, changes: [] }, () => 'There are no drafts to publish.');
      return;
    }
    const { revision, changes } = await work.library.publish(localOwner, ids, flags.note ?? null);
    const value = {
      revision,
      changes: changes.map(({ op, file_id, path, hash }) => ({ op, id: file_id, path, hash })),
    };
    output.answer(value, () =>
      [`Published as revision ${revision}:`, ...changes.map(({ op, path }) => `  ${op} ${path}`)].join('\n'),
    );
  });
}

export function libraryRebase(
  config: Config,
  output: Output,
  name: string,
  flags: ProjectFlag & { take?: string; body?: string },
): Promise<void> {
  return withLibrary(config, output, flags, async (work) => {
    const { take } = flags;
    if (take !== undefined && take !== 'draft' && take !== 'published') {
      throw new InfoldError('invalid_arguments', '--take must be draft or published');
    }
    const body = flags.body === undefined ? undefined : textOf(flags.body);
    const { rebased, ...draft } = await work.library.rebase(localOwner, draftNamed(work, name).id, {
      take,
      body,
    });
    const view = draftView(work.journal.database, draft);
    output.answer({ rebased, ...view }, () =>
      rebased
        ? `${view.draft_path} now builds on what is published; submit it for review again.`
        : `${view.draft_path} already builds on what is published.`,
    );
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${file} cannot be read: ${messageOf(error)}`);
  }
}
