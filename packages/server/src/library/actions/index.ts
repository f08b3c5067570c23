import type { Action } from '../../call/action.ts';
import { createDraft } from './draft.ts';
import { listDrafts, readDraft } from './drafts.ts';
import { listLibraryItems, listRevisions, readLibraryItem } from './items.ts';
import { publishDraft } from './publish.ts';
import { rebaseDraft } from './rebase.ts';
import { restoreRevision } from './restore.ts';
import { approveDraft, commentDraft, declineDraft, discardDraft, submitDraft } from './review.ts';
import { listAgentUsage, listConstraintUsage, listDayUsage, listRuleUsage, listTurns } from './usage.ts';

/** What is served over HTTP beside the tools. */
export const libraryActions: readonly Action[] = [
  listLibraryItems,
  readLibraryItem,
  listRevisions,
  restoreRevision,
  listDrafts,
  createDraft,
  readDraft,
  submitDraft,
  discardDraft,
  approveDraft,
  declineDraft,
  commentDraft,
  publishDraft,
  rebaseDraft,
  listTurns,
  listRuleUsage,
  listConstraintUsage,
  listAgentUsage,
  listDayUsage,
];
