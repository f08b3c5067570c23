import { InfoldError } from '../kernel/errors.ts';
import { type Caller, isLocalOwner, ownerIn } from '../trust/identity/caller.ts';
import type { Token } from '../trust/identity/queries.ts';

/** Who acts in the organisation that a call names. Another one than the caller's own is for who owns the data folder. */
export function callerIn(caller: Caller, org: string | undefined): Caller {
  if (org === undefined || org === caller.org) return caller;
  if (isLocalOwner(caller)) return ownerIn(org);
  throw new InfoldError('forbidden', 'Only the owner of the data folder can act for another organisation');
}

/** Who owns the data folder looks at all organisations in it, unless one is named. */
export function orgOrAll(caller: Caller, org: string | undefined): string | undefined {
  return org === undefined && isLocalOwner(caller) ? undefined : callerIn(caller, org).org;
}

/** Who administers some projects has no say over tokens that open others. */
export function isWithin({ projects }: Caller, token: Token): boolean {
  return projects === null || (token.projects?.every((id) => projects.includes(id)) ?? false);
}
