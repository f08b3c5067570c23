import type { CallServices } from '../call/services.ts';
import { openAgents, openPath, savedInSession } from '../fold/queries.ts';
import { requireScope } from '../trust/access/rule.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { resolveProject } from '../trust/identity/projects.ts';
import { findSession, isLive } from '../trust/sessions/queries.ts';
import { conversationsOfHostSession, totals } from '../window/queries.ts';

/** What `bin/statusline.mjs` asks for, by the way that hooks come. */
export const STATUS_LINE = 'statusline';

/** What a host may show of its session below its prompt; the host itself knows how full its window is. */
export interface StatusFigures {
  branch?: { id: string; description: string; depth: number };
  /** How many are at work. */
  subagents?: number;
  /** Tokens that the model was not sent, as the window door counts them; else by folds and by shorter results. */
  saved?: number;
}

/** Of a session that nobody knows there is nothing to say. It begins none. */
export function statusFigures(services: CallServices, caller: Caller, payload: unknown): StatusFigures {
  requireScope(caller, 'read');
  const { journal, clock, config } = services;
  const { database } = journal;
  const { session_id: name, cwd } = (payload ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') return {};
  const project = typeof cwd === 'string' ? resolveProject(database, caller, cwd).id : undefined;
  const session = findSession(database, caller, name, project);
  const isOpen = session && isLive(session, { now: clock(), lifetime: config.limits.sessionLifetime });
  const branch = isOpen ? openPath(database, session.id).at(-1) : undefined;
  const subagents = isOpen ? openAgents(database, session.id).length : 0;
  const sums = conversationsOfHostSession(database, caller, name).map(({ id }) => totals(database, id));
  const kept = sums.reduce((sum, { asked_tokens, sent_tokens }) => sum + asked_tokens - sent_tokens, 0);
  const saved = sums.length > 0 || !isOpen ? kept : savedInSession(database, session.id);
  return {
    ...(branch && { branch: { id: branch.id, description: branch.description, depth: branch.depth } }),
    ...(subagents > 0 && { subagents }),
    ...(saved > 0 && { saved }),
  };
}
