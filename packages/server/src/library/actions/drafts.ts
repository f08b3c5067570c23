import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import { draftsSeenBy, openDrafts } from '../queries/drafts.ts';
import { linkOfWorkspace } from '../queries/hub.ts';
import { draftDetails, draftView } from '../views.ts';
import { approverIn, draftOfCall } from './draft-of-call.ts';

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
  run(named, context) {
    const { database, config, caller } = context;
    const draft = draftOfCall(context, named);
    const link = linkOfWorkspace(database, draft.workspace_id);
    return {
      structured: {
        ...draftDetails(database, draft),
        ...(!approverIn(config, caller).selfApproval && { self_approval: false as const }),
        ...(link && { hub: link.hub_url }),
      },
    };
  },
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
