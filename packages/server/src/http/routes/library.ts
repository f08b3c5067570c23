import {
  commentBody,
  DRAFT_STATUSES,
  decisionBody,
  draftBody,
  FILE_KINDS,
  noBody,
  rebaseBody,
  restoreBody,
} from '@infold/protocol';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import type { CallServices } from '../../call/services.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type ReviewStep, STEPS } from '../../library/commands/review.ts';
import { draftNotFound } from '../../library/errors.ts';
import { type Draft, draftById, draftsSeenBy, findDraft, nobody } from '../../library/queries/drafts.ts';
import {
  fileById,
  fileByPath,
  fileIdAtPath,
  historyOf,
  type LibraryFile,
  pageOfFiles,
} from '../../library/queries/files.ts';
import { searchItems } from '../../library/queries/search.ts';
import type { Library } from '../../library/service.ts';
import { draftDetails, draftView, fileView, fileWithContent, revisionView } from '../../library/views.ts';
import { requireScope } from '../../trust/access.ts';
import type { Caller } from '../../trust/caller.ts';
import type { Scope } from '../../trust/identity/events.ts';
import { resolveProject } from '../../trust/projects.ts';
import { accepts, badParameter, checkBody, cursorNumber, pageLimit, readJson } from '../requests.ts';

export interface LibraryRouteServices extends Pick<CallServices, 'journal' | 'config'> {
  library: Library;
}

const USUAL = 50;
const MOST = 200;
const inProject = accepts('project');

