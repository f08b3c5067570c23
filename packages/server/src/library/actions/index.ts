import type { Action } from '../../call/action.ts';
import { readHubStatus } from '../edge/actions.ts';
import { readHubFiles, readHubManifest } from '../hub/manifest.ts';
import { receiveDraft, receiveEvents } from '../hub/receive.ts';
import { listWebhooks, retryWebhook, testWebhook } from '../webhooks/actions.ts';
import { listProtections, protectPaths, readSelection, selectFiles } from '../workspaces/actions.ts';
import { createDraft } from './draft.ts';
import { listDrafts, readDraft } from './drafts.ts';
import { importFiles } from './folders.ts';
import { listLibraryItems, listRevisions, readLibraryItem } from './items.ts';
import { publishDraft } from './publish.ts';
import { rebaseDraft } from './rebase.ts';
import { restoreRevision } from './restore.ts';
import { approveDraft, commentDraft, declineDraft, discardDraft, submitDraft } from './review.ts';
import { searchLibraries } from './search-libraries.ts';
import { libraryStatus } from './status.ts';
import {
  listAgentUsage,
  listConstraintUsage,
  listDayUsage,
  listModelUsage,
  listRuleUsage,
  listTurns,
  readItemUsage,
  reportUsage,
} from './usage.ts';

/** What is served over HTTP beside the tools. */
export const libraryActions: readonly Action[] = [
  libraryStatus,
  importFiles,
  listLibraryItems,
  searchLibraries,
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
  readItemUsage,
  listRuleUsage,
  listConstraintUsage,
  listAgentUsage,
  listModelUsage,
  reportUsage,
  listDayUsage,
  readSelection,
  selectFiles,
  listProtections,
  protectPaths,
  readHubManifest,
  readHubFiles,
  receiveEvents,
  receiveDraft,
  readHubStatus,
  listWebhooks,
  testWebhook,
  retryWebhook,
];
