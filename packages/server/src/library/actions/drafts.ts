import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import { draftsSeenBy, openDrafts } from '../queries/drafts.ts';
import { draftDetails, draftView } from '../views.ts';
import { draftOfCall } from './draft-of-call.ts';

export const listDrafts = defineAction(libraryApi.listDrafts, {
  run({ project: spec, status, all, limit, cursor }, context) {
    const { database, caller } = context;
    const project = context.project(spec);
    const found = draftsSeenBy(database, caller, {
      workspaceId: project.workspace_id,
      status,
      live: status === undefined && !all,
      before: cursorNumber(libraryApi.listDrafts, cursor, Number.MAX_SAFE_INTEGER),
      limit: limit + 1,
    });
    const shown = found.slice(0, limit);
    const next = found.length > limit ? String(shown.at(-1)!.ordinal) : null;
    const drafts = shown.map((draft) => draftView(database, draft));
    return { structured: { project: project.name, drafts, next } };
  },
});

export const readDraft = defineAction(libraryApi.readDraft, {
  run: (named, context) => ({ structured: draftDetails(context.database, draftOfCall(context, named)) }),
});

export const compareDrafts = defineAction(libraryApi.compareDrafts, {
  run({ id, project: spec }, context) {
    const { database, caller } = context;
    const project = context.project(spec);
    const drafts =
      id === undefined
        ? openDrafts(database, caller, project.workspace_id)
        : [draftOfCall(context, { id, project: spec })];
    return {
      structured: { project: project.name, drafts: drafts.map((draft) => draftDetails(database, draft)) },
    };
  },
});
