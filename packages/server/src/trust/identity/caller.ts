import type { Actor } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { SCOPES, type Scope } from './events.ts';
import { isReserved, LOCAL_ORG, LOCAL_OWNER } from './names.ts';
import { anyTokenMade, tokenByHash } from './queries.ts';
import { hashToken } from './tokens.ts';

export { LOCAL_ORG, LOCAL_OWNER } from './names.ts';

/** Who is calling, and what that opens. */
export interface Caller {
  org: string;
  principal: string;
  scopes: readonly Scope[];
  /** Ids of the projects that are open to the caller; null for all of the organisation. */
  projects: readonly string[] | null;
  capabilities: readonly string[];
  tokenId: string | null;
  /** When the token ends; null where it does not. */
  expiresAt: number | null;
  actor: Actor;
}

/** Who can read the data folder owns it: the stdio process, the command line, and loopback HTTP without tokens. */
export const localOwner: Caller = {
  org: LOCAL_ORG,
  principal: LOCAL_OWNER,
  scopes: SCOPES,
  projects: null,
  capabilities: ['*'],
  tokenId: null,
  expiresAt: null,
  actor: { org: LOCAL_ORG, principal: LOCAL_OWNER },
};

/** The owner of the data folder at work in another organisation, or in the name of somebody there. */
export function ownerIn(org: string = LOCAL_ORG, principal: string = LOCAL_OWNER): Caller {
  if (org === LOCAL_ORG && principal === LOCAL_OWNER) return localOwner;
  return { ...localOwner, org, principal, actor: { org, principal } };
}

/** Nobody else is, whatever a token says of its holder. */
export function isLocalOwner(caller: Caller): boolean {
  return caller === localOwner;
}

/** Whether what is configured for the whole server, and concerns every organisation, is the caller's affair. */
export function runsServer(caller: Caller): boolean {
  const { org, scopes, projects } = caller;
  return isLocalOwner(caller) || (org === LOCAL_ORG && scopes.includes('admin') && projects === null);
}

/** Decides who an HTTP request speaks for, before any work is done for it. */
export function authenticate(
  database: Database,
  bearer: string | undefined,
  now: number,
  needsToken = false,
): Caller {
  if (bearer === undefined) {
    if (!needsToken && !anyTokenMade(database)) return localOwner;
    throw new InfoldError(
      'unauthenticated',
      'A bearer token is required: send "Authorization: Bearer inf_…"',
    );
  }
  const token = tokenByHash(database, hashToken(bearer));
  if (!token) throw new InfoldError('unauthenticated', 'The bearer token is not known here');
  if (token.revoked_at !== null) throw new InfoldError('unauthenticated', 'The bearer token was revoked');
  if (token.expires_at !== null && token.expires_at <= now) {
    throw new InfoldError('unauthenticated', 'The bearer token has expired');
  }
  // Earlier versions let one be made.
  if (isReserved(token.org, token.name)) {
    throw new InfoldError(
      'unauthenticated',
      `The token is named like the owner of the data folder; make one with another name than "${token.name}"`,
    );
  }
  return {
    org: token.org,
    principal: token.name,
    scopes: token.scopes,
    projects: token.projects,
    capabilities: token.capabilities,
    tokenId: token.id,
    expiresAt: token.expires_at,
    actor: { org: token.org, principal: token.name },
  };
}
