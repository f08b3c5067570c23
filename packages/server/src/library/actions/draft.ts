import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { ensureProject } from '../../trust/identity/projects.ts';
import { consumedMeta } from '../../trust/sources.ts';
import { draftById } from '../queries/drafts.ts';
import { libraryPlace, OPT_IN } from '../session.ts';
import { person, stage } from '../staging.ts';
import { draftView } from '../views.ts';

/** Where drafts name files: a path that holds a secret is refused. */
const identifiers = ['id', 'path', 'new_path'].map((name) => `op.*.${name}`);

export const draft = defineAction(libraryApi.draft, {
  identifiers,
  async run({ resource, op, sources }, context) {
    const place = libraryPlace(context);
    const { session, project } = place;
    const { count: secrets } = context.secrets;
    const isOptedIn = place.seenIn === undefined;
    const drafting = { sessionId: session.id, isOptedIn, secrets };
    const { draft_path, draft_id } = await stage(context, project, { resource, op }, drafting);
    if (context.sessionId !== undefined) context.connection.bind(session);
    if (secrets > 0) context.notices.push(`${secrets} secrets in the draft were replaced by placeholders`);
    const draft = draftById(context.database, draft_id);
    if (draft?.live === 1 && !isOptedIn && (draft.op === 'delete' || resource === 'mpf')) {
      context.notices.push(
        'Deletions and drafts of the meta prompt take effect in no session before they are published; ' +
          OPT_IN,
      );
    }
    const status = op.submit ? { status: 'in_review' as const } : {};
    const used = await context.sources(sources);
    return {
      structured: { ok: true as const, draft_path, ...status },
      ...(used && { meta: consumedMeta(used) }),
    };
  },
});

/** A person's draft: no session of an agent is behind it. */
export const createDraft = defineAction(libraryApi.createDraft, {
  identifiers,
  async run({ project: spec, resource, op }, context) {
    const { journal, caller, database, secrets } = context;
    const project = await ensureProject(journal, caller, context.project(spec));
    const drafting = { ...person, secrets: secrets.count };
    const { draft_path, draft_id } = await stage(context, project, { resource, op }, drafting);
    const draft = draftView(database, draftById(database, draft_id)!);
    return { structured: { ok: true as const, draft_path, draft }, isNew: true };
  },
});
