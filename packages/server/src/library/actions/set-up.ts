import { libraryApi, META_PROMPT_PATH } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { hostIdOf, type Session } from '../../trust/sessions/queries.ts';
import { conversationsOfHostSession } from '../../window/queries.ts';
import { invalid } from '../errors.ts';
import { isSameHash, withoutPrefix } from '../files/hashes.ts';
import { countLiveDrafts, type Drafter, liveDraftAtPath } from '../queries/drafts.ts';
import { metaPrompt, textByHash } from '../queries/files.ts';
import { libraryState } from '../queries/in-force.ts';
import { reviewNews } from '../queries/reviews.ts';
import { librarySession } from '../queries/sessions.ts';
import {
  attest,
  type LibraryPlace,
  NEWS_AGE,
  nameOwnSession,
  noticeAge,
  OPT_IN,
  placeOf,
} from '../session.ts';

export const setUp = defineAction(libraryApi.memorySetup, {
  async run({ knownHash, drafts, model: said }, context) {
    // As the caller sent it: to the scrubber some hosts' session ids look like cookies.
    const named = context.sessionId;
    if (named !== undefined) await nameOwnSession(context, named);
    else if (!context.hasOwnSession) {
      throw invalid(
        'Invalid arguments for memory.setup: session_id is required (string): the id of your host session, ' +
          'the session_id that context_branch answered, or one of your own that you go on using',
      );
    }
    const session = await context.sessionOrNew();
    const sessionId = named ?? context.hostSession ?? hostIdOf(context.database, session.id) ?? session.id;
    const optsIn = drafts ?? (context.connection.drafts || undefined);
    const place = placeOf(context, session, optsIn);
    const model = modelIn(context, session) ?? said;
    const current = metaPromptFor(context.database, place);
    const hash = current && withoutPrefix(current.hash);
    const changed = hash === null || knownHash === undefined || !isSameHash(knownHash, hash);
    // Made before the transaction, which then finds it.
    libraryState(context.database, place.workspaceId);
    const { reviews, more } = await attest(context, place, (database) => {
      const before = librarySession(database, session.id);
      const isOptedIn = place.seenIn === undefined;
      const data = {
        session_id: session.id,
        workspace_id: place.workspaceId,
        project_id: place.project.id,
        mpf_hash: hash,
        mpf_changed: changed,
        drafts: isOptedIn,
        library: libraryState(database, place.workspaceId),
        ...(model !== undefined && { model }),
      };
      const news = reviewNews(database, place, { after: 0, since: context.clock() - NEWS_AGE });
      // Setting up again with the same meta prompt is no news.
      const isNews =
        !before ||
        before.mpf_hash !== hash ||
        (before.drafts === 1) !== isOptedIn ||
        (model !== undefined && before.model !== model) ||
        news.seq > before.told_seq;
      return { events: isNews ? [{ type: 'attest.setup', data }] : [], answer: news };
    });
    noticeAge(context, place);
    noticeDrafts(context, place, current?.marks !== undefined);
    if (more > 0) context.notices.push(`Reviews that are not shown: ${more}`);
    return {
      structured: {
        workspaceId: place.workspaceId,
        sessionId,
        mpf:
          hash === null
            ? null
            : {
                hash,
                ...(changed ? { content: current!.text } : { changed: false as const }),
                ...current!.marks,
              },
        ...(reviews.length === 0 ? {} : { reviews }),
      },
    };
  },
});

/** The model that the host of this session asked last, where its requests go through the window. */
function modelIn({ database, caller }: CallContext, session: Session): string | undefined {
  const hostId = hostIdOf(database, session.id);
  if (hostId === null) return undefined;
  return conversationsOfHostSession(database, caller, hostId).at(-1)?.model ?? undefined;
}

function noticeDrafts(context: CallContext, place: LibraryPlace, isDraft: boolean): void {
  const { workspaceId, principal } = place;
  if (isDraft) context.notices.push('The meta prompt is an unpublished draft');
  const hidden =
    countLiveDrafts(context.database, { workspaceId, principal }) - countLiveDrafts(context.database, place);
  if (hidden > 0)
    context.notices.push(`Open drafts that are not in force in this session: ${hidden}; ${OPT_IN}`);
}

interface CurrentMetaPrompt {
  text: string;
  hash: string;
  marks?: { hasDraft: true; draftBaseHash?: string };
}

/** A session that opted in sees the draft of the meta prompt; a draft that deletes it leaves none. */
function metaPromptFor(database: Database, drafter: Drafter): CurrentMetaPrompt | null {
  const draft = liveDraftAtPath(database, drafter, META_PROMPT_PATH);
  if (!draft) return metaPrompt(database, drafter.workspaceId);
  if (draft.hash === null) return null;
  const base = draft.base_hash === null ? {} : { draftBaseHash: draft.base_hash };
  return {
    text: textByHash(database, draft.hash) ?? '',
    hash: draft.hash,
    marks: { hasDraft: true, ...base },
  };
}
