import type { DraftDetails } from '@infold/protocol';

export const spaced = (word: string) => word.replace('_', ' ');

interface ShownDraft {
  draft_path: string;
  status: string;
  conflict: string | null;
}

export const draftText = ({ draft_path, status, conflict }: ShownDraft) =>
  `${draft_path} is ${spaced(status)}${conflict === null ? '' : ` (conflict: ${spaced(conflict)})`}.`;

/** The versions in a conflict are for who merges them. */
export const withoutVersions = ({ conflict, ...draft }: DraftDetails) => ({
  ...draft,
  conflict: conflict?.reason ?? null,
});
