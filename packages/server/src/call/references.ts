import type { CallContext } from '../call/context.ts';
import type { Caller } from '../trust/identity/caller.ts';

/** The session that a reference (a branch, a handle, a scratch) belongs to, as the doors know it. */
export type SessionOfReference = (caller: Caller, reference: string) => Promise<string | undefined>;

/** Arguments that name something of a session. A model may be the rows of a scratch. */
const NAMING = ['branch_id', 'handle', 'sources', 'scratch_ref', 'ref', 'model'];

/** Where neither the call nor its host or connection says which session it is for, what it is about does. */
export async function nameSession(
  sessionOf: SessionOfReference | undefined,
  input: Record<string, unknown>,
  context: CallContext,
): Promise<void> {
  if (!sessionOf || context.sessionId !== undefined || context.hasOwnSession) return;
  for (const reference of referencesIn(input)) {
    context.about = await sessionOf(context.caller, reference);
    if (context.about !== undefined) return;
  }
}

function referencesIn(input: Record<string, unknown>): string[] {
  return NAMING.flatMap((name) => input[name] ?? []).filter((value) => typeof value === 'string');
}
