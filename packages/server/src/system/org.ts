import { InfoldError } from '../kernel/errors.ts';
import { type Caller, isLocalOwner } from '../trust/caller.ts';

/** The organisation that a call is about. Another one than the caller's own is for who owns the data folder. */
export function orgFor(caller: Caller, wanted: string | undefined): string {
  if (wanted === undefined || wanted === caller.org) return caller.org;
  if (isLocalOwner(caller)) return wanted;
  throw new InfoldError('forbidden', `Only who owns the data folder acts for another organisation`);
}
