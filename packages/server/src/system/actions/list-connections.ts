import { type OutputOf, systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Clients } from '../../trust/clients/connected-clients.ts';
import { type Caller, isLocalOwner, ownerIn } from '../../trust/identity/caller.ts';
import { projectById } from '../../trust/identity/queries.ts';
import {
  findSession,
  isLive,
  latestSessions,
  liveSessions,
  sessionById,
} from '../../trust/sessions/queries.ts';
import { pageOfConversations } from '../../window/queries.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    clients: Clients;
  }
}

type Connected = OutputOf<typeof systemApi.listConnections>['connections'][number];

/** Where nothing is held open, this long after it was last heard of. */
const RECENT = 5 * 60_000;
const MOST = 500;

export const listConnections = defineAction(systemApi.listConnections, {
  run(_input, context) {
    const connections = [...mcpClients(context), ...participants(context), ...conversations(context)]
      .filter((one) => isShown(context.caller, one))
      .sort((one, other) => (one.last_at < other.last_at ? 1 : -1))
      .slice(0, MOST);
    return { structured: { connections } };
  },
});

/** One's own; for who administers the organisation all of it, as far as their projects go. */
function isShown(caller: Caller, { org, principal, project_id }: Connected): boolean {
  if (isLocalOwner(caller)) return true;
  if (org !== caller.org) return false;
  const isOpen = caller.projects === null || (project_id !== null && caller.projects.includes(project_id));
  if (principal === caller.principal) return isOpen || project_id === null;
  return isOpen && mayAdminister(caller);
}

const NOTHING = {
  name: null,
  version: null,
  session_id: null,
  project_id: null,
  pod: null,
  conversation: null,
};

/** Those of this process, and the sessions that others serve on the same data folder. */
function mcpClients({ parts, database, caller, clock, config }: CallContext): Connected[] {
  const now = clock();
  const clients = parts.clients.list().map(({ org, principal, client, sessionId, lastAt, isHeld }) => ({
    ...NOTHING,
    kind: 'mcp' as const,
    org,
    principal,
    name: client?.name ?? null,
    version: client?.version ?? null,
    session_id: sessionId ?? null,
    project_id: (sessionId && sessionById(database, sessionId)?.project_id) || null,
    last_at: isoTime(lastAt),
    is_open: isHeld || lastAt > now - RECENT,
  }));
  const lifetime = { now, lifetime: config.limits.sessionLifetime };
  const sessions = mayAdminister(caller)
    ? latestSessions(database, MOST).filter((session) => isLive(session, lifetime))
    : liveSessions(database, caller, lifetime);
  const told = new Set(clients.map(({ session_id }) => session_id));
  const others = sessions
    .filter(({ id }) => !told.has(id))
    .map(({ id, org, principal, project_id, last_at }) => ({
      ...NOTHING,
      kind: 'mcp' as const,
      org,
      principal,
      session_id: id,
      project_id,
      last_at: isoTime(last_at),
      is_open: last_at > now - RECENT,
    }));
  return [...clients, ...others];
}

function participants({ parts, database, clock }: CallContext): Connected[] {
  return parts.gateway.members().map(({ pod, id, caller: { org, principal } }) => ({
    ...NOTHING,
    kind: 'gateway',
    org,
    principal,
    name: id,
    project_id: projectById(database, org, pod)?.id ?? null,
    pod,
    last_at: isoTime(clock()),
    is_open: true,
  }));
}

function conversations({ database, caller, clock }: CallContext): Connected[] {
  const owner = mayAdminister(caller) ? null : caller;
  return pageOfConversations(database, owner, { limit: MOST }).map((conversation) => {
    const { id, org, principal, host, host_session, last_at } = conversation;
    const session =
      host_session === null
        ? undefined
        : findSession(database, ownerIn(org, principal), host_session, undefined);
    return {
      ...NOTHING,
      kind: 'window',
      org,
      principal,
      name: host,
      session_id: session?.id ?? null,
      project_id: session?.project_id ?? null,
      conversation: id,
      last_at: isoTime(last_at),
      is_open: last_at > clock() - RECENT,
    };
  });
}

function mayAdminister({ scopes }: Caller): boolean {
  return scopes.includes('admin');
}
