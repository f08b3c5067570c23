import { InfoldError } from '../kernel/errors.ts';
import { type ForgetTarget, forget } from '../trust/forget.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { CallContext } from './context.ts';

/** Erases a target from the journal, from what follows from it, and from what is kept beside it. */
export async function forgetEverywhere(
  { journal, parts }: Pick<CallContext, 'journal' | 'parts'>,
  caller: Caller,
  target: ForgetTarget,
): Promise<{ entries: number; results: number }> {
  let results = 0;
  for (const forgetKept of parts.keptResults) results += await forgetKept(target);
  const { entries } = await forget(journal, caller, target, parts.forgetters).catch((error: unknown) => {
    // Somebody who only read has left nothing in the journal.
    if (results > 0 && InfoldError.isInstance(error) && error.code === 'not_found') return { entries: 0 };
    throw error;
  });
  return { entries, results };
}