/** The library and its review, for consoles and scripts. */
export function libraryRoutes(services: LibraryRouteServices, callerOf: (context: Context) => Caller): Hono {
  const { library, config } = services;
  const { database } = services.journal;
  const app = new Hono();

  const callerWith = (context: Context, scope: Scope): Caller => {
    const caller = callerOf(context);
    requireScope(caller, scope);
    return caller;
  };
  const projectOf = (context: Context, caller: Caller, spec = context.req.query('project')) =>
    resolveProject(database, caller, spec);
  const bodyOf = async <Schema extends z.ZodObject>(
    context: Context,
    schema: Schema,
  ): Promise<z.output<Schema>> => {
    const empty = context.req.header('content-length') === '0' || context.req.raw.body === null;
    return checkBody(schema, empty ? {} : await readJson(context, config.limits));
  };
  /** By id, or by its path in the project that the address names. */
  const draftOf = (context: Context, caller: Caller, step?: ReviewStep): Draft => {
    const wanted = context.req.param('id')!;
    const { workspace_id } = projectOf(context, caller);
    const draft = findDraft(database, caller, workspace_id, wanted, step && STEPS[step]);
    if (!draft) throw draftNotFound(wanted);
    return draft;
  };
  const fileOf = (context: Context, caller: Caller): LibraryFile => {
    const wanted = context.req.param('id')!;
    const { workspace_id } = projectOf(context, caller);
    const file = fileById(database, workspace_id, wanted) ?? fileByPath(database, workspace_id, wanted);
    if (!file) throw new InfoldError('not_found', `There is no file ${wanted.slice(0, 200)} in this library`);
    return file;
  };

  app.get('/library/items', accepts('project', 'kind', 'group', 'q', 'limit', 'cursor'), (context) => {
    const caller = callerWith(context, 'read');
    const { workspace_id } = projectOf(context, caller);
    const limit = pageLimit(context, USUAL, MOST);
    const kind = oneOf(context, 'kind', FILE_KINDS);
    const group = context.req.query('group') || undefined;
    const query = context.req.query('q')?.trim();
    if (query || kind || group) {
      if (context.req.query('cursor') !== undefined) {
        throw badParameter('cursor', 'goes without q, kind and group, which answer one page');
      }
      const viewOf = ({ id }: { id: string }) => fileView(fileById(database, workspace_id, id)!);
      const items = query
        ? searchItems(database, nobody(workspace_id), query, { kind, group }, limit).matches.map(
            ({ item, share, words }) => ({ ...viewOf(item), match: share, matched: words }),
          )
        : library.list(workspace_id, { kind, group }, limit).map(viewOf);
      return context.json({ items: items.slice(0, limit), next: null });
    }
    const files = pageOfFiles(database, workspace_id, {
      after: context.req.query('cursor') ?? '',
      limit: limit + 1,
    });
    const items = files.slice(0, limit).map(fileView);
    return context.json({ items, next: files.length > limit ? items.at(-1)!.path : null });
  });

  app.get('/library/items/:id', inProject, (context) =>
    context.json(fileWithContent(database, fileOf(context, callerWith(context, 'read')))),
  );

  app.get('/library/items/:id/history', inProject, (context) => {
    const caller = callerWith(context, 'read');
    const { workspace_id } = projectOf(context, caller);
    const wanted = context.req.param('id');
    const id = fileIdAtPath(database, workspace_id, wanted) ?? wanted;
    const revisions = historyOf(database, workspace_id, id);
    if (revisions.length === 0)
      throw new InfoldError('not_found', `There is no file ${wanted.slice(0, 200)}`);
    return context.json({ revisions: revisions.map(revisionView), next: null });
  });

  app.post('/library/items/:id/restore', inProject, async (context) => {
    const caller = callerWith(context, 'review');
    const { revision } = await bodyOf(context, restoreBody);
    const project = projectOf(context, caller);
    return context.json(
      publication(await library.restore(caller, project, context.req.param('id'), revision)),
    );
  });

  app.get('/library/drafts', accepts('project', 'status', 'limit', 'cursor'), (context) => {
    const caller = callerWith(context, 'read');
    const limit = pageLimit(context, USUAL, MOST);
    const drafts = draftsSeenBy(database, caller, {
      workspaceId: projectOf(context, caller).workspace_id,
      status: oneOf(context, 'status', DRAFT_STATUSES),
      live: context.req.query('status') === undefined,
      before: cursorNumber(context, Number.MAX_SAFE_INTEGER),
      limit: limit + 1,
    });
    const shown = drafts.slice(0, limit);
    const next = drafts.length > limit ? String(shown.at(-1)!.ordinal) : null;
    return context.json({ drafts: shown.map((draft) => draftView(database, draft)), next });
  });

  app.post('/library/drafts', inProject, async (context) => {
    const caller = callerWith(context, 'write');
    const { project: named, resource, op } = await bodyOf(context, draftBody);
    const project = await library.ensure(
      caller,
      projectOf(context, caller, named ?? context.req.query('project')),
    );
    const { draft_path, draft_id } = await library.stage(caller, project, { resource, op });
    const draft = draftById(database, draft_id)!;
    return context.json({ ok: true, draft_path, draft: draftView(database, draft) }, 201);
  });

  app.get('/library/drafts/:id', inProject, (context) =>
    context.json(draftDetails(database, draftOf(context, callerWith(context, 'read')))),
  );

  for (const step of ['submit', 'discard'] as const) {
    app.post(`/library/drafts/:id/${step}`, inProject, async (context) => {
      const caller = callerWith(context, 'write');
      await bodyOf(context, noBody);
      return context.json(
        draftView(database, await library[step](caller, draftOf(context, caller, step).id)),
      );
    });
  }
  app.post('/library/drafts/:id/comment', inProject, async (context) => {
    const caller = callerWith(context, 'write');
    const { text } = await bodyOf(context, commentBody);
    return context.json(
      draftDetails(database, await library.comment(caller, draftOf(context, caller).id, text)),
    );
  });
  for (const step of ['approve', 'decline'] as const) {
    app.post(`/library/drafts/:id/${step}`, inProject, async (context) => {
      const caller = callerWith(context, 'review');
      const { note } = await bodyOf(context, decisionBody);
      const draft = await library.decide(caller, draftOf(context, caller, step).id, step, note ?? null);
      return context.json(draftView(database, draft));
    });
  }
  app.post('/library/drafts/:id/publish', inProject, async (context) => {
    const caller = callerWith(context, 'review');
    const { note } = await bodyOf(context, decisionBody);
    const published = await library.publish(caller, [draftOf(context, caller, 'publish').id], note ?? null);
    return context.json(publication(published));
  });
  app.post('/library/drafts/:id/rebase', inProject, async (context) => {
    const caller = callerWith(context, 'write');
    const { take, body } = await bodyOf(context, rebaseBody);
    const { rebased, ...draft } = await library.rebase(caller, draftOf(context, caller).id, { take, body });
    return context.json({ rebased, ...draftDetails(database, draft) });
  });

  return app;
}

function publication({ revision, changes }: Awaited<ReturnType<Library['publish']>>) {
  return {
    revision,
    changes: changes.map(({ op, file_id, kind, path, hash }) => ({ op, id: file_id, kind, path, hash })),
  };
}

function oneOf<Option extends string>(
  context: Context,
  name: string,
  options: readonly Option[],
): Option | undefined {
  const value = context.req.query(name);
  if (value === undefined || value === '') return undefined;
  const found = options.find((option) => option === value);
  if (!found) throw badParameter(name, `must be one of ${options.join(', ')}`);
  return found;
}
