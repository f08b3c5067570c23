import {
  type DiscoverItem,
  type discoverInput,
  type LoadedItem,
  type loadInput,
  META_PROMPT_PATH,
  type referInput,
  type setupInput,
} from '@infold/protocol';
import type { z } from 'zod';
import type { CallContext } from '../call/context.ts';
import type { Database } from '../kernel/sqlite.ts';
import { hostIdOf } from '../trust/sessions/queries.ts';
import { invalid, invalidTargetKind, unknownConstraint, unknownRule, unknownRuleId } from './errors.ts';
import type { AttestationEvent, ReferEvidence } from './events.ts';
import { isSameHash, withoutPrefix } from './hashes.ts';
import { countLiveDrafts, type Drafter, liveDraftAtPath, liveDrafts } from './queries/drafts.ts';
import { constraintsByHash, metaPrompt, textByHash } from './queries/files.ts';
import { discoverView, findItem, type Item, type ItemFilter, listItems } from './queries/items.ts';
import { reviewNews } from './queries/reviews.ts';
import { searchItems } from './queries/search.ts';
import { librarySession, loadedHash } from './queries/sessions.ts';
import { attest, type LibraryPlace, libraryPlace, nameOwnSession, placeOf } from './session.ts';

type Input<Schema extends z.ZodType> = z.output<Schema>;

export const OPT_IN = 'memory.setup with drafts: true shows them';
/** How long ago a review may be to be told of to a session that begins. */
const NEWS_AGE = 7 * 86_400_000;

export async function setUp({ knownHash, drafts }: Input<typeof setupInput>, context: CallContext) {
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
  const current = metaPromptFor(context.database, place);
  const hash = current && withoutPrefix(current.hash);
  const changed = hash === null || knownHash === undefined || !isSameHash(knownHash, hash);
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
    };
    const news = reviewNews(database, place, { after: 0, since: context.clock() - NEWS_AGE });
    // Setting up again with the same meta prompt is no news.
    const isNews =
      !before ||
      before.mpf_hash !== hash ||
      (before.drafts === 1) !== isOptedIn ||
      news.seq > before.told_seq;
    return { events: isNews ? [{ type: 'attest.setup', data }] : [], answer: news };
  });
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
}

