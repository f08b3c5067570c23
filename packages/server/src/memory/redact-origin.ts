import type { Database } from '../kernel/sqlite.ts';
import { type Caller, isLocalOwner } from '../trust/identity/caller.ts';
import { projectSettings } from '../trust/identity/queries.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import type { ItemRow, Partition } from './queries.ts';

/** Items that come from somebody's session, not from who wrote them down for others. */
const OF_SESSIONS = ['fold', 'library', 'analysis'];
const SESSION_ADDRESS = /^infold:\/\/(?:branch|session)\//;

/**
 * An item as a caller is shown it. What others' sessions came to is the project's; whose session it was is not, unless
 * the project shares it (`project set --mirror full`).
 */
export function shownTo(database: Database, caller: Caller, item: ItemRow, partition: Partition): ItemRow {
  if (item.metadata === null || isLocalOwner(caller)) return item;
  const metadata = JSON.parse(item.metadata) as Record<string, unknown>;
  const isOfBranch = item.origin === 'gateway' && metadata.type === 'branch';
  if (!OF_SESSIONS.includes(item.origin) && !isOfBranch) return item;
  if (ownersOf(database, metadata).includes(caller.principal)) return item;
  if (projectSettings(database, caller.org, partition.project_id).mirrorBranches === 'full') return item;
  const { session_id: _session, principal: _principal, principals: _principals, ...shared } = metadata;
  return {
    ...item,
    metadata: JSON.stringify(shared),
    source: item.source !== null && SESSION_ADDRESS.test(item.source) ? null : item.source,
    thread: isOfBranch ? item.thread : null,
    author: null,
  };
}

function ownersOf(database: Database, metadata: Record<string, unknown>): unknown[] {
  const { principal, principals, session_id } = metadata;
  if (principal !== undefined) return [principal];
  if (Array.isArray(principals)) return principals;
  return typeof session_id === 'string' ? [sessionById(database, session_id)?.principal] : [];
}
