import type { CallContext } from '../call/context.ts';
import type { ResourceDefinition } from '../call/resource.ts';
import { isoTime } from '../kernel/clock.ts';
import { findSession, hostIdOf, namesOf, type Session } from '../trust/sessions/queries.ts';
import { sessionsOf } from '../trust/streams.ts';
import {
  branchById,
  contextHeaderOf,
  contextHealthOf,
  foldState,
  isOwnBranch,
  listBranches,
  openPath,
  pageOfSessions,
} from './queries.ts';
import { branchTrajectory } from './trajectory/pages.ts';

const FIRST_ITEMS = 50;
const LISTED = 50;
/** What makes a session appear in the list, or go. */
const LISTING = new Set(['session.started', 'session.expired']);

function idsIn(entry: { events: { data: object }[] }, key: string): string[] {
  const ids = entry.events.map((event) => (event.data as Record<string, unknown>)[key]);
  return [...new Set(ids.filter((id): id is string => typeof id === 'string'))];
}

function latestSessions({ database, caller }: CallContext): Session[] {
  return pageOfSessions(database, caller, { projectId: undefined, limit: LISTED, after: undefined }).sessions;
}

/** KERN-16: what a host can show beside the conversation and be told about when it changes. */
export const foldResources: ResourceDefinition[] = [
  {
    template: 'infold://session/{id}/state',
    name: 'session-state',
    title: 'State of a session',
    description: 'Open branches, tokens and health of a session',
    mimeType: 'application/json',
    read(id, context) {
      const session = findSession(context.database, context.caller, id, undefined);
      if (!session) return undefined;
      context.session = session;
      const state = foldState(context.database, session.id);
      const { contextLimit } = context.config;
      return {
        text: JSON.stringify({
          ...contextHeaderOf(state, contextLimit),
          host_id: hostIdOf(context.database, session.id),
          ended: session.ended_at !== null,
          last_at: isoTime(session.last_at),
          main_thread_tokens: state.main_tokens,
          collapsible: state.collapsible,
          context_limit: contextLimit,
          context_health: contextHealthOf(state, contextLimit),
          branches: openPath(context.database, session.id).map(({ id, description, tokens, budget }) => ({
            id,
            description,
            tokens,
            ...(budget === null ? {} : { budget }),
          })),
        }),
      };
    },
    list: (context) =>
      latestSessions(context)
        .filter(({ ended_at }) => ended_at === null)
        .map(({ id, started_at }) => ({ id, title: `Session of ${isoTime(started_at)}` })),
    // A session is known by our id and by its host's; who watches either is told.
    streams: 'session.',
    changedBy: (entry, database) =>
      idsIn(entry, 'session_id').flatMap((id) => [id, ...namesOf(database, id)]),
    relistedBy: (entry, contextOf) => {
      const isListed = entry.events.some(({ type }) => LISTING.has(type));
      if (!isListed) return false;
      const { org, principal } = contextOf().caller;
      return entry.stream.startsWith(sessionsOf(org, principal));
    },
  },
  {
    template: 'infold://branch/{id}',
    name: 'branch',
    title: 'A branch',
    description: 'What a branch was for and what happened in it',
    mimeType: 'application/json',
    read(id, context) {
      const branch = branchById(context.database, id);
      if (!branch || !isOwnBranch(context, branch)) return undefined;
      return { text: JSON.stringify(branchTrajectory(context.journal, branch, 1, FIRST_ITEMS)) };
    },
    // Told by the state of their session, and completed: a list that changed with every branch would have hosts ask for it
    // all the time.
    list: () => [],
    // People know what a branch was about, hosts what its id is.
    complete: (typed, context) =>
      latestSessions(context)
        .flatMap(({ id }) => listBranches(context.database, id).reverse())
        .filter(
          ({ id, description }) =>
            id.startsWith(typed) || description.toLowerCase().includes(typed.toLowerCase()),
        )
        .map(({ id }) => id),
    streams: 'session.',
    changedBy: (entry) => {
      const moved = entry.events.flatMap(({ type, data }) =>
        type === 'branch.rolled_back'
          ? [...data.discarded, ...data.reopened].map((branch) => branch.branch_id)
          : [],
      );
      return [...new Set([...idsIn(entry, 'branch_id'), ...moved])];
    },
  },
];