function noticeDrafts(context: CallContext, place: LibraryPlace, isDraft: boolean): void {
  const { workspaceId, principal } = place;
  if (isDraft) context.notices.push('The meta prompt is a draft that nobody has published');
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

const NAMES_KEPT = 20;

export async function discover(input: Input<typeof discoverInput>, context: CallContext) {
  const place = libraryPlace(context);
  const { kind, group } = input;
  const query = input.query?.trim() || undefined;
  const { discoverItems, discoverMatches } = context.config.limits;
  // Found in order of fitness, the first few serve; a list by path has no such order.
  const limit = query === undefined ? discoverItems : Math.min(discoverItems, discoverMatches);
  const found =
    query === undefined
      ? listItems(context.database, place, { kind, group }, limit).map(discoverView)
      : search(context, place, query, { kind, group }, limit);
  const items = found.slice(0, limit);
  if (found.length > limit) {
    context.notices.push(`Only the first ${limit} are shown; narrow it by kind, group or query`);
  }
  noticeOverlay(context, place, items);
  const { reviews } = await attest(context, place, (database) => ({
    events: [
      {
        type: 'attest.discover',
        data: {
          ...inSession(place),
          kind: kind ?? null,
          group: group ?? null,
          query: query ?? null,
          result_count: items.length,
          result_names: namesOf(items),
        },
      },
    ],
    answer: reviewNews(database, place, {
      after: librarySession(database, place.session.id)!.told_seq,
      since: context.clock() - NEWS_AGE,
    }),
  }));
  return { structured: { items, ...(reviews.length === 0 ? {} : { reviews }) } };
}

function search(
  context: CallContext,
  place: LibraryPlace,
  query: string,
  filter: ItemFilter,
  limit: number,
): DiscoverItem[] {
  const { matches, missing } = searchItems(context.database, place, query, filter, limit);
  if (missing.length > 0) context.notices.push(`No file has: ${missing.join(', ')}`);
  return matches.map(({ item, share, words }) => ({
    ...discoverView(item),
    match: share,
    matched: words,
  }));
}

/** What is not published is marked, and what a draft hides is told of. */
function noticeOverlay(
  context: CallContext,
  place: LibraryPlace,
  items: readonly { hasDraft?: boolean | undefined }[],
): void {
  const drafts = items.filter(({ hasDraft }) => hasDraft).length;
  if (drafts > 0)
    context.notices.push(`Drafts among these, which nobody has published (hasDraft): ${drafts}`);
  if (place.seenIn !== undefined) return;
  const hidden = liveDrafts(context.database, place).filter(({ op }) => op === 'delete').length;
  if (hidden > 0) context.notices.push(`Files that drafts would delete, and which are not shown: ${hidden}`);
}

function namesOf(items: readonly DiscoverItem[]): string[] {
  const names = items.slice(0, NAMES_KEPT).map(({ name }) => name);
  return items.length > NAMES_KEPT ? [...names, `... (+${items.length - NAMES_KEPT} more)`] : names;
}

export async function load(input: Input<ReturnType<typeof loadInput>>, context: CallContext) {
  const { knownHashes } = input;
  const ids = [...new Set(input.ids)];
  const missing = ids.filter((id) => !Object.hasOwn(knownHashes, id));
  if (missing.length > 0) {
    throw invalid(
      `Invalid arguments for memory.load: knownHashes must include every requested id, with "" when its hash is not known; missing: ${missing.slice(0, 5).join(', ')}`,
    );
  }
  const place = libraryPlace(context);
  const found = ids.map((id) => findItem(context.database, place, id));
  const unknown = ids.filter((_, index) => !found[index]);
  if (unknown.length > 0) throw unknownRuleId(unknown);
  const items = (found as Item[]).map((item, index) =>
    loadedView(context.database, item, knownHashes[ids[index]!]!),
  );
  noticeOverlay(context, place, items);
  await attest(context, place, () => ({
    events: [
      {
        type: 'attest.load',
        data: {
          ...inSession(place),
          items: items.map(({ id, kind, path, hash, changed, hasDraft }) => ({
            id,
            kind,
            path,
            hash,
            changed,
            draft: hasDraft,
          })),
        },
      },
    ],
    answer: null,
  }));
  return { structured: { workspaceId: place.workspaceId, items } };
}

function loadedView(database: Database, item: Item, known: string): LoadedItem {
  const { id, kind, path, hash, draft } = item;
  const changed = !isSameHash(known, hash);
  const referable = kind === 'context' ? [] : constraintsByHash(database, hash);
  return {
    id,
    kind,
    path,
    changed,
    hash,
    hasDraft: draft !== undefined,
    ...(draft?.base_hash ? { draftBaseHash: draft.base_hash } : {}),
    content: changed ? contentFor(database, item, referable) : null,
    constraints: referable,
  };
}

function contentFor(database: Database, item: Item, constraints: readonly { id: string }[]): string {
  const text = textByHash(database, item.hash);
  if (text === undefined) throw new Error(`The content ${item.hash} of ${item.path} is missing`);
  return item.kind === 'context' ? text : text + reminder(item, text, constraints);
}

/** LIB-06: follows the content of rules and workflows, and is not part of what is hashed. */
function reminder({ id, hash }: Item, text: string, constraints: readonly { id: string }[]): string {
  const line = `${text.endsWith('\n') ? '' : '\n'}\n---\n`;
  if (constraints.length === 0)
    return `${line}This file has no constraints for memory.refer (no H2 section with text).\n`;
  const ids = constraints.map((constraint) => constraint.id).join(', ');
  return `${line}If this shaped your work, say so before you finish: memory.refer with ruleId "${id}", ruleHash "${hash}" and the constraintId of each constraint you applied. Valid ids: ${ids}\n`;
}

export async function refer({ refs }: Input<ReturnType<typeof referInput>>, context: CallContext) {
  const place = libraryPlace(context);
  const evidence = await attest(context, place, (database) => {
    // LIB-07: every reference is checked before any is recorded.
    const checked = refs.map((ref): ReferEvidence => {
      const item = findItem(database, place, ref.ruleId);
      if (!item) throw unknownRule(ref.ruleId);
      if (item.kind === 'context') throw invalidTargetKind(ref.ruleId);
      const constraints = constraintsByHash(database, item.hash);
      const constraint = constraints.find(({ id }) => id === ref.constraintId);
      if (!constraint) throw unknownConstraint(ref.ruleId, ref.constraintId, constraints);
      const loaded = loadedHash(database, place.session.id, item.id);
      const worked = ref.ruleHash || loaded;
      return {
        rule_id: item.id,
        path: item.path,
        rule_hash: item.hash,
        claimed_hash: ref.ruleHash ?? null,
        constraint_id: constraint.id,
        constraint_name: constraint.name,
        constraint_text: constraint.text,
        reason: ref.reason ?? null,
        loaded: loaded !== undefined,
        stale: worked !== undefined && !isSameHash(worked, item.hash),
      };
    });
    const event: AttestationEvent = { type: 'attest.refer', data: { ...inSession(place), refs: checked } };
    return { events: [event], answer: checked };
  });
  const unloaded = evidence.filter(({ loaded }) => !loaded).length;
  const stale = evidence.filter((ref) => ref.stale).length;
  if (unloaded > 0) context.notices.push(`${unloaded} refs name rules that this session has not loaded`);
  if (stale > 0) context.notices.push(`${stale} refs name rules that have changed since; load them again`);
  return { structured: { ok: true as const, count: refs.length } };
}

export async function closeTurn(context: CallContext, how: { summary: string } | { reason: string | null }) {
  const place = libraryPlace(context);
  const event: AttestationEvent =
    'summary' in how
      ? { type: 'attest.agent_report', data: { ...inSession(place), summary: how.summary } }
      : { type: 'attest.reject', data: { ...inSession(place), reason: how.reason } };
  await attest(context, place, () => ({ events: [event], answer: null }));
  return { structured: { ok: true as const } };
}

function inSession({ session, workspaceId }: LibraryPlace) {
  return { session_id: session.id, workspace_id: workspaceId };
}
