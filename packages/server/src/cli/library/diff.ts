import { styleText } from 'node:util';
import type { DiffLine, DraftDetails } from '@infold/protocol';
import { compareDrafts } from '../../library/actions/drafts.ts';
import { diffLines } from '../../library/files/merge.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { spaced } from './draft-text.ts';
import { inLibrary } from './library-project.ts';

const CONTEXT = 3;

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
  for (const { by, at, text, line, side } of draft.comments) {
    const place = line === null ? '' : `, line ${line}${side === 'published' ? ' of what is published' : ''}`;
    parts.push(paint('dim', `${by}, ${at}${place}: ${text}`));
  }
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
