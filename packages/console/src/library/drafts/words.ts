import type { Tone } from '../../design/data/badge.tsx';
import type { DraftRow } from '../queries.ts';

export const STATUSES: Record<DraftRow['status'], { text: string; tone: Tone }> = {
  draft: { text: 'not submitted', tone: 'mute' },
  in_review: { text: 'in review', tone: 'note' },
  approved: { text: 'approved', tone: 'good' },
  declined: { text: 'declined', tone: 'bad' },
  published: { text: 'published', tone: 'good' },
  discarded: { text: 'discarded', tone: 'mute' },
};

export const OPERATIONS: Record<DraftRow['op'], string> = {
  create: 'add a file',
  update: 'change a file',
  rename: 'rename a file',
  delete: 'delete a file',
};

export const CONFLICTS: Record<NonNullable<DraftRow['conflict']>, { short: string; text: string }> = {
  changed: {
    short: 'out of date',
    text: 'The published file has changed since the draft was made.',
  },
  deleted: { short: 'file deleted', text: 'The published file was deleted since the draft was made.' },
  renamed: { short: 'file renamed', text: 'The published file was renamed since the draft was made.' },
  path_taken: { short: 'path taken', text: 'Another file has been published at the path of the draft.' },
};

/** Whether somebody can still do something with it. */
export const isOpen = ({ status }: Pick<DraftRow, 'status'>): boolean =>
  status === 'draft' || status === 'in_review' || status === 'approved';
